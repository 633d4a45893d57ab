"""New rows priced at once under clusters that stay as they are.

As no statistic changes meanwhile, what a whole number scores is worked out once for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator

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
        self._scores = np.empty((0, self.width))
        self._starts = np.zeros(self._whole.size, dtype=np.int64)

    @property
    def width(self) -> int:
        """Columns of ``out``: clusters, an empty one at least, and as many as run fastest."""
        return (self.n + 8) // 8 * 8

    def cheapest(self, values: np.ndarray, log_concentration: float = -np.inf) -> np.ndarray:
        """The cheapest cluster of rows in none, (n, M); -1 where a new one is cheaper still."""
        best = np.empty(len(values), dtype=np.int64)
        weights = self.log_weights(log_concentration)
        for inside, scores in self._blocks(values):
            best[inside] = (scores[:, : self.n + 1] + weights).argmax(axis=1)
        best[best == self.n] = -1
        return best

    def of(self, values: np.ndarray) -> np.ndarray:
        """Scores of rows in none of the clusters, (n, M), shape (n, K)."""
        scores = np.empty((len(values), self.n))
        for inside, found in self._blocks(values):
            scores[inside] = found[:, : self.n]
        return scores

    def log_weights(self, log_concentration: float = -np.inf) -> np.ndarray:
        """Ln N_k of the clusters, and ln N_0, shape (K + 1,)."""
        sizes = np.maximum(self.clusters.sizes[: self.n], TINY)
        return np.append(np.log(sizes), log_concentration)

    def _blocks(self, values: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the scores of some rows at a time, in an array that is written anew."""
        by_value = self._known(values)
        units = self._table.units
        others = np.delete(units, self._whole[by_value], axis=0)
        columns = np.ascontiguousarray(units[self._whole[by_value], 1])
        starts = np.ascontiguousarray(self._starts[by_value])
        out = np.empty((BLOCK, self.width))
        for start in range(0, len(values), BLOCK):
            inside = slice(start, start + BLOCK)
            table = self._table._replace(values=values[inside], units=others)
            scores = out[: len(table.values)]
            self._write(table, scores)
            add_by_value(table.values, columns, starts, self._scores, scores)
            yield inside, scores

    def _write(self, table: Table, scores: np.ndarray) -> None:
        in_none = np.full(len(scores), -1)
        score_table(table, self.clusters.state, self.n, in_none, scores, self.clusters.work)

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
        self._scores = np.empty((len(values), self.width))
        self._write(table, self._scores)


@kernel
def add_by_value(values, columns, starts, scores_of, out):
    """Add what the whole numbers in some columns score to the scores of their rows.

    Parameters
    ----------
    values : ndarray of float64, shape (n, M)
    columns, starts : ndarray of int64, shape (U,)
        Their columns, and the place of the number 0 of each among the scores.
    scores_of : ndarray of float64, shape (V, W)
        In every cluster.
    out : ndarray of float64, shape (n, W)
    """
    for i in range(values.shape[0]):
        row = out[i]
        for u in range(columns.shape[0]):
            value = values[i, columns[u]]
            if np.isnan(value):
                continue
            place = starts[u] + np.int64(value)
            for other in range(out.shape[1]):
                row[other] += scores_of[place, other]
