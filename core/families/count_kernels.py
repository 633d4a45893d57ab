"""Kernels of counts, waiting times and categories, whose scores are tables or two log-gammas."""

import math

import numpy as np

from ..jit import inlined, inner, spliced
from ..special import fast_lgamma, fast_log, log_rise
from .family import Kernels
from .normal_kernels import holds, put

#: Choices of 0..top (tabulated), of 0, 1, ...; rates of 0, 1, ..., of reals from 0 on.
SHARES, FAILURES, EVENTS, TIMES = range(4)

#: Rows whose tabulated scores are added up together.
ROWS_AT_ONCE = 8
#: Cached without tables: of a cell that joins, then of one of the cluster's own that leaves.
N_CACHED = 3
_FIRST, _SECOND, _CONSTANT = range(N_CACHED)


def statistics(size: int) -> range:
    """State rows of n and the sum of x, after two tables of ``size`` scores, or coefficients."""
    return range(2 * (size or N_CACHED), 2 * (size or N_CACHED) + 2)


@inlined
def _sums(row, size):
    return row + 2 * (size if size > 0 else N_CACHED)


@spliced
def add(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    at = _sums(row, size)
    state[at, k] += weight
    state[at + 1, k] = max(state[at + 1, k] + weight * x[first], 0.0)


@spliced
def merge(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    at = _sums(row, size)
    state[at, k] += state[at, other]
    state[at + 1, k] += state[at + 1, other]


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, x, first, marks, out, work):
    at = _sums(row, size)
    n, total = state[at, k], state[at + 1, k]
    events = prior[p] + prior[p + 3] * n + prior[p + 5] * total
    others = prior[p + 1] + prior[p + 4] * n + prior[p + 6] * total
    if size > 0:
        _tabulate(state, row, size, k, events, others, weight)
    else:
        _cache(state, row, k, 1.0, weight, events, others, prior, p)
        for i in range(row + N_CACHED, at):
            state[i, k] = 1.0
        if holds(n, weight):
            _cache(state, row + N_CACHED, k, -1.0, weight, events, others, prior, p)


@inner
def _cache(state, at, k, side, weight, first, second, prior, p):
    """Write the coefficients of ``_score`` of a cell that joins (side 1) or leaves (side -1)."""
    form, more = np.int64(prior[p + 2]), weight * prior[p + 3]
    of_first = first + side * more
    of_second = second + side * weight * prior[p + 4]
    if form == EVENTS:
        constant = side * (first * math.log(second / of_second) - math.lgamma(first))
        of_second = math.log(of_second)
        constant -= more * of_second
    else:
        constant = log_rise(min(first, of_first), 1, more)
        if form == TIMES:
            constant += side * first * math.log(second)
        else:
            constant += side * (math.lgamma(first + second) - math.lgamma(second))
    state[at + _FIRST, k] = of_first
    state[at + _SECOND, k] = of_second
    state[at + _CONSTANT, k] = constant


@inlined
def _score(form, first, second, least, side, value):
    """Change of ln p as a cell joins or leaves, without the constant.

    ``least`` is the prior's count, as rounding may leave less where a cluster's last cell is left
    out.
    """
    if form == TIMES:
        return -side * first * fast_log(max(second + side * value, least))
    if form == EVENTS:
        return side * fast_lgamma(max(first + side * value, least)) - value * second
    failures = max(second + side * value, least)
    return side * (fast_lgamma(failures) - fast_lgamma(first + failures))


@inlined
def _least(form, prior, p):
    return prior[p] if form == EVENTS else prior[p + 1]


@inner
def _tabulate(state, table, size, k, first, second, weight):
    """Tabulate the scores of 0..top as each joins and as each leaves; 0 where none can leave."""
    top, total = size - 1, first + second
    joins = log_rise(total, top, weight)
    leaves = log_rise(total - weight * top, top, weight) if total > weight * top else 0.0
    rise = fall = 0.0
    has_fall = False
    for x in range(size):
        yes, no = weight * x, weight * (top - x)
        if weight != 1.0 or x == 0:
            rise = log_rise(first, x, weight) + log_rise(second, top - x, weight)
        else:
            rise += math.log((first + yes - 1.0) / (second + no))
        state[table + x, k] = rise - joins
        if first <= yes or second <= no:
            state[table + size + x, k] = 0.0
            continue
        if weight != 1.0 or not has_fall:
            fall = log_rise(first - yes, x, weight) + log_rise(second - no, top - x, weight)
        else:
            fall += math.log((first - yes) / (second - no - 1.0))
        has_fall = True
        state[table + size + x, k] = fall - leaves


@spliced
def score(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    if size > 0:
        at = row + np.int64(x[first])
        for j in range(n_states):
            out[j] += state[at, j]
    else:
        form, value = np.int64(prior[p + 2]), weight * x[first]
        least = _least(form, prior, p)
        for j in range(n_states):
            out[j] += state[row + _CONSTANT, j] + _score(
                form, state[row + _FIRST, j], state[row + _SECOND, j], least, 1.0, value
            )


@spliced
def score_without(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    if size > 0:
        return state[row + size + np.int64(x[first]), k]
    at, form = row + N_CACHED, np.int64(prior[p + 2])
    of_first, of_second = state[at + _FIRST, k], state[at + _SECOND, k]
    value, least = weight * x[first], _least(form, prior, p)
    return state[at + _CONSTANT, k] + _score(form, of_first, of_second, least, -1.0, value)


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    v = u
    while v < end:
        first, row, p = v, units[v, 3], units[v, 4]
        while v < end and units[v, 2] > 0:
            v += 1
        if v > first:
            some = cells[first - u :]
            _look_up(state, units, first, v, n_states, n, own, some, lines, within, spare)
            continue
        v += 1
        form = np.int64(prior[p + 2])
        least = _least(form, prior, p)
        m = _points_of(cells[first - u], n, form != TIMES, spare[0], codes)
        for i in range(m):
            spare[0, i] *= weight
        for k in range(n_states):
            _add_points(state, row, k, form, least, m, n, codes, spare, lines[k])
        _add_own(state, row + N_CACHED, form, least, m, n, own, spare, codes, within)


@inner
def _points_of(x, n, is_whole, points, codes):
    """Distinct points at which n values x are scored; return their number.

    They are 0, 1, ... up to the largest where these are fewer, else the values. ``codes`` receives
    each value's point, of a missing one the number of points.
    """
    top = 0.0
    for b in range(n):
        top = max(top, x[b] if x[b] == x[b] else 0.0)
    is_short = is_whole and top + 1.0 < n
    m = np.int64(top) + 1 if is_short else n
    for i in range(m):
        points[i] = float(i) if is_short else (x[i] if x[i] == x[i] else 0.0)
    for b in range(n):
        codes[b] = m if x[b] != x[b] else (np.int64(x[b]) if is_short else b)
    points[m] = 0.0
    return m


@inner
def _add_points(state, at, k, form, least, m, n, codes, spare, line):
    """Add the scores of the points of n rows to a line; a missing cell adds 0."""
    points, scores = spare[0], spare[1]
    first, second, constant = state[at, k], state[at + _SECOND, k], state[at + _CONSTANT, k]
    for i in range(m):
        scores[i] = constant + _score(form, first, second, least, 1.0, points[i])
    scores[m] = 0.0
    for b in range(n):
        line[b] += scores[codes[b]]


@inner
def _add_own(state, at, form, least, m, n, own, spare, codes, within):
    points, values, first, second = spare[0], spare[1], spare[2], spare[3]
    for b in range(n):
        k, i = own[b], codes[b]
        values[b] = points[i]
        first[b] = state[at + _FIRST, k]
        second[b] = state[at + _SECOND, k]
        within[b] += state[at + _CONSTANT, k] if i < m else 0.0
    for b in range(n):
        score = _score(form, first[b], second[b], least, -1.0, values[b])
        within[b] += score if codes[b] < m else 0.0


@inner
def _look_up(state, units, u, end, n_states, n, own, cells, lines, within, spare):
    """Add the tabulated scores of the codes of n rows in columns u to end; missing codes add 0.

    Rows are added up eight together, each on a line of scratch space, and columns four together.
    """
    nothing = spare[ROWS_AT_ONCE]
    put(0.0, nothing, n_states)
    for start in range(0, n, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, n)
        for b in range(start, stop):
            totals = spare[b - start]
            put(0.0, totals, n_states)
            for v in range(u, end, 4):
                tables = state, units, v, end, cells, u, b, nothing
                first, second = _table(tables, 0, own, within), _table(tables, 1, own, within)
                third, fourth = _table(tables, 2, own, within), _table(tables, 3, own, within)
                for k in range(n_states):
                    totals[k] += (first[k] + second[k]) + (third[k] + fourth[k])
        for k in range(n_states):
            line = lines[k]
            for b in range(start, stop):
                line[b] += spare[b - start, k]


@inlined
def _table(tables, more, own, within):
    """Scores of a row's code in one column under every cluster."""
    state, units, v, end, cells, u, b, nothing = tables
    v += more
    if v >= end:
        return nothing
    x = cells[v - u, b]
    if x != x:
        return nothing
    at = units[v, 3] + np.int64(x)
    within[b] += state[at + units[v, 2], own[b]]
    return state[at]


@spliced
def log_marginal(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    at, is_rate = _sums(row, size), prior[p + 2] >= EVENTS
    constant = -_log_normaliser(is_rate, prior[p], prior[p + 1])
    for other in range(n_states):
        n = state[at, k] + state[at, other]
        total = state[at + 1, k] + state[at + 1, other]
        events = prior[p] + prior[p + 3] * n + prior[p + 5] * total
        others = prior[p + 1] + prior[p + 4] * n + prior[p + 6] * total
        out[other] += constant + _log_normaliser(is_rate, events, others)


@inlined
def _log_normaliser(is_rate, first, second):
    if is_rate:
        return fast_lgamma(first) - first * fast_log(second)
    return fast_lgamma(first) + fast_lgamma(second) - fast_lgamma(first + second)


@inner
def fill(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    """Set a missing amount of shape r to the mode given its cluster, 0 of a waiting time."""
    if marks[first]:
        power = prior[p + 3] - 1.0
        x[first] = power * state[row + _SECOND, k] / (state[row + _FIRST, k] - weight * power)


KERNELS = Kernels.of(globals())


def _counts_of_levels(size: int) -> range:
    """State rows of n and V counts, after two tables of V scores."""
    return range(2 * size, 3 * size + 1)


@spliced
def _add_level(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    state[row + 2 * size, k] += weight
    state[row + 2 * size + 1 + np.int64(x[first]), k] += weight


@spliced
def _merge_levels(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    for i in range(row + 2 * size, row + 3 * size + 1):
        state[i, k] += state[i, other]


@spliced
def _refresh_levels(state, row, size, k, empty, weight, prior, p, x, first, marks, out, work):
    """Tabulate ln[(alpha_v + n_v)/(A + n)] of every level, and of a value left out."""
    at = row + 2 * size
    n = total = state[at, k]
    for v in range(size):
        total += prior[p + v]
    log_total = log_rise(total, 1, weight)
    log_without = log_rise(total - weight, 1, weight) if holds(n, weight) else 0.0
    for v in range(size):
        count, without = state[at + 1 + v, k], 0.0
        if holds(count, weight):
            without = log_rise(prior[p + v] + count - weight, 1, weight) - log_without
        state[row + v, k] = log_rise(prior[p + v] + count, 1, weight) - log_total
        state[row + size + v, k] = without


@spliced
def _levels_marginal(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    at, total, constant = row + 2 * size, 0.0, 0.0
    for v in range(size):
        total += prior[p + v]
        constant -= fast_lgamma(prior[p + v])
    constant += fast_lgamma(total)
    for other in range(n_states):
        out[other] += constant - fast_lgamma(total + state[at, k] + state[at, other])
    for v in range(size):
        count = prior[p + v] + state[at + 1 + v, k]
        for other in range(n_states):
            out[other] += fast_lgamma(count + state[at + 1 + v, other])


#: Of categories, of which every level is counted.
CATEGORY_KERNELS = KERNELS._replace(
    statistics=_counts_of_levels,
    add=_add_level,
    merge=_merge_levels,
    refresh=_refresh_levels,
    log_marginal=_levels_marginal,
)
