"""DP-means in the space of a kernel, rows weighted or not (KJ12 section 5.2).

Objective: sum of w_i |phi(x_i) - mean of its cluster|^2 + penalty x number of clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import check_number, check_whole
from ..estimator import Callback, ClusterEstimator, in_rows
from ..numeric import numeric_encoding
from ..progress import Progress
from ..rows import in_table_order, order_by_content
from .affinity import checked_square, jump, neighbour_graph, normalised, rbf, spectrum
from .gower import gower
from .limits import check_pairs

KERNELS = ("linear", "rbf", "gower", "diffusion", "precomputed")


@dataclass(frozen=True)
class KernelState:
    """Kernel DP-means after one pass over the rows.

    Parameters
    ----------
    labels : ndarray of int64, shape (N,)
        Cluster of each row, in the order in which the clusters were made.
    objective : float
    n_clusters : int
    converged : bool
    """

    labels: np.ndarray
    objective: float
    n_clusters: int
    converged: bool


def kernel_dp_means_states(
    kernel: np.ndarray, weights: np.ndarray, penalty: float, max_iter: int = 300
) -> Iterator[KernelState]:
    """Run DP-means on a kernel one pass at a time.

    As DP-means: within a pass the means stand still; a row whose weighted squared distance to all
    of them is above the penalty founds a cluster, which the rows after it can choose.

    Parameters
    ----------
    kernel : ndarray of float64, shape (N, N)
        Symmetric; positive semidefinite, or the objective may rise, which ends the run.
    weights : ndarray of float64, shape (N,)
        Above 0.
    penalty : float
    max_iter : int

    Yields
    ------
    KernelState
        First the start, one cluster of all rows.
    """
    diagonal = np.diagonal(kernel).copy()
    labels = np.zeros(len(kernel), dtype=np.int64)
    distances = distances_to_means(kernel, weights, labels, 1)
    error = float(weights @ distances[:, 0])
    yield KernelState(labels, error + penalty, 1, False)
    objective = error + penalty
    for _ in range(max_iter):
        before = labels
        labels = _choose(kernel, diagonal, weights, distances, penalty)
        labels = np.unique(labels, return_inverse=True)[1].ravel()
        n = int(labels.max()) + 1
        distances = distances_to_means(kernel, weights, labels, n)
        own = distances[np.arange(labels.size), labels]
        after = max(0.0, float(weights @ own)) + penalty * n
        rests = np.array_equal(labels, before)
        if after > objective + 1e-9 * abs(objective):  # only of a kernel that is none
            return
        objective = after
        yield KernelState(labels, objective, n, rests)
        if rests:
            return


def distances_to_means(
    kernel: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Squared distance of every row to the weighted mean of every cluster, shape (N, K).

    K_ii - 2 sum_j w_j K_ij / s_c + sum_jl w_j w_l K_jl / s_c^2 with s_c the cluster's weight.
    """
    members = np.zeros((labels.size, n_clusters))
    members[np.arange(labels.size), labels] = weights
    members /= members.sum(axis=0)
    similar = kernel @ members
    norms = np.einsum("nk,nk->k", members, similar)
    return np.diagonal(kernel)[:, None] - 2.0 * similar + norms


def _choose(
    kernel: np.ndarray,
    diagonal: np.ndarray,
    weights: np.ndarray,
    distances: np.ndarray,
    penalty: float,
) -> np.ndarray:
    """Nearest mean of every row in turn; a row too far from all founds a cluster."""
    near, least = distances.argmin(axis=1), distances.min(axis=1)
    n = distances.shape[1]
    at = 0
    while True:
        far = np.flatnonzero(weights[at:] * least[at:] > penalty)
        if far.size == 0:
            return near
        at += int(far[0])
        distance = diagonal[at:] + diagonal[at] - 2.0 * kernel[at:, at]
        closer = distance < least[at:]
        closer[0] = True
        near[at:][closer], least[at:][closer] = n, distance[closer]
        least[at] = 0.0
        n += 1
        at += 1


def kernel_farthest_first(kernel: np.ndarray, weights: np.ndarray, n_clusters: int) -> float:
    """Penalty under which about ``n_clusters`` clusters are found: KJ12 section 6.1 in a kernel.

    Weighted squared distances; where the distinct rows run out, the last that was not 0.
    """
    labels = np.zeros(len(kernel), dtype=np.int64)
    least = distances_to_means(kernel, weights, labels, 1)[:, 0]
    diagonal = np.diagonal(kernel)
    scale, penalty = float(np.abs(diagonal).max()), 0.0
    for _ in range(n_clusters):
        farthest = int(np.argmax(weights * least))
        if weights[farthest] * least[farthest] <= 1e-12 * scale:
            break
        penalty = float(weights[farthest] * least[farthest])
        distance = diagonal + diagonal[farthest] - 2.0 * kernel[:, farthest]
        least = np.minimum(least, distance)
    return penalty


def diffusion_kernel(numbers: np.ndarray) -> tuple[np.ndarray, int]:
    """How alike rows are after a walk along the graph of neighbours, and how many groups it keeps.

    sum_l v_l^t u_l u_l^T over the eigenpairs of D^-1/2 A D^-1/2, rows divided by the root of their
    degree: t is where the gap after the k-th eigenvalue, k from ``jump``, is widest.

    Parameters
    ----------
    numbers : ndarray of float64, shape (N, P)
        Standardised.

    Returns
    -------
    kernel : ndarray of float64, shape (N, N)
        Scaled to a mean diagonal of 1.
    n_groups : int
    """
    matrix, degrees = normalised(neighbour_graph(numbers))
    values, vectors = spectrum(matrix)
    k, _ = jump(values)
    values = np.clip(values, 0.0, 1.0 - 1e-12)
    time = 1.0
    if 1 < k < values.size and values[k] > 0.0:
        # v_k^t - v_(k+1)^t is widest where its derivative by t is 0.
        slow, fast = np.log(values[k - 1]), np.log(values[k])
        time = max(1.0, np.log(slow / fast) / (fast - slow))
    points = vectors * np.sqrt(values**time) / np.sqrt(degrees)[:, None]
    kernel = points @ points.T
    return kernel / np.diagonal(kernel).mean(), k


@dataclass(eq=False, repr=False)
class KernelDPMeans(ClusterEstimator):
    """DP-means on a kernel: clusters of any shape that the kernel makes compact (KJ12 section 5.2).

    Every pair of rows is compared, so there is a limit to their number.

    Parameters
    ----------
    penalty : float, optional
        Lambda: what a cluster costs, in weighted squared distance of the kernel's space. When not
        given, the farthest-first penalty for ``n_clusters_hint`` clusters.
    kernel : {"linear", "rbf", "gower", "diffusion", "precomputed"}
        Of the standardised and coded table: its inner products, about the mean; a Gaussian of
        their distances as wide as their median; 1 less Gower's dissimilarity; a walk along the
        graph of nearest neighbours; or the table itself, a symmetric matrix.
    n_clusters_hint : int, optional
        Clusters to expect. When not given, as many as the spectrum of the graph of nearest
        neighbours speaks for (of a precomputed kernel: of its own).
    max_iter : int
        Most passes.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
    penalty_ : float
    n_clusters_hint_ : int or None
        The number of clusters the penalty was chosen for; None where it was given.
    result_, n_clusters_, objective_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    kernel: str = "linear"
    n_clusters_hint: int | None = None
    _: KW_ONLY
    max_iter: int = 300

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        schema: Any = None,
        callback: Callback | None = None,
    ) -> KernelDPMeans:
        """Cluster the rows of a table.

        Parameters
        ----------
        X : DataFrame or array-like, shape (N, M)
            NaN is a missing cell. With ``kernel="precomputed"`` the kernel, shape (N, N).
        y : Schema, optional
            ``fit(frame, schema)``; anything else is ignored (scikit-learn's convention).
        sample_weight : array-like, shape (N,), optional
            What a row counts, above 0; 1 when absent. Weights of less than half a row each are
            scaled to mean 1, with a warning.
        schema : Schema, optional
        callback : callable, optional

        Returns
        -------
        self
        """
        self._weights = None if sample_weight is None else np.asarray(sample_weight, float)
        return super().fit(X, y, schema=schema, callback=callback)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        max_iter = check_whole("max_iter", self.max_iter, 1)
        if self.kernel not in KERNELS:
            raise ValueError(
                f"kernel={self.kernel!r} is not allowed: choose one of {', '.join(KERNELS)}."
            )
        n_rows = len(encoded.values)
        check_pairs(n_rows, "KernelDPMeans")
        weights = self._checked_weights(n_rows)
        order = np.arange(n_rows)
        if self.kernel != "precomputed":  # as DP-means: where a row stands in the table is no fact
            order = order_by_content(encoded.values, weights)
        encoded, weights = encoded.rows(order), weights[order]
        callback(Progress(0, 2, np.inf, 1, "how alike any two rows are"))
        kernel, groups = self._kernel(encoded)
        self._choose_penalty(kernel, weights, encoded, groups)
        states = []
        for state in kernel_dp_means_states(kernel, weights, self.penalty_, max_iter):
            states.append(state)
            phase = f"pass {len(states) - 1}"
            callback(Progress(1, 2, state.objective, state.n_clusters, phase))
        last, trace = states[-1], [state.objective for state in states]
        labels = by_size(in_table_order(last.labels, order))[0]
        return self._found(labels, trace, converged=last.converged, penalty=self.penalty_)

    def _checked_weights(self, n_rows: int) -> np.ndarray:
        weights = getattr(self, "_weights", None)
        self._weights = None
        if weights is None:
            return np.ones(n_rows)
        if weights.shape != (n_rows,) or not np.all(np.isfinite(weights) & (weights > 0.0)):
            raise ValueError(
                f"sample_weight must be {n_rows} finite numbers above zero, one for each row."
            )
        return in_rows(weights)

    def _kernel(self, encoded: Encoded) -> tuple[np.ndarray, int | None]:
        """The kernel of the rows, and the number of groups that came out on the way."""
        if self.kernel == "precomputed":
            return checked_square(encoded.values, "kernel"), None
        if self.kernel == "gower":
            return 1.0 - gower(encoded), None
        numbers = numbers_for(encoded, getattr(self, "schema_", None) is not None)
        if self.kernel == "linear":
            numbers = numbers - numbers.mean(axis=0)
            return numbers @ numbers.T, None
        if self.kernel == "rbf":
            return rbf(standardised(numbers)), None
        return diffusion_kernel(standardised(numbers))

    def _choose_penalty(
        self, kernel: np.ndarray, weights: np.ndarray, encoded: Encoded, groups: int | None
    ) -> None:
        self.n_clusters_hint_ = None
        if self.penalty is not None:
            self.penalty_ = check_number("penalty", self.penalty, 0.0, allow_equal=False)
            return
        if self.n_clusters_hint is not None:
            hint = check_whole("n_clusters_hint", self.n_clusters_hint, 1)
        elif groups is not None:
            hint = groups
        else:
            hint = self._groups_of_graph(kernel, encoded)
        self.n_clusters_hint_ = hint
        self.penalty_ = kernel_farthest_first(kernel, weights, hint) or 1.0

    def _groups_of_graph(self, kernel: np.ndarray, encoded: Encoded) -> int:
        """Groups that the spectrum of the graph of neighbours, or of a given kernel, speaks for."""
        if self.kernel == "precomputed":
            graph = np.maximum(kernel, 0.0)
            np.fill_diagonal(graph, 0.0)
            graph = sparse.csr_array(graph)
        else:
            graph = neighbour_graph(standardised(numbers_for(encoded, True)))
        return jump(spectrum(normalised(graph)[0])[0])[0]


def numbers_for(encoded: Encoded, standardise: bool) -> np.ndarray:
    """The table as plain numbers, shape (N, P)."""
    return numeric_encoding(encoded, standardise).apply(encoded.values)


def standardised(numbers: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and spread 1; constant ones 0."""
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
