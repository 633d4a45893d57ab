"""K-means, K by BIC, and what all methods with centres share.

Its passes are one compiled loop, as scikit-learn's threads wait for each other.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ..inference.fit import Fit
from ..jit import LINE, LINES, NOTHING, PLACES, kernel
from ..partitions.labels import by_size, renumbered
from ..schema.encoded import Encoded
from .estimator import Callback, PredictsLabels, WeighsRows, number, one_of, whole
from .numeric import numeric_encoding
from .progress import Progress

#: Rows compared at once.
BLOCK = 256
# Rounding leaves this share of the total squared error where there should be none.
_NO_VARIANCE = 1e-24


@dataclass(frozen=True)
class CentroidState:
    """K-means or DP-means after one pass, clusters in the order in which they were made."""

    labels: np.ndarray
    #: Shape (K, P); None in a kernel's space.
    centers: np.ndarray | None
    objective: float
    converged: bool


def last_state(
    states: Iterator[CentroidState], callback: Callback, phase: str, done: int, total: int
) -> tuple[CentroidState, list[float]]:
    """Run to the last state; it, and all objectives; ``done`` of ``total`` runs are over."""
    trace: list[float] = []
    for state in states:
        trace.append(state.objective)
        n_clusters = int(state.labels.max()) + 1
        text = f"{phase}, pass {len(trace) - 1}"
        callback(Progress(done, total, state.objective, n_clusters, text))
    return state, trace


class CentroidEstimator(PredictsLabels):
    """Base of the estimators that describe a cluster by its centre."""

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        return nearest(self.encoding_.apply(encoded.values), self.cluster_centers_)[0]

    def _numbers(self, encoded: Encoded) -> tuple[np.ndarray, np.ndarray]:
        """The table about its mean (N, P), to keep digits, and that mean; sets ``encoding_``."""
        self.encoding_ = numeric_encoding(encoded, self.schema_ is not None)
        rows = self.encoding_.apply(encoded.values)
        mean = mean_of(rows, encoded.weights)
        return np.ascontiguousarray(rows - mean), mean


def mean_of(rows: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Mean of rows (N, P) by their weights; of a constant column its value, to the last digit."""
    constant = rows.min(axis=0) == rows.max(axis=0)
    return np.where(constant, rows[0], np.average(rows, axis=0, weights=weights))


def squared_error(rows: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Sum of squared distances of rows, (N, P), to their mean."""
    with np.errstate(over="ignore"):
        squares = np.square(rows - mean_of(rows, weights)).sum(axis=1)
        return float(squares.sum() if weights is None else weights @ squares)


def means_and_counts(
    rows: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean (K, P) and number (K,) of the rows of each cluster."""
    times = np.ones(len(rows)) if weights is None else weights
    sums = np.column_stack([np.bincount(labels, times * column) for column in rows.T])
    counts = np.bincount(labels, times)
    return sums / counts[:, None], counts


def nearest(rows: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centre (K, P) of each row (N, P), the first of equals, and its squared distance."""
    return _Rows(rows).nearest(centers)[:2]


class _Rows:
    """Rows (N, P), by rows and by columns in memory, and their weights."""

    def __init__(self, rows: np.ndarray, weights: np.ndarray | None = None) -> None:
        self.rows = np.require(rows, np.float64, ["C", "W"])
        self.columns = np.require(rows.T, np.float64, ["C", "W"])
        self.times = np.ones(len(rows)) if weights is None else np.array(weights, dtype=np.float64)

    def nearest(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, and sums of every centre's rows and, last, of their weights, (K, P + 1)."""
        n_rows, centers = self.times.size, np.require(centers, np.float64, ["C", "W"])
        labels, squares = np.empty(n_rows, dtype=np.int64), np.empty(n_rows)
        sums = np.zeros((len(centers), len(self.columns) + 1))
        _find_nearest(self.columns, self.rows, self.times, centers, labels, squares, sums)
        return labels, squares, sums


@kernel(NOTHING, LINES, LINES, LINE, LINES, PLACES, LINE, LINES)
def _find_nearest(columns, rows, times, centers, labels, distances, sums):
    n_columns, n_rows = columns.shape
    one = np.empty(BLOCK)
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        least, near = distances[start : start + n], labels[start : start + n]
        least[:] = np.inf
        near[:] = 0
        for k in range(centers.shape[0]):
            one[:] = 0.0
            for p in range(n_columns):
                column, center = columns[p, start : start + n], centers[k, p]
                for b in range(n):
                    apart = column[b] - center
                    one[b] += apart * apart
            for b in range(n):  # without a branch: several at once
                is_nearer = one[b] < least[b]
                least[b] = one[b] if is_nearer else least[b]
                near[b] = k if is_nearer else near[b]
        for b in range(n):
            line, row, weight = sums[near[b]], rows[start + b], times[start + b]
            for p in range(n_columns):
                line[p] += weight * row[p]
            line[n_columns] += weight


def lloyd_states(
    rows: np.ndarray,
    start: ArrayLike,
    weights: np.ndarray | None = None,
    max_iter: int = 300,
    tol: float = 1e-4,
    error: float | None = None,
) -> Iterator[CentroidState]:
    """Run K-means one pass at a time; scikit-learn's rules for convergence and empty clusters.

    The start is centres, shape (K, P), or labels, shape (N,), which are then yielded about their
    means. Converged, the centres' squared moves sum to at most ``tol`` of the mean variance.
    ``error`` is the squared error of all rows, if known.
    """
    packed, centers = _Rows(rows, weights), np.asarray(start)
    error = squared_error(rows, weights) if error is None else error
    threshold = tol * error / (packed.times.sum() * rows.shape[1])
    if centers.ndim == 1:
        labels = renumbered(centers)
        centers = means_and_counts(rows, labels, weights)[0]
        squares = np.square(rows - centers[labels]).sum(axis=1)
        yield CentroidState(labels, centers, float(packed.times @ squares), False)
    labels, squares, sums = packed.nearest(centers)
    yield CentroidState(labels, centers, float(packed.times @ squares), False)
    for _ in range(max_iter):
        before, old = labels, centers
        centers = _updated_centers(packed, labels, packed.times * squares, sums)
        labels, squares, sums = packed.nearest(centers)
        converged = np.square(centers - old).sum() <= threshold or np.array_equal(labels, before)
        yield CentroidState(labels, centers, float(packed.times @ squares), bool(converged))
        if converged:
            return


def _updated_centers(
    packed: _Rows, labels: np.ndarray, distances: np.ndarray, sums: np.ndarray
) -> np.ndarray:
    """Mean of each cluster; an empty one takes over the row farthest from its own centre."""
    sums, counts = sums[:, :-1], sums[:, -1]
    empty = np.flatnonzero(counts == 0)
    if empty.size and distances.max() > 0:
        farthest = np.argpartition(distances, -empty.size)[: -empty.size - 1 : -1]
        for k, i in zip(empty, farthest, strict=True):
            row = packed.times[i] * packed.rows[i]
            sums[labels[i]] -= row
            counts[labels[i]] -= packed.times[i]
            sums[k], counts[k] = row, packed.times[i]
    centers = sums / np.where(counts > 0, counts, 1.0)[:, None]
    # A cluster that found no row waits on the largest one, which wins every tie it can.
    centers[counts == 0] = centers[np.argmax(counts)]
    return centers


def two_means(rows: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Which rows (n, P), after five passes, are nearer to the second of two centres, (n,)."""
    for _ in range(6):
        # By einsum: the threads of a matrix product would wait for more long after it.
        ahead = np.einsum("np,p->n", rows, second - first)
        sides = ahead > 0.5 * (second - first) @ (second + first)
        n, total = np.count_nonzero(sides), rows.sum(axis=0)
        if not 0 < n < len(rows):
            break
        of_second = np.einsum("np,n->p", rows, sides.astype(np.float64))
        first, second = (total - of_second) / (len(rows) - n), of_second / n
    return sides


def plus_plus(
    rows: np.ndarray,
    n_clusters: int,
    random: np.random.Generator,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Distinct seeds, at most K, by greedy k-means++ (Arthur and Vassilvitskii 2007), (K, P)."""
    rows, n = np.ascontiguousarray(rows), len(rows)
    times = 1.0 if weights is None else weights
    draws = random.random((n_clusters, 2 + int(np.log(n_clusters))))
    below = np.arange(1.0, n + 1.0) if weights is None else np.cumsum(weights)
    first = np.searchsorted(below, draws[0, 0] * below[-1], side="right")
    chosen = [min(int(first), n - 1)]
    least = times * cdist(rows, rows[chosen], "sqeuclidean")[:, 0]
    while len(chosen) < n_clusters and least.any():
        below = np.cumsum(least)
        drawn = np.searchsorted(below, draws[len(chosen)] * below[-1], side="right")
        drawn = np.minimum(drawn, n - 1)
        trials = np.minimum(least, times * cdist(rows[drawn], rows, "sqeuclidean"))
        totals = trials.sum(axis=1)
        # Of trials that are as good, but for rounding, the first wins.
        best = int(np.argmax(totals <= totals.min() * (1.0 + 1e-12)))
        chosen.append(int(drawn[best]))
        least = trials[best]
    return rows[chosen]


def k_means_labels(
    rows: np.ndarray,
    n_clusters: int,
    random: np.random.Generator,
    n_runs: int = 1,
    max_iter: int = 300,
) -> np.ndarray:
    """Labels 0, 1, ... of the best of some runs of K-means from greedy seeds, shape (N,)."""
    ends = []
    for _ in range(n_runs):
        *_, last = lloyd_states(rows, plus_plus(rows, n_clusters, random), max_iter=max_iter)
        ends.append(last)
    best = min(ends, key=lambda end: end.objective)
    return renumbered(best.labels)


def order_by_content(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Order of the rows by their columns in turn, (N,); missing cells, larger weights come last."""
    last = () if weights is None else (weights,)
    return np.lexsort((*last, *values.T[::-1]))


def bic(sizes: np.ndarray, inertia: float, n_columns: int) -> float:
    """BIC of hard clusters as spherical Gaussians of one variance, higher is better, in nats.

    Pelleg and Moore (2000), with the maximum-likelihood variance; NaN where none is left.
    ``inertia`` is the sum of squared distances to the centres.
    """
    n_rows = sizes.sum()
    sizes = sizes[sizes > 0]
    if inertia <= 0.0:
        return np.nan
    variance = inertia / (n_rows * n_columns)
    fit = sizes @ np.log(sizes / n_rows)
    fit -= 0.5 * n_rows * n_columns * (np.log(2.0 * np.pi * variance) + 1.0)
    n_parameters = sizes.size - 1 + n_columns * sizes.size + 1
    return float(fit - 0.5 * n_parameters * np.log(n_rows))


class _Run(NamedTuple):
    last: CentroidState
    trace: list[float]
    inertia: float
    bic: float


#: What the start that is kept for a K minimises; without variance there is no BIC.
_LEAST = {"error": lambda run: run.inertia, "bic": lambda run: -np.fmax(run.bic, -np.inf)}


@dataclass(eq=False, repr=False)
class KMeansBIC(WeighsRows, CentroidEstimator):
    """K-means for every K of a range, many starts each; the K with the highest BIC is kept.

    A table with a schema is standardised and coded first; an array goes in as it is, holes filled
    by column means.

    Parameters
    ----------
    k_min, k_max : int
        Range of K, which ends at the distinct rows.
    n_init : int
        Starts for each K.
    max_iter : int
        Most passes over the rows from one start.
    tol : float
        Share of the mean variance to which the centres' squared moves sum at convergence.
    best_start : "error" or "bic"
        The start that stands for a K: least error or highest BIC (R16).
    random_state : int, Generator or None; the order of the rows changes nothing

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (K, P)
    inertia_ : float
        The objective: sum of squared distances to the centres.
    bic_ : dict
        BIC of the start that stands for each K; NaN, chosen last, without variance.
    encoding_ : NumericEncoding
    result_, labels_, n_clusters_, objective_, objective_trace_, n_iter_, converged_

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import KMeansBIC
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    >>> KMeansBIC(k_max=5, random_state=0).fit(rows).n_clusters_
    2
    """

    k_min: int = 1
    k_max: int = 20
    n_init: int = 10
    _: KW_ONLY
    max_iter: int = 300
    tol: float = 1e-4
    best_start: str = "error"
    random_state: Any = None

    limits: ClassVar = {
        **dict.fromkeys(("k_min", "n_init", "max_iter"), whole(1)),
        **{"tol": number(0.0), "best_start": one_of(*_LEAST)},
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        whole(self.k_min)("k_max", self.k_max)
        if self.k_min > len(encoded.values):
            n = len(encoded.values)
            raise ValueError(f"k_min={self.k_min} is not allowed: the table has {n} rows.")
        order = order_by_content(encoded.values, encoded.weights)
        table = encoded.rows(order)
        rows, mean = self._numbers(table)
        runs = self._best_of_each(rows, table.weights, callback)
        chosen = max(runs, key=lambda run: np.fmax(run.bic, -np.inf))
        labels, clusters = by_size(chosen.last.labels[np.argsort(order)], encoded.weights)
        self.bic_ = {len(run.last.centers): run.bic for run in runs}
        self.cluster_centers_ = chosen.last.centers[clusters] + mean
        self.inertia_ = chosen.inertia
        how = {"objective": chosen.inertia, "converged": chosen.last.converged}
        return self._make_fit(labels, chosen.trace, **how)

    def _best_of_each(
        self, rows: np.ndarray, weights: np.ndarray | None, callback: Callback
    ) -> list[_Run]:
        """The run that stands for each K, up to where distinct rows run out."""
        random, error = np.random.default_rng(self.random_state), squared_error(rows, weights)
        tried, found = range(self.k_min, min(self.k_max, len(rows)) + 1), list[_Run]()
        for k in tried:
            runs = []
            for i in range(self.n_init):
                seeds = plus_plus(rows, k, random, weights)
                if len(seeds) < k and found:
                    return found
                states = lloyd_states(rows, seeds, weights, self.max_iter, self.tol, error)
                phase = f"K = {k}, start {i + 1} of {self.n_init}"
                done, total = (k - self.k_min) * self.n_init + i, len(tried) * self.n_init
                state, trace = last_state(states, callback, phase, done, total)
                inertia = state.objective if state.objective > _NO_VARIANCE * error else 0.0
                value = bic(np.bincount(state.labels, weights), inertia, rows.shape[1])
                runs.append(_Run(state, trace, inertia, value))
            found.append(min(runs, key=_LEAST[self.best_start]))
        return found
