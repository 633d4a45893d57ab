"""K-means: Lloyd's algorithm from k-means++ seeds, the number of clusters by BIC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..inference.fit import Fit
from ..jit import allocating_kernel, inner
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .arguments import check_number, check_whole
from .centroids import (
    BLOCK,
    CentroidEstimator,
    CentroidState,
    Visit,
    squared_distances,
    sums_and_counts,
    times,
    visit,
)
from .estimator import Callback, WeighsRows
from .progress import Progress
from .rows import NumericRows, in_table_order, order_by_content


def lloyd_states(
    rows: NumericRows, start: ArrayLike, max_iter: int = 300, tol: float = 1e-4
) -> Iterator[CentroidState]:
    """Run K-means one pass at a time, with scikit-learn's rules for rest and for empty clusters.

    A pass moves every centre to the mean of its rows (an empty cluster to the row farthest from its
    centre), then gives every row its nearest centre, until the centres' squared moves sum to at
    most ``tol`` of the mean variance.

    The start is either centres, shape (K, P), in the coordinates of the table of numbers, or the
    labels of a partition, shape (N,). Yields that partition about its means, if labels were given,
    then the nearest of the first centres, and the state after each pass.
    """
    threshold = tol * rows.total_error / (rows.total_weight * rows.shift.size)
    start = np.asarray(start)
    if start.ndim == 1:
        names, labels = np.unique(start, return_inverse=True)
        sums, counts = sums_and_counts(rows, labels, names.size)
        centers = sums / counts[:, None]
        error = 0.0
        for part, columns in rows.parts():
            squares = np.square(columns - centers.T[:, labels[part]]).sum(axis=0)
            error += float(squares @ rows.weights[part] if rows.weights.size else squares.sum())
        yield CentroidState(labels, centers + rows.shift, error, False)
    else:
        centers = np.asarray(start, dtype=np.float64) - rows.shift
    found = visit(rows, centers)
    yield CentroidState(found.labels, centers + rows.shift, float(found.distances.sum()), False)
    for _ in range(max_iter):
        moved = _move(rows, found)
        still = np.square(moved - centers).sum() <= threshold
        centers, before = moved, found
        found = visit(rows, centers)
        rests = bool(still) or np.array_equal(found.labels, before.labels)
        yield CentroidState(found.labels, centers + rows.shift, float(found.distances.sum()), rests)
        if rests:
            return


def plus_plus(rows: NumericRows, n_clusters: int, random: np.random.Generator) -> np.ndarray:
    """Seed K-means by greedy k-means++ (Arthur and Vassilvitskii 2007), shape (K, P).

    Each new centre is the best of 2 + ln K rows drawn in proportion to their squared distance from
    the centres so far. Distinct rows; fewer than ``n_clusters`` where there are not so many.
    """
    draws = random.random((n_clusters, 2 + int(np.log(n_clusters))))
    sample = rows.sample
    chosen = _seeds(sample.columns, draws, sample.weights)
    return sample.columns[:, chosen].T + rows.shift


def bic(sizes: np.ndarray, inertia: float, n_columns: int) -> float:
    """BIC of hard clusters as spherical Gaussians of one variance, higher is better, in nats.

    Pelleg and Moore (2000), with the maximum-likelihood variance; K - 1 weights, K centres and the
    variance are counted; ``inertia`` is the sum of squared distances to the centres. NaN where no
    variance is left.
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
    """Outcome of one start."""

    last: CentroidState
    trace: list[float]
    inertia: float
    bic: float


#: What the start that stands for a K has least of; without variance there is no BIC.
_LEAST = {"error": lambda run: run.inertia, "bic": lambda run: -np.fmax(run.bic, -np.inf)}
# Rounding leaves this share of the total squared error where there should be none.
_NO_VARIANCE = 1e-24


@dataclass(eq=False, repr=False)
class KMeansBIC(WeighsRows, CentroidEstimator):
    """K-means for every K of a range, many starts each; the K with the highest BIC is kept.

    Of every K one start stands for it, and its BIC is compared: the labels are those of the BIC
    that won. Numeric by nature: a table with a schema is standardised and coded first, and
    ``encoding_.sentence`` says how; a plain array goes in as it is, holes filled by column means.

    Parameters
    ----------
    k_min, k_max : int
        Range of K; equal fixes it. A ``k_max`` beyond the distinct rows stops there, and
        ``result_.details["note"]`` says so.
    n_init : int
        Starts for each K.
    max_iter : int
        Most passes over the rows from one start.
    tol : float
        Rest when the centres' squared moves sum to at most this share of the mean variance.
    init : "k-means++" or array-like, shape (K, P) or (N,)
        Seeding, or the one start of a fixed K: centres in the coordinates of ``encoding_``, or
        the labels of a partition.
    best_start : "error" or "bic"
        Which start stands for a K: that of least squared error, which is what K-means seeks, or
        that of highest BIC, so that K is the one of the highest BIC over all starts (R16).
    random_state : int, Generator or None
        The answer depends on it and on what the rows hold, not on the order they stand in.

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (K, P)
    inertia_ : float
        Sum of squared distances to the centres; the objective.
    bic_ : dict
        BIC of the start that stands for each K; NaN for a K that leaves no variance, which is
        chosen only for want of another.
    encoding_ : NumericEncoding
    result_, labels_, n_clusters_, objective_, objective_trace_, n_iter_, converged_
        The Fit and its fields.

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
    init: Any = "k-means++"
    best_start: str = "error"
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        k_min = check_whole("k_min", self.k_min, 1)
        k_max = check_whole("k_max", self.k_max, k_min)
        n_runs = check_whole("n_init", self.n_init, 1)
        check_whole("max_iter", self.max_iter, 1)
        check_number("tol", self.tol, 0.0)
        if self.best_start not in _LEAST:
            raise ValueError(
                f"best_start={self.best_start!r} is not allowed: give 'error' or 'bic'."
            )
        order = order_by_content(encoded.values, encoded.weights)
        rows = self._rows(encoded.rows(order))
        if k_min > rows.n_rows:
            raise ValueError(f"k_min={k_min} is not allowed: the table has {rows.n_rows} rows.")
        k_last = min(k_max, rows.n_rows)
        start = self._given_start(rows, order, k_min, k_max)
        n_runs = n_runs if start is None else 1
        total = (k_last - k_min + 1) * n_runs
        random = np.random.default_rng(self.random_state)
        chosen, table, least = None, {}, _LEAST[self.best_start]
        for k in range(k_min, k_last + 1):
            best, highest = None, np.nan
            for run in range(n_runs):
                seeds = plus_plus(rows, k, random) if start is None else start
                if len(seeds) < k and table:
                    break
                phase = f"K = {k}, start {run + 1} of {n_runs}"
                progress = Progress((k - k_min) * n_runs + run, total, np.inf, k, phase)
                outcome = self._run(rows, seeds, callback, progress)
                highest = float(np.fmax(highest, outcome.bic))
                if best is None or least(outcome) < least(best):
                    best = outcome
            if best is None:
                break
            table[len(best.last.centers)] = (best.bic, highest, best.inertia)
            if chosen is None or best.bic > chosen.bic or np.isnan(chosen.bic):
                chosen = best
        note = f"K stops at {max(table)}: there are no more distinct rows."
        note = note if max(table) < k_max else ""
        labels = in_table_order(chosen.last.labels, order)
        labels, clusters = by_size(labels, encoded.weights)
        centers = chosen.last.centers[clusters]
        return self._result(chosen, labels, centers, table, note)

    def _given_start(
        self, rows: NumericRows, order: np.ndarray, k_min: int, k_max: int
    ) -> np.ndarray | None:
        """Check and return the one start that the user gave; None for k-means++.

        Given labels are those of the table's rows, which stand in ``order`` here.
        """
        if isinstance(self.init, str):
            if self.init != "k-means++":
                raise ValueError(
                    f"init={self.init!r} is not allowed: give 'k-means++', centres or labels."
                )
            return None
        start = np.asarray(self.init)
        if start.shape == (rows.n_rows,):
            start = start[order]
            k = np.unique(start).size
        elif start.ndim == 2 and start.shape[1] == rows.shift.size:
            k = start.shape[0]
        else:
            raise ValueError(
                f"init of shape {start.shape} is not allowed: give centres of shape "
                f"(K, {rows.shift.size}) or labels of shape ({rows.n_rows},)."
            )
        if not k_min == k_max == k:
            raise ValueError(f"init has {k} clusters: set k_min and k_max to {k}.")
        return start

    def _run(
        self, rows: NumericRows, start: np.ndarray, callback: Callback, progress: Progress
    ) -> _Run:
        trace = []
        for state in lloyd_states(rows, start, self.max_iter, self.tol):
            trace.append(state.objective)
            callback(replace(progress, objective=state.objective))
        inertia = state.objective if state.objective > _NO_VARIANCE * rows.total_error else 0.0
        sizes = np.bincount(state.labels, rows.weights if rows.weights.size else None)
        score = bic(sizes, inertia, rows.shift.size)
        return _Run(state, trace, inertia, score)

    def _result(
        self,
        chosen: _Run,
        labels: np.ndarray,
        centers: np.ndarray,
        table: dict[int, tuple[float, float, float]],
        note: str,
    ) -> Fit:
        bics, highest, inertias = map(np.array, zip(*table.values(), strict=True))
        self.bic_ = dict(zip(table, bics.tolist(), strict=True))
        self.inertia_ = chosen.inertia
        by_k = {"n_clusters": np.array(list(table)), "bic": bics, "highest": highest}
        return self._found(
            labels,
            chosen.trace,
            objective=chosen.inertia,
            converged=chosen.last.converged,
            centers=centers,
            bic={**by_k, "inertia": inertias},
            note=note,
            encoding=self.encoding_.sentence,
        )


def _move(rows: NumericRows, found: Visit) -> np.ndarray:
    """Mean of each cluster; an empty one takes over the row farthest from its own centre."""
    labels, distances, _, sums, counts = found
    empty = np.flatnonzero(counts == 0)
    if empty.size and distances.max() > 0:
        farthest = np.argpartition(distances, -empty.size)[: -empty.size - 1 : -1]
        for k, i in zip(empty, farthest, strict=True):
            weight = rows.weights[i] if rows.weights.size else 1.0
            row = weight * rows.row(i)
            sums[labels[i]] -= row
            counts[labels[i]] -= weight
            sums[k], counts[k] = row, weight
    centers = sums / np.where(counts > 0, counts, 1.0)[:, None]
    # A cluster that found no row waits on the largest one, which wins every tie it can.
    centers[counts == 0] = centers[np.argmax(counts)]
    return centers


@inner
def _sum_below(values, limit):
    """Sum of the first values that together are not above the limit, and how many they are."""
    total = 0.0
    for i in range(values.shape[0]):
        if total + values[i] > limit:
            return total, i
        total += values[i]
    return total, values.shape[0]


@allocating_kernel
def _seeds(columns, draws, weights):
    """Choose rows by greedy k-means++ from uniform draws (K, trials); stop when none is apart."""
    n_rows = columns.shape[1]
    chosen = np.empty(draws.shape[0], np.int64)
    least = np.empty(n_rows)
    least[:] = np.inf
    trial = np.empty(n_rows)
    best = np.empty(n_rows)
    one, center = np.empty(BLOCK), np.empty(columns.shape[0])
    total = np.empty(BLOCK)
    potential = np.inf
    for k in range(draws.shape[0]):
        if potential == 0.0:
            return chosen[:k].copy()
        chances = least if k else weights
        whole = _sum_below(chances, np.inf)[0]
        potential = np.inf
        for t in range(draws.shape[1] if k else 1):
            if chances.shape[0] > 0:
                i = _sum_below(chances, draws[k, t] * whole)[1]
            else:
                i = np.int64(draws[0, 0] * n_rows)
            i = min(i, n_rows - 1)
            total[:] = 0.0
            for p in range(center.shape[0]):  # an assignment of arrays compiles for two seconds
                center[p] = columns[p, i]
            for start in range(0, n_rows, BLOCK):
                n = min(BLOCK, n_rows - start)
                squared_distances(columns, start, n, center, one)
                times(weights, start, n, one)
                old = least[start : start + n]
                new = trial[start : start + n]
                for b in range(n):
                    new[b] = min(old[b], one[b])
                    total[b] += new[b]
            if total.sum() < potential:
                potential = total.sum()
                chosen[k] = i
                best, trial = trial, best
        least, best = best, least
    return chosen
