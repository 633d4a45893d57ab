"""Sufficient statistics of a unit in each of K clusters: what its prior needs of their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sums:
    """What every row adds to its cluster, added up."""

    #: float64, shape (S, K).
    totals: np.ndarray

    def cluster(self, k: int) -> Sums:
        """Of one of the clusters."""
        return Sums(self.totals[:, k : k + 1])


@dataclass(frozen=True)
class GroupMoments:
    """Weight, mean, and products of deviations from it, of rows of D complete cells.

    Unlike sums of squares they keep their digits far from zero (Chan, Golub and LeVeque 1983).
    """

    #: float64, shape (K,), (K, D) and (K, D, D).
    n: np.ndarray
    mean: np.ndarray
    products: np.ndarray

    @classmethod
    def of(
        cls, x: np.ndarray, labels: np.ndarray, n_clusters: int, weight: np.ndarray
    ) -> GroupMoments:
        """Of complete rows, shape (n, D), which count so often, shape (n,)."""
        n = np.bincount(labels, weight, n_clusters)
        least = np.where(n > 0.0, n, 1.0)
        mean = np.column_stack([np.bincount(labels, weight * c, n_clusters) / least for c in x.T])
        centred = x - mean[labels]
        products = np.empty((n_clusters, x.shape[1], x.shape[1]))
        for i, first in enumerate((weight[:, None] * centred).T):
            for j in range(i + 1):
                of_pair = np.bincount(labels, first * centred[:, j], n_clusters)
                products[:, i, j] = products[:, j, i] = of_pair
        return cls(n, mean, products)

    @classmethod
    def of_state(cls, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> GroupMoments:
        """Of what the engine keeps, shape (S, K), of values (x - center)/scale: n, mean, scatter.

        The scatter is a lower triangle, row by row; of a column, one number.
        """
        n, d = state[0], center.size
        products = np.zeros((n.size, d, d))
        below, beside = np.tril_indices(d)
        products[:, below, beside] = products[:, beside, below] = state[1 + d :].T
        return cls(n, center + scale * state[1 : 1 + d].T, products * np.outer(scale, scale))

    def cluster(self, k: int) -> GroupMoments:
        """Of one of the clusters."""
        return GroupMoments(self.n[k : k + 1], self.mean[k : k + 1], self.products[k : k + 1])

    def together(self) -> GroupMoments:
        """Of the rows of all clusters as one."""
        n = self.n.sum(keepdims=True)
        mean = self.n @ self.mean / max(float(n[0]), 1e-300)
        gap = self.mean - mean
        products = self.products.sum(axis=0) + (self.n[:, None] * gap).T @ gap
        return GroupMoments(n, mean[None, :], products[None])

    def widened(self, variances: np.ndarray) -> GroupMoments:
        """With so much more variance about every value, shape (D,)."""
        more = self.n[:, None, None] * np.diag(np.broadcast_to(variances, self.mean.shape[1:]))
        return GroupMoments(self.n, self.mean, self.products + more)


@dataclass(frozen=True)
class Several:
    """Of several units that stand for one, such as a column for each coordinate."""

    parts: tuple[GroupMoments, ...]

    def cluster(self, k: int) -> Several:
        """Of one of the clusters."""
        return Several(tuple(part.cluster(k) for part in self.parts))


@dataclass(frozen=True)
class Rows:
    """Rows of a unit with something to observe, their clusters and how often each counts."""

    #: float64, shape (n,) of a column, (n, D) of a block, whose rows may lack some of their cells.
    values: np.ndarray
    #: int64, shape (n,). 0..K-1.
    labels: np.ndarray
    n_clusters: int
    #: float64, shape (n,).
    weight: np.ndarray

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        labels: np.ndarray | None,
        n_clusters: int,
        weight: float | np.ndarray,
    ) -> Rows:
        """Those that are in a cluster, and in one without labels, with a cell that is there."""
        values = np.asarray(values, dtype=np.float64)
        missing = np.isnan(values)
        seen = ~(missing.all(axis=1) if values.ndim == 2 else missing)
        if labels is None:
            labels = np.zeros(len(values), dtype=np.int64)
        seen &= np.asarray(labels) >= 0
        weight = np.broadcast_to(np.asarray(weight, np.float64), seen.shape)
        return cls(values[seen], np.asarray(labels)[seen], n_clusters, weight[seen])

    def moments(self) -> GroupMoments:
        """Moments of those that are complete."""
        x = self.values if self.values.ndim == 2 else self.values[:, None]
        whole = ~np.isnan(x).any(axis=1)
        if whole.all():
            return GroupMoments.of(x, self.labels, self.n_clusters, self.weight)
        return GroupMoments.of(x[whole], self.labels[whole], self.n_clusters, self.weight[whole])


#: Of the rows of K clusters; a row counts by its weight, which multiplies all of it.
Statistic = Sums | GroupMoments | Several
