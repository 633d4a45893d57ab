"""Counts 0, 1, 2, ... without an upper end.

Model: x ~ Poisson(lambda). Prior: lambda ~ Gamma(alpha, beta), beta a rate. Predictive: negative
binomial with r = alpha, p = beta/(beta + 1), which R16 (29) misprints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..jit import inner, spliced
from ..special import fast_lgamma, fast_log
from .counted import CountedPrior
from .family import COUNT, Family, Kernels, Support, always
from .prior import CellCounts, Moments, Predictive, Weight, weighed
from .statistics import add_of_points, holds, merge_three_sums, points_of

N_ROWS = 9
N_SUMS = 3
_N, _SUM, _BASE, _SHAPE, _CONSTANT, _PER_EVENT, _WITHOUT, _SHRINK, _LOG_RATE = range(N_ROWS)


@dataclass(frozen=True)
class PoissonPrior(CountedPrior):
    """Gamma prior of the rate.

    Parameters
    ----------
    shape, rate : float
        alpha (pseudo-events) and beta (pseudo-rows).
    """

    shape: float
    rate: float

    positive = ("shape", "rate")
    pseudo = ("shape", "rate")
    is_rate = True

    @classmethod
    def default(cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0) -> PoissonPrior:
        """One pseudo-event at the column's mean rate; the prior scale does not enter."""
        x, w = weighed(values, weight)
        mean = float((w * x).sum() / w.sum()) if x.size else 1.0
        return cls(1.0, 1.0 / mean if mean > 0 else 1.0)

    def summary(self) -> dict[str, float]:
        """Events for each row."""
        return {"mean": self.shape / self.rate}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the column at the point estimate."""
        return Moments.of_column(summary["mean"], summary["mean"])

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        """Count x events in one row."""
        return CellCounts.of_pairs(x, present, -gammaln(x + 1.0))

    @staticmethod
    def from_coefficients(coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Events for each row, by component."""
        return {"mean": -coefficients[:, 1]}

    def predictive(self) -> Predictive:
        """Negative binomial; of two modes the larger."""
        mean = self.shape / self.rate
        mode = math.floor(max(self.shape - 1.0, 0.0) / self.rate)
        return Predictive(float(mode), mean, mean * (self.rate + 1.0) / self.rate)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Counts from the predictive, shape (size,)."""
        return random.poisson(random.gamma(self.shape, 1.0 / self.rate, size)).astype(np.float64)


@inner
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Put a count into the sums of cluster k, so many times; take it out where below 0."""
    state[row + _N, k] += weight
    state[row + _SUM, k] += weight * x[first]
    state[row + _BASE, k] -= weight * math.lgamma(x[first] + 1.0)


@inner
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its sums."""
    shape = prior[p] + state[row + _SUM, k]
    rate = prior[p + 1] + state[row + _N, k]
    state[row + _SHAPE, k] = shape
    state[row + _CONSTANT, k] = shape * math.log(rate / (rate + weight)) - math.lgamma(shape)
    state[row + _PER_EVENT, k] = math.log(rate + weight)
    state[row + _WITHOUT, k] = math.lgamma(shape)
    state[row + _SHRINK, k] = 0.0
    if holds(state[row + _N, k], weight):
        state[row + _SHRINK, k] = math.log((rate - weight) / rate)
    state[row + _LOG_RATE, k] = math.log(rate)


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive probability of x under every cluster."""
    base = weight * fast_lgamma(x[first] + 1.0)
    value = weight * x[first]
    for k in range(n_states):
        out[k] += (
            fast_lgamma(state[row + _SHAPE, k] + value)
            + state[row + _CONSTANT, k]
            - value * state[row + _PER_EVENT, k]
            - base
        )


@spliced
def score_without(state, row, size, k, empty, x, first, weight, prior, p, work):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    value = weight * x[first]
    shape = max(state[row + _SHAPE, k] - value, prior[p])
    return (
        state[row + _WITHOUT, k]
        - fast_lgamma(shape)
        - weight * fast_lgamma(x[first] + 1.0)
        + shape * state[row + _SHRINK, k]
        - value * state[row + _LOG_RATE, k]
    )


def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive probability of the counts of many rows under every cluster."""
    for v in range(u, end):
        m, row, p = points_of(cells[v - u], n, spare[0], codes), units[v, 3], units[v, 4]
        score_column(state, row, weight, prior, p, m, n_states, n, own, spare, codes, lines, within)


@inner
def score_column(state, row, weight, prior, p, m, n_states, n, own, spare, codes, lines, within):
    """Add the scores of n counts that are m points, see ``statistics.points_of``."""
    points, bases = spare[0], spare[1]
    for i in range(m + 1):
        bases[i] = weight * fast_lgamma(points[i] + 1.0)
    for k in range(n_states):
        _score_points(state, row, k, weight, m, spare)
        add_of_points(spare[2], m, n, codes, lines[k])
    _begin_own(state, row, weight, prior[p], m, n, own, spare, codes, within)
    _finish_own(m, n, spare[2], codes, within)


@inner
def _score_points(state, row, k, weight, m, spare):
    points, bases, scores = spare[0], spare[1], spare[2]
    shape, constant = state[row + _SHAPE, k], state[row + _CONSTANT, k]
    per_event = state[row + _PER_EVENT, k]
    for i in range(m):
        value = weight * points[i]
        scores[i] = fast_lgamma(shape + value) + constant - value * per_event - bases[i]


@inner
def _begin_own(state, row, weight, least, m, n, own, spare, codes, within):
    """Look up what is to be worked out of the rows in their own clusters; add what is not."""
    points, bases, shapes = spare[0], spare[1], spare[2]
    for b in range(n):
        k, i = own[b], codes[b]
        value = weight * points[i]
        shapes[b] = max(state[row + _SHAPE, k] - value, least)
        score = state[row + _WITHOUT, k] + shapes[b] * state[row + _SHRINK, k]
        score -= value * state[row + _LOG_RATE, k] + bases[i]
        within[b] += score if i < m else 0.0


@inner
def _finish_own(m, n, shapes, codes, within):
    for b in range(n):
        score = fast_lgamma(shapes[b])
        within[b] -= score if codes[b] < m else 0.0


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    constant = prior[p] * math.log(prior[p + 1]) - fast_lgamma(prior[p])
    for other in range(n_states):
        shape = prior[p] + state[row + _SUM, k] + state[row + _SUM, other]
        rate = prior[p + 1] + state[row + _N, k] + state[row + _N, other]
        out[other] += constant + fast_lgamma(shape) - shape * fast_log(rate)
        out[other] += state[row + _BASE, k] + state[row + _BASE, other]


KERNELS = Kernels(
    always(N_ROWS),
    always(N_SUMS),
    add,
    merge_three_sums,
    refresh,
    score,
    score_without,
    log_marginal,
    score_many,
)

FAMILY = Family(
    name="poisson",
    label="count (Poisson)",
    help="Events counted from 0 without an upper end, spread about as wide as the mean.",
    kind=COUNT,
    Prior=PoissonPrior,
    kernels=KERNELS,
    support=Support("a count", starts_at_zero=True, is_whole=True),
    mixture="linear",
)
