"""The compiled loops over rows, in a cluster or in none (label -1), and clusters."""

import math

import numpy as np
from numba import types
from numba.types import UniTuple

from ..jit import COUNT, LINE, LINES, NOTHING, NUMBER, PLACES, inner, kernel, spliced
from ..special import fast_log
from . import calls
from .rows import (
    CLUSTERS,
    TABLE,
    add_row,
    fill_row,
    log_marginals,
    mark_changed,
    refresh,
    row_weight,
    score_row,
    weighted_stay,
)
from .tiles import JUDGE, JUDGED, TILE, judged_by

#: Costs nearer than this tie; the row then stays, or the lowest index wins.
TIE = 1e-9


def load(table, clusters, labels, n_clusters, rows=None):
    """Rebuild the state from the labels of ``rows``; by default of all but those labelled -1."""
    rows = np.flatnonzero(labels >= 0) if rows is None else rows
    state, of_rows, width = clusters.state, labels[rows], clusters.sizes.size
    state[:] = 0.0
    refresh(table, state, 0, 0, clusters.work)
    state[:, 1:] = state[:, :1]
    clusters.members[:] = np.bincount(of_rows, minlength=width)
    clusters.sizes[:] = clusters.members
    if table.weights.size:
        clusters.sizes[:] = np.bincount(of_rows, table.weights[rows], width)
    clusters.count[:2] = n_clusters, -1
    mark_changed(clusters, slice(None))
    add_rows(table, state, of_rows, rows, n_clusters, clusters.work)


@kernel(NOTHING, TABLE, LINES, PLACES, PLACES, COUNT, LINES)
def add_rows(table, state, labels, rows, n_clusters, work):
    """Put rows into the clusters of their labels; refresh the first ``n_clusters``."""
    for b in range(rows.shape[0]):
        add_row(table, state, labels[b], rows[b], 1.0, work)
    for k in range(n_clusters):
        refresh(table, state, k, n_clusters, work)


@kernel(NOTHING, CLUSTERS, PLACES, COUNT)
def drop(clusters, labels, k):
    """Remove cluster k, marked as changed; the last cluster takes its place."""
    state, sizes, count = clusters.state, clusters.sizes, clusters.count
    last = count[0] - 1
    if k != last:
        for r in range(state.shape[0]):
            state[r, k] = state[r, last]
        sizes[k] = sizes[last]
        clusters.members[k] = clusters.members[last]
        for i in range(labels.shape[0]):
            if labels[i] == last:
                labels[i] = k
    for r in range(state.shape[0]):
        state[r, last] = state[r, last + 1]
    sizes[last] = 0.0
    clusters.members[last] = 0
    if count[1] == k:  # else it is 0 and stays so
        count[1] = -1
    count[0] = last


@inner
def leave(table, clusters, labels, i):
    """Take row i out of its cluster, which is dropped if it is empty then."""
    k = labels[i]
    labels[i] = -1
    clusters.sizes[k] -= row_weight(table, i)
    clusters.members[k] -= 1
    mark_changed(clusters, k)
    if clusters.members[k] == 0:
        drop(clusters, labels, k)
    else:
        add_row(table, clusters.state, k, i, -1.0, clusters.work)
        refresh(table, clusters.state, k, clusters.count[0], clusters.work)


def _price_weighted(table, clusters, i, own, is_alone, log_concentration):
    """``_price`` of a row of weight w, where the rows' weights differ.

    Joining k costs -[ln p(X_k + w x) - ln p(X_k)] - [ln Gamma(W_k + w) - ln Gamma(W_k)] without the
    row in k, a new cluster -ln p(w x) - ln N_0 - ln Gamma(w). Coefficients cannot be cached for all
    weights: marginals are taken, the row in a cluster of its own after the last.
    """
    state, sizes = clusters.state, clusters.sizes
    cost, count, work = clusters.cost, clusters.count, clusters.work
    n, weight = count[0], table.weights[i]
    alone = n + 1
    if count[2] != count[3]:
        log_marginals(table, state, n, n, clusters.own, work)
        count[2] = count[3]
    add_row(table, state, alone, i, 1.0, work)
    log_marginals(table, state, alone, n + 1, cost, work)
    for r in range(state.shape[0]):
        state[r, alone] = state[r, n]
    for k in range(n):
        size = 1.0 if k == count[1] else sizes[k]
        cost[k] = clusters.own[k] - cost[k] - math.lgamma(size + weight) + math.lgamma(size)
    cost[n] = -cost[n] - log_concentration - math.lgamma(weight)
    if is_alone:
        cost[own] = np.inf
        return n
    if own >= 0:
        cost[own] = -weighted_stay(table, clusters, i, own)
    return own


_price_weighted_by, WEIGHTED = calls.step(
    _price_weighted, COUNT, TABLE, CLUSTERS, COUNT, COUNT, types.boolean, NUMBER
)


@spliced
def _price(table, clusters, i, own, log_concentration):
    """Write the cost of every choice for row i; return the index that means staying, or -1.

    The cost of cluster k is -ln f(x_i | X_k without i) - ln N_k without i (R16 eq. 13); the last
    one is a new cluster, which also stands for a cluster of the row alone.
    """
    cost, sizes, count = clusters.cost, clusters.sizes, clusters.count
    n = count[0]
    is_alone = own >= 0 and clusters.members[own] == 1
    if table.weights.shape[0] > 0:
        return _price_weighted_by(
            table.steps[WEIGHTED], table, clusters, i, own, is_alone, log_concentration
        )
    with_others = np.int64(-1) if is_alone else own
    # Of whole vectors: empty columns cost less than a scalar remainder of the loop.
    score_row(table, clusters.state, (n + 8) // 8 * 8, i, with_others, cost, clusters.work)
    without = cost[own]  # of no use for a row in no cluster
    for k in range(n):
        cost[k] = -cost[k] - fast_log(sizes[k])
    if count[1] >= 0:
        cost[count[1]] += fast_log(sizes[count[1]])
    cost[n] = -cost[n] - log_concentration
    if is_alone:
        cost[own] = np.inf
        return n
    if own >= 0:
        cost[own] = -without
        if own != count[1]:
            cost[own] -= fast_log(sizes[own] - 1.0)
    return own


def _fill_anew(table, clusters, labels, i):
    """Fill row i's cells anew by its cluster's other rows; return the index that means staying."""
    own = labels[i]
    alone = own >= 0 and clusters.members[own] == 1
    if own >= 0:
        leave(table, clusters, labels, i)
    n = clusters.count[0]
    k = n if alone or own < 0 else own
    fill_row(table, clusters.state, k, i, n, clusters.work)
    return n if alone else own


_fill_anew_by, REFILL = calls.step(_fill_anew, COUNT, TABLE, CLUSTERS, PLACES, COUNT)


@inner
def _cheapest(cost, n_choices, stay, judged, n_changes, i):
    """Lowest index of the lowest cost, or ``stay`` unless something is cheaper by a margin."""
    best, second = 0, -1
    for k in range(1, n_choices):
        if cost[k] < cost[best] - TIE:
            best, second = k, best
        elif second < 0 or cost[k] < cost[second]:
            second = k
    if stay < 0 or (best != stay and cost[best] < cost[stay] - TIE):
        return best
    second = second if best == stay else best
    judged.slack[i], judged.stay[i] = cost[second] - cost[stay], -cost[stay]
    judged.second[i] = second if second < n_choices - 1 else -1
    # A row alone has been compared with no new cluster, which it may want once it is not alone.
    judged.n_changes[i] = n_changes if stay < n_choices - 1 else -1
    return stay


@inner
def _draw(cost, n_choices, uniform):
    """Index drawn with probability proportional to exp(-cost)."""
    lowest = np.inf
    for k in range(n_choices):
        lowest = min(lowest, cost[k])
    total = 0.0
    for k in range(n_choices):
        cost[k] = math.exp(lowest - cost[k])
        total += cost[k]
    left = uniform * total
    for k in range(n_choices):
        left -= cost[k]
        if left < 0.0:
            return k
    return n_choices - 1


@spliced
def _move(table, clusters, labels, i, k):
    """Put row i into cluster k, by its index before the row has left its own."""
    state, count, own = clusters.state, clusters.count, labels[i]
    if own >= 0:
        last, dies = count[0] - 1, clusters.members[own] == 1
        leave(table, clusters, labels, i)
        if dies and k >= last:  # the last has taken the index of the one that went
            k = own if k == last else last
    if k == count[0]:
        for r in range(state.shape[0]):
            state[r, k + 1] = state[r, k]
        count[0] += 1
    add_row(table, state, k, i, 1.0, clusters.work)
    clusters.sizes[k] += row_weight(table, i)
    clusters.members[k] += 1
    mark_changed(clusters, k)
    refresh(table, state, k, count[0], clusters.work)
    labels[i] = k


@kernel(UniTuple(COUNT, 2), TABLE, CLUSTERS, PLACES, PLACES, COUNT, LINE, NUMBER, JUDGED, TILE)
def sweep(table, clusters, labels, order, start, uniforms, log_concentration, judged, tile):
    """Move rows to their cheapest, or a drawn, cluster; return (position, moves).

    ``labels`` (N,) are -1 for rows in none. Rows ``order[start:]`` are visited, drawn with a number
    in [0, 1) a position of ``order`` where ``uniforms`` has any. ``log_concentration``, ln N_0, of
    -inf neither opens nor empties a cluster. ``tile`` judges many rows at once; ``NO_TILE`` visits
    every row.

    The position is the end of ``order``, or of the first row without room for another cluster.
    """
    count, cost = clusters.count, clusters.cost
    moves, end = 0, start
    for position in range(start, order.shape[0]):
        n = count[0]
        if n + 2 > cost.shape[0]:
            return position, moves
        i = order[position]
        if position == end and tile.own.shape[0] > 0:
            rows = order[position:]
            at = table.steps[JUDGE]
            end += judged_by(at, table, clusters, labels, rows, log_concentration, judged, tile)
        is_same = judged.n_changes[i] == count[3] and not table.incomplete[i]
        if judged.slack[i] > 0.0 and (position < end or (is_same and uniforms.shape[0] == 0)):
            continue
        end = max(end, position + 1)
        own = labels[i]
        if own >= 0 and log_concentration == -np.inf and clusters.members[own] == 1:
            continue
        refilled = own
        if table.incomplete[i]:
            refilled = _fill_anew_by(table.steps[REFILL], table, clusters, labels, i)
        stay = _price(table, clusters, i, labels[i], log_concentration)
        if labels[i] < 0:
            stay = refilled
        if uniforms.shape[0] > 0:
            choice = _draw(cost, count[0] + 1, uniforms[position])
        else:
            choice = _cheapest(cost, count[0] + 1, stay, judged, count[3], i)
        if choice != stay:
            moves += 1
            judged.slack[i] = 0.0
        elif labels[i] >= 0:
            continue
        _move(table, clusters, labels, i, choice)
        if count[0] != n:  # the columns are others than those that were judged by
            end = position + 1
    return order.shape[0], moves


@kernel(NOTHING, TABLE, CLUSTERS, PLACES)
def settle(table, clusters, labels):
    """Set the filled cells of every row anew, given the other rows of its cluster."""
    state, work = clusters.state, clusters.work
    for i in range(labels.shape[0]):
        if table.incomplete[i]:
            k, n = labels[i], clusters.count[0]
            add_row(table, state, k, i, -1.0, work)
            refresh(table, state, k, n, work)
            fill_row(table, state, k, i, n, work)
            add_row(table, state, k, i, 1.0, work)
            refresh(table, state, k, n, work)
            mark_changed(clusters, k)
