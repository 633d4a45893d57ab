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


def best_of(
    table: Table, clusters: Clusters, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best of the clusters there are for rows in none, by score and size.

    Returns
    -------
    labels : ndarray of int64, shape (n,)
    score : ndarray of float64, shape (n,)
        Of that cluster, with ln of its size.
    alone : ndarray of float64, shape (n,)
        Score of a new cluster.
    """
    n = int(clusters.count[0])
    log_sizes = np.log(np.maximum(clusters.sizes[:n], 1e-300))  # of none it would be infinite
    labels = np.empty(len(values), dtype=np.int64)
    score, alone = np.empty((2, len(values)))
    for start in range(0, len(values), BLOCK):
        inside = slice(start, start + BLOCK)
        scores = scores_of(table, clusters, values[inside])
        alone[inside] = scores[:, n]
        scores = scores[:, :n] + log_sizes
        labels[inside] = scores.argmax(axis=1)
        score[inside] = scores.max(axis=1)
    return labels, score, alone


def cheapest(
    table: Table, clusters: Clusters, values: np.ndarray, log_concentration: float = -np.inf
) -> np.ndarray:
    """The cheapest cluster of rows in none, (n,); -1 where a new one is cheaper still."""
    labels, score, alone = best_of(table, clusters, values)
    labels[alone + log_concentration > score] = -1
    return labels
