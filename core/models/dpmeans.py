"""DP-means (KJ12): squared distances to the cluster means + penalty x number of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from ..inference.fit import Fit
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .arguments import above, or_none, whole
from .centroids import (
    CentroidEstimator,
    CentroidState,
    followed,
    in_table_order,
    mean_of,
    means_and_counts,
    order_by_content,
)
from .estimator import Callback, WeighsRows

MOST_PASSES = 300

#: What every row pays, (N,), in a cluster of row i alone.
ToRow = Callable[[int], np.ndarray]


def dp_means_states(
    rows: np.ndarray,
    penalty: float,
    weights: np.ndarray | None = None,
    max_iter: int = MOST_PASSES,
) -> Iterator[CentroidState]:
    """Run DP-means one pass at a time (KJ12 Algorithm 1) on rows (N, P); ``penalty`` is lambda."""
    rows, times = _rows_and_times(rows, weights)

    def about(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        centers = means_and_counts(rows, labels, weights)[0]
        if len(centers) == 1:
            centers = mean_of(rows, weights)[None]
        return centers, (cdist(centers, rows, "sqeuclidean") * times).T

    return dp_states(about, to_each_row(rows, times), penalty, len(rows), max_iter)


def dp_states(
    about: Callable[[np.ndarray], tuple[np.ndarray | None, np.ndarray]],
    to_row: ToRow,
    penalty: float,
    n_rows: int,
    max_iter: int = MOST_PASSES,
) -> Iterator[CentroidState]:
    """DP-means wherever rows have distances: one cluster first, then the state after each pass.

    ``about(labels)`` gives the clusters' centres and what rows pay in each, (N, K); the centres
    stand still within a pass. Ends where a pass changes no label, or would raise the objective.
    """
    labels, state, rests = np.zeros(n_rows, dtype=np.int64), None, False
    for _ in range(max_iter + 1):
        centers, apart = about(labels)
        error = max(0.0, float(apart[np.arange(n_rows), labels].sum()))
        objective = error + penalty * apart.shape[1]
        if state is not None:
            if objective > state.objective + 1e-9 * abs(state.objective):
                return
            rests = np.array_equal(labels, state.labels)
        state = CentroidState(labels, centers, objective, rests)
        yield state
        if rests:
            return
        labels = np.unique(choose(apart, penalty, to_row), return_inverse=True)[1]


def choose(
    apart: np.ndarray,
    penalty: float,
    to_row: ToRow,
    local_penalty: float = 0.0,
    groups: np.ndarray | None = None,
    used: np.ndarray | None = None,
) -> np.ndarray:
    """Cheapest cluster of every row in turn; a row too far from all founds one, shape (N,).

    ``apart`` (N, K) is what rows pay in each cluster. A data set of ``groups`` (N,) pays
    ``local_penalty`` once for a cluster not in ``used`` (J, K).
    """
    columns, at = list(apart.T), 0
    groups = np.zeros(len(apart), dtype=np.int64) if groups is None else groups
    uses = list(np.ones((1, len(columns)), dtype=bool).T if used is None else used.T.copy())
    costs = np.column_stack(
        [apart[:, k] + local_penalty * ~uses[k][groups] for k in range(len(uses))]
    )
    near, least = costs.argmin(axis=1), costs.min(axis=1)
    while True:
        owes = np.zeros(len(near) - at, dtype=bool)
        if local_penalty:
            owes = ~np.array(uses)[near[at:], groups[at:]]
        is_new = (least[at:] > penalty) | owes
        if not is_new.any():
            return near
        at += int(is_new.argmax())
        if least[at] > penalty:
            near[at] = len(columns)
            columns.append(to_row(at))
            uses.append(np.zeros_like(uses[0]))
        k = near[at]
        uses[k][groups[at]] = True
        at += 1
        costs = columns[k][at:] + local_penalty * ~uses[k][groups[at:]]
        closer = costs < least[at:]
        near[at:][closer], least[at:][closer] = k, costs[closer]


def farthest_first_penalty(
    rows: np.ndarray, n_clusters: int, weights: np.ndarray | None = None
) -> float:
    """Penalty under which DP-means finds about ``n_clusters`` clusters of rows (N, P) (KJ12 6.1).

    The last row's squared distance times weight; the last one above 0 if distinct rows run out.
    """
    rows, times = _rows_and_times(rows, weights)
    to_mean = times * np.square(rows - mean_of(rows, weights)).sum(axis=1)
    return farthest_first(to_mean, to_each_row(rows, times), n_clusters)


def farthest_first(to_mean: np.ndarray, to_row: ToRow, n_clusters: int, zero: float = 0.0) -> float:
    """The same of what every row pays in a cluster of all, (N,), and in that of each row."""
    least, penalty = to_mean, 0.0
    for _ in range(n_clusters):
        farthest = int(np.argmax(least))
        if least[farthest] <= zero:
            break
        penalty = float(least[farthest])
        least = np.minimum(least, to_row(farthest))
    return penalty


def _rows_and_times(
    rows: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | float]:
    # Contiguous, so that a distance is the same number wherever it is taken.
    return np.ascontiguousarray(rows), 1.0 if weights is None else weights


def to_each_row(rows: np.ndarray, times: np.ndarray | float = 1.0) -> ToRow:
    """Squared distance of all rows to one of them, times their weights."""
    return lambda i: np.square(rows - rows[i]).sum(axis=1) * times


@dataclass(eq=False, repr=False)
class DPMeans(WeighsRows, CentroidEstimator):
    """DP-means: the number of clusters follows from a penalty on each (KJ12 Algorithm 1).

    Tables become numbers as for ``KMeansBIC``.

    Parameters
    ----------
    penalty : float, optional
        Lambda in squared distance; from ``n_clusters_hint`` if not given.
    n_clusters_hint : int
        Clusters to expect, for the farthest-first penalty (KJ12 section 6.1).
    max_iter : int
        Most passes over the rows in one run.
    shuffle : bool
        Visit the rows in a random order; False is by their values (KJ12 leaves it open).
    n_init : int
        Runs in random orders, of which the lowest objective wins; one if not shuffled.
    random_state : int, Generator or None

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (K, P)
        In the coordinates of ``encoding_``.
    penalty_ : float
        The penalty used.
    encoding_, result_, labels_, n_clusters_, objective_, objective_trace_, n_iter_, converged_

    Examples
    --------
    >>> from mapdp_studio import DPMeans
    >>> DPMeans(penalty=4.0).fit([[0.0], [0.5], [9.0]]).labels_
    array([0, 0, 1])
    """

    penalty: float | None = None
    n_clusters_hint: int = 3
    _: KW_ONLY
    max_iter: int = MOST_PASSES
    shuffle: bool = False
    n_init: int = 1
    random_state: Any = None

    limits: ClassVar = {
        **dict.fromkeys(("n_clusters_hint", "max_iter", "n_init"), whole(1)),
        "penalty": or_none(above(0.0)),
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        n_runs = self.n_init if self.shuffle else 1
        order = order_by_content(encoded.values, encoded.weights)
        table = encoded.rows(order)
        rows, mean = self._numbers(table)
        self.penalty_ = self.penalty
        if self.penalty is None:
            self.penalty_ = farthest_first_penalty(rows, self.n_clusters_hint, table.weights)
        random, runs = np.random.default_rng(self.random_state), []
        for run in range(n_runs):
            place = random.permutation(len(rows)) if self.shuffle else np.arange(len(rows))
            weights = None if table.weights is None else table.weights[place]
            states = dp_means_states(rows[place], self.penalty_, weights, self.max_iter)
            phase = f"order {run + 1} of {n_runs}"
            runs.append((*followed(states, callback, phase, run, n_runs), order[place]))
        state, trace, order = min(runs, key=lambda run: run[0].objective)
        labels, clusters = by_size(in_table_order(state.labels, order), encoded.weights)
        return self._found(
            labels,
            trace,
            converged=state.converged,
            centers=state.centers[clusters] + mean,
            penalty=self.penalty_,
            encoding=self.encoding_.sentence,
        )
