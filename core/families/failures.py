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
def cache(state, at, k, alpha, beta, rise, has_values):
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
def score_each(state, at, n_states, value, base, out):
    """Add the score of so many failures under every cluster; ``base`` depends on none."""
    for k in range(n_states):
        out[k] += (
            base
            + state[at + _CONSTANT, k]
            + fast_lgamma(state[at + _FAILURES, k] + value)
            - fast_lgamma(state[at + _TOTAL, k] + value)
        )


@inlined
def without(state, at, k, value, least, base):
    """The score of so many failures in their own cluster, which had ``least`` before any."""
    beta = max(state[at + _FAILURES, k] - value, least)
    left = state[at + _LEFT, k] + beta
    return base + state[at + _WITHOUT, k] + fast_lgamma(left) - fast_lgamma(beta)


@inner
def score_column(
    state, at, weight, least, m, n_states, n, own, points, bases, scores, codes, lines, within
):
    """Add the scores of n values that are m points, see ``statistics.points_of``."""
    for k in range(n_states):
        constant, failures = state[at + _CONSTANT, k], state[at + _FAILURES, k]
        total = state[at + _TOTAL, k]
        for i in range(m):
            value = weight * points[i]
            scores[i] = (
                bases[i] + constant + fast_lgamma(failures + value) - fast_lgamma(total + value)
            )
        add_of_points(scores, m, n, codes, lines[k])
    for b in range(n):
        k, i = own[b], codes[b]
        score = without(state, at, k, weight * points[i], least, bases[i])
        within[b] += score if i < m else 0.0
