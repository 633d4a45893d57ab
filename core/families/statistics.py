"""Sufficient statistics that several families share, kept as rows of the clusters' state matrix.

``state[row + i, k]`` is the i-th statistic of cluster k. Moments are (n, mean, sum of squared
deviations), which keep their digits far from zero where sums of squares lose them.
"""

from __future__ import annotations

from ..jit import inner

#: Rows that moments take.
N_MOMENTS = 3


@inner
def add_moments(state, row, k, x, sign):
    """Put a value into (sign=1) or take it out of (sign=-1) the moments of cluster k."""
    n = state[row, k] + sign
    if n < 0.5:
        state[row, k] = 0.0
        state[row + 1, k] = 0.0
        state[row + 2, k] = 0.0
        return
    before = x - state[row + 1, k]
    state[row, k] = n
    state[row + 1, k] += sign * before / n
    spread = state[row + 2, k] + sign * before * (x - state[row + 1, k])
    state[row + 2, k] = max(spread, 0.0)


@inner
def merge_moments(state, row, k, other):
    """Add the moments of one cluster to those of cluster k (Chan, Golub and LeVeque 1983)."""
    n_k = state[row, k]
    n_other = state[row, other]
    n = n_k + n_other
    if n < 0.5:
        return
    shift = state[row + 1, other] - state[row + 1, k]
    state[row, k] = n
    state[row + 1, k] += shift * n_other / n
    state[row + 2, k] += state[row + 2, other] + shift * shift * n_k * n_other / n


@inner
def merge_sums(state, row, k, other, count):
    """Add ``count`` rows of plain sums of one cluster to those of cluster k."""
    for i in range(count):
        state[row + i, k] += state[row + i, other]
