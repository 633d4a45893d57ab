"""The compiled loops of partitions at two levels: sweep rows, move local clusters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel, spliced
from .product import add_row, log_marginals, merge_clusters, refresh, score_row
from .sweeps import TIE


class Locals(NamedTuple):
    """The local clusters.

    Parameters
    ----------
    of_row : ndarray of int64, shape (N,)
        Local cluster of every row; -1 for a row in none.
    group, above, sizes : ndarray of int64, shape (T,)
        Data set, global cluster and number of rows of each; a slot without rows is free.
    weights : ndarray of float64, shape (W,)
        Local clusters of every global one.
    count : ndarray of int64, shape (2,)
        Slots in use, free ones among them included; local clusters.
    """

    of_row: np.ndarray
    group: np.ndarray
    above: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    count: np.ndarray


@inner
def _drop_global(clusters, parts, k):
    """Remove a global cluster without rows; the last one takes its place."""
    last = clusters.count[0] - 1
    if k != last:
        for r in range(clusters.state.shape[0]):
            clusters.state[r, k] = clusters.state[r, last]
        clusters.sizes[k] = clusters.sizes[last]
        parts.weights[k] = parts.weights[last]
        for t in range(parts.count[0]):
            if parts.sizes[t] > 0 and parts.above[t] == last:
                parts.above[t] = k
    for r in range(clusters.state.shape[0]):
        clusters.state[r, last] = clusters.state[r, last + 1]
    clusters.sizes[last] = 0.0
    parts.weights[last] = 0.0
    clusters.count[0] = last


@inner
def _new_global(clusters, parts):
    """Open a global cluster."""
    k = clusters.count[0]
    for r in range(clusters.state.shape[0]):
        clusters.state[r, k + 1] = clusters.state[r, k]
    clusters.sizes[k] = 0.0
    parts.weights[k] = 0.0
    clusters.count[0] = k + 1


@inner
def _new_local(parts, group, k):
    """Open a local cluster of a data set under global cluster k; return its slot."""
    slot = parts.count[0]
    for t in range(parts.count[0]):
        if parts.sizes[t] == 0:
            slot = t
            break
    if slot == parts.count[0]:
        parts.count[0] += 1
    parts.group[slot] = group
    parts.above[slot] = k
    parts.sizes[slot] = 0
    parts.weights[k] += 1.0
    parts.count[1] += 1
    return slot


@spliced
def _leave(table, clusters, parts, i):
    """Take row i out; return its local and its global cluster, -1 for one that went with it."""
    was = parts.of_row[i]
    under = parts.above[was]
    stays_local, stays_global = was, under
    parts.sizes[was] -= 1
    clusters.sizes[under] -= 1.0
    if parts.sizes[was] == 0:
        stays_local = np.int64(-1)
        parts.weights[under] -= 1.0
        parts.count[1] -= 1
    if parts.weights[under] < 0.5:
        stays_global = np.int64(-1)
        _drop_global(clusters, parts, under)
    else:
        add_row(table, clusters.state, under, i, -1.0, clusters.work)
        refresh(table, clusters.state, under, clusters.count[0], clusters.work)
    return stays_local, stays_global


@spliced
def _best_global(clusters, parts, stays, log_global):
    """Which global cluster a new local one had best, its log weight, and that of the old one."""
    n, score = clusters.count[0], clusters.cost
    best, highest = n, log_global + score[n]
    stay = highest
    for k in range(n):
        value = math.log(parts.weights[k]) + score[k]
        if value > highest:
            best, highest = k, value
        if k == stays:
            stay = value
    return best, highest, stay


@spliced
def _best_local(clusters, parts, group, stays, new, stay):
    """Which local cluster of its data set a row had best, its log weight, and the old one's.

    ``new`` is the log weight of a new one, -1 in the answer, and ``stay`` of one like that it left.
    """
    best, highest = np.int64(-1), new
    for t in range(parts.count[0]):
        if parts.sizes[t] > 0 and parts.group[t] == group:
            value = math.log(parts.sizes[t]) + clusters.cost[parts.above[t]]
            if value > highest:
                best, highest = t, value
            if t == stays:
                stay = value
    return best, highest, stay


@spliced
def _join(table, clusters, parts, i, t):
    """Put row i into a local cluster."""
    k = parts.above[t]
    add_row(table, clusters.state, k, i, 1.0, clusters.work)
    clusters.sizes[k] += 1.0
    refresh(table, clusters.state, k, clusters.count[0], clusters.work)
    parts.sizes[t] += 1
    parts.of_row[i] = t


@kernel
def franchise_sweep(table, clusters, parts, groups, order, start, log_local, log_global):
    """Visit rows and move each to the local cluster that lowers E most, or to a new one.

    A row pays its predictive under the global cluster and, in a local cluster of its data set,
    -ln of the other rows there; in a new one -ln N_0 and, for the global cluster above it, -ln of
    the share that the global process gives it: of the local clusters under it, or gamma.

    Parameters
    ----------
    groups : ndarray of int64, shape (N,)
        Data set of every row.
    order : ndarray of int64
    start : int
        Position in ``order`` to start from.
    log_local, log_global : float
        ln N_0 and ln gamma.

    Returns
    -------
    position : int
        The end of ``order``, or the first row for which there was no room for another cluster.
    moves : int
    """
    gamma = math.exp(log_global)
    moves = 0
    for position in range(start, order.shape[0]):
        if clusters.count[0] + 3 > clusters.cost.shape[0]:
            return position, moves
        i = order[position]
        stays_local, stays_global = _leave(table, clusters, parts, i)
        n = clusters.count[0]
        none = np.int64(-1)
        score_row(table, clusters.state, n + 1, i, none, n, clusters.cost, clusters.work)
        above, new, stay = _best_global(clusters, parts, stays_global, log_global)
        price = log_local - math.log(gamma + parts.count[1])
        local, best, stay = _best_local(
            clusters, parts, groups[i], stays_local, price + new, price + stay
        )
        if best <= stay + TIE:
            local = stays_local
            above = n if stays_global < 0 else stays_global
        else:
            moves += 1
        if local < 0:
            if above == n:
                _new_global(clusters, parts)
            local = _new_local(parts, groups[i], above)
        _join(table, clusters, parts, i, local)
    return order.shape[0], moves


@inner
def _twin(parts, t, k):
    """Another local cluster of the same data set under global cluster k, or -1."""
    for other in range(parts.count[0]):
        is_there = parts.sizes[other] > 0 and other != t
        if is_there and parts.above[other] == k and parts.group[other] == parts.group[t]:
            return other
    return np.int64(-1)


@inner
def _gain_of_union(parts, t, other, weight, log_local, log_global):
    """By how much E falls if two local clusters under one global one become one.

    ``weight`` is the number of local clusters under it, both included.
    """
    a, b = np.float64(parts.sizes[t]), np.float64(parts.sizes[other])
    gain = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - log_local
    return gain - math.log(weight - 1.0) + math.log(math.exp(log_global) + parts.count[1] - 1.0)


@kernel
def move_locals(table, clusters, parts, rows, ends, log_local, log_global, own):
    """Let every local cluster choose its global one, and join its twin there where that gains.

    Parameters
    ----------
    rows : ndarray of int64, shape (N,)
        Rows by local cluster.
    ends : ndarray of int64, shape (T + 1,)
        Where the rows of each local cluster begin, and end.
    own : ndarray of float64, shape (W,)
        Scratch space.

    Returns
    -------
    position : int
        Local clusters visited: all, or fewer where there was no room for another global one.
    moves : int
    """
    state, work, cost = clusters.state, clusters.work, clusters.cost
    moves = 0
    for t in range(ends.shape[0] - 1):
        if parts.sizes[t] == 0:
            continue
        if clusters.count[0] + 3 > cost.shape[0]:
            return t, moves
        was = parts.above[t]
        size = np.float64(parts.sizes[t])
        if parts.weights[was] > 1.5:  # it leaves for a global cluster of its own first
            _new_global(clusters, parts)
            c = clusters.count[0] - 1
            for position in range(ends[t], ends[t + 1]):
                add_row(table, state, was, rows[position], -1.0, work)
                add_row(table, state, c, rows[position], 1.0, work)
            clusters.sizes[was] -= size
            clusters.sizes[c] += size
            parts.weights[was] -= 1.0
            parts.weights[c] = 1.0
            parts.above[t] = c
            refresh(table, state, was, clusters.count[0], work)
            refresh(table, state, c, clusters.count[0], work)
        else:
            c = was
        n = clusters.count[0]
        log_marginals(table, state, n, n, own, work)
        log_marginals(table, state, c, n, cost, work)
        best, best_gain, stay_gain = c, 0.0, 0.0
        for k in range(n):
            if k == c:
                continue
            gain = cost[k] - own[k] - own[c] + math.log(parts.weights[k]) - log_global
            other = _twin(parts, t, k)
            if other >= 0:
                weight = parts.weights[k] + 1.0
                gain += max(0.0, _gain_of_union(parts, t, other, weight, log_local, log_global))
            if k == was:
                stay_gain = gain
            if gain > best_gain:
                best, best_gain = k, gain
        if best_gain <= stay_gain + TIE:
            best = was
        if best != was:
            moves += 1
        if best != c:
            merge_clusters(table, state, best, c)
            clusters.sizes[best] += clusters.sizes[c]
            parts.weights[best] += 1.0
            parts.above[t] = best
            refresh(table, state, best, n, work)
            clusters.sizes[c] = 0.0
            parts.weights[c] = 0.0
            _drop_global(clusters, parts, c)
        other = _twin(parts, t, parts.above[t])
        if other >= 0:
            k = parts.above[t]
            gain = _gain_of_union(parts, t, other, parts.weights[k], log_local, log_global)
            if gain > TIE:
                # The other one goes: its rows are named below, when all are visited.
                parts.sizes[t] += parts.sizes[other]
                parts.sizes[other] = 0
                parts.weights[k] -= 1.0
                parts.count[1] -= 1
                for i in range(parts.of_row.shape[0]):
                    if parts.of_row[i] == other:
                        parts.of_row[i] = t
                return t, moves + 1
    return ends.shape[0] - 1, moves
