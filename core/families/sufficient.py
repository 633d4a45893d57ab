"""Sufficient statistics of a unit in each of K clusters."""

from dataclasses import dataclass
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Sums:
    """Numbers of every cluster, each from its own rows alone."""

    #: float64, shape (S, K).
    totals: np.ndarray

    def cluster(self, k: int) -> Self:
        return Sums(self.totals[:, k : k + 1])


@dataclass(frozen=True)
class GroupMoments:
    """Weight, mean and scatter, accurate far from zero (Chan, Golub and LeVeque 1983)."""

    #: float64, shape (K,), (K, D) and (K, D, D).
    n: np.ndarray
    mean: np.ndarray
    products: np.ndarray

    @classmethod
    def of(
        cls,
        x: np.ndarray,
        labels: np.ndarray,
        n_clusters: int,
        weight: np.ndarray,
        pairs: bool = True,
    ) -> Self:
        """Moments of complete rows, (n, D), with weights, (n,); 0 for ``pairs`` if not asked."""
        n = np.bincount(labels, weight, n_clusters)
        least = np.where(n > 0.0, n, 1.0)
        mean = np.column_stack([np.bincount(labels, weight * c, n_clusters) / least for c in x.T])
        centred = np.sqrt(weight)[:, None] * (x - mean[labels])
        products = np.zeros((n_clusters, x.shape[1], x.shape[1]))
        if pairs:
            order = np.argsort(labels, kind="stable")
            starts = np.searchsorted(labels[order], np.arange(1, n_clusters))
            for k, rows in enumerate(np.split(centred[order], starts)):
                products[k] = rows.T @ rows
        else:
            for i, column in enumerate(centred.T):
                products[:, i, i] = np.bincount(labels, np.square(column), n_clusters)
        return cls(n, mean, products)

    @classmethod
    def of_state(cls, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Self:
        """Moments from rows (S, K) of (x - center)/scale: n, mean, lower triangle of scatter."""
        n, d = state[0], center.size
        products = np.zeros((n.size, d, d))
        row, column = np.tril_indices(d)
        products[:, row, column] = products[:, column, row] = state[1 + d :].T
        return cls(n, center + scale * state[1 : 1 + d].T, products * np.outer(scale, scale))

    def cluster(self, k: int) -> Self:
        return GroupMoments(self.n[k : k + 1], self.mean[k : k + 1], self.products[k : k + 1])

    def together(self) -> Self:
        n = self.n.sum(keepdims=True)
        mean = self.n @ self.mean / max(float(n[0]), 1e-300)
        gap = self.mean - mean
        products = self.products.sum(axis=0) + (self.n[:, None] * gap).T @ gap
        return GroupMoments(n, mean[None, :], products[None])

    def widened(self, variances: np.ndarray) -> Self:
        """Moments with this variance, shape (D,), added to every value."""
        more = self.n[:, None, None] * np.diag(np.broadcast_to(variances, self.mean.shape[1:]))
        return GroupMoments(self.n, self.mean, self.products + more)


@dataclass(frozen=True)
class Rows:
    """Observed rows of a unit, their clusters and weights."""

    #: float64, shape (n,), or (n, D) of a block, whose rows may lack some cells.
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
    ) -> Self:
        """Rows that are in a cluster and have an observed cell; without labels all are in one."""
        values = np.asarray(values, dtype=np.float64)
        missing = np.isnan(values)
        seen = ~(missing.all(axis=1) if values.ndim == 2 else missing)
        if labels is None:
            labels = np.zeros(len(values), dtype=np.int64)
        seen &= np.asarray(labels) >= 0
        weight = np.broadcast_to(np.asarray(weight, np.float64), seen.shape)
        return cls(values[seen], np.asarray(labels)[seen], n_clusters, weight[seen])

    def moments(self, pairs: bool = True) -> GroupMoments:
        x, labels, weight = self.values, self.labels, self.weight
        x = x if x.ndim == 2 else x[:, None]
        whole = ~np.isnan(x).any(axis=1)
        if not whole.all():
            x, labels, weight = x[whole], labels[whole], weight[whole]
        return GroupMoments.of(x, labels, self.n_clusters, weight, pairs)


Statistic = Sums | GroupMoments
