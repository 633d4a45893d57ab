"""What is found at visits to parts, and how the findings of neighbours become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..engine.columns import Columns
from ..engine.sweeps import TIE
from .sums import RunningSums, Sums

#: Rows in all that may come to the driver to be moved one by one.
MOST_AT_HAND = 50_000
#: Borders between which rows are counted by how much worse their best alternative is (nats).
EDGES = np.concatenate([-np.logspace(3, -8, 34), [-TIE], np.logspace(-6, np.log10(5.0), 34)])
#: Movers are counted apart by where the class of their row number falls: all of them, or the first
#: 4, 2 or 1 classes only, may move.
FRACTIONS = (8, 4, 2, 1)
NO_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class RowSample:
    """Rows that come to the driver."""

    #: int64, shape (n,). Their numbers, and their clusters.
    rows: np.ndarray
    labels: np.ndarray
    #: float64, shape (n, M). As in ``Encoded.values``.
    values: np.ndarray
    #: float64, shape (n,). How well they fit their clusters (nats).
    fits: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[RowSample]) -> RowSample:
        """Rows of several parts, one after the other."""
        return cls(*map(np.concatenate, zip(*(p._arrays for p in parts), strict=True)))

    def where(self, which: np.ndarray) -> RowSample:
        """Some of them."""
        return RowSample(*(array[which] for array in self._arrays))

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.rows, self.labels, self.values, self.fits


@dataclass(frozen=True)
class Report:
    """What a visit found in some parts; the reports of neighbours are joined in their order."""

    #: Of K clusters: rows that stay; then, for each of the four fractions, those that would leave
    #: and those that would come.
    sums: Sums
    #: int64, shape (K,). First row of every cluster.
    first_row: np.ndarray
    #: int64. Rows between each two of ``EDGES``, how much worse their best alternative is.
    histogram: np.ndarray
    #: Rows that would rather move, and would rather open a cluster.
    n_movers: int
    n_births: int
    #: Rows below the threshold; none of them where there are too many.
    n_near: int
    near: RowSample
    #: Rows to seed splits from: by chance, and the worst fitting.
    drawn: RowSample
    misfits: RowSample
    #: Two sides for each proposal.
    sides: Sums

    @cached_property
    def n_clusters(self) -> int:
        """K."""
        return self.first_row.size

    def after(self, fraction: int, columns: Columns) -> Sums:
        """The sums if rows of that many classes moved; of 0, as the rows are."""
        k = self.n_clusters
        total = self.sums.groups(slice(0, k))
        for place, moved in enumerate(FRACTIONS):
            side = 2 * place + (1 if 0 < fraction >= moved else 0)
            total = total.joined(self.sums.groups(slice((1 + side) * k, (2 + side) * k)), columns)
        return total


class Gathered:
    """Reports that come one after the other, in the order of their rows, as one.

    What is held does not grow with their number: sums are added in place, of the worst fitting
    rows the worst are kept, and of rows near a border none once there are too many.

    Parameters
    ----------
    columns : Columns
        Of no rows.
    most_misfits : int
        Of every cluster.
    """

    def __init__(self, columns: Columns, most_misfits: int) -> None:
        self._columns, self._most_misfits = columns, most_misfits
        self._sums, self._sides = RunningSums(columns), RunningSums(columns)
        self._near: list[RowSample] = []
        self._drawn: list[RowSample] = []
        self._misfits: list[RowSample] = []
        self._n_near = self._n_movers = self._n_births = 0

    def add(self, report: Report) -> None:
        """Take in the next one."""
        first = not self._drawn
        self._first_row = (
            report.first_row if first else np.minimum(self._first_row, report.first_row)
        )
        self._histogram = report.histogram + (0 if first else self._histogram)
        self._sums.add(report.sums)
        self._sides.add(report.sides)
        self._n_movers += report.n_movers
        self._n_births += report.n_births
        self._n_near += report.n_near
        self._near.append(report.near)
        if self._n_near > MOST_AT_HAND:
            self._near = [report.near.where(NO_ROWS)]
        self._drawn.append(report.drawn)
        self._misfits.append(report.misfits)
        n_clusters = report.first_row.size
        held = sum(some.rows.size for some in self._misfits)
        if held > 2 * max(self._most_misfits, 1) * n_clusters:
            self._misfits = [self._worst()]

    def _worst(self) -> RowSample:
        return worst(RowSample.joined(self._misfits), self._most_misfits)

    @property
    def report(self) -> Report:
        """Of all of them."""
        return Report(
            self._sums.total,
            self._first_row,
            self._histogram,
            self._n_movers,
            self._n_births,
            self._n_near,
            RowSample.joined(self._near),
            RowSample.joined(self._drawn),
            self._worst(),
            self._sides.total,
        )


def worst(some: RowSample, most: int) -> RowSample:
    """Of every cluster, the worst fitting rows, at most so many, by their numbers."""
    order = np.lexsort((some.rows, some.fits, some.labels))
    labels = some.labels[order]
    rank = np.arange(order.size) - np.searchsorted(labels, labels)
    return some.where(np.sort(order[rank < most]))
