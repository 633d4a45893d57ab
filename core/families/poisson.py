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
from .statistics import merge_three_sums

N_ROWS = 6
N_SUMS = 3
_N, _SUM, _BASE, _SHAPE, _CONSTANT, _PER_EVENT = range(N_ROWS)


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
    with_x = state[row + _SHAPE, k]
    value = weight * x[first]
    shape = max(with_x - value, prior[p])
    rate = prior[p + 1] + state[row + _N, k]
    return (
        math.lgamma(with_x)
        - math.lgamma(shape)
        - weight * math.lgamma(x[first] + 1.0)
        + shape * math.log((rate - weight) / rate)
        - value * math.log(rate)
    )


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set a missing cell to the count of the highest score in cluster k, the larger of two."""
    shape, rate = state[row + _SHAPE, k], prior[p + 1] + state[row + _N, k]
    count = float(math.floor(max(shape - 1.0, 0.0) / rate))
    if weight != 1.0:  # the mode of the predictive is where the search begins
        while _rises(shape, rate, count, weight):
            count += 1.0
        while count > 0.0 and not _rises(shape, rate, count - 1.0, weight):
            count -= 1.0
    x[first] = count


@inner
def _rises(shape, rate, count, weight):
    """Whether the score of a count does not fall when one is added to it."""
    after = math.lgamma(shape + weight * (count + 1.0)) - math.lgamma(shape + weight * count)
    return after >= weight * (math.log(rate + weight) + math.log(count + 1.0))


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
    fill,
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
