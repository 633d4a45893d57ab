"""Where two partitions of the same rows agree and where they part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .scores import ami, ari, contingency, match_labels


@dataclass(frozen=True)
class Contingency:
    """Rows by the groups of two partitions, matched so that agreement lies on the diagonal."""

    #: int64, shape (A, B). Rows in a group of the first and a group of the second.
    counts: np.ndarray
    #: The groups down and across.
    first: tuple[int, ...]
    second: tuple[int, ...]
    ari: float
    ami: float
    #: bool, shape (n,). Rows off the matched pairs of groups.
    apart: np.ndarray

    @property
    def n_apart(self) -> int:
        """How many rows lie off the matched pairs."""
        return int(self.apart.sum())

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray) -> Contingency:
        """Compare two partitions, labels from 0 on, shape (n,)."""
        a, rows = np.unique(first, return_inverse=True)
        b, columns = np.unique(second, return_inverse=True)
        # A group of the second beside its partner in the first, those without one last.
        matched = match_labels(rows, columns)
        partner = np.empty(b.size, dtype=np.int64)
        partner[columns] = matched
        order = np.argsort(partner, kind="stable")
        return cls(
            contingency(rows, columns)[:, order],
            tuple(a.tolist()),
            tuple(b[order].tolist()),
            ari(first, second),
            ami(first, second),
            matched != rows,
        )
