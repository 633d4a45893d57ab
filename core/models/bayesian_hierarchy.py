"""Bayesian hierarchical clustering on any likelihood (M12 25.5.4; Heller and others 2005)."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..engine.rows import log_marginals, merge_clusters
from ..inference.fit import Fit
from ..schema.encoded import Encoded
from .estimator import Callback
from .mapdp import BayesianEstimator
from .priors import Trial
from .progress import Progress
from .search import Search
from .similarity.graph import check_pairs
from .similarity.wrapped import in_order, labels_at

#: The prior scale is chosen on at most this many rows.
TRIAL_ROWS = 1_000


#: A tree over N leaves: merge t makes node N + t of two, (N - 1, 2), with log odds r, (N - 1,); and
#: ln of the sum of N_0^K prod Gamma(N_k) p(X_k) over the partitions that agree with it.
Tree = tuple[np.ndarray, np.ndarray, float]


@dataclass(eq=False, repr=False)
class BayesianHierarchy(BayesianEstimator):
    """Merge rows bottom up, those first that are most probably one cluster (M12 Algorithm 25.3).

    Compares every pair of rows.

    Parameters
    ----------
    concentration : float
        Prior count N_0.
    likelihood : str
        As in ``MAPDP``.
    prior : as in ``MAPDP``, but the scale is the one of highest ``log_evidence_``
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        From the root down, the first nodes that are clusters with odds of at least one.
    linkage_ : ndarray of float64, shape (N - 1, 4)
        In scipy's form.
        Heights are nats by which a merge, as sure as any above it, is less sure than the surest.
    cut_height_ : float
        Merges of at most this height make ``labels_``.
    log_odds_ : ndarray of float64, shape (N - 1,)
        ln r / (1 - r) of every merge of ``linkage_``.
    log_evidence_ : float
        Lower bound of the log evidence.
        The sum over all partitions that agree with the tree.
    objective_ : float
        ``-log_evidence_``, in nats.
    clusters_, columns_, partition_, prior_, prior_scale_, result_ : as in ``MAPDP``

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import BayesianHierarchy
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 20)).reshape(-1, 1)
    >>> model = BayesianHierarchy(random_state=0).fit(rows)
    >>> model.n_clusters_, model.linkage_.shape
    (2, (39, 4))
    """

    concentration: float = 3.0
    _: KW_ONLY
    likelihood: str = "normal"
    prior: Any = "scale-grid"
    random_state: Any = None

    compares_pairs: ClassVar = True

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Labels with that many clusters, 0 the largest, shape (N,)."""
        return labels_at(self.linkage_, n_clusters)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        check_pairs(len(encoded.values), "BayesianHierarchy")
        choice, random = self._choose_prior(encoded, callback)
        packed, n = choice.packed, choice.packed.n_rows
        merges, log_odds, log_sum = self._tree(packed, random, callback)
        # From the root down: a merge is as sure as the surest of those above it.
        surest = log_odds.copy()
        for t in range(n - 2, -1, -1):
            below = merges[t][merges[t] >= n] - n
            surest[below] = np.maximum(surest[below], surest[t])
        top = max(surest.max(initial=0.0), 0.0)
        self.linkage_, self.cut_height_ = in_order(merges, top - surest), float(top)
        self.log_odds_ = log_odds[np.argsort(top - surest, kind="stable")]
        self.log_evidence_ = self._evidence(log_sum, packed)
        labels = labels_at(self.linkage_, 1 + int(np.count_nonzero(self.linkage_[:, 2] > top)))
        partition = Partition.of_labels(packed, self.concentration, labels)
        return self._partition_fit(partition, choice.scale, [-self.log_evidence_], n_iter=n - 1)

    def _evidence(self, log_sum: float, packed: PackedTable) -> float:
        n_0 = self.concentration
        weight = math.lgamma(n_0) - math.lgamma(n_0 + packed.n_rows)
        return log_sum + weight + packed.log_constant

    def _trial(self, encoded: Encoded, random: np.random.Generator, callback: Callback) -> Trial:
        n = len(encoded.values)
        rows = np.sort(random.choice(n, min(n, TRIAL_ROWS), replace=False))

        def trial(packed: PackedTable, start: np.ndarray | None) -> tuple[np.ndarray, float]:
            part = packed.subset(rows)
            *_, log_sum = self._tree(part, random, callback)
            return np.zeros(n, dtype=np.int64), -self._evidence(log_sum, part)

        return trial

    def _tree(self, packed: PackedTable, random: np.random.Generator, callback: Callback) -> Tree:
        if packed.table.incomplete.any():  # cells that the engine fills, as a short search does
            found = Search(packed, self.concentration, random, callback).run(0)
            packed = replace(packed, table=found.state.table).with_fixed_cells()
        callback(Progress(0, 2, np.inf, packed.n_rows, "every pair of rows"))
        return grow_tree(packed, self.concentration)


def grow_tree(packed: PackedTable, concentration: float) -> Tree:
    """Merge rows, the pair of highest odds first, until one is left (M12 Algorithm 25.3).

    s_k = ln [d_k p(D_k | T_k)] of M12 25.5.4.2 is ln [exp(ln N_0 Gamma(n_k) p(D_k | H_1)) + exp(s_i
    + s_j)]; the ratio of its terms is the odds r / (1 - r).
    """
    n = packed.n_rows
    partition = Partition(packed, concentration, np.arange(n))
    table, clusters, sizes = partition.table, partition.clusters, partition.sizes.copy()
    found = np.empty(clusters.state.shape[1])

    def one(k: int, size: np.ndarray) -> np.ndarray:
        """Ln [N_0 Gamma(n) p(D | H_1)] of cluster k, n for none, with every other."""
        log_marginals(table, clusters.state, np.int64(k), np.int64(n), found, clusters.work)
        return partition.log_concentration + gammaln(size) + found[:n]

    sums = one(n, sizes)
    odds = np.empty((n, n))
    for k in range(n):
        odds[k] = one(k, sizes[k] + sizes) - sums[k] - sums
    np.fill_diagonal(odds, -np.inf)
    partner, node, alive = odds.argmax(axis=1), np.arange(n), np.ones(n, dtype=bool)
    highest = odds.max(axis=1)
    merges, merge_odds = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    for t in range(n - 1):
        k = int(np.argmax(highest))
        gone = int(partner[k])
        merges[t], merge_odds[t] = (node[k], node[gone]), highest[k]
        apart = sums[k] + sums[gone]
        node[k], sums[k] = n + t, np.logaddexp(apart, apart + highest[k])
        merge_clusters(table, clusters.state, np.int64(k), np.int64(gone))
        sizes[k] += sizes[gone]
        alive[gone] = False
        odds[k] = np.where(alive, one(k, sizes[k] + sizes) - sums[k] - sums, -np.inf)
        odds[k, k] = odds[gone] = odds[:, gone] = -np.inf
        odds[:, k] = odds[k]
        stale = alive & ((partner == k) | (partner == gone) | (odds[:, k] > highest))
        stale[k] = True
        partner[stale], highest[stale] = odds[stale].argmax(axis=1), odds[stale].max(axis=1)
        highest[gone] = -np.inf
    return merges, merge_odds, float(sums[node.argmax()])
