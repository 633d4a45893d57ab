"""Sufficient statistics that several families share, and their tables, as rows of the state matrix.

Moments are (n, mean, sum of squared deviations), which keep their digits far from zero.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, inner

#: Rows that moments take.
N_MOMENTS = 3
#: What rounding may leave of a row's weight after the last row was taken out.
NOTHING = 1e-7
#: Rows whose scores are added up side by side, each on a line of scratch space.
ROWS_AT_ONCE = 8


@inlined
def holds(n, weight):
    """Whether a row of that weight can be among values of weight n."""
    return n > (1.0 - NOTHING) * weight


@inlined
def share(n_other, n):
    """Which part of n is another's; of nothing, no part."""
    return n_other / (n if n > 0.0 else 1.0)


@inner
def add_to_moments(state, row, size, k, x, first, weight, prior, p, work):
    """Put a value into the moments of cluster k, so many times; take it out where below 0."""
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
    """Moments of the values of two clusters together (Chan, Golub and LeVeque 1983)."""
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
    """Add two plain sums of one cluster to those of cluster k."""
    state[row, k] += state[row, other]
    state[row + 1, k] += state[row + 1, other]


@inner
def leave_missing(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Fill nothing: missing cells of the family are always left out."""


@inner
def look_up_many(
    state, units, u, end, n_fixed, n_each, n_states, n, own, cells, lines, within, spare
):
    """Add what is tabulated of the codes of n rows in columns u to end to the scores of all.

    The tables of a column of V codes begin ``n_fixed + n_each V`` rows after its first: one row of
    the state for every code, then as many for a code of the cluster given its others. A missing
    code adds nothing. Clusters lie side by side there, so the totals of a few rows are worked out
    side by side, and only then turned round.
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
    """Where the scores of a row's code in one column are, of every cluster."""
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
    """Where a score is to be worked out for n values x; which of the points each is.

    The points of whole numbers are 0, 1, ... up to the largest where these are fewer than the rows,
    else the values themselves. Returns how many they are, which also is the code of a missing one.
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
    """Add the scores of m points to a line of n rows, those without a point left alone."""
    scores[m] = 0.0
    for b in range(n):
        line[b] += scores[codes[b]]
