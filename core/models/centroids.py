"""What K-means and DP-means share: the nearest centre of every row, the means.

A pass of K-means is a pass of DP-means in which a new cluster costs infinitely much, so one kernel
serves both. Loops run over 256 rows of one column at a time, which lie side by side in memory:
the processor then handles 4 to 8 rows at once however few the clusters and columns are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inference.fit import Fit
from ..jit import allocating_kernel, inlined
from ..schema.encoded import Encoded
from .estimator import ClusterEstimator
from .numeric import numeric_encoding
from .rows import ALIKE, NumericRows, numbers_of

BLOCK = 256


@dataclass(frozen=True)
class CentroidState:
    """K-means or DP-means after one pass over the rows."""

    #: int64, shape (N,). Cluster of each row, in the order in which the clusters were made.
    labels: np.ndarray
    #: float64, shape (K, P). In the coordinates of the table of numbers.
    centers: np.ndarray
    #: Squared error of these labels about these centres, plus the penalties of DP-means.
    objective: float
    #: True on the last state of a run that came to rest.
    converged: bool


class CentroidEstimator(ClusterEstimator):
    """Base of the estimators that describe a cluster by its centre."""

    def predict(self, X: Any) -> np.ndarray:
        """Nearest centre of each row of a table with the columns of the fitted one.

        Parameters
        ----------
        X : DataFrame or array-like, shape (N, M)
            Missing cells are filled as those of the fitted table were.

        Returns
        -------
        ndarray of int64, shape (N,)
        """
        check_is_fitted(self)
        return self._labels_of(self._encode(X, self.schema_, reset=False))

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        """Nearest centre of every row."""
        rows = numbers_of(encoded.values, self.encoding_, self._shift)
        return nearest(rows, self.cluster_centers_ - self._shift)[0]

    def _rows(self, encoded: Encoded) -> NumericRows:
        """Numbers of the table to fit, and the encoding that made them."""
        self.encoding_ = numeric_encoding(encoded, self.schema_ is not None)
        rows = numbers_of(encoded.values, self.encoding_, weights=encoded.weights)
        self._shift = rows.shift
        return rows

    def _publish(self, fit: Fit) -> None:
        super()._publish(fit)
        self.cluster_centers_ = fit.details["centers"]


def nearest(rows: NumericRows, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centre of each row, the first of equally near ones, and the squared distance to it.

    Weights do not enter.

    The centres, shape (K, P), are centred as the rows are.
    """
    centers = np.ascontiguousarray(centers)
    found = [assign(columns, centers, np.inf, ALIKE)[:2] for _, columns in rows.parts()]
    return _joined(found)


class Visit(NamedTuple):
    """What one pass over the rows found."""

    #: int64, shape (N,).
    labels: np.ndarray
    #: float64, shape (N,). Squared distance of each row to its centre, times the row's weight.
    distances: np.ndarray
    #: float64, shape (K, P). Those given, then the new ones.
    centers: np.ndarray
    #: float64, shape (K, P).
    sums: np.ndarray
    #: float64, shape (K,). Sum and number of the rows of each centre, by their weights.
    counts: np.ndarray


def visit(rows: NumericRows, centers: np.ndarray, penalty: float = np.inf) -> Visit:
    """Give each row its nearest centre, in order; one too far from all becomes a centre itself."""
    centers = np.ascontiguousarray(centers)
    found, totals = [], []
    for part, columns in rows.parts():
        weights = rows.weights[part]
        labels, distances, centers = assign(columns, centers, penalty, weights)
        found.append((labels, distances))
        totals.append(cluster_sums(columns, labels, len(centers), weights))
    sums, counts = _added(totals)
    return Visit(*_joined(found), centers, sums, counts)


def sums_and_counts(
    rows: NumericRows, labels: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sum (K, P) and number (K,) of the rows of each cluster."""
    return _added(
        [
            cluster_sums(columns, labels[part], n_clusters, rows.weights[part])
            for part, columns in rows.parts()
        ]
    )


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Labels and distances of the parts one after the other."""
    return parts[0] if len(parts) == 1 else tuple(map(np.concatenate, zip(*parts, strict=True)))


def _added(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Sums and counts of all parts; the first parts may not know the last clusters yet."""
    sums, counts = parts[-1]
    for part_sums, part_counts in parts[:-1]:
        sums[: len(part_sums)] += part_sums
        counts[: len(part_counts)] += part_counts
    return sums, counts


@inlined
def squared_distances(columns, start, n, center, distances):
    """Write the squared distances of n rows from one centre; pairs of columns save memory trips."""
    p = columns.shape[0] % 2
    if p:
        x = columns[0, start : start + n]
        c = center[0]
        for b in range(n):
            t = x[b] - c
            distances[b] = t * t
    else:
        for b in range(n):
            distances[b] = 0.0
    while p < columns.shape[0]:
        x = columns[p, start : start + n]
        y = columns[p + 1, start : start + n]
        c = center[p]
        d = center[p + 1]
        for b in range(n):
            t = x[b] - c
            u = y[b] - d
            distances[b] += t * t + u * u
        p += 2


@inlined
def times(weights, start, n, distances):
    """Multiply the distances of n rows by their weights, where they have any."""
    if weights.shape[0] > 0:
        for b in range(n):
            distances[b] *= weights[start + b]


@allocating_kernel
def assign(columns, centers, penalty, weights):
    """Give each row its nearest centre, and a centre of its own where none is near enough.

    A row whose nearest centre is farther than the penalty (squared distance) becomes a new centre
    at once: the rows after it can choose it. Where rows have weights, (N,) instead of (0,), every
    squared distance is times its row's.

    Returns labels (N,), squared distances (N,) and the centres (K, P), new ones last.
    """
    n_columns, n_rows = columns.shape
    n_clusters = centers.shape[0]
    labels = np.empty(n_rows, np.int64)
    distances = np.empty(n_rows)
    one = np.empty(BLOCK)
    least = np.empty(BLOCK)
    # As float64, so that least and nearest are chosen under one mask.
    near = np.empty(BLOCK)
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        for b in range(n):
            least[b] = np.inf
            near[b] = 0.0
        for k in range(n_clusters):
            squared_distances(columns, start, n, centers[k], one)
            times(weights, start, n, one)
            for b in range(n):
                closer = one[b] < least[b]
                least[b] = one[b] if closer else least[b]
                near[b] = k if closer else near[b]
        # Looking at every row in turn would take longer than the distances did.
        farthest = 0.0
        for b in range(n):
            farthest = max(farthest, least[b])
        for i in range(n if farthest > penalty else 0):
            if least[i] > penalty:
                if n_clusters == centers.shape[0]:
                    wider = np.empty((2 * n_clusters, n_columns))
                    for k in range(n_clusters):
                        for p in range(n_columns):
                            wider[k, p] = centers[k, p]
                    centers = wider
                for p in range(n_columns):
                    centers[n_clusters, p] = columns[p, start + i]
                squared_distances(columns, start, n, centers[n_clusters], one)
                times(weights, start, n, one)
                for b in range(i, n):
                    if one[b] < least[b]:
                        least[b] = one[b]
                        near[b] = n_clusters
                n_clusters += 1
        for b in range(n):
            labels[start + b] = np.int64(near[b])
            distances[start + b] = least[b]
    return labels, distances, centers[:n_clusters]


def cluster_sums(
    columns: np.ndarray, labels: np.ndarray, n_clusters: int, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sum (K, P) and number (K,) of the rows of each cluster, by their weights if they have any."""
    sums, counts = np.zeros((n_clusters, len(columns))), np.zeros(n_clusters)
    _add_up(columns, labels, weights, sums, counts)
    return sums, counts


@allocating_kernel
def _add_up(columns, labels, weights, sums, counts):
    for i in range(labels.shape[0]):
        counts[labels[i]] += weights[i] if weights.shape[0] > 0 else 1.0
    for p in range(columns.shape[0]):
        for i in range(labels.shape[0]):
            weight = weights[i] if weights.shape[0] > 0 else 1.0
            sums[labels[i], p] += weight * columns[p, i]
