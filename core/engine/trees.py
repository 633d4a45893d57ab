"""The compiled loop that grows a tree of clusters bottom up, the pair of highest odds first."""

from __future__ import annotations

import math

import numpy as np

from ..jit import LINE, LINES, NOTHING, NUMBER, PLACES_2, inner, kernel
from .product import CLUSTERS, TABLE, log_marginals, merge_clusters, refresh


@inner
def _log_sum(a, b):
    """Logarithm of exp(a) + exp(b)."""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


@inner
def _pair_odds(table, clusters, k, n, log_concentration, log_sums, odds):
    """Write the log odds that clusters k and l are one, for every l < n, into row k."""
    log_marginals(table, clusters.state, k, n, clusters.cost, clusters.work)
    for other in range(n):
        size = clusters.sizes[k] + clusters.sizes[other]
        one = log_concentration + math.lgamma(size) + clusters.cost[other]
        odds[k, other] = one - log_sums[k] - log_sums[other]


@inner
def _best_partner(odds, k, n):
    best = np.int64(0) if k else np.int64(1)
    for other in range(best + 1, n):
        if other != k and odds[k, other] > odds[k, best]:
            best = other
    return best


@kernel(NOTHING, TABLE, CLUSTERS, NUMBER, LINE)
def leaf_log_sums(table, clusters, log_concentration, log_sums):
    """Write ln [N_0 Gamma(N_k) p(X_k)] of every cluster into ``log_sums``."""
    n = clusters.count[0]
    log_marginals(table, clusters.state, n, n, clusters.cost, clusters.work)
    for k in range(n):
        log_sums[k] = log_concentration + math.lgamma(clusters.sizes[k]) + clusters.cost[k]


@kernel(NOTHING, TABLE, CLUSTERS, NUMBER, LINE, LINES, PLACES_2, PLACES_2, LINE, LINE)
def grow(table, clusters, log_concentration, log_sums, odds, scratch, merges, merge_odds, sums):
    """Merge clusters, the pair of highest odds first, until one is left (M12 Algorithm 25.3).

    With d_k and p(D_k | T_k) of M12 section 25.5.4.2, let s_k = ln [d_k p(D_k | T_k)]: the sum
    over the partitions that agree with the tree of k. Then s_k = ln [exp(ln N_0 Gamma(n_k)
    p(D_k | H_1)) + exp(s_i + s_j)], and the odds r / (1 - r) are the ratio of the two terms.

    Parameters
    ----------
    table : Table
    clusters : Clusters
        The leaves, loaded; one cluster in the end.
    log_concentration : float
    log_sums : ndarray of float64, shape (K,)
        s_k of every leaf; scratch space then.
    odds : ndarray of float64, shape (K, K)
        Scratch space.
    scratch : ndarray of int64, shape (2, K)
        Scratch space: the best partner of every cluster, and the node it is.
    merges : ndarray of int64, shape (K - 1, 2)
        Receives the two nodes of every merge: leaves by their number, then K + t by merge t.
    merge_odds : ndarray of float64, shape (K - 1,)
        Receives the log odds of every merge.
    sums : ndarray of float64, shape (K - 1,)
        Receives s_k of every merge.
    """
    n = clusters.count[0]
    n_leaves = n
    partner, node = scratch[0], scratch[1]
    for k in range(n):
        node[k] = k
        _pair_odds(table, clusters, k, n, log_concentration, log_sums, odds)
    for k in range(n):
        partner[k] = _best_partner(odds, k, n)
    for t in range(n_leaves - 1):
        first = np.int64(0)
        for k in range(1, n):
            if odds[k, partner[k]] > odds[first, partner[first]]:
                first = k
        kept, dropped = min(first, partner[first]), max(first, partner[first])
        merges[t, 0], merges[t, 1] = node[kept], node[dropped]
        merge_odds[t] = odds[kept, dropped]
        apart = log_sums[kept] + log_sums[dropped]
        log_sums[kept] = _log_sum(apart, apart + merge_odds[t])
        sums[t] = log_sums[kept]
        merge_clusters(table, clusters.state, kept, dropped)
        clusters.sizes[kept] += clusters.sizes[dropped]
        last = n - 1
        for r in range(clusters.state.shape[0]):
            clusters.state[r, dropped] = clusters.state[r, last]
            clusters.state[r, last] = clusters.state[r, last + 1]
        clusters.sizes[dropped] = clusters.sizes[last]
        clusters.sizes[last] = 0.0
        log_sums[dropped] = log_sums[last]
        node[dropped] = node[last]
        node[kept] = n_leaves + t
        partner[dropped] = partner[last]
        for k in range(n):
            odds[dropped, k] = odds[last, k]
        for k in range(n):
            odds[k, dropped] = odds[k, last]
        n = last
        clusters.count[0] = n
        if n == 1:
            break
        refresh(table, clusters.state, kept, n, clusters.work)
        _pair_odds(table, clusters, kept, n, log_concentration, log_sums, odds)
        for k in range(n):
            odds[k, kept] = odds[kept, k]
        partner[kept] = _best_partner(odds, kept, n)
        for k in range(n):
            if k == kept:
                continue
            if partner[k] == kept or partner[k] == dropped:
                partner[k] = _best_partner(odds, k, n)
            elif partner[k] == last:
                partner[k] = dropped
            if odds[k, kept] > odds[k, partner[k]]:
                partner[k] = kept
