"""How well every row fits every cluster: what predictions and explanations are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.product import score_table
from ..engine.sweeps import Clusters
from ..families import FAMILIES
from ..schema.encoded import Encoded
from .clusters import Cluster, describe_clusters

#: Rows scored at a time, so that a large table needs little room beside the answer.
BLOCK = 65_536


@dataclass(frozen=True)
class RowScores:
    """Scores rows under the clusters of a fitted model and under a new one."""

    #: The columns and priors of the model; of its rows none is looked at.
    columns: Columns
    #: The engine's statistics of the clusters.
    state: Clusters
    #: N_0.
    concentration: float
    #: Length K. The same clusters in the user's units.
    clusters: tuple[Cluster, ...]

    @classmethod
    def of(cls, partition: Partition, clusters: tuple[Cluster, ...] | None = None) -> RowScores:
        """Scores under the clusters of a partition."""
        clusters = describe_clusters(partition) if clusters is None else clusters
        return cls(partition.columns, partition.clusters, partition.concentration, clusters)

    @property
    def n_clusters(self) -> int:
        """Number of clusters K."""
        return len(self.clusters)

    def log_weights(self, labels: np.ndarray) -> np.ndarray:
        """Ln p(z = k) of the K clusters and a new one, shape (n, K + 1) (R16 eq. 33).

        Of a row labelled k >= 0, one of that cluster's own, its cluster is counted without it; the
        cluster it is alone in stands for the new one.
        """
        sizes = np.array([cluster.size for cluster in self.clusters], dtype=np.float64)
        weights = np.tile(np.append(sizes, self.concentration), (labels.size, 1))
        own = np.flatnonzero(labels >= 0)
        weights[own, labels[own]] -= 1.0
        alone = own[weights[own, labels[own]] < 0.5]
        weights[alone, labels[alone]] = self.concentration
        weights[alone, -1] = 0.0
        with np.errstate(divide="ignore"):
            return np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))

    def log_joint(self, encoded: Encoded, labels: np.ndarray | None = None) -> np.ndarray:
        """Ln p(z = k, x_i) in nats and the user's units, shape (n, K + 1), the new cluster last.

        Rows that the model was fitted to come with their labels, and are scored without themselves.
        """
        labels = _none_of_them(encoded) if labels is None else labels
        return self.log_predictive(encoded, labels) + self.log_weights(labels)

    def log_predictive(
        self, encoded: Encoded, labels: np.ndarray, units: range | None = None
    ) -> np.ndarray:
        """Ln p(x_i | cluster k) of some units or all, shape (n, K + 1); missing cells left out.

        Rows are scored without themselves in the cluster of their label; -1 for other rows.
        """
        units = range(len(encoded.units)) if units is None else units
        out = np.empty((labels.size, self.n_clusters + 1))
        for first in range(0, labels.size, BLOCK):
            rows = slice(first, first + BLOCK)
            block = replace(encoded, values=encoded.values[rows])
            out[rows] = self._block_of_rows(block, labels[rows], units)
        return out

    def blocks(self, encoded: Encoded) -> Iterator[np.ndarray]:
        """``log_joint`` of new rows, some rows at a time."""
        for first in range(0, len(encoded.values), BLOCK):
            yield self.log_joint(replace(encoded, values=encoded.values[first : first + BLOCK]))

    def _block_of_rows(self, encoded: Encoded, labels: np.ndarray, units: range) -> np.ndarray:
        rows = self.columns.of_rows(encoded)
        total = np.zeros((labels.size, self.n_clusters + 1))
        closed = []
        for u in units:
            missing = _open_rows(encoded, u)
            if missing.any():
                scores = self._score(rows, engine_units(rows, range(u, u + 1)), labels)
                scores[missing] = self._score_open(encoded, u, np.flatnonzero(missing), labels)
                total += scores
            else:
                closed.append(engine_units(rows, range(u, u + 1)))
        if closed:
            total += self._score(rows, np.concatenate(closed), labels)
        inside = self.columns.inside(units)
        seen = ~np.isnan(encoded.values[:, inside])
        return total - (seen @ np.log(self.columns.scale[inside]))[:, None]

    def _score(self, rows: Columns, among: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Log predictive of some of the engine's units, in its own scaling."""
        # Copies, as scoring a row without itself may take it out of the statistics for a moment,
        # and the arrays of a model that was read from disk may be read-only.
        table = rows.table._replace(units=among, prior=rows.table.prior.copy())
        state, work = self.state.state.copy(), np.empty_like(self.state.work)
        out = np.empty((labels.size, (self.n_clusters + 8) // 8 * 8))
        score_table(table, state, self.n_clusters, np.array(labels), out, work)
        return out[:, : self.n_clusters + 1]

    def _score_open(
        self, encoded: Encoded, u: int, rows: np.ndarray, labels: np.ndarray
    ) -> np.ndarray:
        """The same for rows that lack some cells of a Gaussian block: a marginal Student t."""
        values = encoded.unit_values(u)[rows]
        start, name = encoded.starts[u], encoded.units[u].name
        log_scale = np.log(self.columns.scale[start : start + values.shape[1]])
        out = np.empty((rows.size, self.n_clusters + 1))
        for pattern, of_pattern in same_holes(values):
            x, own = values[of_pattern], labels[rows[of_pattern]]
            for k, cluster in enumerate(self.clusters):
                posterior = cluster.posterior[name]
                out[of_pattern, k] = posterior.log_predictive(x)
                if (own == k).any():
                    out[of_pattern[own == k], k] = posterior.log_predictive(x[own == k], own=True)
            out[of_pattern, -1] = self.columns.priors[u].log_predictive(x)
            out[of_pattern] += log_scale[~pattern].sum()
        return out


def same_holes(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Group rows, shape (n, D), by which cells they lack: (missing (D,), row numbers)."""
    patterns, group = np.unique(np.isnan(values), axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(group.ravel()))
    for pattern, end, start in zip(patterns, ends, (0, *ends[:-1]), strict=True):
        yield pattern, order[start:end]


def _none_of_them(encoded: Encoded) -> np.ndarray:
    return np.full(len(encoded.values), -1)


def _open_rows(encoded: Encoded, u: int) -> np.ndarray:
    """Rows that lack a cell of a Gaussian block, which the engine could only score filled."""
    if not FAMILIES[encoded.units[u].family].fills_missing:
        return np.zeros(len(encoded.values), dtype=bool)
    return np.isnan(encoded.unit_values(u)).any(axis=1)


def engine_units(columns: Columns, units: range) -> np.ndarray:
    """The engine's units of some of the table's: a spherical block has one a coordinate."""
    first, inside = columns.table.units[:, 1], columns.inside(units)
    return columns.table.units[(first >= inside.start) & (first < inside.stop)]
