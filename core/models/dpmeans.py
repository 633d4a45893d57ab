"""DP-means: K-means in which a row too far from every centre founds a cluster (KJ12).

Objective: sum of squared distances to the cluster means + penalty x number of clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..inference.fit import Fit
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .arguments import check_number, check_whole
from .centroids import CentroidEstimator, CentroidState, nearest, visit
from .estimator import Callback, WeighsRows
from .progress import Progress
from .rows import NumericRows, in_table_order, order_by_content


def dp_means_states(
    rows: NumericRows, penalty: float, max_iter: int = 300
) -> Iterator[CentroidState]:
    """Run DP-means one pass at a time (KJ12 Algorithm 1); the penalty is lambda.

    The rows are visited in their order. Within a pass the old centres stand still and a row whose
    nearest centre is farther, by *squared* distance, than the penalty becomes a centre; then empty
    clusters go, and every centre moves to the mean of its rows.

    Yields first the start, one cluster around the global mean, then the state after each pass. The
    objective never rises; the run rests when a pass changes no label.
    """
    labels = np.zeros(rows.n_rows, dtype=np.int64)
    centers = np.zeros((1, rows.shift.size))
    yield CentroidState(labels, centers + rows.shift, rows.total_error + penalty, False)
    for _ in range(max_iter):
        old_labels = labels
        labels, distances, visited, sums, counts = visit(rows, centers, penalty)
        kept = counts > 0
        if not kept.all():
            labels = (np.cumsum(kept) - 1)[labels]
            sums, counts, visited = sums[kept], counts[kept], visited[kept]
        centers = sums / counts[:, None]
        # Moving a centre to its mean lowers the error by count x squared length of the move.
        error = distances.sum() - counts @ np.square(centers - visited).sum(axis=1)
        objective = max(0.0, float(error)) + penalty * counts.size
        rests = np.array_equal(labels, old_labels)
        yield CentroidState(labels, centers + rows.shift, objective, rests)
        if rests:
            return


def farthest_first_penalty(rows: NumericRows, n_clusters: int) -> float:
    """Penalty under which DP-means finds about ``n_clusters`` clusters (KJ12 section 6.1).

    Starting from the global mean, the row farthest from all points chosen so far is chosen,
    ``n_clusters`` times; the squared distance of the last is the penalty. Where the distinct rows
    run out, the last distance that was not 0 is taken.
    """
    chosen = np.zeros(rows.shift.size)
    least = np.full(rows.n_rows, np.inf)
    penalty = 0.0
    for _ in range(n_clusters):
        distances = nearest(rows, chosen[None, :])[1]
        distances = rows.weights * distances if rows.weights.size else distances
        least = np.minimum(least, distances)
        farthest = int(np.argmax(least))
        if least[farthest] == 0.0:
            break
        penalty = float(least[farthest])
        chosen = rows.row(farthest)
    return penalty


@dataclass(eq=False, repr=False)
class DPMeans(WeighsRows, CentroidEstimator):
    """DP-means: the number of clusters follows from a penalty on each (KJ12 Algorithm 1).

    Numeric by nature: a table with a schema is standardised and coded first, and
    ``encoding_.sentence`` says how; a plain array goes in as it is, holes filled by column means.

    Parameters
    ----------
    penalty : float, optional
        Lambda: what a cluster costs, in squared distance; from ``n_clusters_hint`` if not given.
    n_clusters_hint : int
        Clusters to expect, for the farthest-first choice of the penalty (KJ12 section 6.1).
    max_iter : int
        Most passes over the rows in one run.
    shuffle : bool
        Visit the rows in a random order; False is from the lowest to the highest, by their columns
        in turn (KJ12 leaves it open). Either way the order they stand in changes nothing.
    n_init : int
        Runs in random orders, of which the lowest objective wins; one where nothing is shuffled.
    random_state : int, Generator or None

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (K, P)
        Mean of each cluster, in the coordinates of ``encoding_``.
    penalty_ : float
        The penalty used.
    encoding_ : NumericEncoding
    result_, labels_, n_clusters_, objective_, objective_trace_, n_iter_, converged_
        The Fit and its fields.

    Examples
    --------
    >>> from mapdp_studio import DPMeans
    >>> DPMeans(penalty=4.0).fit([[0.0], [0.5], [9.0]]).labels_
    array([0, 0, 1])
    """

    penalty: float | None = None
    n_clusters_hint: int = 3
    _: KW_ONLY
    max_iter: int = 300
    shuffle: bool = False
    n_init: int = 1
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        hint = check_whole("n_clusters_hint", self.n_clusters_hint, 1)
        max_iter = check_whole("max_iter", self.max_iter, 1)
        n_runs = check_whole("n_init", self.n_init, 1) if self.shuffle else 1
        table = order_by_content(encoded.values, encoded.weights)
        rows = self._rows(encoded.rows(table))
        callback(Progress(0, n_runs, rows.total_error, 1, "numbers ready"))
        if self.penalty is None:
            self.penalty_ = farthest_first_penalty(rows, hint)
        else:
            self.penalty_ = check_number("penalty", self.penalty, 0.0, allow_equal=False)
        random = np.random.default_rng(self.random_state)
        best = None
        order, visited = np.arange(rows.n_rows), rows
        for run in range(n_runs):
            if self.shuffle:
                order = random.permutation(rows.n_rows)
                visited = rows.reordered(order)
            trace = []
            for state in dp_means_states(visited, self.penalty_, max_iter):
                trace.append((state.objective, len(state.centers)))
                phase = f"order {run + 1} of {n_runs}, pass {len(trace) - 1}"
                callback(Progress(run, n_runs, *trace[-1], phase))
            if best is None or state.objective < best[0].objective:
                best = state, trace, table[order]
        return self._result(*best, encoded.weights)

    def _result(
        self,
        last: CentroidState,
        trace: list[tuple],
        order: np.ndarray,
        weights: np.ndarray | None,
    ) -> Fit:
        labels, clusters = by_size(in_table_order(last.labels, order), weights)
        objectives, n_clusters = map(np.array, zip(*trace, strict=True))
        return self._found(
            labels,
            objectives,
            converged=last.converged,
            centers=last.centers[clusters],
            penalty=self.penalty_,
            n_clusters_trace=n_clusters,
            encoding=self.encoding_.sentence,
        )
