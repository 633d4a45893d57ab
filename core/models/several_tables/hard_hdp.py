"""Hard Gaussian HDP: DP-means for several data sets that share clusters (KJ12 section 4).

Objective: the squared distances to the means of the global clusters, plus a penalty on every
local cluster (a global cluster as one data set uses it) and one on every global cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ...engine.columns import Columns, default_priors
from ...engine.franchise import Franchise
from ...inference.fit import Fit
from ...jit import allocating_kernel
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import check_number, check_whole
from ..centroids import CentroidEstimator
from ..dpmeans import farthest_first_penalty
from ..estimator import Callback
from ..priors import SCALES
from ..progress import Progress
from ..rows import Rows
from .grouped import GroupedEstimator, local_labels

#: Numbers of clusters, in one data set and in all, whose farthest-first penalties are tried.
TRIED = (2, 3, 4, 5, 6, 8, 10, 13, 17, 22)
#: N_0 and gamma of the model by which penalties are chosen.
JUDGE = 3.0


@dataclass(frozen=True)
class HardState:
    """The algorithm after one round.

    Parameters
    ----------
    labels : ndarray of int64, shape (N,)
        Global cluster of every row.
    centers : ndarray of float64, shape (G, P)
    objective : float
    n_local : int
        Local clusters of all data sets together.
    converged : bool
    """

    labels: np.ndarray
    centers: np.ndarray
    objective: float
    n_local: int
    converged: bool


def hard_hdp_states(
    rows: np.ndarray,
    groups: np.ndarray,
    local_penalty: float,
    global_penalty: float,
    max_iter: int = 300,
) -> Iterator[HardState]:
    """Run the hard Gaussian HDP one round at a time (KJ12 Algorithm 2).

    A round is its steps 4 to 6, with the means taken anew before step 5 as well: then a local
    cluster is compared with where the clusters are, and one data set alone is DP-means at
    lambda_l + lambda_g. Two local clusters of a data set under one global cluster are one, and
    empty clusters go, before the objective is read: only so it never rises.

    Parameters
    ----------
    rows : ndarray of float64, shape (N, P)
    groups : ndarray of int64, shape (N,)
        Data set of every row, 0..J-1.
    local_penalty, global_penalty : float
        lambda_l and lambda_g, in squared distance.
    max_iter : int

    Yields
    ------
    HardState
        First the start, one cluster around the global mean.
    """
    rows = np.ascontiguousarray(rows)
    n_groups = int(groups.max()) + 1
    labels, centers = np.zeros(len(rows), dtype=np.int64), rows.mean(axis=0)[None, :]
    penalties = local_penalty, global_penalty
    yield _state(rows, groups, labels, centers, penalties, False)
    for _ in range(max_iter):
        before = labels
        used = np.zeros((n_groups, len(centers)), dtype=np.bool_)
        used[groups, labels] = True
        labels = choose(rows, groups, centers, used, local_penalty, local_penalty + global_penalty)
        labels, centers = _means(rows, labels)
        labels = _move_locals(rows, groups, labels, centers, global_penalty)
        labels, centers = _means(rows, labels)
        rests = np.array_equal(labels, before)
        yield _state(rows, groups, labels, centers, penalties, rests)
        if rests:
            return


@allocating_kernel
def choose(rows, groups, centers, used, local_penalty, both_penalties):
    """Give every row in turn its cheapest global cluster, or make it one (KJ12 step 4).

    Parameters
    ----------
    rows : ndarray of float64, shape (N, P)
    groups : ndarray of int64, shape (N,)
    centers : ndarray of float64, shape (G, P)
    used : ndarray of bool, shape (J, G)
        Which global clusters a data set uses; as the rows choose, it comes to use more.
    local_penalty, both_penalties : float

    Returns
    -------
    ndarray of int64, shape (N,)
    """
    n_rows, n_columns = rows.shape
    n = centers.shape[0]
    labels = np.empty(n_rows, np.int64)
    for i in range(n_rows):
        best, least = np.int64(0), np.inf
        for k in range(n):
            cost = 0.0
            for p in range(n_columns):
                difference = rows[i, p] - centers[k, p]
                cost += difference * difference
            if not used[groups[i], k]:
                cost += local_penalty
            if cost < least:
                best, least = k, cost
        if least > both_penalties:
            if n == centers.shape[0]:
                wider = np.empty((2 * n, n_columns))
                wider[:n] = centers
                centers = wider
                more = np.zeros((used.shape[0], 2 * n), np.bool_)
                more[:, :n] = used
                used = more
            centers[n] = rows[i]
            best = n
            n += 1
        used[groups[i], best] = True
        labels[i] = best
    return labels


def _means(rows: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels without gaps, and the mean of every cluster."""
    labels = np.unique(labels, return_inverse=True)[1].ravel()
    counts = np.bincount(labels)
    sums = np.column_stack([np.bincount(labels, column) for column in rows.T])
    return labels, sums / counts[:, None]


def _move_locals(
    rows: np.ndarray,
    groups: np.ndarray,
    labels: np.ndarray,
    centers: np.ndarray,
    global_penalty: float,
) -> np.ndarray:
    """Move every local cluster as a whole to its cheapest global one, or a new one (step 5)."""
    pairs, local = np.unique(groups * len(centers) + labels, return_inverse=True)
    above = pairs % len(centers)
    counts = np.bincount(local)
    means = np.column_stack([np.bincount(local, column) for column in rows.T]) / counts[:, None]
    # What the rows of a local cluster add at another mean than their own.
    apart = counts[:, None] * np.square(means[:, None] - centers).sum(axis=2)
    stays = apart[np.arange(above.size), above]
    best = apart.argmin(axis=1)
    best = np.where(apart.min(axis=1) < stays, best, above)
    least = np.minimum(apart.min(axis=1), stays)
    n = len(centers)
    for c in range(above.size):
        if least[c] > global_penalty:
            to_new = counts * np.square(means - means[c]).sum(axis=1)
            later = (np.arange(above.size) >= c) & (to_new < least)
            best[later], least[later] = n, to_new[later]
            n += 1
    return best[local]


def _state(
    rows: np.ndarray,
    groups: np.ndarray,
    labels: np.ndarray,
    centers: np.ndarray,
    penalties: tuple[float, float],
    converged: bool,
) -> HardState:
    error = float(np.square(rows - centers[labels]).sum())
    n_local = np.unique(groups * len(centers) + labels).size
    objective = error + penalties[0] * n_local + penalties[1] * len(centers)
    return HardState(labels, centers, objective, n_local, converged)


@dataclass(eq=False, repr=False)
class HardHDP(GroupedEstimator, CentroidEstimator):
    """Cluster several data sets by clusters that they share (KJ12 Algorithm 2).

    Numeric by nature: a table with a schema is standardised and coded first; a plain array goes in
    as it is, holes filled by column means.

    Parameters
    ----------
    local_penalty, global_penalty : float, optional
        lambda_l, what a data set pays for a cluster, and lambda_g, what a cluster costs once, in
        squared distance. What is not given is tried: lambda_l as the farthest-first penalty of
        one data set, averaged over them, lambda_g as that of all rows less lambda_l and as
        multiples of lambda_l; the pair whose partition has the lowest E under the exact model of
        ``MAPHDP`` is taken. No classes are looked at.
    max_iter : int
        Most rounds of one run.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Global cluster of every row, 0 the largest.
    local_labels_ : ndarray of int64, shape (N,)
        The clusters of every data set, numbered from 0 in each.
    penalties_ : tuple of float
        lambda_l and lambda_g as used.
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
    max_iter: int = 300

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        max_iter = check_whole("max_iter", self.max_iter, 1)
        for name in ("local_penalty", "global_penalty"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 0.0)
        self._rows(encoded)
        rows = self.encoding_.apply(encoded.values)
        pairs = self._candidates(rows)
        judge = _Judge(encoded, self._groups) if len(pairs) > 1 else None
        best = None
        for done, pair in enumerate(pairs):
            states = []
            for state in hard_hdp_states(rows, self._groups, *pair, max_iter):
                states.append(state)
                phase = f"penalties {done + 1} of {len(pairs)}"
                callback(Progress(done, len(pairs), state.objective, len(state.centers), phase))
            score = judge.objective(state.labels) if judge else 0.0
            if best is None or score < best[0]:
                best = score, pair, states
        _, self.penalties_, states = best
        return self._result(states)

    def _candidates(self, rows: np.ndarray) -> list[tuple[float, float]]:
        """Pairs of penalties to try: one where both are given."""
        given = self.local_penalty, self.global_penalty
        if None not in given:
            return [(float(given[0]), float(given[1]))]
        parts = [Rows.of(rows[self._groups == j]) for j in range(len(self.group_names_))]
        whole = Rows.of(rows)
        local = (
            [given[0]]
            if given[0] is not None
            else _distinct(
                np.mean([farthest_first_penalty(part, k) for part in parts]) for k in TRIED
            )
        )
        if given[1] is not None:
            pairs = [(float(one), float(given[1])) for one in local]
        else:
            both = [farthest_first_penalty(whole, k) for k in TRIED]
            pairs = [
                (float(one), g)
                for one in local
                for g in _distinct([*(value - one for value in both), one, 3 * one, 10 * one])
            ]
        return pairs or [(1.0, 1.0)]  # rows that are all alike: one cluster at any penalty

    def _result(self, states: list[HardState]) -> Fit:
        last = states[-1]
        labels, clusters = by_size(last.labels)
        self.local_labels_ = local_labels(self._groups, labels)
        return self._found(
            labels,
            [state.objective for state in states],
            converged=last.converged,
            centers=last.centers[clusters],
            penalties=self.penalties_,
            n_local=last.n_local,
            encoding=self.encoding_.sentence,
        )


class _Judge:
    """E of a partition under the exact two-level model, at the best prior scale."""

    def __init__(self, encoded: Encoded, groups: np.ndarray) -> None:
        self._groups = groups
        packed = [Columns.pack(encoded, default_priors(encoded, scale)) for scale in SCALES]
        self._columns = [columns.closed() for columns in packed]
        self._judged: dict[bytes, float] = {}

    def objective(self, labels: np.ndarray) -> float:
        """Of labels (N,); many pairs of penalties end in the same."""
        key = labels.tobytes()
        if key not in self._judged:
            self._judged[key] = min(
                Franchise(columns, self._groups, JUDGE, JUDGE, labels).objective()
                for columns in self._columns
            )
        return self._judged[key]


def _distinct(values: Any) -> list[float]:
    """Values above 0, ascending, each once."""
    return sorted({float(value) for value in values if value > 0.0})
