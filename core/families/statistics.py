"""Sufficient statistics of several families; moments are n, mean, squared deviations."""

from __future__ import annotations

import numpy as np

from ..jit import inlined, inner

N_MOMENTS = 3
#: Weight below which a cluster counts as empty, as rounding may leave some.
NOTHING = 1e-7
#: Rows whose scores are added up together, each on a line of scratch space.
ROWS_AT_ONCE = 8


@inlined
def holds(n, weight):
    """Whether a row of this weight can be among values of weight n."""
    return n > (1.0 - NOTHING) * weight


@inlined
def share(n_other, n):
    """Share of n that ``n_other`` is; 0 of nothing."""
    return n_other / (n if n > 0.0 else 1.0)


@inner
def add_to_moments(state, row, size, k, x, first, weight, prior, p, work):
    """Add ``weight`` times a value to the moments of cluster k; a negative weight takes it out."""
    value, n = x[first], state[row, k] + weight
    if n < NOTHING * abs(weight):
        state[row, k] = 0.0
        state[row + 1, k] = 0.0
        state[row + 2, k] = 0.0
        return
    before = value - state[row + 1, k]
    state[row, k] = n
    state[row + 1, k] += weight * before / n
    spread = state[row + 2, k] + weight * before * (value - state[row + 1, k])
    state[row + 2, k] = max(spread, 0.0)


@inlined
def joint_moments(state, row, k, other):
    """Moments of two clusters together (Chan, Golub and LeVeque 1983)."""
    n_k, n_other = state[row, k], state[row, other]
    n = n_k + n_other
    part = share(n_other, n)
    shift = state[row + 1, other] - state[row + 1, k]
    spread = state[row + 2, k] + state[row + 2, other] + shift * shift * n_k * part
    return n, state[row + 1, k] + shift * part, spread


@inner
def merge_moments(state, row, size, k, other):
    """Add the moments of one cluster to those of cluster k."""
    n, mean, spread = joint_moments(state, row, k, other)
    state[row, k] = n
    state[row + 1, k] = mean
    state[row + 2, k] = spread


@inner
def merge_two_sums(state, row, size, k, other):
    """Add two sums of one cluster to those of cluster k."""
    state[row, k] += state[row, other]
    state[row + 1, k] += state[row + 1, other]


@inner
def leave_missing(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Fill nothing, for families whose missing cells are left out."""


@inner
def look_up_many(
    state, units, u, end, n_fixed, n_each, n_states, n, own, cells, lines, within, spare
):
    """Add the tabulated scores of the codes of n rows in columns u to end; missing codes add 0.

    A column of V codes has its tables ``n_fixed + n_each V`` rows after its first: a row for every
    code, then one for a code of the cluster given its others.
    """
    nothing = spare[ROWS_AT_ONCE]
    for k in range(n_states):
        nothing[k] = 0.0
    for start in range(0, n, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, n)
        for b in range(start, stop):
            totals = spare[b - start]
            for k in range(n_states):
                totals[k] = 0.0
            for v in range(u, end, 4):
                tables = state, units, v, end, n_fixed, n_each, cells, u, b, nothing
                _add_four(
                    totals,
                    _table(tables, 0, own, within),
                    _table(tables, 1, own, within),
                    _table(tables, 2, own, within),
                    _table(tables, 3, own, within),
                    n_states,
                )
        for k in range(n_states):
            line = lines[k]
            for b in range(start, stop):
                line[b] += spare[b - start, k]


@inlined
def _table(tables, more, own, within):
    """Place of the scores of a row's code in one column, for every cluster."""
    state, units, v, end, n_fixed, n_each, cells, u, b, nothing = tables
    v += more
    if v >= end:
        return nothing
    x = cells[v - u, b]
    if x != x:
        return nothing
    at = units[v, 3] + n_fixed + n_each * units[v, 2] + np.int64(x)
    within[b] += state[at + units[v, 2], own[b]]
    return state[at]


@inner
def _add_four(totals, first, second, third, fourth, n_states):
    for k in range(n_states):
        totals[k] += (first[k] + second[k]) + (third[k] + fourth[k])


@inner
def points_of(x, n, is_whole, points, codes):
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
def add_of_points(scores, m, n, codes, line):
    """Add the scores of m points to a line of n rows; a row without a point gets none."""
    scores[m] = 0.0
    for b in range(n):
        line[b] += scores[codes[b]]
