"""DP-means in a kernel's space (KJ12 5.2): sum w_i |phi(x_i) - mean|^2 + penalty x clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import above, one_of, or_none
from ..centroids import in_table_order, order_by_content
from ..dpmeans import MOST_PASSES, choose
from ..estimator import Callback, WeighsRows
from ..progress import Progress
from .distances import check_pairs, gower, numbers_for, squared_distances, standardised
from .graph import degrees_of, jump, neighbour_graph, spectrum


class KernelState(NamedTuple):
    """Kernel DP-means after one pass: labels (N,) in the order in which clusters were made."""

    labels: np.ndarray
    objective: float
    converged: bool


def kernel_dp_means_states(
    kernel: np.ndarray, weights: np.ndarray, penalty: float
) -> Iterator[KernelState]:
    """Run DP-means on a kernel (N, N) one pass at a time, from one cluster of all rows.

    The means stand still within a pass. The objective rises, which ends the run, only where the
    kernel is not positive semidefinite.
    """
    labels, diagonal = np.zeros(len(kernel), dtype=np.int64), np.diagonal(kernel)
    distances = distances_to_means(kernel, weights, labels, 1)
    objective = float(weights @ distances[:, 0]) + penalty
    yield KernelState(labels, objective, False)
    for _ in range(MOST_PASSES):
        before = labels
        labels = choose(
            weights[:, None] * distances,
            penalty,
            lambda i: weights * (diagonal + diagonal[i] - 2.0 * kernel[:, i]),
        )
        labels = np.unique(labels, return_inverse=True)[1].ravel()
        n = int(labels.max()) + 1
        distances = distances_to_means(kernel, weights, labels, n)
        own = distances[np.arange(labels.size), labels]
        after = max(0.0, float(weights @ own)) + penalty * n
        if after > objective + 1e-9 * abs(objective):
            return
        objective, rests = after, np.array_equal(labels, before)
        yield KernelState(labels, objective, rests)
        if rests:
            return


def distances_to_means(
    kernel: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Squared distance of every row to the weighted mean of every cluster, shape (N, K).

    K_ii - 2 sum_j w_j K_ij / s_c + sum_jl w_j w_l K_jl / s_c^2 with s_c the cluster's weight.
    """
    members = np.eye(n_clusters)[labels] * weights[:, None]
    members /= members.sum(axis=0)
    similar = kernel @ members
    norms = np.einsum("nk,nk->k", members, similar)
    return np.diagonal(kernel)[:, None] - 2.0 * similar + norms


def kernel_farthest_first(kernel: np.ndarray, weights: np.ndarray, n_clusters: int) -> float:
    """Penalty under which about ``n_clusters`` clusters are found: KJ12 section 6.1 in a kernel."""
    least = distances_to_means(kernel, weights, np.zeros(len(kernel), dtype=np.int64), 1)[:, 0]
    diagonal, penalty = np.diagonal(kernel), 0.0
    for _ in range(n_clusters):
        farthest = int(np.argmax(weights * least))
        distance = float(weights[farthest] * least[farthest])
        if distance <= 1e-12 * float(np.abs(diagonal).max()):
            break
        penalty = distance
        least = np.minimum(least, diagonal + diagonal[farthest] - 2.0 * kernel[:, farthest])
    return penalty


def diffusion_kernel(graph: sparse.csr_array) -> np.ndarray:
    """How alike rows are after a walk along a graph, scaled to a mean diagonal of 1, shape (N, N).

    sum_l v_l^t u_l u_l^T over the eigenpairs of D^-1/2 A D^-1/2, rows divided by the root of their
    degree: t is where the gap after the k-th eigenvalue, k from ``jump``, is widest.
    """
    values, vectors = spectrum(graph)
    k, _ = jump(values)
    values, time = np.clip(values, 0.0, 1.0 - 1e-12), 1.0
    if 1 < k < values.size and values[k] > 0.0:
        # v_k^t - v_(k+1)^t is widest where its derivative by t is 0.
        slow, fast = np.log(values[k - 1]), np.log(values[k])
        time = max(1.0, np.log(slow / fast) / (fast - slow))
    points = vectors * np.sqrt(values**time) / np.sqrt(degrees_of(graph))[:, None]
    kernel = points @ points.T
    return kernel / np.diagonal(kernel).mean()


@dataclass(eq=False, repr=False)
class KernelDPMeans(WeighsRows):
    """DP-means on a kernel: clusters of any shape that the kernel makes compact (KJ12 section 5.2).

    Compares every pair of rows. Weights, above 0, multiply squared distances.

    Parameters
    ----------
    penalty : float, optional
        Lambda in weighted squared distance of the kernel's space.
        By default by farthest-first, for as many clusters as the neighbours' graph speaks for.
    kernel : {"linear", "rbf", "gower", "diffusion"}
        Of the standardised table.
        Inner products about the mean; Gaussian, as wide as the median distance; 1 less Gower's
        dissimilarity; or a walk along the graph of nearest neighbours.

    Attributes
    ----------
    penalty_ : float
    n_clusters_hint_ : int or None
        Clusters the penalty was chosen for; None where it was given.
    labels_, result_, n_clusters_, objective_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    kernel: str = "linear"

    limits: ClassVar = {
        "penalty": or_none(above(0.0)),
        "kernel": one_of("linear", "rbf", "gower", "diffusion"),
    }

    def _fit_some(self, encoded: Encoded, rows: np.ndarray, callback: Callback | None) -> Any:
        raise ValueError("KernelDPMeans has no rule for rows of weight 0: leave them out.")

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        n_rows = len(encoded.values)
        check_pairs(n_rows, "KernelDPMeans")
        weights = np.ones(n_rows) if encoded.weights is None else encoded.weights
        # As DP-means: where a row stands in the table is no fact.
        order = order_by_content(encoded.values, weights)
        encoded, weights = encoded.rows(order), weights[order]
        callback(Progress(0, 2, np.inf, 1, "how alike any two rows are"))
        kernel, self.penalty_, self.n_clusters_hint_ = self._kernel(encoded), self.penalty, None
        if self.penalty is None:
            graph = neighbour_graph(standardised(encoded))
            self.n_clusters_hint_ = jump(spectrum(graph)[0])[0]
            self.penalty_ = kernel_farthest_first(kernel, weights, self.n_clusters_hint_) or 1.0
        trace = []
        for state in kernel_dp_means_states(kernel, weights, self.penalty_):
            trace.append(state.objective)
            n_clusters, phase = int(state.labels.max()) + 1, f"pass {len(trace) - 1}"
            callback(Progress(1, 2, state.objective, n_clusters, phase))
        labels = by_size(in_table_order(state.labels, order))[0]
        return self._found(labels, trace, converged=state.converged)

    def _kernel(self, encoded: Encoded) -> np.ndarray:
        if self.kernel == "gower":
            return 1.0 - gower(encoded)
        if self.kernel == "linear":
            numbers = numbers_for(encoded, getattr(self, "schema_", None) is not None)
            numbers = numbers - numbers.mean(axis=0)
            return numbers @ numbers.T
        if self.kernel == "diffusion":
            return diffusion_kernel(neighbour_graph(standardised(encoded)))
        squared = squared_distances(standardised(encoded))
        off = squared[np.triu_indices(len(squared), 1)]
        off = off[off > 0.0]
        return np.exp(-squared / (2.0 * np.median(off))) if off.size else np.ones_like(squared)
