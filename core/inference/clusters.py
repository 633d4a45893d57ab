"""Clusters of a fitted model in the user's units (R16 Appendix D), and scores of rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import gammaln

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..engine.rows import Clusters, Table, refresh, score_members, score_table
from ..families import Prior
from ..schema.encoded import Encoded


@dataclass(frozen=True)
class Cluster:
    """One cluster after the fit (R16 Appendix D)."""

    #: Rows, or the sum of their weights.
    size: float
    #: By unit name, its prior updated with the cluster's observed values.
    posterior: Mapping[str, Prior]


def describe_clusters(partition: Partition) -> tuple[Cluster, ...]:
    """Posterior of every unit in every cluster, rows weighted, filled cells as they are."""
    return clusters_of_state(partition.packed, partition.clusters)


def clusters_of_state(packed: PackedTable, state: Clusters) -> tuple[Cluster, ...]:
    """The same from the engine's statistics, without the rows."""
    weights = state.members if packed.encoded.weights is None else state.sizes
    sizes = weights[: state.count[0]].tolist()
    found: list[dict[str, Prior]] = [{} for _ in sizes]
    for u, (unit, prior) in enumerate(zip(packed.encoded.units, packed.priors, strict=True)):
        inside = packed.columns_of(range(u, u + 1))
        numbers = state.state[packed.statistic_rows_of(u)]
        statistic = prior.read_statistic(
            numbers[:, : len(sizes)], packed.center[inside], packed.scale[inside]
        )
        for k, posterior in enumerate(found):
            posterior[unit.name] = prior.posterior_of(statistic.cluster(k))
    return tuple(map(Cluster, sizes, found))


@dataclass(frozen=True)
class RowScores:
    """Scores of rows, at weight and power 1, under the clusters of a fitted model and a new one."""

    #: Columns and priors of the model; its rows are not used.
    packed: PackedTable
    #: The engine's statistics of the clusters, refreshed for rows of weight 1.
    state: Clusters
    #: N_0.
    concentration: float
    #: Length K. The same clusters in the user's units.
    clusters: tuple[Cluster, ...]

    @classmethod
    def of(cls, partition: Partition, clusters: tuple[Cluster, ...] | None = None) -> Self:
        """Scores under the clusters of a partition."""
        clusters = describe_clusters(partition) if clusters is None else clusters
        packed, state = partition.packed, partition.clusters
        if packed.table.power != 1.0:
            state = state._replace(state=state.state.copy())
            n = partition.n_clusters
            for k in range(n + 1):
                refresh(_unweighted(packed.table), state.state, k, n, state.work)
        return cls(packed, state, partition.concentration, clusters)

    @property
    def n_clusters(self) -> int:
        """Number of clusters K."""
        return len(self.clusters)

    def log_weights(self, labels: np.ndarray, row_weights: np.ndarray | None = None) -> np.ndarray:
        """Ln p(z = k) of the K clusters and a new one, (n, K + 1) (R16 eq. 33).

        A row of label k >= 0 is taken out of that cluster by its weight, if given; alone, its
        cluster stands for the new one.
        """
        sizes = np.array([cluster.size for cluster in self.clusters], dtype=np.float64)
        weights = np.tile(np.append(sizes, self.concentration), (labels.size, 1))
        own = np.flatnonzero(labels >= 0)
        count = np.ones(own.size) if row_weights is None else row_weights[own]
        weights[own, labels[own]] -= count
        alone = own[weights[own, labels[own]] < 1e-7 * count]
        weights[alone, labels[alone]] = self.concentration
        weights[alone, -1] = 0.0
        with np.errstate(divide="ignore"):
            return np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))

    def statistic_weights(self, encoded: Encoded) -> np.ndarray:
        """Weight of every row in its cluster's statistics, (n,), times the power."""
        weights = np.ones(len(encoded.values)) if encoded.weights is None else encoded.weights
        return self.packed.table.power * weights

    def log_joint(self, encoded: Encoded, labels: np.ndarray | None = None) -> np.ndarray:
        """Ln p(z = k, x_i) in nats and the user's units, shape (n, K + 1), the new cluster last.

        Fitted rows come with their labels and are scored without themselves.
        """
        labels = np.full(len(encoded.values), -1) if labels is None else labels
        return self.log_predictive(encoded, labels) + self.log_weights(labels, encoded.weights)

    def log_predictive(
        self, encoded: Encoded, labels: np.ndarray, units: range | None = None
    ) -> np.ndarray:
        """Ln p(x_i | cluster k) of some units or all, (n, K + 1); missing cells are left out.

        A row is scored without itself in the cluster of its label; -1 for new rows.
        """
        rows, total = self.packed.with_rows(encoded), np.zeros((labels.size, self.n_clusters + 1))
        units, complete = range(len(encoded.units)) if units is None else units, []
        for u in units:
            among = rows.engine_units_of(range(u, u + 1))
            missing = encoded.is_filled(u)  # which the engine could only score filled
            if missing.any():
                scores = self._score(rows, among, labels)
                some = np.flatnonzero(missing)
                scores[some] = self._score_incomplete(encoded, u, some, labels)
                total += scores
            else:
                complete.append(among)
        if complete:
            total += self._score(rows, np.concatenate(complete), labels)
        return total + self.packed.constants(units, encoded.values)[:, None]

    def _score(self, rows: PackedTable, among: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Log predictive of some of the engine's units, in its own scaling."""
        # Scoring a row without itself changes the statistics for a moment; arrays may be read-only.
        table = rows.table._replace(prior=rows.table.prior.copy()).of_units(among)
        plain, n = _unweighted(table), self.n_clusters
        state = self.state.state.copy()
        out, own = np.empty((labels.size, (n + 8) // 8 * 8)), np.array(labels)
        inside = own if rows.is_unweighted else np.full_like(own, -1)
        work = np.empty_like(self.state.work)
        score_table(plain, state, inside, out, work)
        if not rows.is_unweighted and (own >= 0).any():
            without, spare = np.empty(own.size), np.zeros((len(state) + 1, 8))
            score_members(table, plain, state, n, own, spare, without, work)
            members = np.flatnonzero(own >= 0)
            out[members, own[members]] = without[members]
        return out[:, : n + 1]

    def _score_incomplete(
        self, encoded: Encoded, u: int, rows: np.ndarray, labels: np.ndarray
    ) -> np.ndarray:
        """The same for rows that lack some cells of a Gaussian block: a marginal Student t."""
        values = encoded.unit_values(u)[rows]
        start, name = encoded.starts[u], encoded.units[u].name
        log_scale = np.log(self.packed.scale[start : start + values.shape[1]])
        counts = self.statistic_weights(encoded)[rows]
        out = np.empty((rows.size, self.n_clusters + 1))
        for pattern, of_pattern in same_holes(values):
            x, own = values[of_pattern], labels[rows[of_pattern]]
            for k, cluster in enumerate(self.clusters):
                posterior = cluster.posterior[name]
                out[of_pattern, k] = posterior.log_predictive(x)
                inside = of_pattern[own == k]
                if inside.size:
                    out[inside, k] = posterior.log_predictive(x[own == k], counts[inside])
            out[of_pattern, -1] = self.packed.priors[u].log_predictive(x)
            out[of_pattern] += log_scale[~pattern].sum()
        return out


def _unweighted(table: Table) -> Table:
    return table._replace(weights=np.empty(0), power=1.0)


def same_holes(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Group rows, shape (n, D), by which cells they lack: (missing (D,), row numbers)."""
    missing = np.isnan(values)
    group = np.unique(np.packbits(missing, axis=1), axis=0, return_inverse=True)[1].ravel()
    order, ends = np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))
    for rows in np.split(order, ends[:-1]):
        yield missing[rows[0]], rows


def assignment_costs(partition: Partition, row: int) -> tuple[np.ndarray, np.ndarray]:
    """What a row would add to E in every cluster and in a new one: two terms, each (K + 1,).

    With the row of weight w taken out, joining k costs -[ln m(X_k + x) - ln m(X_k)] and -[ln
    Gamma(W_k + w) - ln Gamma(W_k)], a new cluster -ln m(x) and -ln N_0 - ln Gamma(w), m the
    marginal at the fit's power. In nats and the user's units, the new cluster last; for a row alone
    its cluster stands for the new one, which costs infinity. Filled cells count as they are.
    """
    weights = partition.packed.encoded.weights
    own, n = partition.labels[row], partition.n_clusters
    weight = 1.0 if weights is None else weights[row]
    fixed = replace(partition.packed, table=partition.table).with_fixed_cells()
    twin = Partition(fixed, partition.concentration, partition.labels)
    others = twin.sizes - weight * (np.arange(n) == own)
    is_alone = twin.clusters.members[own] == 1
    twin.sweep(np.array([row]))
    total = twin.clusters.cost[: n + 1].copy()
    count = np.append(gammaln(others) - gammaln(others + weight), -gammaln(weight))
    count[n] -= twin.log_concentration
    if is_alone:
        total[own], count[own] = total[n], count[n]
    likelihood = total - count - fixed.subset(np.array([row])).log_constant
    if is_alone:
        count[n] = np.inf
    return likelihood, count
