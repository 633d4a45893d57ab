"""The compiled moves of whole clusters: the terms of E that are their own, and merges."""

from __future__ import annotations

import math

import numpy as np

from ..jit import COUNT, LINE, LINES, NOTHING, NUMBER, PLACES, kernel, spliced
from .product import CLUSTERS, TABLE, log_marginals, merge_clusters, refresh
from .sweeps import drop


@spliced
def _pair_gains(table, clusters, k, n, own, log_concentration, gains):
    """Write into row k of ``gains`` by how much merging k with each l < n lowers E."""
    log_marginals(table, clusters.state, k, n, clusters.cost, clusters.work)
    for other in range(n):
        gains[k, other] = (
            clusters.cost[other]
            + math.lgamma(clusters.sizes[k] + clusters.sizes[other])
            - own[k]
            - own[other]
            - log_concentration
        )


@kernel(NUMBER, TABLE, CLUSTERS, LINE)
def own_terms(table, clusters, own):
    """Write ln p(X_k) + ln Gamma(N_k) of every cluster into ``own``; return their sum."""
    n = clusters.count[0]
    log_marginals(table, clusters.state, n, n, own, clusters.work)
    total = 0.0
    for k in range(n):
        own[k] += math.lgamma(clusters.sizes[k])
        total += own[k]
    return total


@kernel(NOTHING, TABLE, CLUSTERS, PLACES, COUNT, COUNT)
def unite(table, clusters, labels, kept, dropped):
    """Put cluster ``dropped`` into ``kept``, a lower one; the last cluster takes its index."""
    merge_clusters(table, clusters.state, kept, dropped)
    clusters.sizes[kept] += clusters.sizes[dropped]
    clusters.members[kept] += clusters.members[dropped]
    clusters.count[2] = 0
    for i in range(labels.shape[0]):
        if labels[i] == dropped:
            labels[i] = kept
    drop(clusters, labels, dropped)
    refresh(table, clusters.state, kept, clusters.count[0], clusters.work)


@kernel(COUNT, TABLE, CLUSTERS, PLACES, NUMBER, NUMBER, COUNT, LINES, LINE, LINES)
def merge(table, clusters, labels, log_concentration, least_gain, most, gains, own, path):
    """Greedily merge the pair of clusters that lowers E most, from summed statistics alone.

    Parameters
    ----------
    least_gain : float
        Stop when no pair lowers E by more; -inf goes on to one cluster.
    most : int
        Stop after that many merges.
    gains : ndarray of float64, shape (K, K) or larger
        Scratch space.
    own : ndarray of float64, shape (K,) or longer
        Receives ln p(X_k) + ln Gamma(N_k) of every cluster that is left.
    path : ndarray of float64, shape (T, 3)
        Receives (kept, dropped, gain) of every merge; the last cluster takes the dropped index.

    Returns
    -------
    int
        Number of merges made.
    """
    own_terms(table, clusters, own)
    n = clusters.count[0]
    for k in range(n):
        _pair_gains(table, clusters, k, k, own, log_concentration, gains)
    made = 0
    while made < most and clusters.count[0] > 1:
        n = clusters.count[0]
        kept, dropped = np.int64(0), np.int64(1)
        for k in range(n):
            for other in range(k):
                if gains[k, other] > gains[dropped, kept]:
                    kept, dropped = other, k
        gain = gains[dropped, kept]
        if gain <= least_gain:
            break
        unite(table, clusters, labels, kept, dropped)
        own[kept] += own[dropped] + gain + log_concentration
        own[dropped] = own[n - 1]
        for k in range(dropped):
            gains[dropped, k] = gains[n - 1, k]
        for k in range(dropped + 1, n - 1):
            gains[k, dropped] = gains[n - 1, k]
        _pair_gains(table, clusters, kept, n - 1, own, log_concentration, gains)
        for k in range(kept + 1, n - 1):
            gains[k, kept] = gains[kept, k]
        path[made, 0], path[made, 1], path[made, 2] = kept, dropped, gain
        made += 1
    return made
