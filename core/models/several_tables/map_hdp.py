"""MAP-HDP: the most probable clusters that several data sets share, on every likelihood.

The Chinese restaurant franchise (Teh and others 2006; KJ12 section 4 is its hard limit): a data
set divides its rows into local clusters with N_0, and all local clusters together are divided
into global clusters with gamma.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from ...engine.columns import Columns
from ...engine.franchise import Franchise
from ...engine.partition import Partition
from ...engine.sweeps import TIE
from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import check_number, check_whole
from ..bayesian import BayesianEstimator
from ..descent import Points
from ..estimator import Callback
from ..kmeans import lloyd_states, plus_plus
from ..local_search import Optimum, iterated, lowest
from ..progress import Progress
from ..search import search
from .grouped import GroupedEstimator, local_labels


@dataclass(eq=False, repr=False)
class MAPHDP(BayesianEstimator, GroupedEstimator):
    """Cluster several data sets by clusters that they share, on the exact model.

    E is over local and global clusters, the tables and dishes of the franchise: two local clusters
    of a data set may share a global one. ``labels_`` tells the global ones.

    Parameters
    ----------
    concentration : float
        N_0: how readily a row opens a local cluster in its data set.
    global_concentration : float
        Gamma: how readily a local cluster opens a global one.
    likelihood, prior
        As in ``MAPDP``; the prior scale is chosen with all rows in one data set.
    patience : int
        Perturbations in a row without gain that end the search.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Global cluster of every row, 0 the largest.
    local_labels_ : ndarray of int64, shape (N,)
        The clusters of every data set, numbered from 0 in each; local clusters that share a
        global one count as one.
    n_local_ : int
        Local clusters of all data sets, as E counts them.
    group_names_ : ndarray of str, shape (J,)
    counts_ : ndarray of int64, shape (J, K)
        Rows of every data set in every cluster: who uses which.
    objective_ : float
        Exact negative log joint E in nats.
    clusters_, columns_, partition_, prior_, prior_scale_, result_
        As in ``MAPDP``; ``partition_`` knows the global clusters only, and so do predictions.
    """

    concentration: float = 3.0
    global_concentration: float = 3.0
    _: KW_ONLY
    likelihood: str = "normal"
    prior: Any = "scale-grid"
    patience: int = 10
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        check_number("global_concentration", self.global_concentration, 0.0, allow_equal=False)
        check_whole("patience", self.patience, 0)
        choice, random = self._chosen(encoded, callback)
        pooled, _ = search(choice.columns, self.concentration, random, 0, callback, choice.labels)
        columns = choice.columns
        if pooled.fills_cells:  # filled as the pooled clusters fill them
            columns = replace(columns, table=pooled.table).closed()
        hunt = _Search(columns, self._groups, self, random, callback)
        franchise, trace = hunt.run(pooled.labels)
        labels, _ = by_size(franchise.labels)
        partition = Partition.at_rest(choice.columns, self.concentration, labels)
        self.local_labels_ = local_labels(self._groups, labels)
        self.n_local_ = int(franchise.locals.count[1])
        self.counts_ = np.zeros((len(self.group_names_), labels.max() + 1), dtype=np.int64)
        np.add.at(self.counts_, (self._groups, labels), 1)
        return self._found_partition(
            partition, choice.scale, trace, n_local=self.n_local_, counts=self.counts_
        )


@dataclass
class _Search:
    """Descents from several starts; perturbed, a global cluster is divided, or two are joined."""

    columns: Columns
    groups: np.ndarray
    model: MAPHDP
    random: np.random.Generator
    callback: Callback
    done: int = 0

    def __post_init__(self) -> None:
        self.points = Points(self.columns, self.random)

    def run(self, pooled: np.ndarray) -> tuple[Franchise, list[float]]:
        """The partition of lowest E that is found, and E after every step that led to it."""
        starts = [pooled, self._apart()]
        best = lowest(self._descended(self._franchise(labels), []) for labels in starts)
        best = iterated(best, self._perturbed, lambda best: self.model.patience)
        return best.state, best.trace

    def _perturbed(self, best: Optimum, fails: int) -> Optimum:
        franchise = self._franchise(best.state.labels)
        franchise.load(*best.state.state())
        self._perturb(franchise)
        return self._descended(franchise, best.trace)

    def _descended(self, franchise: Franchise, before: list[float]) -> Optimum:
        steps = self._descend(franchise)
        return Optimum(franchise, steps[-1], before + steps)

    def _franchise(self, labels: np.ndarray) -> Franchise:
        return Franchise(
            self.columns,
            self.groups,
            self.model.concentration,
            self.model.global_concentration,
            labels,
        )

    def _apart(self) -> np.ndarray:
        """Every data set clustered by itself, no cluster shared yet."""
        labels = np.empty(self.groups.size, dtype=np.int64)
        first = 0
        for group in range(int(self.groups.max()) + 1):
            rows = np.flatnonzero(self.groups == group)
            partition, _ = search(
                self.columns.subset(rows),
                self.model.concentration,
                self.random,
                2,
                lambda step: self._tell(math.inf, 0, "every data set by itself"),
            )
            labels[rows] = first + partition.labels
            first += partition.n_clusters
        return labels

    def _descend(self, franchise: Franchise) -> list[float]:
        """Sweep, move local clusters, join and divide global ones until E rests."""
        trace = [franchise.objective()]
        while True:
            before = trace[-1]
            while True:
                order = self.random.permutation(self.groups.size)
                moves = franchise.sweep(order) + franchise.move_locals()
                self._note(franchise, trace)
                if moves == 0 or trace[-2] - trace[-1] < TIE:
                    break
            if not self._join(franchise, trace) and not self._divide_all(franchise, trace):
                return trace
            if before - trace[-1] < TIE:
                return trace

    def _note(self, franchise: Franchise, trace: list[float]) -> None:
        trace.append(franchise.objective())
        self._tell(trace[-1], franchise.n_clusters, "local and global clusters")

    def _tell(self, objective: float, n_clusters: int, phase: str) -> None:
        self.done += 1
        self.callback(Progress(self.done, 2 * self.done, objective, n_clusters, phase))

    def _join(self, franchise: Franchise, trace: list[float]) -> bool:
        """Join the pair of global clusters whose union lowers E most, as long as one does."""
        joined = False
        while franchise.n_clusters > 1:
            pairs = _best_pairs(franchise)
            state, before = franchise.state(), franchise.objective()
            for k, other in pairs:
                of_row, above = state
                franchise.load_labels(np.where(above[of_row] == k, other, above[of_row]))
                if franchise.objective() < before - TIE:
                    break
                franchise.load(*state)
            else:
                return joined
            joined = True
            self._note(franchise, trace)
        return joined

    def _divide_all(self, franchise: Franchise, trace: list[float]) -> bool:
        """Try to divide every global cluster in two; tell whether any division lowered E."""
        divided = False
        for k in range(franchise.n_clusters):
            members = np.flatnonzero(franchise.labels == k)
            if members.size < 2:
                continue
            signature = self.points.signature(members)
            if self.points.failed_splits.get(signature):
                continue
            state, before = franchise.state(), franchise.objective()
            self._divide(franchise, members)
            if franchise.objective() < before - TIE:
                divided = True
                self._note(franchise, trace)
            else:
                franchise.load(*state)
                self.points.failed_splits[signature] = 1
        return divided

    def _divide(self, franchise: Franchise, members: np.ndarray) -> None:
        """Divide a global cluster by 2-means; then its rows, and all local clusters, choose."""
        labels = franchise.labels
        points = self.points.of(members)
        seeds = plus_plus(points, 2, self.random)
        if len(seeds) < 2:
            return
        *_, last = lloyd_states(points, seeds, max_iter=10)
        labels[members[last.labels == 1]] = labels.max() + 1
        franchise.load_labels(labels)
        for _ in range(3):
            if franchise.sweep(self.random.permutation(members)) == 0:
                break
        franchise.move_locals()

    def _perturb(self, franchise: Franchise) -> None:
        """Divide a global cluster, or join two that are near, though that costs."""
        self.points.failed_splits.clear()
        if franchise.n_clusters > 1 and self.random.random() < 0.5:
            pairs = _best_pairs(franchise)
            k, other = pairs[int(self.random.integers(min(len(pairs), 6)))]
            labels = franchise.labels
            franchise.load_labels(np.where(labels == k, other, labels))
        else:
            k = int(self.random.integers(franchise.n_clusters))
            members = np.flatnonzero(franchise.labels == k)
            if members.size > 1:
                self._divide(franchise, members)


def _best_pairs(franchise: Franchise) -> list[tuple[int, int]]:
    """Pairs of global clusters, those first whose rows fit best into one."""
    together = franchise.log_marginals()
    n = len(together)
    gains = together[:, :n] - together[:, n][:, None] - together[:, n][None, :]
    first, second = np.tril_indices(n, -1)
    order = np.argsort(-gains[first, second], kind="stable")[:12]
    return [(int(first[at]), int(second[at])) for at in order]
