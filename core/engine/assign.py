"""Rows priced at once under clusters that stay as they are, and their choice: that of a sweep.

As no statistic changes meanwhile, what a whole number scores is worked out once for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..families import FAMILIES
from ..jit import kernel
from .dispatch import CODES, N_COLUMN_KERNELS
from .product import Table, score_table
from .sweeps import Clusters

#: Rows that are scored together: their scores stay in a processor's own memory. Of fewer, what a
#: whole number scores is not worked out beforehand.
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
    table : Table
        Of any rows, under the priors of the clusters.
    clusters : Clusters
    """

    def __init__(self, table: Table, clusters: Clusters) -> None:
        # The kernels use clusters as scratch space.
        self.clusters = Clusters(*(array.copy() for array in clusters))
        self.n = int(clusters.count[0])
        self._table = table
        units = self._table.units
        self._whole = np.flatnonzero(np.isin(units[:, 0], _WHOLE))
        self._tops = np.full(self._whole.size, -1)
        self._with = self._without = np.empty((0, self.width))
        self._starts = np.zeros(self._whole.size, dtype=np.int64)

    @property
    def width(self) -> int:
        """Columns of ``out``: clusters, an empty one at least, and as many as run fastest."""
        return (self.n + 8) // 8 * 8

    def cheapest(self, values: np.ndarray, log_concentration: float = -np.inf) -> np.ndarray:
        """The cheapest cluster of rows in none, (n, M); -1 where a new one is cheaper still."""
        best = np.empty(len(values), dtype=np.int64)
        weights = self.log_weights(log_concentration)
        for inside, scores in self._blocks(values, None):
            best[inside] = (scores[:, : self.n + 1] + weights).argmax(axis=1)
        best[best == self.n] = -1
        return best

    def choices(self, values: np.ndarray, labels: np.ndarray, log_concentration: float) -> Choices:
        """Price rows that are in clusters, (n, M), each without itself in its own."""
        weights, n_rows = self.log_weights(log_concentration), len(values)
        with np.errstate(divide="ignore"):
            without = np.log(self.clusters.sizes[: self.n] - 1.0)
        found = Choices(np.empty(n_rows, dtype=np.int64), np.empty(n_rows), np.empty(n_rows))
        for inside, scores in self._blocks(values, labels):
            outputs = found.best[inside], found.slack[inside], found.fits[inside]
            choose(scores, weights, labels[inside], without, self.clusters.members, *outputs)
        return found

    def of(self, values: np.ndarray) -> np.ndarray:
        """Scores of rows in none of the clusters, (n, M), shape (n, K)."""
        scores = np.empty((len(values), self.n))
        for inside, found in self._blocks(values, None):
            scores[inside] = found[:, : self.n]
        return scores

    def log_weights(self, log_concentration: float = -np.inf) -> np.ndarray:
        """Ln N_k of the clusters, and ln N_0, shape (K + 1,)."""
        sizes = np.maximum(self.clusters.sizes[: self.n], TINY)
        return np.append(np.log(sizes), log_concentration)

    def _blocks(
        self, values: np.ndarray, labels: np.ndarray | None
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the scores of some rows at a time, in an array that is written anew."""
        by_value = self._known(values)
        units = self._table.units
        others = np.delete(units, self._whole[by_value], axis=0)
        columns = np.ascontiguousarray(units[self._whole[by_value], 1])
        starts = np.ascontiguousarray(self._starts[by_value])
        out, outside = np.empty((BLOCK, self.width)), np.full(BLOCK, -1)
        for start in range(0, len(values), BLOCK):
            inside = slice(start, start + BLOCK)
            table = self._table._replace(values=values[inside], units=others)
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
        is_low = (highest < MOST_VALUES) & (len(values) >= BLOCK)
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
