"""Rows priced under clusters that stay as they are."""

from __future__ import annotations

import numpy as np

from .product import Clusters, Table, score_table

#: Rows that are scored together: their scores stay in a processor's own memory.
BLOCK = 4_096


def scores_of(table: Table, clusters: Clusters, values: np.ndarray) -> np.ndarray:
    """Scores of rows in none of the clusters.

    Parameters
    ----------
    table : Table
        Of any rows, under the priors of the clusters.
    clusters : Clusters
        K of them, and an empty one.
    values : ndarray of float64, shape (n, M)
        The rows, of the table's columns.

    Returns
    -------
    ndarray of float64, shape (n, K + 1)
        A new cluster's last; the rows' own constants are left out.
    """
    n = int(clusters.count[0])
    out = np.empty((len(values), (n + 8) // 8 * 8))
    outside = np.full(len(values), -1)
    score_table(table._replace(values=values), clusters.state, outside, out, clusters.work)
    return out[:, : n + 1]


def cheapest(
    table: Table, clusters: Clusters, values: np.ndarray, log_concentration: float = -np.inf
) -> np.ndarray:
    """The cheapest cluster of rows in none, (n,); -1 where a new one is cheaper still."""
    n = int(clusters.count[0])
    sizes = np.maximum(clusters.sizes[:n], 1e-300)  # of one without rows the logarithm is infinite
    weights = np.append(np.log(sizes), log_concentration)
    best = np.empty(len(values), dtype=np.int64)
    for start in range(0, len(values), BLOCK):
        inside = slice(start, start + BLOCK)
        best[inside] = (scores_of(table, clusters, values[inside]) + weights).argmax(axis=1)
    best[best == n] = -1
    return best
