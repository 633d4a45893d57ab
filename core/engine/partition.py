"""A partition of the rows with the statistics of its clusters: the engine's Python interface."""

import math
from dataclasses import replace
from typing import Self

import numpy as np
from scipy.special import gammaln

from . import calls, sweeps
from .packed import PackedTable
from .rows import Clusters, Table, log_marginals, mark_changed, merge_clusters, refresh
from .sweeps import TIE
from .tiles import NO_TILE, Judged, Tile, by_weight

#: Passed to a sweep that takes the cheapest cluster instead of drawing one.
NO_UNIFORMS = np.empty(0)


class Partition:
    """Labels of the rows and, in step with them, the statistics of every cluster.

    Labels are 0..K-1, -1 for rows in no cluster; None puts all rows into one.
    """

    def __init__(
        self, packed: PackedTable, concentration: float, labels: np.ndarray | None = None
    ) -> None:
        self.packed = packed
        self.concentration = concentration
        self.table = packed.table
        self.fills_cells = bool(self.table.incomplete.any())
        if self.table.weights.size:
            self.table.load_step(sweeps.WEIGHTED)
        if self.fills_cells:
            self.table.load_kernel(calls.FILL)
            self.table.load_step(sweeps.REFILL)
            # Filled cells belong to this partition; others fill theirs differently.
            self.table = self.table._replace(values=self.table.values.copy())
        self.total_weight = packed.total_weight
        self.log_constant = packed.log_constant
        self.judged = Judged.none(packed.n_rows)
        self.clusters = new_clusters(packed, 8)
        self.load(np.zeros(packed.n_rows, dtype=np.int64) if labels is None else labels)

    @classmethod
    def of_labels(
        cls, packed: PackedTable, concentration: float, labels: np.ndarray | None = None
    ) -> Self:
        """Partition of given labels, with filled cells set to where E is lowest."""
        partition = cls(packed, concentration, labels)
        if partition.fills_cells:  # else E is not needed
            partition.settle()
        return partition

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.clusters.count[0])

    @property
    def log_concentration(self) -> float:
        """Ln N_0."""
        return math.log(self.concentration)

    @property
    def sizes(self) -> np.ndarray:
        """Rows in each cluster, or the sum of their weights, shape (K,)."""
        return self.clusters.sizes[: self.n_clusters]

    @property
    def slack(self) -> np.ndarray:
        """Nats by which each row's best alternative is worse, 0 if unknown, shape (N,)."""
        return self.judged.slack

    def load(self, labels: np.ndarray) -> None:
        """Set the labels and rebuild the statistics."""
        self.labels = np.array(labels, dtype=np.int64)
        n_clusters = int(self.labels.max(initial=-1)) + 1
        if n_clusters + 2 > self.clusters.sizes.size:
            self.clusters = new_clusters(self.packed, 2 * (n_clusters + 2))
        sweeps.load(self.table, self.clusters, self.labels, n_clusters)

    def sweep(
        self,
        order: np.ndarray,
        uniforms: np.ndarray = NO_UNIFORMS,
        first: bool = False,
        tile: Tile = NO_TILE,
    ) -> int:
        """Visit rows in order and move each to its cheapest cluster; return how many moved.

        ``uniforms`` in [0, 1), one a visit, draw the cluster instead (collapsed Gibbs). In the
        ``first`` sweep cluster 0 counts as one row (R16 Appendix B). A ``tile`` is explained in
        ``tile_for``.
        """
        if self.table.weights.size and tile is not NO_TILE:
            order = by_weight(self.table, order)
        self.clusters.count[1] = 0 if first else -1
        position, moves = 0, 0
        while True:
            position, moved = sweeps.sweep(
                self.table,
                self.clusters,
                self.labels,
                order,
                position,
                uniforms,
                self.log_concentration,
                self.judged,
                tile,
            )
            moves += moved
            if position == order.size:
                break
            self._grow()
        self.clusters.count[1] = -1
        if first:  # from now on it counts at its size
            mark_changed(self.clusters, 0)
        return moves

    def copy(self) -> Self:
        """A partition that can be changed without changing this one."""
        twin = object.__new__(Partition)
        twin.__dict__.update(self.__dict__)
        twin.labels = self.labels.copy()
        twin.judged = Judged(*(array.copy() for array in self.judged))
        twin.clusters = Clusters(*(array.copy() for array in self.clusters))
        if self.fills_cells:
            twin.table = self.table._replace(values=self.table.values.copy())
        return twin

    def objective(self) -> float:
        """Exact negative log joint, E, in nats and the user's units.

        E = -sum_k [ln p(X_k) + ln Gamma(N_k)] - K ln N_0 - ln Gamma(N_0) + ln Gamma(N_0 + N); R16
        eq. (12) has a pseudo-likelihood for ln p(X_k).
        """
        n_0 = self.concentration
        if self.fills_cells and self.packed.has_base_measures:
            self.log_constant = replace(self.packed, table=self.table).log_constant
        own = cluster_terms(self.table, self.clusters).sum()
        inside = math.lgamma(n_0 + self.total_weight) - math.lgamma(n_0) - own
        return float(inside - self.n_clusters * self.log_concentration - self.log_constant)

    def settle(self, least_gain: float = TIE) -> float:
        """Set filled cells to their modes until E falls by less than ``least_gain``; return E.

        Every row must be in a cluster. Cells begin as the columns' means, with E far too high. In
        clusters with few observed cells of a column convergence takes thousands of passes.
        """
        before, objective = math.inf, self.objective()
        while self.fills_cells and before - objective > least_gain:
            sweeps.settle(self.table, self.clusters, self.labels)
            before, objective = objective, self.objective()
        return objective

    def merge_gains(self, own: np.ndarray) -> np.ndarray:
        """Fall of E if two clusters are merged, (K, K), below the diagonal, else -inf.

        ``own`` are the ``cluster_terms``.
        """
        found, log_n_0 = np.full((own.size, own.size), -np.inf), self.log_concentration
        for k in range(1, own.size):
            found[k, :k] = merge_gains_with(self.table, self.clusters, k, k, own, log_n_0)
        return found

    def merge_pair(self, kept: int, dropped: int) -> None:
        """Put cluster ``dropped`` into ``kept``, a lower one; the last one takes its index."""
        clusters = self.clusters
        merge_clusters(self.table, clusters.state, kept, dropped)
        clusters.sizes[kept] += clusters.sizes[dropped]
        clusters.members[kept] += clusters.members[dropped]
        mark_changed(clusters, [kept, dropped])
        self.labels[self.labels == dropped] = kept
        sweeps.drop(clusters, self.labels, dropped)
        refresh(self.table, clusters.state, kept, clusters.count[0], clusters.work)

    def merge(self, least_gain: float = TIE, most: int | None = None) -> np.ndarray:
        """Greedily merge clusters, each the best pair, while E falls by more than ``least_gain``.

        Returns (kept, dropped, gain) of every merge, (T, 3), at most ``most``; the last cluster
        takes the dropped index.
        """
        table, clusters, log_n_0 = self.table, self.clusters, self.log_concentration
        own, path = cluster_terms(table, clusters), []
        found = self.merge_gains(own)
        while own.size > 1 and len(path) != most:
            last = own.size - 1
            dropped, kept = map(int, np.unravel_index(found.argmax(), found.shape))
            gain = float(found[dropped, kept])
            if gain <= least_gain:
                break
            self.merge_pair(kept, dropped)
            own[kept] += own[dropped] + gain + log_n_0
            own[dropped] = own[last]
            found[dropped, :dropped] = found[last, :dropped]
            found[dropped + 1 : last, dropped] = found[last, dropped + 1 : last]
            own, found = own[:last], found[:last, :last]
            of_kept = merge_gains_with(table, clusters, kept, last, own, log_n_0)
            found[kept, :kept] = of_kept[:kept]
            found[kept + 1 :, kept] = of_kept[kept + 1 :]
            path.append((kept, dropped, gain))
        return np.array(path).reshape(-1, 3)

    def adopt_split(self, k: int, members: np.ndarray, second: np.ndarray, part: Clusters) -> None:
        """Replace cluster k by the two of ``part``, whose ``second`` becomes the last cluster."""
        n = self.n_clusters
        if n + 2 > self.clusters.sizes.size:
            self._grow()
        self.clusters.state[:, k] = part.state[:, 0]
        self.clusters.state[:, n] = part.state[:, 1]
        self.clusters.sizes[[k, n]] = part.sizes[:2]
        self.clusters.members[[k, n]] = part.members[:2]
        self.clusters.count[0] = n + 1
        mark_changed(self.clusters, [k, n])
        self.labels[members[second]] = n
        self.slack[members] = 0.0

    def _grow(self) -> None:
        old, n = self.clusters, self.n_clusters
        width = old.sizes.size
        self.clusters = new_clusters(self.packed, 2 * width)
        self.clusters.state[:, width:] = old.state[:, n : n + 1]
        for name in ("state", "sizes", "members", "changed", "own"):
            getattr(self.clusters, name)[..., :width] = getattr(old, name)
        self.clusters.count[:] = old.count


def cluster_terms(table: Table, clusters: Clusters) -> np.ndarray:
    """Ln p(X_k) + ln Gamma(N_k) of every cluster, shape (K,), in the engine's units."""
    n = int(clusters.count[0])
    log_marginals(table, clusters.state, n, n, clusters.cost, clusters.work)
    return clusters.cost[:n] + gammaln(clusters.sizes[:n])


def merge_gains_with(
    table: Table, clusters: Clusters, k: int, n: int, own: np.ndarray, log_concentration: float
) -> np.ndarray:
    """Fall of E if k is merged with each of the first n clusters, (n,)."""
    log_marginals(table, clusters.state, k, n, clusters.cost, clusters.work)
    together = clusters.cost[:n] + gammaln(clusters.sizes[k] + clusters.sizes[:n])
    return together - own[k] - own[:n] - log_concentration


def new_clusters(packed: PackedTable, width: int) -> Clusters:
    """Room for up to ``width - 2`` clusters, not yet loaded; a whole number of vectors wide."""
    width = (width + 7) // 8 * 8
    widest = max(len(unit.columns) for unit in packed.encoded.units)
    return Clusters(
        np.empty((packed.n_state_rows, width)),
        np.zeros(width),
        np.zeros(width, dtype=np.int64),
        np.zeros(4, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.empty(width),
        np.empty((3 * widest + 2, max(width, widest + 1))),
        np.zeros(width),
        np.zeros((packed.n_state_rows + 1, 8)),
    )


def clusters_from(packed: PackedTable, statistics: np.ndarray, sizes: np.ndarray) -> Clusters:
    """Clusters of sizes (K,) from their statistics, (S, K), see ``Columns.statistic_rows``."""
    n = sizes.size
    clusters = new_clusters(packed, n + 2)
    sweeps.load(packed.table, clusters, np.empty(0, dtype=np.int64), 0)
    clusters.state[packed.statistic_rows, :n] = statistics
    clusters.sizes[:n] = clusters.members[:n] = sizes
    clusters.count[0] = n
    for k in range(n):
        refresh(packed.table, clusters.state, k, n, clusters.work)
    return clusters
