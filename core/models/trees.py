"""Trees of rows in scipy's form: put in order, and cut; one that is made from the top down."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster

from ..partitions.labels import by_size


def in_order(merges: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Scipy's linkage matrix of a tree: merges by height, the lower ones first.

    Parameters
    ----------
    merges : ndarray of int64, shape (N - 1, 2)
        Two nodes each; node N + t is what merge t makes, which comes after what it merges.
    heights : ndarray of float64, shape (N - 1,)
        At least 0, and never below those of the merges under it.

    Returns
    -------
    ndarray of float64, shape (N - 1, 4)
        Two nodes, height, and rows under the merge.
    """
    n = len(merges) + 1
    order = np.lexsort((np.arange(n - 1), heights))
    number = np.arange(2 * n - 1)
    number[n + order] = n + np.arange(n - 1)
    linkage = np.empty((n - 1, 4))
    linkage[:, :2] = np.sort(number[merges[order]], axis=1)
    linkage[:, 2] = heights[order]
    counts = np.ones(2 * n - 1)
    for t, (a, b) in enumerate(linkage[:, :2].astype(np.int64)):
        counts[n + t] = counts[a] + counts[b]
    linkage[:, 3] = counts[n:]
    return linkage


def labels_at(linkage: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels with so many clusters, 0 the largest: the highest merges undone, shape (N,).

    Raises
    ------
    ValueError
        Not between 1 and N.
    """
    n = len(linkage) + 1
    if not 1 <= n_clusters <= n:
        raise ValueError(f"k={n_clusters} is not in the tree: give a number from 1 to {n}.")
    if n == 1:
        return np.zeros(1, dtype=np.int64)
    # Merges of one height are told apart by their places.
    places = np.arange(1.0, n)
    tree = np.column_stack([linkage[:, :2], places, linkage[:, 3]])
    return by_size(fcluster(tree, n - n_clusters, "distance"))[0]


def labels_below(linkage: np.ndarray, height: float) -> np.ndarray:
    """Labels after the merges of at most this height, 0 the largest, shape (N,)."""
    n_kept = int(np.count_nonzero(linkage[:, 2] <= height))
    return labels_at(linkage, len(linkage) + 1 - n_kept)


def splinter(apart: np.ndarray) -> np.ndarray:
    """Which rows of a group leave it, shape (n,) of bool (M12 eqs. 25.52-25.54).

    The row least like the rest founds a splinter, and rows that are nearer to the splinter than to
    those left join it, one after the other (Macnaughton-Smith and others 1964).

    Parameters
    ----------
    apart : ndarray of float64, shape (n, n)
        Dissimilarities of at least two rows.
    """
    n = len(apart)
    gone = np.zeros(n, dtype=bool)
    gone[int(np.argmax(apart.sum(axis=1)))] = True
    to_gone = apart[:, gone].sum(axis=1)
    to_left = apart.sum(axis=1) - to_gone
    for n_gone in range(1, n - 1):
        gain = np.where(gone, -np.inf, to_left / (n - n_gone - 1) - to_gone / n_gone)
        moves = int(np.argmax(gain))
        if gain[moves] <= 0.0:
            break
        gone[moves] = True
        to_gone += apart[:, moves]
        to_left -= apart[:, moves]
    return gone


def divisive_linkage(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tree of dissimilarities, shape (N, N), that splinters make from the top down.

    Returns
    -------
    merges : ndarray of int64, shape (N - 1, 2)
        Bottom up: node N + t is what merge t makes.
    heights : ndarray of float64, shape (N - 1,)
        The largest dissimilarity within each, its diameter.
    """
    n = len(apart)
    merges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    waiting, t = [(np.arange(n), n - 1, 0)], n - 1  # rows, and where their node is written
    while waiting:
        rows, above, side = waiting.pop()
        if rows.size == 1:
            merges[above, side] = rows[0]
            continue
        t -= 1
        if above < n - 1:
            merges[above, side] = n + t
        part = apart[np.ix_(rows, rows)]
        heights[t], gone = part.max(), splinter(part)
        waiting += [(rows[gone], t, 0), (rows[~gone], t, 1)]
    return merges, heights
