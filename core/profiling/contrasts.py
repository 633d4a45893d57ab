"""One column in a group and in another or all other rows: what is told apart, in how many rows.

A group differs from other rows by construction on what made it, so the intervals are no tests. They
keep out what a handful of rows, or one mistyped cell, would make of any group.
"""

from __future__ import annotations

import numpy as np

from ..statistics.intervals import apart, effective, means_apart, median, share
from .profiles import ALL, NaturalColumn, level_weights

#: Rows of a group that something has to be true of to be told.
LEAST_ROWS = 5


class AmountContrasts:
    """Measurements, ratings or counts of one column, of groups against each other or the rest."""

    def __init__(self, column: NaturalColumn, labels: np.ndarray) -> None:
        weights = column.row_weights
        known = ~np.isnan(column.values) & (weights > 0.0)
        order = np.flatnonzero(known)[np.argsort(column.values[known], kind="stable")]
        self.values, self.weights, self.of = column.values[order], weights[order], labels[order]

    def side(self, k: int, statistic: str, beside: int = ALL) -> int:
        """1 where the group lies above the other rows, -1 where below, 0 where that is open.

        By the interval of the difference of their means or medians; and so many rows of the group
        have to lie on that side of the others' figure. The others are the rows of the group
        ``beside``, or all that are not the group's.
        """
        inside, outside = self.of == k, self.of != k if beside == ALL else self.of == beside
        here, weights = self.values[inside], self.weights[inside]
        rest, others = self.values[outside], self.weights[outside]
        if here.size < LEAST_ROWS or not rest.size:
            return 0
        if statistic == "median":
            middle = median(rest, others)
            low, high = apart(median(here, weights), middle)
            beside = middle.value
        else:
            low, high = means_apart(here, rest, weights, others)
            beside = np.average(rest, weights=others)
        side = int(low > 0.0) - int(high < 0.0)
        return side if (side * (here - beside) > 0.0).sum() >= LEAST_ROWS else 0

    def n_rows(self, k: int) -> int:
        """Rows of a group, or of all, with a number."""
        return self.of.size if k == ALL else int((self.of == k).sum())


class LevelContrasts:
    """Levels of one column, of groups against each other or the rest."""

    def __init__(self, column: NaturalColumn, labels: np.ndarray) -> None:
        weights = column.row_weights
        #: Shape (K, V). Sums of weights; rows of any weight; sums of squared weights.
        self.weights, self.rows, self.squares = (
            level_weights(column, labels, each)
            for each in (weights, weights > 0.0, np.square(weights))
        )

    def n_observed(self, k: int) -> int:
        """Rows of a group with a level, as often as they count."""
        return round(float(self.weights[k].sum()))

    def shares(self, k: int) -> np.ndarray:
        """How common the levels are in a group, or in all rows, shape (V,); NaN of no rows."""
        found = self.weights.sum(axis=0) if k == ALL else self.weights[k]
        with np.errstate(invalid="ignore"):
            return found / found.sum()

    def sides(self, k: int, beside: int = ALL) -> np.ndarray:
        """By level: 1 where it is more common than in the other rows, -1 where less, 0 where open.

        By the interval of the difference of the shares; and so many rows of the group have to have
        the level, or not to have it. The others are as in ``AmountContrasts``. Shape (V,).
        """
        numbers = np.arange(len(self.weights))
        others = numbers != k if beside == ALL else numbers == beside
        parts = []
        for groups in (numbers == k, others):
            weights = self.weights[groups].sum(axis=0)
            total = weights.sum()
            n = effective(total, self.squares[groups].sum())
            parts.append(share(weights / (total or 1.0), n))
        low, high = apart(*parts)
        side = (low > 0.0).astype(int) - (high < 0.0)
        rows = self.rows[k]
        enough = np.where(side > 0, rows, rows.sum() - rows) >= LEAST_ROWS
        return np.where(enough, side, 0)
