"""Gower's dissimilarity, and K found on a graph of similar rows or in a kernel's space (KJ12 5).

A penalised cut is the cut weight of every cluster by its degree, or rows, + penalty x clusters;
DP-means in a kernel's space is sum w_i |phi(x_i) - mean|^2 + penalty x clusters.
"""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import kneighbors_graph

from ...inference.fit import Fit
from ...partitions.labels import by_size, renumbered
from ...schema.encoded import Encoded
from ..dpmeans import Space, dp_states, farthest_first
from ..estimator import Callback, ClusterEstimator, WeighsRows, above, number, one_of, or_none
from ..kmeans import last_state, order_by_content
from ..numeric import plain_numbers
from ..progress import Progress

NEIGHBOURS = 10
#: Eigenvalues that are looked at: at most one less is the number of groups found.
EIGENVALUES = 21
#: Ratio of eigenvalues that speaks for groups: of one shapeless cloud they stay below 2.7.
JUMP = 3.0
#: Ratio that does whatever is before it: parts that no edge joins have eigenvalues of 0, which any
#: number is many times.
CLEAR = 10.0
#: Graphs of up to this many rows are decomposed whole.
DENSE = 600
#: An eigenvalue of the Laplacian below this is 0 but for rounding.
ZERO = 1e-9
#: Rows whose square matrix is kept: beyond them half a gigabyte is not enough.
MOST_ROWS = 2**13
#: Rows compared at once.
BLOCK = 64
#: A move must lower the objective by more.
LEAST = 1e-10
MOST_PASSES = 100


def check_pairs(n_rows: int, method: str) -> None:
    """Raise a ValueError for too many pairs of rows, with their memory and a size that works."""
    if n_rows > MOST_ROWS:
        gigabytes = 8 * n_rows**2 / 1e9
        raise ValueError(
            f"{method} compares every pair of rows: {n_rows:,} rows would take {gigabytes:,.1f} GB "
            f"of memory. Give it a sample of at most {MOST_ROWS:,} rows."
        )


def standardised(encoded: Encoded) -> np.ndarray:
    """The table as plain numbers of mean 0 and spread 1, constant ones 0, shape (N, P)."""
    numbers = plain_numbers(encoded)
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)


def gower(encoded: Encoded) -> np.ndarray:
    """Gower's dissimilarity of every pair of rows, 0 to 1, shape (N, N) (Gower 1971; M12 25.1.1).

    The mean over common columns of |difference| / range, or of 0 or 1 for names; without a common
    column, the mean of all pairs.
    """
    n_rows, is_name = len(encoded.values), [u.is_nominal for u in encoded.units for _ in u.columns]
    dissimilarity, common = np.zeros((n_rows, n_rows)), np.zeros((n_rows, n_rows))
    for cells, has_names in zip(encoded.values.T, is_name, strict=True):
        seen = ~np.isnan(cells)
        width = np.ptp(cells[seen]) if seen.any() else 0.0
        filled = np.where(seen, cells, 0.0) / (width or 1.0)  # a constant one tells nothing apart
        for start in range(0, n_rows, BLOCK):
            rows = slice(start, start + BLOCK)
            both = seen[rows, None] & seen
            difference = np.abs(filled[rows, None] - filled)
            dissimilarity[rows] += (difference > 0.0) & both if has_names else difference * both
            common[rows] += both
    dissimilarity /= np.maximum(common, 1.0)
    is_comparable = common > 0.0
    np.fill_diagonal(is_comparable, True)
    if not is_comparable.all():
        pairs = is_comparable & ~np.eye(n_rows, dtype=bool)
        dissimilarity[~is_comparable] = dissimilarity[pairs].mean() if pairs.any() else 0.0
    np.fill_diagonal(dissimilarity, 0.0)
    return dissimilarity


def neighbour_graph(numbers: np.ndarray) -> sparse.csr_array:
    """Every row's nearest neighbours among standardised numbers (N, P), weights (N, N).

    exp(-d^2 / (w_i w_j)), w the distance to the last neighbour (Zelnik-Manor and Perona 2004),
    where either is a neighbour of the other; a row without any counts as its own.
    """
    n = len(numbers)
    if n == 1:
        return sparse.csr_array([[1.0]])
    near = kneighbors_graph(numbers, min(NEIGHBOURS, n - 1), mode="distance").tocoo()
    width = near.max(axis=1).toarray().ravel()
    # Rows with so many equals that all their neighbours are at distance 0 take the usual width.
    usual = width[width > 0.0].mean() if (width > 0.0).any() else 1.0
    width = np.where(width > 0.0, width, usual)
    weights = np.exp(-np.square(near.data) / (width[near.row] * width[near.col]))
    graph = sparse.csr_array((weights, (near.row, near.col)), shape=(n, n))
    graph = graph.maximum(graph.T)
    isolated = degrees_of(graph) <= 0.0
    return sparse.csr_array(graph + sparse.diags_array(isolated.astype(float)))


def degrees_of(graph: sparse.csr_array) -> np.ndarray:
    """Sum of the weights of every row's edges, shape (N,)."""
    return np.asarray(graph.sum(axis=1)).ravel()


def spectrum(graph: sparse.csr_array, count: int = EIGENVALUES) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues of D^-1/2 A D^-1/2, descending, and their vectors (N, count)."""
    half = sparse.diags_array(1.0 / np.sqrt(degrees_of(graph)))
    matrix = half @ graph @ half
    n = matrix.shape[0]
    if n <= max(DENSE, 2 * count):
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        # About a shift just beyond 1, where all the eigenvalues end that are looked for.
        begin = np.ones(n) / np.sqrt(n)
        values, vectors = eigsh(sparse.csc_array(matrix), count, sigma=1.0 + 1e-3, v0=begin)
    order = np.argsort(-values, kind="stable")[:count]
    return values[order], vectors[:, order]


def jump(values: np.ndarray) -> tuple[int, float]:
    """How many groups descending eigenvalues (C,) speak for, and the level half way to the next.

    Where 1 - v grows by the largest factor (Azran and Ghahramani 2006): the last count with a
    factor of ``CLEAR``, and one group where none reaches ``JUMP``.
    """
    below = np.maximum(1.0 - values, ZERO)
    k, factors = 1, below[2:] / below[1:-1]
    if (factors >= CLEAR).any():
        k = int(np.flatnonzero(factors >= CLEAR)[-1]) + 2
    elif factors.max(initial=0.0) >= JUMP:
        k = int(np.argmax(factors)) + 2
    if k >= values.size:
        return k, float(values[-1]) - 1.0
    return k, float(0.5 * (values[k - 1] + values[k]))


def relaxed_labels(vectors: np.ndarray, n_clusters: int, random: np.random.Generator) -> np.ndarray:
    """Cluster the rows of the leading eigenvectors, each brought to length 1, by K-means."""
    length = np.linalg.norm(vectors[:, :n_clusters], axis=1, keepdims=True)
    points = vectors[:, :n_clusters] / np.where(length > 0.0, length, 1.0)
    k_means = KMeans(n_clusters, n_init=10, random_state=int(random.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points: fewer clusters
        return k_means.fit_predict(points)


@dataclass(eq=False, repr=False)
class SpectralDPMeans(ClusterEstimator):
    """Cluster by the eigenvectors whose eigenvalue is above a penalty (KJ12 section 5.1).

    Eigenvalues of D^-1/2 A D^-1/2 of the standardised table's graph of 10 nearest neighbours.

    Parameters
    ----------
    penalty : float, optional
        Lambda, at most 1; by default half way into the largest jump.
        One cluster where 1 less the eigenvalue nowhere grows threefold.
    random_state : int, Generator or None

    Attributes
    ----------
    penalty_ : float
    objective_ : float
        Minus the sum of eigenvalue less penalty over those that count.
    labels_, result_, n_clusters_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    _: KW_ONLY
    random_state: Any = None

    limits: ClassVar = {"penalty": or_none(number())}

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        callback(Progress(0, 2, np.inf, 1, "which rows are alike"))
        values, vectors = spectrum(neighbour_graph(standardised(encoded)))
        self.penalty_ = jump(values)[1] if self.penalty is None else self.penalty
        above = int(np.sum(values > self.penalty_))
        n = min(max(above, 1), len(encoded.values))
        callback(Progress(1, 2, np.inf, n, f"{n} eigenvectors above the penalty"))
        random = np.random.default_rng(self.random_state)
        labels = by_size(relaxed_labels(vectors, n, random))[0]
        objective = -float(np.sum(values[:n] - self.penalty_))
        return self._make_fit(labels, [objective], n_iter=1)


class GraphCut:
    """A partition of a graph (N, N) of weights >= 0, some in every row, and the sums of its cut."""

    def __init__(
        self, graph: sparse.csr_array, labels: np.ndarray, cut: str, penalty: float
    ) -> None:
        self.graph, self.penalty = graph, penalty
        self.loops, self.degrees = graph.diagonal(), degrees_of(graph)
        self.weights = self.degrees if cut == "normalized" else np.ones_like(self.degrees)
        self.load(labels)

    def load(self, labels: np.ndarray) -> None:
        """Take other labels, and the sums of their clusters anew."""
        self.labels = renumbered(labels)
        members = np.eye(self.labels.max() + 2)[self.labels]
        #: Weight of the edges between any two clusters, those inside counted from both ends.
        self.links = members.T @ (self.graph @ members)
        leaving = self.degrees @ members - self.links.diagonal()
        #: Of every cluster, what leaves it, its weight and its rows; the last has none yet.
        self.sums = np.vstack([leaving, self.weights @ members, members.sum(axis=0)])

    def objective(self) -> float:
        """The cut plus the penalties."""
        return float(self._cost(self.sums).sum())

    def _cost(self, sums: np.ndarray) -> np.ndarray:
        leaving, weight, rows = sums
        costs = leaving / np.where(rows > 0.5, weight, 1.0) + self.penalty
        return np.where(rows > 0.5, costs, 0.0)

    def visit(self, i: int) -> bool:
        """Move a row where the objective falls most: to a neighbour's cluster or one of its own."""
        own, new = self.labels[i], self.sums.shape[1] - 1
        at = slice(self.graph.indptr[i], self.graph.indptr[i + 1])
        near = self.labels[self.graph.indices[at]]
        linked = np.bincount(near, self.graph.data[at], new + 1)
        linked[own] -= self.loops[i]
        choices = np.unique([*near, own, new])
        step = np.empty((3, new + 1))
        step[0] = self.degrees[i] - self.loops[i] - 2.0 * linked
        step[1:] = [[self.weights[i]], [1.0]]
        self.sums[:, own] -= step[:, own]
        if self.sums[2, own] < 0.5:  # exactly empty, without the rounding of what was taken out
            self.sums[:, own] = 0.0
        before = self.sums[:, choices]
        change = self._cost(before + step[:, choices]) - self._cost(before)
        best = int(choices[np.argmin(change)])
        if change.min() >= change[choices == own][0] - LEAST:
            best = own
        self.sums[:, best] += step[:, best]
        self.labels[i] = best
        if best == new:
            self.sums = np.column_stack([self.sums, np.zeros(3)])
        return best != own

    def merge(self) -> bool:
        """Merge the two clusters that lower the objective most, if any do."""
        together = self.sums[:, :, None] + self.sums[:, None, :]
        together[0] -= 2.0 * self.links
        alone = self._cost(self.sums)
        change = self._cost(together) - alone[:, None] - alone
        np.fill_diagonal(change, np.inf)
        kept, gone = np.unravel_index(np.argmin(change), change.shape)
        if change[kept, gone] >= -LEAST:
            return False
        self.load(np.where(self.labels == gone, kept, self.labels))
        return True


@dataclass(eq=False, repr=False)
class PenalisedCut(ClusterEstimator):
    """Cut a graph of similar rows into as many parts as a penalty makes worth while (KJ12 5.2).

    Parameters
    ----------
    penalty : float, optional
        Lambda'; between -1 and 0 for a normalised cut.
        By default minus the level half way into the largest jump of the Laplacian's eigenvalues.
    cut : {"normalized", "ratio"}
    random_state : int, Generator or None

    Attributes
    ----------
    penalty_ : float
    objective_ : float
        The cut plus the penalties.
    labels_, result_, n_clusters_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    cut: str = "normalized"
    _: KW_ONLY
    random_state: Any = None

    limits: ClassVar = {"penalty": or_none(number()), "cut": one_of("normalized", "ratio")}

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        callback(Progress(0, 2, np.inf, 1, "which rows are alike"))
        graph = neighbour_graph(standardised(encoded))
        labels, trace, converged = self._lowest(graph, callback)
        return self._make_fit(by_size(labels)[0], trace, converged=converged)

    def _lowest(
        self, graph: sparse.csr_array, callback: Callback
    ) -> tuple[np.ndarray, list[float], bool]:
        """The lower end from one cluster and from the relaxation; sets ``penalty_``."""
        random = np.random.default_rng(self.random_state)
        values, vectors = spectrum(graph)
        k, level = jump(values)
        # The Laplacian's eigenvalues: of a ratio cut, those of D - A, about the degree times more.
        unit = 1.0 if self.cut == "normalized" else float(degrees_of(graph).mean())
        self.penalty_ = -(1.0 - level) * unit
        if self.penalty is not None:
            self.penalty_ = self.penalty
            k = max(int(np.sum((1.0 - values) * unit < -self.penalty_)), 1)
        starts = [np.zeros(graph.shape[0], dtype=np.int64)]
        if k > 1:
            starts.append(relaxed_labels(vectors, k, random))
        runs = []
        for labels in starts:
            partition, moved = GraphCut(graph, labels, self.cut, self.penalty_), 1
            trace = [partition.objective()]
            while moved and len(trace) <= MOST_PASSES:
                moved = sum([partition.visit(i) for i in random.permutation(labels.size)])
                partition.load(partition.labels)
                while partition.merge():
                    moved += 1
                trace.append(partition.objective())
                n_clusters = int(partition.labels.max()) + 1
                callback(Progress(1, 2, trace[-1], n_clusters, "rows move"))
            runs.append((partition.labels, trace, not moved))
        return min(runs, key=lambda run: run[1][-1])


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
        is_walked = self.penalty is None or self.kernel == "diffusion"
        graph = neighbour_graph(standardised(encoded)) if is_walked else None
        space = kernel_space(self._kernel(encoded, graph), weights)
        self.penalty_ = self.penalty
        if self.penalty is None:
            self.penalty_ = farthest_first(space, jump(spectrum(graph)[0])[0]) or 1.0
        states = dp_states(space, self.penalty_)
        state, trace = last_state(states, callback, "clusters", 1, 2)
        labels = by_size(state.labels[np.argsort(order)])[0]
        return self._make_fit(labels, trace, converged=state.converged)

    def _kernel(self, encoded: Encoded, graph: sparse.csr_array | None) -> np.ndarray:
        if self.kernel == "gower":
            return 1.0 - gower(encoded)
        if self.kernel == "linear":
            numbers = plain_numbers(encoded, getattr(self, "schema_", None) is not None)
            numbers = numbers - numbers.mean(axis=0)
            return numbers @ numbers.T
        if self.kernel == "diffusion":
            return diffusion_kernel(graph)
        numbers = standardised(encoded)
        squared = cdist(numbers, numbers, "sqeuclidean")
        off = squared[squared > 0.0]  # every pair twice
        return np.exp(-squared / (2.0 * np.median(off))) if off.size else np.ones_like(squared)
