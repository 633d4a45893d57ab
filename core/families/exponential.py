"""Non-negative real values such as waiting times.

Model: x ~ Exponential(rate lambda). Prior: lambda ~ Gamma(alpha, beta), beta a rate.
Predictive: Lomax. R16 equations (20) to (22), with the two updates of (21) exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import inner, spliced
from ..special import fast_lgamma, fast_log, log_rise
from .counted import CountedPrior
from .family import MEASUREMENT, Family, Kernels, Support, always
from .prior import CellCounts, Moments, Predictive, Spread
from .statistics import holds, merge_two_sums

N_ROWS = 6
N_SUMS = 2
_N, _SUM, _RATE, _POWER, _CONSTANT, _RISE = range(N_ROWS)


@dataclass(frozen=True)
class ExponentialPrior(CountedPrior):
    """Gamma prior of the rate.

    Parameters
    ----------
    shape, rate : float
        alpha and beta; ``rate`` in the column's units.
    """

    shape: float
    rate: float

    positive = ("shape", "rate")
    pseudo = ("shape", "rate")
    is_rate = True

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 1.0) -> ExponentialPrior:
        """One pseudo-observation at the column's mean; the prior scale does not enter."""
        mean = float(spread.mean[0])
        return cls(1.0, mean if mean > 0 else 1.0)

    def summary(self) -> dict[str, float]:
        """Mean waiting time at the mean rate."""
        return {"mean": self.rate / self.shape}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the column at the point estimate."""
        return Moments.of_column(summary["mean"], summary["mean"] ** 2)

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        """One event in an exposure of x."""
        return CellCounts.of_pairs(present, x)

    @staticmethod
    def from_coefficients(coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Mean waiting time by component."""
        return {"mean": -1.0 / coefficients[:, 1]}

    def predictive(self) -> Predictive:
        """Lomax: its mode is 0, and it has a mean above shape 1 and a variance above shape 2."""
        mean = self.rate / (self.shape - 1.0) if self.shape > 1.0 else self.rate / self.shape
        widen = self.shape / (self.shape - 2.0) if self.shape > 2.0 else 1.0
        return Predictive(0.0, mean, widen * mean**2)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Values from the predictive, shape (size,)."""
        return random.exponential(1.0 / random.gamma(self.shape, 1.0 / self.rate, size))


@inner
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Put a value into the sums of cluster k, so many times; take it out where below 0."""
    state[row + _N, k] += weight
    state[row + _SUM, k] = max(state[row + _SUM, k] + weight * x[first], 0.0)


@inner
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its sums."""
    shape = prior[p] + state[row + _N, k]
    rate = prior[p + 1] + state[row + _SUM, k]
    state[row + _RATE, k] = rate
    state[row + _POWER, k] = shape + weight
    state[row + _CONSTANT, k] = log_rise(shape, weight) + shape * math.log(rate)
    state[row + _RISE, k] = 0.0
    if holds(state[row + _N, k], weight):
        state[row + _RISE, k] = log_rise(shape + weight - 2.0 * weight, weight)


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive density of x under every cluster."""
    value = weight * x[first]
    for k in range(n_states):
        out[k] += state[row + _CONSTANT, k] - state[row + _POWER, k] * fast_log(
            value + state[row + _RATE, k]
        )


@spliced
def score_without(state, row, size, k, empty, x, first, weight, prior, p, work):
    """Log predictive density of x, one of cluster k's values, given the others."""
    with_x = state[row + _RATE, k]
    rate = max(with_x - weight * x[first], prior[p + 1])
    shape = state[row + _POWER, k] - 2.0 * weight
    power = shape + weight
    return state[row + _RISE, k] + shape * math.log(rate) - power * math.log(with_x)


def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive density of the values of many rows under every cluster."""
    for v in range(u, end):
        x, row, p = cells[v - u], units[v, 3], units[v, 4]
        for k in range(n_states):
            line, constant = lines[k], state[row + _CONSTANT, k]
            rate, power = state[row + _RATE, k], state[row + _POWER, k]
            for b in range(n):
                value = weight * x[b] if x[b] == x[b] else 0.0
                score = constant - power * fast_log(value + rate)
                line[b] += score if x[b] == x[b] else 0.0
        for b in range(n):
            k, with_x = own[b], state[row + _RATE, own[b]]
            value = weight * x[b] if x[b] == x[b] else 0.0
            rate, power = max(with_x - value, prior[p + 1]), state[row + _POWER, k] - weight
            score = (power - weight) * fast_log(rate) - power * fast_log(with_x)
            within[b] += state[row + _RISE, k] + score if x[b] == x[b] else 0.0


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set a missing cell to 0, whose score is the highest in every cluster."""
    x[first] = 0.0


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    constant = prior[p] * math.log(prior[p + 1]) - fast_lgamma(prior[p])
    shape_k = prior[p] + state[row + _N, k]
    rate_k = prior[p + 1] + state[row + _SUM, k]
    for other in range(n_states):
        shape = shape_k + state[row + _N, other]
        rate = rate_k + state[row + _SUM, other]
        out[other] += constant + fast_lgamma(shape) - shape * fast_log(rate)


KERNELS = Kernels(
    always(N_ROWS),
    always(N_SUMS),
    add,
    merge_two_sums,
    refresh,
    score,
    score_without,
    log_marginal,
    score_many,
    fill,
)

FAMILY = Family(
    name="exponential",
    label="waiting time (exponential)",
    help="Non-negative times or amounts, many small and few large.",
    kind=MEASUREMENT,
    Prior=ExponentialPrior,
    kernels=KERNELS,
    support=Support("a waiting time", starts_at_zero=True),
    mixture="linear",
)
