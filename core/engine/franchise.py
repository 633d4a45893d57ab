"""Partitions at two levels, a Chinese restaurant franchise: the engine's face for several tables.

Every data set divides its rows into local clusters, and all local clusters together are divided
into global clusters, whose parameters they share. In the restaurant's words a data set is a
restaurant, a local cluster a table, a global cluster a dish; here a table is a table of data.
"""

from __future__ import annotations

import math

import numpy as np

from .columns import Columns
from .franchise_sweeps import Locals, franchise_sweep, move_locals
from .partition import new_clusters
from .product import log_marginals
from .sweeps import load


class Franchise:
    """Rows in local clusters, these in global ones, and the statistics of the latter in step.

    Parameters
    ----------
    columns : Columns
        Without cells to be filled.
    groups : ndarray of int64, shape (N,)
        Data set of every row, 0..J-1.
    concentration, global_concentration : float
        N_0 and gamma.
    labels : ndarray of int64, shape (N,)
        Global cluster of every row; the rows of a data set in one of them are one local cluster.
    """

    def __init__(
        self,
        columns: Columns,
        groups: np.ndarray,
        concentration: float,
        global_concentration: float,
        labels: np.ndarray,
    ) -> None:
        self.columns = columns
        self.groups = groups
        self.concentration = concentration
        self.global_concentration = global_concentration
        self.load_labels(labels)

    def load_labels(self, labels: np.ndarray) -> None:
        """Take these global clusters: the rows of a data set in one of them are a local one."""
        pairs, of_row = np.unique(
            np.column_stack([self.groups, labels]), axis=0, return_inverse=True
        )
        self.load(of_row.ravel(), pairs[:, 1])

    def load(self, of_row: np.ndarray, above: np.ndarray) -> None:
        """Take local clusters of the rows (N,), each of one data set, and the global ones (T,)."""
        above = np.unique(above, return_inverse=True)[1].ravel()
        n_rows, n_locals = of_row.size, above.size
        self.clusters = new_clusters(self.columns, max(8, 2 * (above.max() + 3)))
        group = np.zeros(n_rows + 1, dtype=np.int64)
        group[of_row] = self.groups
        slots = np.zeros(n_rows + 1, dtype=np.int64)
        slots[:n_locals] = above
        sizes = np.zeros(n_rows + 1, dtype=np.int64)
        sizes[:n_locals] = np.bincount(of_row, minlength=n_locals)
        self.locals = Locals(
            of_row.astype(np.int64),
            group,
            slots,
            sizes,
            np.bincount(above, minlength=self.clusters.sizes.size).astype(np.float64),
            np.array([n_locals, n_locals]),
        )
        load(self.columns.table, self.clusters, self.labels, int(above.max()) + 1)

    @property
    def labels(self) -> np.ndarray:
        """Global cluster of every row, shape (N,)."""
        return self.locals.above[self.locals.of_row]

    @property
    def n_clusters(self) -> int:
        """Global clusters."""
        return int(self.clusters.count[0])

    def compact(self) -> None:
        """Number the local clusters from 0 without gaps, and rebuild all statistics."""
        used, of_row = np.unique(self.locals.of_row, return_inverse=True)
        self.load(of_row.ravel(), self.locals.above[used])

    def sweep(self, order: np.ndarray) -> int:
        """Visit rows in order; move each to what is cheapest. Return how many moved."""
        position, moves = 0, 0
        while True:
            position, moved = franchise_sweep(
                self.columns.table,
                self.clusters,
                self.locals,
                self.groups,
                order,
                position,
                math.log(self.concentration),
                math.log(self.global_concentration),
            )
            moves += moved
            if position == order.size:
                return moves
            self.compact()  # with room for twice as many clusters

    def move_locals(self) -> int:
        """Let every local cluster choose its global one. Return how many moved."""
        moves = 0
        while True:
            self.compact()
            n = int(self.locals.count[0])
            rows = np.argsort(self.locals.of_row, kind="stable")
            ends = np.searchsorted(self.locals.of_row[rows], np.arange(n + 1))
            position, moved = move_locals(
                self.columns.table,
                self.clusters,
                self.locals,
                rows,
                ends,
                math.log(self.concentration),
                math.log(self.global_concentration),
                np.empty(self.clusters.sizes.size),
            )
            moves += moved
            if position == n:
                return moves

    def log_marginals(self) -> np.ndarray:
        """Ln p of the rows of any two global clusters together, shape (K, K + 1).

        The last column holds those of each alone. In the engine's units.
        """
        n = self.n_clusters
        out = np.empty((n, self.clusters.sizes.size))
        for k in range(n):
            log_marginals(
                self.columns.table,
                self.clusters.state,
                np.int64(k),
                n + 1,
                out[k],
                self.clusters.work,
            )
        return out[:, : n + 1]

    def objective(self) -> float:
        """Exact negative log joint of rows, local and global clusters, in nats and user's units."""
        parts, n = self.locals, self.n_clusters
        used = parts.sizes[: parts.count[0]]
        used = used[used > 0]
        local, above = self.concentration, self.global_concentration
        log_p = used.size * math.log(local) + sum(map(math.lgamma, used))
        for size in np.bincount(self.groups):
            log_p += math.lgamma(local) - math.lgamma(local + size)
        log_p += n * math.log(above) + sum(map(math.lgamma, parts.weights[:n]))
        # Gamma(gamma) / Gamma(gamma + T), which for a vast gamma is the ratio of two vast numbers.
        log_p -= float(np.log(above + np.arange(used.size)).sum())
        log_marginals(
            self.columns.table,
            self.clusters.state,
            np.int64(n),
            n,
            self.clusters.cost,
            self.clusters.work,
        )
        log_p += self.clusters.cost[:n].sum()
        return float(self.columns.log_scale() - log_p)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Local cluster of every row and global cluster of each, to load again."""
        used, of_row = np.unique(self.locals.of_row, return_inverse=True)
        return of_row.ravel(), self.locals.above[used]
