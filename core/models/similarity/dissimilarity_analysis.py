"""Dissimilarity analysis: divide the widest group by a splinter (M12 section 25.5.2).

Macnaughton-Smith and others (1964): the row least like the rest of its group founds a splinter,
and rows that are nearer to the splinter than to those left join it, one after the other.
"""

from __future__ import annotations

import numpy as np


def splinter(apart: np.ndarray) -> np.ndarray:
    """Which rows of a group leave it, shape (n,) of bool (M12 eqs. 25.52-25.54).

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
    while gone.sum() < n - 1:
        n_gone = int(gone.sum())
        gain = to_left / (n - n_gone - 1) - to_gone / n_gone
        gain[gone] = -np.inf
        moves = int(np.argmax(gain))
        if gain[moves] <= 0.0:
            break
        gone[moves] = True
        to_gone += apart[:, moves]
        to_left -= apart[:, moves]
    return gone


def divisive_linkage(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tree that dissimilarity analysis makes from the top down, its widest group first.

    Parameters
    ----------
    apart : ndarray of float64, shape (N, N)

    Returns
    -------
    merges : ndarray of int64, shape (N - 1, 2)
        Bottom up: node N + t is what merge t makes.
    heights : ndarray of float64, shape (N - 1,)
        The largest dissimilarity within each, its diameter.
    """
    n = len(apart)
    waiting, splits = [np.arange(n)], []
    while waiting:
        rows = waiting.pop()
        if rows.size == 1:
            continue
        part = apart[np.ix_(rows, rows)]
        gone = splinter(part)
        splits.append((float(part.max()), rows[gone], rows[~gone], rows))
        waiting += [rows[gone], rows[~gone]]
    # A group is never wider than the one it came from; of equals, the later is the lower.
    order = sorted(range(n - 1), key=lambda s: (splits[s][0], splits[s][3].size, s))
    node = {(row,): row for row in range(n)}
    merges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    for t, s in enumerate(order):
        height, gone, left, rows = splits[s]
        merges[t] = node[tuple(gone.tolist())], node[tuple(left.tolist())]
        node[tuple(rows.tolist())] = n + t
        heights[t] = height
    return merges, heights
