"""Hard Gaussian HDP: DP-means for several data sets that share clusters (KJ12 section 4).

Objective: squared distances to the global means + a penalty on every local and global cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ..inference.fit import Fit
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .arguments import number, or_none, whole
from .centroids import CentroidEstimator, CentroidState, followed, means_and_counts
from .dpmeans import MOST_PASSES, choose, farthest_first_penalty, to_each_row
from .estimator import Callback, as_schema


def hard_hdp_states(
    rows: np.ndarray, groups: np.ndarray, local_penalty: float, global_penalty: float
) -> Iterator[CentroidState]:
    """Run the hard Gaussian HDP one round at a time (KJ12 Algorithm 2) on rows (N, P).

    ``groups``, (N,), are the rows' data sets 0..J-1; the first state is one cluster. Means are also
    taken anew before step 5, so that one data set is DP-means at lambda_l + lambda_g. The objective
    never rises, as equal local clusters are joined and empty ones go before it is read.
    """
    both, before = local_penalty + global_penalty, None
    labels, centers = np.zeros(len(rows), dtype=np.int64), rows.mean(axis=0)[None, :]
    for _ in range(MOST_PASSES + 1):
        used = np.zeros((int(groups.max()) + 1, len(centers)), dtype=np.bool_)
        used[groups, labels] = True
        error = float(np.square(rows - centers[labels]).sum())
        objective = error + local_penalty * used.sum() + global_penalty * len(centers)
        rests = before is not None and np.array_equal(labels, before)
        yield CentroidState(labels, centers, float(objective), rests)
        if rests:
            return
        before, apart = labels, cdist(rows, centers, "sqeuclidean")
        labels = choose(apart, both, to_each_row(rows), local_penalty, groups, used)
        labels, centers = _means(rows, labels)
        labels, centers = _means(rows, _move_locals(rows, groups, labels, centers, global_penalty))


def _means(rows: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels without gaps, and the mean of every cluster."""
    labels = np.unique(labels, return_inverse=True)[1]
    return labels, means_and_counts(rows, labels)[0]


def _move_locals(
    rows: np.ndarray, groups: np.ndarray, labels: np.ndarray, centers: np.ndarray, penalty: float
) -> np.ndarray:
    """Move every local cluster as a whole to its cheapest global one, or a new one (step 5)."""
    pairs, local = np.unique(groups * len(centers) + labels, return_inverse=True)
    above, each = pairs % len(centers), np.arange(pairs.size)
    means, counts = means_and_counts(rows, local)
    # What the rows of a local cluster add at another mean than their own.
    apart = counts[:, None] * cdist(means, centers, "sqeuclidean")
    least, stays = apart.min(axis=1), apart[each, above]
    best, n = np.where(least < stays, apart.argmin(axis=1), above), len(centers)
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
        encoded = self._encode(X, schema if schema is not None else as_schema(y))
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
        states = hard_hdp_states(rows, self._groups, *self.penalties_)
        last, trace = followed(states, callback, "clusters", 0, 1)
        labels, clusters = by_size(last.labels)
        pairs, place = np.unique(self._groups * len(clusters) + labels, return_inverse=True)
        # Clusters of a data set stand side by side: each is numbered from its first.
        self.local_labels_ = place - np.searchsorted(pairs, self._groups * len(clusters))
        centers = last.centers[clusters] + mean
        return self._found(labels, trace, converged=last.converged, centers=centers)

    def _penalties(self, rows: np.ndarray) -> tuple[float, float]:
        local, hint = self.local_penalty, self.n_clusters_hint
        # Rows that are all alike: one cluster at any penalty.
        both = farthest_first_penalty(rows, hint) or 1.0
        if local is None:
            parts = [rows[self._groups == j] for j in range(len(self.group_names_))]
            in_each = float(np.mean([farthest_first_penalty(part, hint) for part in parts]))
            local = 0.5 * min(in_each, both)
        return local, max(both - local, 0.0) if self.global_penalty is None else self.global_penalty
