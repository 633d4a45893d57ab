"""How often two rows share a cluster among many partitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Rows that are compared, a random sample of a larger table.
MOST_ROWS = 2_000


def co_assignment(draws: Sequence[np.ndarray]) -> np.ndarray:
    """Share of the partitions holding both of two rows that put them into one cluster.

    A label is -1 for a row outside a partition. The shares are float32, shape (R, R): 0 where no
    partition holds both, 1 on the diagonal.
    """
    # All draws' memberships side by side, so that one product counts every agreement.
    inside = np.array([labels >= 0 for labels in draws], dtype=np.float32)
    member = [np.equal.outer(labels, np.unique(labels[labels >= 0])) for labels in draws]
    joined = np.concatenate(member, axis=1, dtype=np.float32)
    shared = joined @ joined.T / np.maximum(inside.T @ inside, 1.0)
    np.fill_diagonal(shared, 1.0)
    return shared


def rows_to_compare(n_rows: int, random: np.random.Generator) -> np.ndarray:
    """All rows, or a random sample of ``MOST_ROWS`` of them in order."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, MOST_ROWS, replace=False))
