"""Penalised normalised and ratio cuts: graph clustering that finds K (KJ12 section 5.2).

Objective: the cut weight of every cluster by its degree, or rows, + penalty x number of clusters.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import number, one_of, or_none
from ..estimator import Callback, ClusterEstimator
from ..progress import Progress
from .graph import degrees_of, jump, neighbour_graph, relaxed_labels, spectrum, standardised

#: A move must lower the objective by more.
LEAST = 1e-10
MOST_PASSES = 100


class Clusters:
    """A partition of a graph (N, N) of weights >= 0, every row some, and the sums of its cut."""

    def __init__(
        self, graph: sparse.csr_array, labels: np.ndarray, cut: str, penalty: float
    ) -> None:
        self.graph, self.penalty = graph, penalty
        self.loops, self.degrees = graph.diagonal(), degrees_of(graph)
        self.weights = self.degrees if cut == "normalized" else np.ones_like(self.degrees)
        self.load(labels)

    def load(self, labels: np.ndarray) -> None:
        """Take other labels, and the sums of their clusters anew."""
        self.labels = np.unique(labels, return_inverse=True)[1]
        members = np.eye(self.labels.max() + 2)[self.labels]
        #: Weight of the edges between any two clusters, those inside counted from both ends.
        self.links = members.T @ (self.graph @ members)
        leaving = self.degrees @ members - self.links.diagonal()
        #: Of every cluster, what leaves it, its weight and its rows; the last has none yet.
        self.sums = np.vstack([leaving, self.weights @ members, members.sum(axis=0)])

    def objective(self) -> float:
        """The cut plus the penalties."""
        return float(self._cost(self.sums).sum())

    def _cost(self, sums: np.ndarray) -> np.ndarray:
        leaving, weight, rows = sums
        costs = leaving / np.where(rows > 0.5, weight, 1.0) + self.penalty
        return np.where(rows > 0.5, costs, 0.0)

    def visit(self, i: int) -> bool:
        """Move a row where the objective falls most: to a neighbour's cluster or one of its own."""
        own, new = self.labels[i], self.sums.shape[1] - 1
        at = slice(self.graph.indptr[i], self.graph.indptr[i + 1])
        near = self.labels[self.graph.indices[at]]
        linked = np.bincount(near, self.graph.data[at], new + 1)
        linked[own] -= self.loops[i]
        choices = np.unique([*near, own, new])
        step = np.empty((3, new + 1))
        step[0] = self.degrees[i] - self.loops[i] - 2.0 * linked
        step[1:] = [[self.weights[i]], [1.0]]
        self.sums[:, own] -= step[:, own]
        if self.sums[2, own] < 0.5:  # exactly empty, without the rounding of what was taken out
            self.sums[:, own] = 0.0
        before = self.sums[:, choices]
        change = self._cost(before + step[:, choices]) - self._cost(before)
        best = int(choices[np.argmin(change)])
        if change.min() >= change[choices == own][0] - LEAST:
            best = own
        self.sums[:, best] += step[:, best]
        self.labels[i] = best
        if best == new:
            self.sums = np.column_stack([self.sums, np.zeros(3)])
        return best != own

    def merge(self) -> bool:
        """Merge the two clusters that lower the objective most, if any do."""
        together = self.sums[:, :, None] + self.sums[:, None, :]
        together[0] -= 2.0 * self.links
        alone = self._cost(self.sums)
        change = self._cost(together) - alone[:, None] - alone
        np.fill_diagonal(change, np.inf)
        kept, gone = np.unravel_index(np.argmin(change), change.shape)
        if change[kept, gone] >= -LEAST:
            return False
        self.load(np.where(self.labels == gone, kept, self.labels))
        return True


@dataclass(eq=False, repr=False)
class PenalisedCut(ClusterEstimator):
    """Cut a graph of similar rows into as many parts as a penalty makes worth while (KJ12 5.2).

    Parameters
    ----------
    penalty : float, optional
        Lambda'; between -1 and 0 for a normalised cut.
        By default minus the level half way into the largest jump of the Laplacian's eigenvalues.
    cut : {"normalized", "ratio"}
    random_state : int, Generator or None

    Attributes
    ----------
    penalty_ : float
    objective_ : float
        The cut plus the penalties.
    labels_, result_, n_clusters_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    cut: str = "normalized"
    _: KW_ONLY
    random_state: Any = None

    limits: ClassVar = {"penalty": or_none(number()), "cut": one_of("normalized", "ratio")}

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        callback(Progress(0, 2, np.inf, 1, "which rows are alike"))
        graph = neighbour_graph(standardised(encoded))
        labels, trace, converged = self._lowest(graph, callback)
        return self._found(by_size(labels)[0], trace, converged=converged)

    def _lowest(
        self, graph: sparse.csr_array, callback: Callback
    ) -> tuple[np.ndarray, list[float], bool]:
        """The lower end from one cluster and from the relaxation; sets ``penalty_``."""
        random = np.random.default_rng(self.random_state)
        values, vectors = spectrum(graph)
        k, level = jump(values)
        # The Laplacian's eigenvalues: of a ratio cut, those of D - A, about the degree times more.
        unit = 1.0 if self.cut == "normalized" else float(degrees_of(graph).mean())
        self.penalty_ = -(1.0 - level) * unit
        if self.penalty is not None:
            self.penalty_ = self.penalty
            k = max(int(np.sum((1.0 - values) * unit < -self.penalty_)), 1)
        starts = [np.zeros(graph.shape[0], dtype=np.int64)]
        if k > 1:
            starts.append(relaxed_labels(vectors, k, random))
        runs = []
        for labels in starts:
            clusters, moved = Clusters(graph, labels, self.cut, self.penalty_), 1
            trace = [clusters.objective()]
            while moved and len(trace) <= MOST_PASSES:
                moved = sum([clusters.visit(i) for i in random.permutation(labels.size)])
                clusters.load(clusters.labels)
                while clusters.merge():
                    moved += 1
                trace.append(clusters.objective())
                n_clusters = int(clusters.labels.max()) + 1
                callback(Progress(1, 2, trace[-1], n_clusters, "rows move"))
            runs.append((clusters.labels, trace, not moved))
        return min(runs, key=lambda run: run[1][-1])
