"""DP-means in a kernel's space (KJ12 5.2): sum w_i |phi(x_i) - mean|^2 + penalty x clusters."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..centroids import last_state, order_by_content
from ..dpmeans import Space, dp_states, farthest_first
from ..estimator import Callback, WeighsRows, above, one_of, or_none
from ..numeric import plain_numbers
from ..progress import Progress
from .graph import check_pairs, degrees_of, gower, jump, neighbour_graph, spectrum, standardised


def kernel_space(kernel: np.ndarray, weights: np.ndarray) -> Space:
    """Rows of a kernel (N, N) and of these weights (N,)."""
    diagonal = np.diagonal(kernel)
    return Space(
        lambda labels: (None, weights[:, None] * distances_to_means(kernel, weights, labels)),
        lambda i: weights * (diagonal + diagonal[i] - 2.0 * kernel[:, i]),
        len(kernel),
        1e-12 * float(np.abs(diagonal).max()),
    )


def distances_to_means(kernel: np.ndarray, weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Squared distance of every row to the weighted mean of every cluster, shape (N, K).

    K_ii - 2 sum_j w_j K_ij / s_c + sum_jl w_j w_l K_jl / s_c^2 with s_c the cluster's weight.
    """
    members = np.eye(labels.max() + 1)[labels] * weights[:, None]
    members /= members.sum(axis=0)
    similar = kernel @ members
    norms = np.einsum("nk,nk->k", members, similar)
    return np.diagonal(kernel)[:, None] - 2.0 * similar + norms


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
    labels_, result_, n_clusters_, objective_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    kernel: str = "linear"

    compares_pairs: ClassVar = True
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
        space = kernel_space(self._kernel(encoded), weights)
        self.penalty_ = self.penalty
        if self.penalty is None:
            graph = neighbour_graph(standardised(encoded))
            self.penalty_ = farthest_first(space, jump(spectrum(graph)[0])[0]) or 1.0
        states = dp_states(space, self.penalty_)
        state, trace = last_state(states, callback, "clusters", 1, 2)
        labels = by_size(state.labels[np.argsort(order)])[0]
        return self._make_fit(labels, trace, converged=state.converged)

    def _kernel(self, encoded: Encoded) -> np.ndarray:
        if self.kernel == "gower":
            return 1.0 - gower(encoded)
        if self.kernel == "linear":
            numbers = plain_numbers(encoded, getattr(self, "schema_", None) is not None)
            numbers = numbers - numbers.mean(axis=0)
            return numbers @ numbers.T
        if self.kernel == "diffusion":
            return diffusion_kernel(neighbour_graph(standardised(encoded)))
        numbers = standardised(encoded)
        squared = cdist(numbers, numbers, "sqeuclidean")
        off = squared[squared > 0.0]  # every pair twice
        return np.exp(-squared / (2.0 * np.median(off))) if off.size else np.ones_like(squared)
