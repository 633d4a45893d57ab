"""Bayesian hierarchical clustering on any likelihood (M12 section 25.5.4; Heller, Ghahramani 2005).

Bottom up: the pair that is most probably one cluster is merged first. The sum over all partitions
that agree with the tree is a lower bound of the evidence of the Dirichlet process mixture.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from ...engine import trees
from ...engine.columns import Columns
from ...engine.partition import Partition
from ...inference.fit import Fit
from ...schema.encoded import Encoded
from ..bayesian import BayesianEstimator
from ..estimator import Callback
from ..kmeans import lloyd_states, plus_plus
from ..numeric import numeric_encoding
from ..priors import Trial
from ..progress import Progress
from ..rows import numbers_of
from ..search import search
from .linkage import in_order, joined, labels_at
from .tree import Forest, Tree

#: Rows up to which every row is a leaf and every pair is priced: beyond them N^2 numbers take more
#: than a tenth of a gigabyte. The rows of a larger table are grouped first.
MOST_LEAVES = 4_000
#: Rows of a group of a larger table, but never more than ``MOST_GROUPS`` groups.
GROUP, MOST_GROUPS = 20, 1_000
#: The prior scale is chosen on at most this many rows.
TRIAL_ROWS = 1_000


@dataclass(eq=False, repr=False)
class BayesianHierarchy(BayesianEstimator):
    """Merge rows bottom up, those first that are most probably one cluster.

    Every pair is priced, which takes N^2 numbers of memory. Above 4,000 rows, K-means groups them
    first; the tree of every group is grown and cut, and the trees of its clusters are merged on.

    Parameters
    ----------
    concentration : float
        N_0, the prior count.
    likelihood : str
        As in ``MAPDP``.
    prior : "scale-grid", "empirical", Prior, or sequence or mapping of Prior
        As in ``MAPDP``, but that the scale is the one of highest ``log_evidence_``.
    random_state : int, Generator or None
        Used by ties of nothing but the grouping of a large table and the sample on which the
        prior scale is chosen.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        From the root down, the first nodes that are clusters with odds of at least one.
    linkage_ : ndarray of float64, shape (N - 1, 4)
        scipy's form. A height is by how many nats a merge is less sure than the surest one, where
        a merge is as sure as any above it.
    cut_height_ : float
        Merges of at most this height make ``labels_``.
    log_odds_ : ndarray of float64, shape (N - 1,)
        ln r / (1 - r) of every merge as it was made, in the order of ``linkage_``.
    log_evidence_ : float
        Lower bound of the log evidence: the sum over all partitions that agree with the tree.
    objective_ : float
        ``-log_evidence_``, in nats.
    clusters_, columns_, partition_, prior_, prior_scale_, result_
        As in ``MAPDP``.

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

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Labels with that many clusters, 0 the largest, shape (N,)."""
        return labels_at(self.linkage_, n_clusters)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        choice, random = self._chosen(encoded, callback)
        columns = choice.columns
        tree = self._tree(columns, random, callback)
        surest = tree.surest
        top = max(surest.max(initial=0.0), 0.0)
        self.linkage_ = in_order(tree.merges, top - surest)
        self.log_odds_ = tree.log_odds[np.lexsort((np.arange(surest.size), top - surest))]
        self.cut_height_ = float(top)
        self.log_evidence_ = self._evidence(tree, columns)
        labels = joined(columns.n_rows, tree.merges, surest >= 0.0)
        partition = Partition.at_rest(columns, self.concentration, labels)
        trace, n_iter = [-self.log_evidence_], len(tree.merges)
        return self._found_partition(
            partition, choice.scale, trace, n_iter=n_iter, linkage=self.linkage_
        )

    def _evidence(self, tree: Tree, columns: Columns) -> float:
        n_0 = self.concentration
        weight = math.lgamma(n_0) - math.lgamma(n_0 + columns.n_rows)
        return tree.log_sums[-1] + weight + columns.log_constant

    def _trial(self, encoded: Encoded, random: np.random.Generator, callback: Callback) -> Trial:
        """The tree of a sample of rows, under one prior scale of the grid."""
        chosen: list[np.ndarray] = []

        def trial(columns: Columns, known: np.ndarray | None) -> tuple[np.ndarray, float]:
            if not chosen:
                size = min(columns.n_rows, TRIAL_ROWS)
                chosen.append(np.sort(random.choice(columns.n_rows, size, replace=False)))
            part = columns.subset(chosen[0])
            tree = self._tree(part, random, callback)
            return np.zeros(columns.n_rows, dtype=np.int64), -self._evidence(tree, part)

        return trial

    def _tree(self, columns: Columns, random: np.random.Generator, callback: Callback) -> Tree:
        """Grow the tree of all rows."""
        filled = _filled(columns, self.concentration, random, callback)
        rows = np.arange(columns.n_rows)
        if rows.size <= MOST_LEAVES:
            callback(Progress(0, 1, np.inf, rows.size, "every pair of rows"))
            return grow_tree(filled, self.concentration, rows)
        return self._large_tree(filled, random, callback)

    def _large_tree(
        self, columns: Columns, random: np.random.Generator, callback: Callback
    ) -> Tree:
        """Grow the trees of groups, cut them into clusters, and merge these on."""
        groups = _groups(columns.encoded, random, callback)
        grown = []
        for g, rows in enumerate(groups):
            grown.append(grow_tree(columns.subset(rows), self.concentration, np.arange(rows.size)))
            callback(Progress(g, len(groups) + 1, np.inf, len(groups), "trees of groups"))
        forest = Forest.of(groups, grown, MOST_LEAVES)
        phase = f"{forest.log_sums.size:,} trees merged"
        callback(Progress(len(groups), len(groups) + 1, np.inf, forest.log_sums.size, phase))
        crown = grow_tree(columns, self.concentration, forest.leaf_of_row, forest.log_sums)
        return forest.joined(crown)


def grow_tree(
    columns: Columns, concentration: float, leaves: np.ndarray, log_sums: np.ndarray | None = None
) -> Tree:
    """Merge leaves, the pair of highest odds first, until one is left.

    Parameters
    ----------
    columns : Columns
        Without cells to be filled.
    concentration : float
        N_0.
    leaves : ndarray of int64, shape (N,)
        Leaf of every row, 0..L-1.
    log_sums : ndarray of float64, shape (L,), optional
        Of the trees under the leaves; leaves without a tree when absent.
    """
    partition = Partition(columns, concentration, leaves)
    n = partition.n_clusters
    if log_sums is None:
        log_sums = np.empty(n)
        trees.leaf_log_sums(
            partition.table, partition.clusters, partition.log_concentration, log_sums
        )
    merges, odds, sums = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1), np.empty(n - 1)
    trees.grow(
        partition.table,
        partition.clusters,
        partition.log_concentration,
        log_sums.copy(),
        np.empty((n, n)),
        np.empty((2, n), dtype=np.int64),
        merges,
        odds,
        sums,
    )
    return Tree(merges, odds, np.concatenate([log_sums, sums]))


def _filled(
    columns: Columns, concentration: float, random: np.random.Generator, callback: Callback
) -> Columns:
    """The table with the cells that the engine fills as a short search for clusters fills them."""
    if not columns.table.incomplete.any():
        return columns
    partition, _ = search(columns, concentration, random, 0, callback)
    return replace(columns, table=partition.table).closed()


def _groups(encoded: Encoded, random: np.random.Generator, callback: Callback) -> list[np.ndarray]:
    """Rows of small groups that K-means finds, none of more than ``MOST_LEAVES``."""
    encoding = numeric_encoding(encoded)
    waiting, groups = [np.arange(len(encoded.values))], []
    while waiting:
        of = waiting.pop()
        rows = numbers_of(encoded.values[of], encoding)
        wanted = min(MOST_GROUPS, -(-of.size // GROUP))
        for state in lloyd_states(rows, plus_plus(rows, wanted, random), max_iter=5):
            callback(Progress(0, 1, np.inf, wanted, "groups of rows by K-means"))
            labels = state.labels
        found = [of[labels == k] for k in np.unique(labels)]
        if len(found) == 1:  # rows that no distance tells apart
            found = np.array_split(of, -(-of.size // MOST_LEAVES))
        groups += [rows for rows in found if rows.size <= MOST_LEAVES]
        waiting += [rows for rows in found if rows.size > MOST_LEAVES]
    return groups
