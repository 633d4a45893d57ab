"""Trees of rows in scipy's form: put in order, and cut; one that is made from the top down."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster

from ..partitions.labels import by_size


def in_order(merges: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Scipy's linkage matrix (N - 1, 4) of a tree: merges by height, the lower ones first.

    ``merges``, (N - 1, 2): number t makes node N + t; ``heights``, (N - 1,), never fall upwards.
    """
    n = len(merges) + 1
    order = np.argsort(heights, kind="stable")
    number = np.arange(2 * n - 1)
    number[n + order] = n + np.arange(n - 1)
    pairs = np.sort(number[merges[order]], axis=1)
    counts = np.ones(2 * n - 1)
    for t, pair in enumerate(pairs):
        counts[n + t] = counts[pair].sum()
    return np.column_stack([pairs, heights[order], counts[n:]]).astype(np.float64)


def labels_at(linkage: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels with so many clusters, 0 the largest, (N,); ValueError if not between 1 and N."""
    n = len(linkage) + 1
    if not 1 <= n_clusters <= n:
        raise ValueError(f"k={n_clusters} is not in the tree: give a number from 1 to {n}.")
    if n == 1:
        return np.zeros(1, dtype=np.int64)
    # Merges of one height are told apart by their places.
    tree = np.column_stack([linkage[:, :2], np.arange(1.0, n), linkage[:, 3]])
    return by_size(fcluster(tree, n - n_clusters, "distance"))[0]


def labels_below(linkage: np.ndarray, height: float) -> np.ndarray:
    """Labels after the merges of at most this height, 0 the largest, shape (N,)."""
    return labels_at(linkage, 1 + int(np.count_nonzero(linkage[:, 2] > height)))


def splinter(apart: np.ndarray) -> np.ndarray:
    """Which rows, (n,), leave a group of dissimilarities (n, n) first (M12 eqs. 25.52-25.54)."""
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


def divisive_linkage(apart: np.ndarray) -> np.ndarray:
    """Scipy's tree of dissimilarities (N, N) by splinters, from the top; heights are diameters."""
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
    return in_order(merges, heights)
