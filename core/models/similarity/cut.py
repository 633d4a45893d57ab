"""Penalised normalised and ratio cuts: graph clustering that finds K (KJ12 section 5.2).

Objective: sum over clusters of the weight of the edges that leave it, divided by its degree
(normalised cut) or its rows (ratio cut), plus penalty x number of clusters. By KJ12 Theorem 5.3 it
is, but for a constant, the objective of weighted kernel DP-means at lambda = penalty + sigma + 1
(ratio cut: penalty + sigma). One cluster cuts nothing, so only a negative penalty makes more.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...inference.fit import Fit
from ...jit import allocating_kernel, spliced
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import check_number, check_whole
from ..estimator import Callback, ClusterEstimator
from ..progress import Progress
from .affinity import jump, normalised, spectrum
from .spectral import check_affinity, graph_of, relaxed_labels

CUTS = ("normalized", "ratio")
#: A move must lower the objective by more.
LEAST = 1e-10


def cut_value(graph: sparse.csr_array, labels: np.ndarray, cut: str, penalty: float) -> float:
    """The objective of a partition.

    Parameters
    ----------
    graph : sparse array, shape (N, N)
        Symmetric weights of at least 0, every row with some.
    labels : ndarray of int64, shape (N,)
        0..K-1.
    cut : "normalized" or "ratio"
    penalty : float
    """
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    weights = node_weights(degrees, cut)
    n = int(labels.max()) + 1
    inside = _links(graph, labels, n).diagonal()
    degree = np.bincount(labels, degrees, n)
    return float(np.sum((degree - inside) / np.bincount(labels, weights, n)) + penalty * n)


def node_weights(degrees: np.ndarray, cut: str) -> np.ndarray:
    """What a row adds to the weight of its cluster: its degree, or 1."""
    return degrees.copy() if cut == "normalized" else np.ones_like(degrees)


def _links(graph: sparse.csr_array, labels: np.ndarray, n: int) -> sparse.csr_array:
    """Weight of the edges between any two clusters, shape (K, K)."""
    rows = np.arange(labels.size)
    members = sparse.csr_array((np.ones(labels.size), (rows, labels)), shape=(labels.size, n))
    return sparse.csr_array(members.T @ graph @ members)


class _Parts(NamedTuple):
    """Clusters of a graph: sums over their rows, of edges inside them, and of one row's to them.

    A cluster costs (``degree`` - ``inside``) / ``weight``: the edges that leave it by its weight.
    """

    degree: np.ndarray
    weight: np.ndarray
    inside: np.ndarray
    sizes: np.ndarray
    linked: np.ndarray


@allocating_kernel
def sweep_cut(pointers, neighbours, edges, degrees, weights, labels, order, penalty):
    """Visit rows and move each to the cluster of a neighbour, or its own, if the objective falls.

    A visit looks at the row's edges only: a pass over all rows costs as much as reading the graph.

    Parameters
    ----------
    pointers, neighbours, edges : ndarray
        The graph's rows, compressed (CSR).
    degrees, weights : ndarray of float64, shape (N,)
    labels : ndarray of int64, shape (N,)
        0..K-1; changed in place. A cluster that was emptied leaves its number unused.
    order : ndarray of int64, shape (N,)
    penalty : float

    Returns
    -------
    moves, looked : int
        Rows that moved, and edges looked at.
    """
    n = labels.max() + 1
    room = labels.shape[0] + n + 1
    parts = _Parts(
        np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room, np.int64), np.zeros(room)
    )
    for i in range(labels.shape[0]):
        loop, _ = _link(parts, pointers, neighbours, edges, labels, i)
        # Every edge inside is met from both of its ends.
        _shift(parts, labels[i], degrees[i], weights[i], parts.linked[labels[i]] + loop, 1)
        _unlink(parts, pointers, neighbours, labels, i)
    moves, looked = 0, 0
    for i in order:
        own = labels[i]
        loop, seen = _link(parts, pointers, neighbours, edges, labels, i)
        looked += seen
        best = _cheapest(
            parts, pointers, neighbours, labels, i, degrees[i], weights[i], loop, n, penalty
        )
        if best != own:
            inside = 2.0 * parts.linked[own] + loop
            _shift(parts, own, -degrees[i], -weights[i], -inside, -1)
            _shift(parts, best, degrees[i], weights[i], 2.0 * parts.linked[best] + loop, 1)
            moves += 1
        _unlink(parts, pointers, neighbours, labels, i)
        labels[i] = best
        n = max(n, best + 1)
    return moves, looked


@spliced
def _link(parts, pointers, neighbours, edges, labels, i):
    """Sum the edges of row i by cluster; return the one to itself, and how many there are."""
    loop, seen = 0.0, 0
    for at in range(pointers[i], pointers[i + 1]):
        seen += 1
        if neighbours[at] == i:
            loop = edges[at]
        else:
            parts.linked[labels[neighbours[at]]] += edges[at]
    return loop, seen


@spliced
def _unlink(parts, pointers, neighbours, labels, i):
    """Forget the edges of row i."""
    for at in range(pointers[i], pointers[i + 1]):
        parts.linked[labels[neighbours[at]]] = 0.0


@spliced
def _shift(parts, k, degree, weight, inside, n):
    """Add a row to cluster k, or take it out."""
    parts.degree[k] += degree
    parts.weight[k] += weight
    parts.inside[k] += inside
    parts.sizes[k] += n


@spliced
def _cheapest(parts, pointers, neighbours, labels, i, degree, weight, loop, n, penalty):
    """Where row i lowers the objective most: a neighbour's cluster, a new one, n, or its own."""
    own, linked = labels[i], parts.linked
    leaving = -(parts.degree[own] - parts.inside[own]) / parts.weight[own]
    if parts.sizes[own] > 1:
        rest = parts.degree[own] - degree - parts.inside[own] + 2.0 * linked[own] + loop
        leaving += rest / (parts.weight[own] - weight)
        best, least = n, leaving + (degree - loop) / weight + penalty
    else:
        leaving -= penalty
        best, least = own, 0.0
    for at in range(pointers[i], pointers[i + 1]):
        k = labels[neighbours[at]]
        if k != own:
            after = parts.degree[k] + degree - parts.inside[k] - 2.0 * linked[k] - loop
            change = leaving + after / (parts.weight[k] + weight)
            change -= (parts.degree[k] - parts.inside[k]) / parts.weight[k]
            if change < least:
                best, least = k, change
    return best if least < -LEAST else own


@dataclass(eq=False, repr=False)
class PenalisedCut(ClusterEstimator):
    """Cut a graph of similar rows into as many parts as a penalty makes worth while (KJ12 5.2).

    From one cluster, and from the spectral relaxation of the same objective, rows move and clusters
    merge as long as the objective falls; the lower end is kept.

    Parameters
    ----------
    penalty : float, optional
        lambda', what a cluster costs; between -1 and 0 for a normalised cut. When not given, from
        the largest jump of the spectrum (``SpectralDPMeans``): of the graph's Laplacian, minus the
        eigenvalue half way between the last that counts and the next.
    cut : {"normalized", "ratio"}
    affinity : {"nearest_neighbors", "rbf", "gower", "precomputed"}
        As in ``SpectralDPMeans``, but that a precomputed matrix holds weights of at least 0.
    max_iter : int
        Most passes.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
    penalty_ : float
    objective_ : float
        The cut plus the penalties.
    result_, n_clusters_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    cut: str = "normalized"
    affinity: str = "nearest_neighbors"
    _: KW_ONLY
    max_iter: int = 100
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        kind, max_iter = check_affinity(self.affinity), check_whole("max_iter", self.max_iter, 1)
        if self.cut not in CUTS:
            raise ValueError(f"cut={self.cut!r} is not allowed: choose one of {', '.join(CUTS)}.")
        random = np.random.default_rng(self.random_state)
        callback(Progress(0, 2, np.inf, 1, "which rows are alike"))
        graph = _without_lonely(graph_of(kind, encoded))
        starts = self._starts(graph, random)
        runs = [self._run(graph, labels, max_iter, random, callback) for labels in starts]
        labels, trace, converged = min(runs, key=lambda run: run[1][-1])
        return self._found(by_size(labels)[0], trace, converged=converged, penalty=self.penalty_)

    def _starts(self, graph: sparse.csr_array, random: np.random.Generator) -> list[np.ndarray]:
        """One cluster, and the relaxation: eigenvectors of the Laplacian below minus the penalty.

        Sets ``penalty_``.
        """
        degrees = np.asarray(graph.sum(axis=1)).ravel()
        values, vectors = spectrum(normalised(graph)[0])
        k, level = jump(values)
        # The Laplacian's eigenvalues: of a ratio cut, those of D - A, about the degree times more.
        unit = 1.0 if self.cut == "normalized" else float(degrees.mean())
        self.penalty_ = -(1.0 - level) * unit
        if self.penalty is not None:
            self.penalty_ = check_number("penalty", self.penalty, -np.inf)
            k = max(int(np.sum((1.0 - values) * unit < -self.penalty_)), 1)
        one = np.zeros(degrees.size, dtype=np.int64)
        return [one, relaxed_labels(vectors, k, 10, random)] if k > 1 else [one]

    def _run(
        self,
        graph: sparse.csr_array,
        labels: np.ndarray,
        max_iter: int,
        random: np.random.Generator,
        callback: Callback,
    ) -> tuple[np.ndarray, list[float], bool]:
        """Passes over the rows, and merges, until the objective rests."""
        degrees = np.asarray(graph.sum(axis=1)).ravel()
        weights = node_weights(degrees, self.cut)
        trace = [cut_value(graph, labels, self.cut, self.penalty_)]
        for _ in range(max_iter):
            moves, _ = sweep_cut(
                graph.indptr.astype(np.int64),
                graph.indices.astype(np.int64),
                graph.data,
                degrees,
                weights,
                labels,
                random.permutation(labels.size),
                self.penalty_,
            )
            labels = np.unique(labels, return_inverse=True)[1].ravel()
            labels, merges = merged(graph, labels, weights, self.penalty_)
            trace.append(cut_value(graph, labels, self.cut, self.penalty_))
            callback(Progress(1, 2, trace[-1], int(labels.max()) + 1, "rows move"))
            if moves == 0 and merges == 0:
                return labels, trace, True
        return labels, trace, False


def merged(
    graph: sparse.csr_array, labels: np.ndarray, weights: np.ndarray, penalty: float
) -> tuple[np.ndarray, int]:
    """Merge the pair of clusters that lowers the objective most, as long as one does."""
    n = int(labels.max()) + 1
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    links = _links(graph, labels, n).toarray()
    degree, weight = np.bincount(labels, degrees, n), np.bincount(labels, weights, n)
    alive, above = np.ones(n, dtype=bool), np.arange(n)
    merges = 0
    while alive.sum() > 1:
        inside = links.diagonal()
        alone = (degree - inside) / weight
        together = degree[:, None] + degree - inside[:, None] - inside - 2.0 * links
        change = together / (weight[:, None] + weight) - alone[:, None] - alone - penalty
        change[~alive] = change[:, ~alive] = np.inf
        np.fill_diagonal(change, np.inf)
        kept, gone = np.unravel_index(np.argmin(change), change.shape)
        if change[kept, gone] >= -LEAST:
            break
        links[kept] += links[gone]
        links[:, kept] += links[:, gone]
        degree[kept] += degree[gone]
        weight[kept] += weight[gone]
        alive[gone] = False
        above[above == gone] = kept
        merges += 1
    return np.unique(above[labels], return_inverse=True)[1].ravel(), merges


def _without_lonely(graph: sparse.csr_array) -> sparse.csr_array:
    """A row without neighbours gets an edge to itself, so that it has a degree."""
    lonely = np.asarray(graph.sum(axis=1)).ravel() <= 0.0
    if not lonely.any():
        return graph
    return sparse.csr_array(graph + sparse.diags_array(lonely.astype(float)))
