"""Rows priced at once under clusters that stay as they are, and their choice: that of a sweep.

As no statistic changes meanwhile, what a whole number scores is worked out once for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..engine.columns import Columns
from ..engine.dispatch import CODES, N_COLUMN_KERNELS
from ..engine.product import Table, score_table
from ..engine.sweeps import Clusters
from ..families import FAMILIES
from ..jit import kernel

#: Rows that are scored together: their scores stay in a processor's own memory.
BLOCK = 4_096
#: Scores of whole numbers up to here are worked out once.
MOST_VALUES = 256
#: Stands for the size of a cluster without rows, whose logarithm would be infinite.
TINY = 1e-300
#: Kernels of single columns of whole numbers from 0 on.
_WHOLE = sorted(
    {CODES[name] for name, family in FAMILIES.items() if family.support.is_whole}
    & set(range(N_COLUMN_KERNELS))
)


@dataclass(frozen=True)
class Choices:
    """Of some rows, shape (n,) each."""

    #: int64. The cheapest cluster but a row's own; K is a new one.
    best: np.ndarray
    #: float64. How much worse it is than to stay, and the row's fit in its own (nats).
    slack: np.ndarray
    fits: np.ndarray


class Scorer:
    """Scores of rows under K clusters that stay as they are.

    Parameters
    ----------
    columns : Columns
        Of any rows, under the priors of the clusters.
    clusters : Clusters
    """

    def __init__(self, columns: Columns, clusters: Clusters) -> None:
        # The kernels use clusters as scratch space.
        self.clusters = Clusters(*(array.copy() for array in clusters))
        self.n = int(clusters.count[0])
        self._table = columns.table
        units = self._table.units
        self._whole = np.flatnonzero(np.isin(units[:, 0], _WHOLE))
        self._tops = np.full(self._whole.size, -1)
        self._with = self._without = np.empty((0, self.width))
        self._starts = np.zeros(self._whole.size, dtype=np.int64)

    @property
    def width(self) -> int:
        """Columns of ``out``: clusters, an empty one at least, and as many as run fastest."""
        return (self.n + 8) // 8 * 8

    def cheapest(self, rows: Columns) -> np.ndarray:
        """The cheapest cluster there is of each row, shape (n,)."""
        best = np.empty(rows.n_rows, dtype=np.int64)
        weights = np.log(np.maximum(self.clusters.sizes[: self.n], TINY))
        for inside, scores in self._blocks(rows, None):
            best[inside] = (scores[:, : self.n] + weights).argmax(axis=1)
        return best

    def choices(self, rows: Columns, labels: np.ndarray, log_concentration: float) -> Choices:
        """Price rows that are in clusters, each without itself in its own."""
        sizes = self.clusters.sizes[: self.n]
        weights = np.append(np.log(np.maximum(sizes, TINY)), log_concentration)
        with np.errstate(divide="ignore"):
            without = np.log(sizes - 1.0)
        n_rows = rows.n_rows
        found = Choices(np.empty(n_rows, dtype=np.int64), np.empty(n_rows), np.empty(n_rows))
        for inside, scores in self._blocks(rows, labels):
            outputs = found.best[inside], found.slack[inside], found.fits[inside]
            choose(scores, weights, labels[inside], without, self.clusters.members, *outputs)
        return found

    def of(self, rows: Columns) -> np.ndarray:
        """Scores of rows in none of the clusters, shape (n, K)."""
        scores = np.empty((rows.n_rows, self.n))
        for inside, found in self._blocks(rows, None):
            scores[inside] = found[:, : self.n]
        return scores

    def _blocks(
        self, rows: Columns, labels: np.ndarray | None
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the scores of some rows at a time, in an array that is written anew."""
        values = rows.table.values
        by_value = self._known(values)
        units = self._table.units
        others = np.delete(units, self._whole[by_value], axis=0)
        columns = np.ascontiguousarray(units[self._whole[by_value], 1])
        starts = np.ascontiguousarray(self._starts[by_value])
        out, outside = np.empty((BLOCK, self.width)), np.full(BLOCK, -1)
        for start in range(0, rows.n_rows, BLOCK):
            inside = slice(start, start + BLOCK)
            table = rows.table._replace(values=values[inside], units=others)
            scores = out[: len(table.values)]
            own = outside[: len(scores)] if labels is None else labels[inside]
            self._write(table, own, scores)
            add_by_value(table.values, columns, starts, self._with, self._without, own, scores)
            yield inside, scores

    def _write(self, table: Table, own: np.ndarray, scores: np.ndarray) -> None:
        score_table(table, self.clusters.state, self.n, own, scores, self.clusters.work)

    def _known(self, values: np.ndarray) -> np.ndarray:
        """Which columns of whole numbers have none whose score is not worked out, shape (W,)."""
        cells = values[:, self._table.units[self._whole, 1]]
        highest = np.fmax.reduce(cells, axis=0, initial=-1.0)
        is_low = highest < MOST_VALUES
        tops = np.where(is_low, np.fmax(highest, self._tops), self._tops).astype(np.int64)
        if (tops > self._tops).any():
            self._tops = tops
            self._work_out()
        return is_low

    def _work_out(self) -> None:
        """Score rows of one whole number each, all other cells missing."""
        units = self._table.units[self._whole]
        sizes = self._tops + 1
        self._starts = np.cumsum(sizes) - sizes
        values = np.full((sizes.sum(), self._table.values.shape[1]), np.nan)
        for column, start, size in zip(units[:, 1], self._starts, sizes, strict=True):
            values[start : start + size, column] = np.arange(size)
        table = self._table._replace(values=values, units=units)
        self._with = np.empty((len(values), self.width))
        self._without = np.empty_like(self._with)
        self._write(table, np.full(len(values), -1), self._with)
        scratch = np.empty_like(self._with)
        for k in range(self.n):
            self._write(table, np.full(len(values), k), scratch)
            self._without[:, k] = scratch[:, k]


@kernel
def add_by_value(values, columns, starts, scores_of, without_of, own, out):
    """Add what the whole numbers in some columns score to the scores of their rows.

    Parameters
    ----------
    values : ndarray of float64, shape (n, M)
    columns, starts : ndarray of int64, shape (U,)
        Their columns, and the place of the number 0 of each in the two tables.
    scores_of, without_of : ndarray of float64, shape (V, W)
        In every cluster; in every cluster as one of its own numbers, given the others.
    own : ndarray of int64, shape (n,)
        -1 for a row in none of the clusters.
    out : ndarray of float64, shape (n, W)
    """
    for i in range(own.shape[0]):
        k, row = own[i], out[i]
        stay = row[k]
        for u in range(columns.shape[0]):
            value = values[i, columns[u]]
            if np.isnan(value):
                continue
            place = starts[u] + np.int64(value)
            for other in range(out.shape[1]):
                row[other] += scores_of[place, other]
            stay += without_of[place, k]
        if k >= 0:
            row[k] = stay


@kernel
def choose(scores, weights, own, without, members, best, slack, fits):
    """Write each row's best cluster beside its own, how much worse that is, and its own fit.

    Parameters
    ----------
    scores : ndarray of float64, shape (n, W)
        Of each of K clusters, the row's own without it, and of a new one.
    weights, without : ndarray of float64, shapes (K + 1,) and (K,)
        Log sizes and N_0; log sizes without one row.
    own, members : ndarray of int64, shapes (n,) and (W,)
    best, slack, fits : ndarray, shape (n,)
    """
    n = weights.shape[0] - 1
    for i in range(own.shape[0]):
        k = own[i]
        fits[i] = scores[i, k]
        is_alone = members[k] == 1
        stay = scores[i, n] + weights[n] if is_alone else fits[i] + without[k]
        # A row alone in its cluster is in the new one already.
        n_choices = n if is_alone else n + 1
        place, highest = 0, -np.inf
        for other in range(n_choices):
            value = scores[i, other] + weights[other]
            if other != k and value > highest:
                place, highest = other, value
        best[i], slack[i] = place, stay - highest
