"""Sufficient statistics of clusters, added up over rows that need not be at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine import sweeps
from ..engine.columns import Columns
from ..engine.partition import Partition, new_clusters
from ..engine.product import add_row, merge_clusters, refresh
from ..engine.sweeps import TIE, Clusters
from ..jit import kernel
from ..schema.encoded import Encoded


@dataclass(frozen=True)
class Sums:
    """Statistics of C groups of rows, packed; those of parts are joined in the parts' order."""

    #: float64, shape (R, C). As in ``Clusters.state``; the cached coefficients mean nothing.
    state: np.ndarray
    #: int64, shape (C,). Rows of each.
    members: np.ndarray

    def __reduce__(self) -> tuple[Any, ...]:
        """Groups without rows are not sent."""
        some = np.flatnonzero(self.members)
        return _unpacked, (self.state[:, some], some, self.members)

    @classmethod
    def nothing(cls, columns: Columns, n_groups: int) -> Sums:
        """Groups without rows."""
        return cls(np.zeros((columns.n_state_rows, n_groups)), np.zeros(n_groups, dtype=np.int64))

    @classmethod
    def of(cls, columns: Columns, labels: np.ndarray, n_groups: int) -> Sums:
        """Of the rows at hand; -1 is in no group."""
        clusters = new_clusters(columns, n_groups + 2)
        # No cluster is counted, so that no coefficients are worked out.
        sweeps.load(columns.table, clusters, np.asarray(labels, dtype=np.int64), 0)
        return cls(clusters.state[:, :n_groups].copy(), clusters.members[:n_groups].copy())

    def joined(self, other: Sums, columns: Columns) -> Sums:
        """Of both together, group by group."""
        running = RunningSums(columns)
        running.add(self)
        running.add(other)
        return running.total

    def groups(self, which: Sequence[int] | np.ndarray | slice) -> Sums:
        """Some of the groups."""
        return Sums(np.ascontiguousarray(self.state[:, which]), self.members[which])

    def clusters(self, columns: Columns) -> Clusters:
        """The engine's clusters with these statistics, ready to score rows."""
        n = self.members.size
        clusters = new_clusters(columns, n + 8)
        sweeps.load(columns.table, clusters, np.empty(0, dtype=np.int64), 0)
        clusters.state[:, :n] = self.state
        clusters.sizes[:n] = self.members
        clusters.members[:n] = self.members
        clusters.count[0] = n
        for k in range(n):
            refresh(columns.table, clusters.state, np.int64(k), np.int64(n), clusters.work)
        return clusters


class RunningSums:
    """Sums of parts that come one after the other, added in place."""

    def __init__(self, columns: Columns) -> None:
        self._table = columns.table
        self._both = np.empty((columns.n_state_rows, 0))
        self._members = np.empty(0, dtype=np.int64)

    def add(self, sums: Sums) -> None:
        """Add those of the next part, of as many groups."""
        n = sums.members.size
        if not self._members.size:
            self._both = np.concatenate([sums.state, np.empty_like(sums.state)], axis=1)
            self._members = sums.members.copy()
            return
        some = np.flatnonzero(sums.members)
        self._both[:, n + some] = sums.state[:, some]
        _merge_groups(self._table, self._both, some)
        self._members += sums.members

    @property
    def total(self) -> Sums:
        """Of all parts so far."""
        return Sums(self._both[:, : self._members.size].copy(), self._members.copy())


@kernel
def _merge_groups(table, both, some):
    """Add the second half of the groups to the first, those groups that have rows."""
    n = both.shape[1] // 2
    for k in some:
        merge_clusters(table, both, k, n + k)


def _unpacked(state: np.ndarray, some: np.ndarray, members: np.ndarray) -> Sums:
    whole = np.zeros((len(state), members.size))
    whole[:, some] = state
    return Sums(whole, members)


@dataclass(frozen=True)
class TableSpec:
    """A table of which no row is at hand: its columns and priors, and how much of it there is."""

    #: Of no rows.
    columns: Columns
    n_rows: int
    #: What rescaling took from the log density of all rows (nats).
    log_scale: float
    #: N_0.
    concentration: float

    def under(self, priors: Sequence) -> TableSpec:
        """The same table under other priors."""
        return replace(self, columns=self.columns.with_priors(priors))


class WholePartition(Partition):
    """The clusters of all rows, and some rows at hand that may move among them.

    ``labels`` holds those of the rows at hand, and after them what has become of each cluster that
    there was at first: where its other rows are now. That of a cluster which died means nothing,
    for all its rows were at hand.
    """

    def __init__(
        self,
        whole: TableSpec,
        sums: Sums,
        rows: Encoded | None = None,
        labels: np.ndarray | None = None,
    ) -> None:
        columns = whole.columns
        if rows is None or labels is None:
            width = columns.scale.size
            rows, labels = Encoded(np.empty((0, width)), columns.encoded.units), np.empty(0)
        super().__init__(columns.of_rows(rows), whole.concentration, labels)
        self.total_weight, self.log_scale = whole.n_rows, whole.log_scale
        self.clusters = sums.clusters(columns)
        self.n_at_hand = len(labels)
        self.labels = np.concatenate([self.labels, np.arange(sums.members.size)])
        self.slack = np.zeros(self.labels.size)

    @property
    def sums(self) -> Sums:
        """The statistics as they are now."""
        n = self.n_clusters
        return Sums(self.clusters.state[:, :n].copy(), self.clusters.members[:n].copy())

    @property
    def at_hand(self) -> np.ndarray:
        """Labels of the rows at hand."""
        return self.labels[: self.n_at_hand]

    @property
    def old_to_new(self) -> np.ndarray:
        """Where the rows of each first cluster are now that were not at hand."""
        return self.labels[self.n_at_hand :]

    def of_rows_at_hand(self) -> WholePartition:
        """The same with labels of the rows at hand alone, for those who show them."""
        self.labels, self.slack = self.at_hand.copy(), np.zeros(self.n_at_hand)
        return self

    @property
    def stands_for(self) -> np.ndarray:
        """Of each row at hand: of how many rows of its cluster it is one, shape (n,)."""
        found = np.bincount(self.at_hand, minlength=self.n_clusters)
        return (self.sizes / np.maximum(found, 1))[self.at_hand]

    def coarser(self, labels: np.ndarray) -> WholePartition | None:
        """The partition with clusters united, told by labels of the rows at hand; else None."""
        old_to_new = np.zeros(self.n_clusters, dtype=np.int64)
        old_to_new[self.at_hand] = labels
        if not np.array_equal(old_to_new[self.at_hand], labels):
            return None
        sums = Sums.nothing(self.columns, int(labels.max()) + 1)
        for k, now in enumerate(old_to_new):
            alone = Sums.nothing(self.columns, sums.members.size)
            alone.state[:, now] = self.sums.state[:, k]
            alone.members[now] = self.sums.members[k]
            sums = sums.joined(alone, self.columns)
        twin = self.copy()
        twin.clusters, twin.labels = sums.clusters(self.columns), labels.copy()
        return twin

    def snapshot(self) -> tuple[np.ndarray, Clusters]:
        """What ``restore`` goes back to."""
        return self.labels.copy(), Clusters(*(array.copy() for array in self.clusters))

    def restore(self, kept: tuple[np.ndarray, Clusters]) -> None:
        """Go back to a snapshot."""
        self.labels, self.clusters = kept

    def open_for(self, rows: np.ndarray) -> None:
        """Put some of the rows at hand into a cluster of their own; none may be left empty."""
        n = self.n_clusters
        if n + 3 > self.clusters.sizes.size:
            self._widen()
        table, clusters = self.table, self.clusters
        own, sizes = np.unique(self.labels[rows], return_counts=True)
        for i in rows:
            for k, sign in ((self.labels[i], -1.0), (n, 1.0)):
                add_row(table, clusters.state, np.int64(k), np.int64(i), sign, clusters.work)
        clusters.sizes[own] -= sizes
        clusters.members[own] -= sizes
        clusters.sizes[n] = clusters.members[n] = rows.size
        clusters.count[0] = n + 1
        clusters.count[2] = 0
        self.labels[rows] = n
        for k in (*own, n):
            refresh(table, clusters.state, np.int64(k), np.int64(n + 1), clusters.work)

    def sweep_at_hand(self, order: np.ndarray) -> int:
        """Sweep rows at hand until none moves, or E rests; how many moves it took."""
        moves, lowest = 0, np.inf
        while True:
            moved = self.sweep(order)
            moves += moved
            objective = self.objective()
            if moved == 0 or lowest - objective < TIE:
                return moves
            lowest = objective
