"""Terms of E that belong to whole clusters, and merges of clusters."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from .product import Clusters, Table, log_marginals, merge_clusters, refresh
from .sweeps import drop


def own_terms(table: Table, clusters: Clusters) -> np.ndarray:
    """Ln p(X_k) + ln Gamma(N_k) of every cluster, shape (K,)."""
    n = int(clusters.count[0])
    log_marginals(table, clusters.state, n, n, clusters.cost, clusters.work)
    return clusters.cost[:n] + gammaln(clusters.sizes[:n])


def pair_gains(
    table: Table, clusters: Clusters, k: int, n: int, own: np.ndarray, log_concentration: float
) -> np.ndarray:
    """Fall of E if k is merged with each l < n, shape (n,)."""
    log_marginals(table, clusters.state, k, n, clusters.cost, clusters.work)
    together = clusters.cost[:n] + gammaln(clusters.sizes[k] + clusters.sizes[:n])
    return together - own[k] - own[:n] - log_concentration


def gains(
    table: Table, clusters: Clusters, own: np.ndarray, log_concentration: float
) -> np.ndarray:
    """Fall of E if two clusters are merged, shape (K, K), below the diagonal; else -inf."""
    found = np.full((own.size, own.size), -np.inf)
    for k in range(1, own.size):
        found[k, :k] = pair_gains(table, clusters, k, k, own, log_concentration)
    return found


def unite(table: Table, clusters: Clusters, labels: np.ndarray, kept: int, dropped: int) -> None:
    """Put cluster ``dropped`` into ``kept``, a lower one; the last cluster takes its index."""
    merge_clusters(table, clusters.state, kept, dropped)
    clusters.sizes[kept] += clusters.sizes[dropped]
    clusters.members[kept] += clusters.members[dropped]
    clusters.count[2] = 0
    labels[labels == dropped] = kept
    drop(clusters, labels, dropped)
    refresh(table, clusters.state, kept, clusters.count[0], clusters.work)


def merge(
    table: Table,
    clusters: Clusters,
    labels: np.ndarray,
    log_concentration: float,
    least_gain: float,
    most: int,
) -> list[tuple[int, int, float]]:
    """Merge pairs, each the best, while E falls by more than ``least_gain``; at most ``most``.

    Returns (kept, dropped, gain) of each; the last cluster takes the dropped index.
    """
    own, path = own_terms(table, clusters), []
    found = gains(table, clusters, own, log_concentration)
    while len(path) < most and own.size > 1:
        last = own.size - 1
        dropped, kept = map(int, np.unravel_index(found.argmax(), found.shape))
        gain = float(found[dropped, kept])
        if gain <= least_gain:
            break
        unite(table, clusters, labels, kept, dropped)
        own[kept] += own[dropped] + gain + log_concentration
        own[dropped] = own[last]
        found[dropped, :dropped] = found[last, :dropped]
        found[dropped + 1 : last, dropped] = found[last, dropped + 1 : last]
        own, found = own[:last], found[:last, :last]
        of_kept = pair_gains(table, clusters, kept, last, own, log_concentration)
        found[kept, :kept] = of_kept[:kept]
        found[kept + 1 :, kept] = of_kept[kept + 1 :]
        path.append((kept, dropped, gain))
    return path
