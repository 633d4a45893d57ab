"""Failures before successes under a beta prior, as ``geometric`` and ``negative_binomial`` count.

Of x failures before r successes of a chance q ~ Beta(alpha, beta), what depends on the cluster is
ln B(alpha + r, beta + x) - ln B(alpha, beta). The cached coefficients of a cluster take five rows
of its state, from ``at`` on: of the score of a value that joins, then of that of one of its own.
"""

from __future__ import annotations

import math

from ..jit import inlined, inner
from ..special import fast_lgamma, log_rise
from .statistics import add_of_points

N_CACHED = 5
_FAILURES, _TOTAL, _CONSTANT, _LEFT, _WITHOUT = range(N_CACHED)


@inner
def cache_failures(state, at, k, alpha, beta, rise, has_values):
    """Write the coefficients for values of ``rise`` successes each; beta counts the failures."""
    both = math.lgamma(alpha + beta) - math.lgamma(beta)
    state[at + _FAILURES, k] = beta
    state[at + _TOTAL, k] = alpha + beta + rise
    state[at + _CONSTANT, k] = log_rise(alpha, rise) + both
    state[at + _LEFT, k] = alpha
    state[at + _WITHOUT, k] = 0.0
    if has_values:
        state[at + _LEFT, k] = alpha - rise
        state[at + _WITHOUT, k] = log_rise(alpha - rise, rise) - both


@inlined
def score_failures(state, at, n_states, value, base, out):
    """Add the score of so many failures under every cluster; ``base`` depends on none."""
    for k in range(n_states):
        out[k] += (
            base
            + state[at + _CONSTANT, k]
            + fast_lgamma(state[at + _FAILURES, k] + value)
            - fast_lgamma(state[at + _TOTAL, k] + value)
        )


@inlined
def score_failures_without(state, at, k, value, least, base):
    """The score of so many failures in their own cluster, which had ``least`` before any."""
    beta = max(state[at + _FAILURES, k] - value, least)
    left = state[at + _LEFT, k] + beta
    return base + state[at + _WITHOUT, k] + fast_lgamma(left) - fast_lgamma(beta)


@inner
def score_failures_column(
    state, at, weight, least, m, n_states, n, own, spare, codes, lines, within
):
    """Add the scores of n values that are m points, see ``statistics.points_of``.

    The first lines of ``spare`` are the points, and the part of their scores that is of no cluster.
    """
    for k in range(n_states):
        _score_points(state, at, k, weight, m, spare)
        add_of_points(spare[2], m, n, codes, lines[k])
    _begin_own(state, at, weight, least, m, n, own, spare, codes, within)
    _finish_own(m, n, spare[2], spare[3], codes, within)


@inner
def _score_points(state, at, k, weight, m, spare):
    points, bases, scores = spare[0], spare[1], spare[2]
    constant, failures = state[at + _CONSTANT, k], state[at + _FAILURES, k]
    total = state[at + _TOTAL, k]
    for i in range(m):
        value = weight * points[i]
        score = fast_lgamma(failures + value) - fast_lgamma(total + value)
        scores[i] = bases[i] + constant + score


@inner
def _begin_own(state, at, weight, least, m, n, own, spare, codes, within):
    """Look up what is to be worked out of the rows in their own clusters; add what is not."""
    points, bases, failures, left = spare[0], spare[1], spare[2], spare[3]
    for b in range(n):
        k, i = own[b], codes[b]
        failures[b] = max(state[at + _FAILURES, k] - weight * points[i], least)
        left[b] = state[at + _LEFT, k] + failures[b]
        within[b] += bases[i] + state[at + _WITHOUT, k] if i < m else 0.0


@inner
def _finish_own(m, n, failures, left, codes, within):
    for b in range(n):
        score = fast_lgamma(left[b]) - fast_lgamma(failures[b])
        within[b] += score if codes[b] < m else 0.0
