"""Graphs of similar rows, their spectrum, and how many groups it speaks for."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import kneighbors_graph

from ...schema.encoded import Encoded
from .gower import gower
from .limits import check_pairs

#: Neighbours of every row in a graph.
NEIGHBOURS = 10
#: Eigenvalues that are looked at: at most one less is the number of groups found.
EIGENVALUES = 21
#: A jump of that ratio between eigenvalues speaks for groups. Of one shapeless cloud the ratios
#: stay below 2.7; only a chain of rows, evenly spaced, comes to 4.
JUMP = 3.0
#: A jump of that ratio does, however much larger one before it is: parts of a graph that no edge
#: joins have eigenvalues of 0, and any number is many times that.
CLEAR = 10.0
#: Graphs of up to this many rows are decomposed whole.
DENSE = 600
#: An eigenvalue of the Laplacian below this is 0 but for rounding.
ZERO = 1e-9
KINDS = ("nearest_neighbors", "rbf", "gower", "precomputed")


def neighbour_graph(numbers: np.ndarray) -> sparse.csr_array:
    """Every row's nearest neighbours, weighted by a kernel of local width.

    exp(-d^2 / (w_i w_j)) with w the distance to a row's last neighbour (Zelnik-Manor and Perona
    2004), of pairs of which either is a neighbour of the other.

    Parameters
    ----------
    numbers : ndarray of float64, shape (N, P)
        Standardised.
    """
    n = len(numbers)
    if n == 1:
        return sparse.csr_array((1, 1))
    graph = kneighbors_graph(numbers, min(NEIGHBOURS, n - 1), mode="distance").tocoo()
    return _weighted(graph.row, graph.col, graph.data, n)


def gower_graph(encoded: Encoded) -> sparse.csr_array:
    """The same with Gower's dissimilarity in the place of the distance."""
    apart = gower(encoded)
    n = len(apart)
    if n == 1:
        return sparse.csr_array((1, 1))
    k = min(NEIGHBOURS, n - 1)
    np.fill_diagonal(apart, np.inf)
    near = np.argpartition(apart, k - 1, axis=1)[:, :k]
    rows = np.repeat(np.arange(n), k)
    return _weighted(rows, near.ravel(), apart[rows, near.ravel()], n)


def _weighted(
    rows: np.ndarray, columns: np.ndarray, distances: np.ndarray, n: int
) -> sparse.csr_array:
    width = np.zeros(n)
    np.maximum.at(width, rows, distances)
    # Rows with so many equals that all their neighbours are at distance 0 take the usual width.
    usual = width[width > 0.0].mean() if (width > 0.0).any() else 1.0
    width = np.where(width > 0.0, width, usual)
    weights = np.exp(-np.square(distances) / (width[rows] * width[columns]))
    graph = sparse.csr_array((weights, (rows, columns)), shape=(n, n))
    return sparse.csr_array(graph.maximum(graph.T))


def rbf(numbers: np.ndarray) -> np.ndarray:
    """exp(-d^2 / 2 w^2) of every pair, w the median distance of two rows, shape (N, N)."""
    squares = np.square(numbers).sum(axis=1)
    squared = np.maximum(squares[:, None] + squares[None, :] - 2.0 * numbers @ numbers.T, 0.0)
    np.fill_diagonal(squared, 0.0)
    off = squared[np.triu_indices(len(numbers), 1)]
    off = off[off > 0.0]
    return np.exp(-squared / (2.0 * np.median(off))) if off.size else np.ones_like(squared)


def affinity_of(kind: str, encoded: Encoded, numbers: np.ndarray) -> sparse.csr_array:
    """The graph of a table, without loops.

    Parameters
    ----------
    kind : one of ``KINDS``
        ``"precomputed"`` takes the table itself for the weights.
    encoded : Encoded
    numbers : ndarray of float64, shape (N, P)
    """
    if kind == "nearest_neighbors":
        return neighbour_graph(numbers)
    check_pairs(len(numbers), f"affinity={kind!r}")
    if kind == "gower":
        return gower_graph(encoded)
    weights = rbf(numbers) if kind == "rbf" else checked_square(encoded.values, "affinity")
    weights = weights.copy()
    if weights.min() < 0.0:
        raise ValueError("affinity='precomputed' needs weights of at least 0: a graph has no less.")
    np.fill_diagonal(weights, 0.0)
    return sparse.csr_array(weights)


def checked_square(values: np.ndarray, name: str) -> np.ndarray:
    """The table as a symmetric matrix of its rows.

    Raises
    ------
    ValueError
    """
    if values.shape[0] != values.shape[1]:
        raise ValueError(
            f"{name}='precomputed' needs one column for each row; the table has shape "
            f"{values.shape}."
        )
    if np.isnan(values).any() or not np.allclose(values, values.T):
        raise ValueError(f"{name}='precomputed' needs a symmetric matrix without missing cells.")
    return 0.5 * (values + values.T)


def normalised(graph: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
    """D^-1/2 A D^-1/2 of a graph, and the degrees; a row without neighbours counts as its own."""
    alone = np.asarray(graph.sum(axis=1)).ravel() <= 0.0
    if alone.any():
        graph = sparse.csr_array(graph + sparse.diags_array(alone.astype(float)))
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    half = sparse.diags_array(1.0 / np.sqrt(degrees))
    return sparse.csr_array(half @ graph @ half), degrees


def spectrum(matrix: sparse.csr_array, count: int = EIGENVALUES) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues of a normalised graph, descending, and their vectors (N, count).

    Parameters
    ----------
    matrix : sparse array, shape (N, N)
        ``normalised``.
    count : int
    """
    n = matrix.shape[0]
    if n <= max(DENSE, 2 * count):
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        # About a shift just beyond 1, where all the eigenvalues end that are looked for.
        begin = np.ones(n) / np.sqrt(n)
        values, vectors = eigsh(sparse.csc_array(matrix), count, sigma=1.0 + 1e-3, v0=begin)
    order = np.argsort(-values, kind="stable")[:count]
    return values[order], vectors[:, order]


def jump(values: np.ndarray) -> tuple[int, float]:
    """How many groups the eigenvalues of a normalised graph speak for, and a level below them.

    The count k at which the Laplacian's eigenvalue 1 - v grows by the largest factor: there, over
    all times, a walk along the graph stays longest among k groups (Azran and Ghahramani 2006). The
    last count of those with a factor of ``CLEAR``; one group where none reaches ``JUMP``.

    Parameters
    ----------
    values : ndarray, shape (C,)
        Descending.

    Returns
    -------
    n_groups : int
    level : float
        Half way between the last eigenvalue that counts and the next.
    """
    below = np.maximum(1.0 - values, ZERO)
    k = 1
    if below.size > 2:
        factors = below[2:] / below[1:-1]
        clear = np.flatnonzero(factors >= CLEAR)
        if clear.size:
            k = int(clear[-1]) + 2
        elif factors.max() >= JUMP:
            k = int(np.argmax(factors)) + 2
    if k >= values.size:
        return k, float(values[-1]) - 1.0
    return k, float(0.5 * (values[k - 1] + values[k]))
