"""Trees of rows in scipy's form: put in order, and cut."""

from __future__ import annotations

import numpy as np

from ...partitions.labels import by_size


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


def joined(n: int, merges: np.ndarray, made: np.ndarray) -> np.ndarray:
    """Clusters of N rows after some of a tree's merges, 0 the largest, shape (N,).

    Parameters
    ----------
    n : int
        Rows.
    merges : ndarray, shape (T, 2)
        Two nodes each; node N + t is what merge t makes.
    made : ndarray of bool, shape (T,)
        Which of them count; with a merge, those under it must count.
    """
    above = np.arange(n + len(merges))
    for t in np.flatnonzero(made):
        above[np.asarray(merges[t], dtype=np.int64)] = n + t
    # From the top down: whoever is above a node is known before the node is asked.
    for node in range(above.size - 1, -1, -1):
        above[node] = above[above[node]]
    return by_size(above[:n])[0]


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
    return joined(n, linkage[:, :2], np.arange(n - 1) < n - n_clusters)


def labels_below(linkage: np.ndarray, height: float) -> np.ndarray:
    """Labels after the merges of at most this height, 0 the largest, shape (N,)."""
    return joined(len(linkage) + 1, linkage[:, :2], linkage[:, 2] <= height)
