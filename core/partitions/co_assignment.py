"""How often two rows share a cluster among many partitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

MOST_ROWS = 2_000
#: Clusters whose contingency tables with all others are made at once.
MOST_TABLES = 2_000


def co_assignment(draws: Sequence[np.ndarray]) -> np.ndarray:
    """Share of partitions with both of two rows that put them together, float32, (R, R).

    A label is -1 for a row outside a partition. 0 where no partition has both, 1 on the diagonal.
    """
    # Memberships of all draws side by side, so that one product counts every agreement.
    inside = np.array([labels >= 0 for labels in draws], dtype=np.float32)
    member = [np.equal.outer(labels, np.unique(labels[labels >= 0])) for labels in draws]
    joined = np.concatenate(member, axis=1, dtype=np.float32)
    shared = joined @ joined.T / np.maximum(inside.T @ inside, 1.0)
    np.fill_diagonal(shared, 1.0)
    return shared


def distances(draws: Sequence[np.ndarray]) -> np.ndarray:
    """Variation of information between every two partitions of the same rows, (S, S), in nats."""
    sizes = np.array([int(labels.max()) + 1 for labels in draws])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    member = np.zeros((sizes.sum(), len(draws[0])), dtype=np.float32)
    for start, labels in zip(starts, draws, strict=True):
        member[start + labels, np.arange(labels.size)] = 1.0
    counts = member.sum(axis=1, dtype=np.float64)
    own = np.add.reduceat(xlogy(counts, counts), starts)
    joint = []
    for part in np.array_split(np.arange(len(draws)), -(-len(member) // MOST_TABLES)):
        inside = slice(starts[part[0]], starts[part[-1]] + sizes[part[-1]])
        shared = (member[inside] @ member.T).astype(np.float64)
        below = np.add.reduceat(xlogy(shared, shared), starts[part] - inside.start, axis=0)
        joint.append(np.add.reduceat(below, starts, axis=1))
    lost = own[:, None] + own - 2.0 * np.concatenate(joint)
    return np.maximum(lost / member.shape[1], 0.0)


def rows_to_compare(n_rows: int, random: np.random.Generator) -> np.ndarray:
    """All rows, or a sorted random sample of ``MOST_ROWS``."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, MOST_ROWS, replace=False))
