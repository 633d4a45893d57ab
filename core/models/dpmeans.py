"""DP-means (KJ12): squared distances to the cluster means + penalty x number of clusters.

The hard Gaussian HDP (KJ12 section 4) is the same for several data sets that share clusters, with a
penalty on every local and every global one.
"""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ..inference.fit import Fit
from ..partitions.labels import by_size, renumbered
from ..schema.encoded import Encoded
from .estimator import Callback, WeighsRows, above, number, or_none, whole
from .kmeans import (
    CentroidEstimator,
    CentroidState,
    last_state,
    mean_of,
    means_and_counts,
    order_by_content,
)

MOST_PASSES = 300


class Space(NamedTuple):
    """Rows with weighted squared distances, which is what they pay in a cluster."""

    #: Of labels (N,), the clusters' centres (K, P), if any, and what rows pay in each, (N, K).
    measure: Callable[[np.ndarray], tuple[np.ndarray | None, np.ndarray]]
    #: Of row i, what every row pays in a cluster of it alone, (N,).
    to_row: Callable[[int], np.ndarray]
    n_rows: int
    #: What is no more than rounding.
    zero: float = 0.0
    #: Shape (N, P); None in a kernel's space.
    rows: np.ndarray | None = None


def space_of(rows: np.ndarray, weights: np.ndarray | None = None) -> Space:
    """Rows (N, P) of these weights (N,) and their Euclidean distances."""
    # Contiguous, so that a distance is the same number wherever it is taken.
    rows, times = np.ascontiguousarray(rows), 1.0 if weights is None else weights

    def measure(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        centers = means_and_counts(rows, labels, weights)[0]
        if len(centers) == 1:
            centers = mean_of(rows, weights)[None]
        return centers, (cdist(centers, rows, "sqeuclidean") * times).T

    def to_row(i: int) -> np.ndarray:
        return np.square(rows - rows[i]).sum(axis=1) * times

    return Space(measure, to_row, len(rows), rows=rows)


def dp_states(
    space: Space,
    penalty: float,
    max_iter: int = MOST_PASSES,
    groups: np.ndarray | None = None,
    local_penalty: float = 0.0,
) -> Iterator[CentroidState]:
    """DP-means (KJ12 Algorithm 1): one cluster first, then the state after each pass.

    ``penalty`` is lambda. The centres stand still within a pass. Ends where a pass changes no
    label, or would raise the objective.

    Of several data sets, 0..J-1 of ``groups`` (N,), it is the hard Gaussian HDP (Algorithm 2), and
    ``penalty`` lambda_g; each pays ``local_penalty`` for every cluster that it uses. Means are also
    taken anew before step 5, so that one data set is DP-means at lambda_l + lambda_g. The objective
    never rises, as equal local clusters are joined and empty ones go before it is read.
    """
    labels, state, converged = np.zeros(space.n_rows, dtype=np.int64), None, False
    of_row = labels if groups is None else groups
    for _ in range(max_iter + 1):
        centers, distances = space.measure(labels)
        used = np.zeros((int(of_row.max()) + 1, distances.shape[1]), dtype=bool)
        used[of_row, labels] = True
        error = max(0.0, float(distances[np.arange(labels.size), labels].sum()))
        objective = float(error + local_penalty * used.sum() + penalty * distances.shape[1])
        if state is not None:
            if objective > state.objective + 1e-9 * abs(state.objective):
                return
            converged = np.array_equal(labels, state.labels)
        state = CentroidState(labels, centers, objective, converged)
        yield state
        if converged:
            return
        most = penalty + local_penalty
        labels = assign_rows(distances, most, space.to_row, local_penalty, of_row, used)
        labels = renumbered(labels)
        if groups is not None:
            labels = renumbered(_move_locals(space, groups, labels, penalty))


def assign_rows(
    distances: np.ndarray,
    penalty: float,
    to_row: Callable[[int], np.ndarray],
    local_penalty: float,
    groups: np.ndarray,
    used: np.ndarray,
) -> np.ndarray:
    """Cheapest cluster of every row in turn; a row too far from all founds one, shape (N,).

    ``distances`` (N, K) is what rows pay in each cluster. A data set of ``groups`` (N,) pays
    ``local_penalty`` once for a cluster not in ``used`` (J, K).
    """
    columns, at, uses = list(distances.T), 0, list(used.T.copy())
    costs = distances + local_penalty * ~used[groups]
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


def farthest_first(space: Space, n_clusters: int) -> float:
    """Penalty under which DP-means finds about so many clusters (KJ12 6.1).

    The last row's squared distance times weight; the last above 0 if distinct rows run out.
    """
    least, penalty = space.measure(np.zeros(space.n_rows, dtype=np.int64))[1][:, 0], 0.0
    for _ in range(n_clusters):
        farthest = int(np.argmax(least))
        if least[farthest] <= space.zero:
            break
        penalty = float(least[farthest])
        least = np.minimum(least, space.to_row(farthest))
    return penalty


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
            space = space_of(rows, table.weights)
            self.penalty_ = farthest_first(space, self.n_clusters_hint)
        random, runs = np.random.default_rng(self.random_state), []
        for run in range(n_runs):
            place = random.permutation(len(rows)) if self.shuffle else np.arange(len(rows))
            weights = None if table.weights is None else table.weights[place]
            states = dp_states(space_of(rows[place], weights), self.penalty_, self.max_iter)
            phase = f"order {run + 1} of {n_runs}"
            runs.append((*last_state(states, callback, phase, run, n_runs), order[place]))
        state, trace, order = min(runs, key=lambda run: run[0].objective)
        labels, clusters = by_size(state.labels[np.argsort(order)], encoded.weights)
        self.cluster_centers_ = state.centers[clusters] + mean
        return self._make_fit(labels, trace, converged=state.converged)


def _move_locals(
    space: Space, groups: np.ndarray, labels: np.ndarray, penalty: float
) -> np.ndarray:
    """Move every local cluster as a whole to its cheapest global one, or a new one (step 5)."""
    centers = space.measure(labels)[0]
    pairs, local = np.unique(groups * len(centers) + labels, return_inverse=True)
    above, each = pairs % len(centers), np.arange(pairs.size)
    means, counts = means_and_counts(space.rows, local)
    # What the rows of a local cluster add at another mean than their own.
    costs = counts[:, None] * cdist(means, centers, "sqeuclidean")
    least, stays = costs.min(axis=1), costs[each, above]
    best, n = np.where(least < stays, costs.argmin(axis=1), above), len(centers)
    for c in each:
        if least[c] > penalty:
            to_new = counts * np.square(means - means[c]).sum(axis=1)
            later = (each >= c) & (to_new < least)
            best[later], least[later] = n, to_new[later]
            n += 1
    return best[local]


@dataclass(eq=False, repr=False)
class HardHDP(CentroidEstimator):
    """Cluster several data sets by clusters that they share (KJ12 Algorithm 2).

    A data set is a value of the column of role "group", or of ``groups``; a missing one is a data
    set, and without either all rows are one. Tables become numbers as for ``KMeansBIC``.

    Parameters
    ----------
    local_penalty, global_penalty : float, optional
        Lambda_l and lambda_g, in squared distance.
        Costs of a cluster in a data set, and once. By default from farthest-first penalties (KJ12
        6.1): lambda_l half the mean of those of the data sets, both together that of all rows.
    n_clusters_hint : int
        Clusters to expect, for the farthest-first choice.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Global cluster of every row, 0 the largest.
    local_labels_ : ndarray of int64, shape (N,)
        Clusters numbered from 0 in each data set.
    penalties_ : tuple of float
        Lambda_l and lambda_g as used.
    cluster_centers_ : ndarray, shape (G, P)
    group_names_ : ndarray of str, shape (J,)
    objective_, objective_trace_, n_iter_, converged_, encoding_, result_

    Examples
    --------
    >>> from mapdp_studio import HardHDP
    >>> model = HardHDP(2.0, 2.0).fit([[0.0], [9.0], [0.1], [9.1]], groups=["a", "a", "b", "b"])
    >>> model.labels_, model.n_clusters_
    (array([0, 1, 0, 1]), 2)
    """

    local_penalty: float | None = None
    global_penalty: float | None = None
    _: KW_ONLY
    n_clusters_hint: int = 3

    limits: ClassVar = {
        **dict.fromkeys(("local_penalty", "global_penalty"), or_none(number(0.0))),
        "n_clusters_hint": whole(1),
    }

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: ArrayLike | None = None,
        schema: Any = None,
        callback: Callback | None = None,
    ) -> Self:
        """Cluster the rows of several data sets, in any order, together.

        Parameters
        ----------
        X, y, schema, callback
            As ``ClusterEstimator.fit``.
        groups : array-like, shape (N,), optional
            Data set of every row; default: the role "group".
        """
        encoded = self._encode(X, schema, y)
        names = () if self.schema_ is None else self.schema_.names("group")
        if groups is None and names:
            groups = X[names[0]]
        return self._fit_rows(encoded, callback, groups=groups)

    def fit_encoded(
        self,
        encoded: Encoded,
        callback: Callback | None = None,
        *,
        schema: Any = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of a table that is numbers already, ``groups`` their data sets, (N,)."""
        n_rows = len(encoded.values)
        values = np.zeros(n_rows) if groups is None else np.asarray(groups)
        if values.shape != (n_rows,):
            raise ValueError(
                f"groups has shape {values.shape}: give the data set of each of {n_rows} rows."
            )
        names = pd.Series(values).astype(object)
        names = names.where(names.notna(), "missing").astype(str)
        self.group_names_, self._groups = np.unique(names.to_numpy(str), return_inverse=True)
        return super().fit_encoded(encoded, callback, schema=schema)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        rows, mean = self._numbers(encoded)
        self.penalties_ = self._penalties(rows)
        local, above = self.penalties_
        states = dp_states(space_of(rows), above, groups=self._groups, local_penalty=local)
        last, trace = last_state(states, callback, "clusters", 0, 1)
        labels, clusters = by_size(last.labels)
        pairs, place = np.unique(self._groups * len(clusters) + labels, return_inverse=True)
        # Clusters of a data set stand side by side: each is numbered from its first.
        self.local_labels_ = place - np.searchsorted(pairs, self._groups * len(clusters))
        self.cluster_centers_ = last.centers[clusters] + mean
        return self._make_fit(labels, trace, converged=last.converged)

    def _penalties(self, rows: np.ndarray) -> tuple[float, float]:
        local, hint = self.local_penalty, self.n_clusters_hint
        # Rows that are all alike: one cluster at any penalty.
        both = farthest_first(space_of(rows), hint) or 1.0
        if local is None:
            parts = [rows[self._groups == j] for j in range(len(self.group_names_))]
            in_each = float(np.mean([farthest_first(space_of(part), hint) for part in parts]))
            local = 0.5 * min(in_each, both)
        return local, max(both - local, 0.0) if self.global_penalty is None else self.global_penalty
