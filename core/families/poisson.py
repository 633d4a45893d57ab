"""Counts 0, 1, 2, ... without an upper end.

Model: x ~ Poisson(lambda). Prior: lambda ~ Gamma(alpha, beta), beta a rate. Predictive: negative
binomial with r = alpha, p = beta/(beta + 1), which R16 (29) misprints.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..jit import inlined, inner
from ..special import fast_lgamma, fast_log
from .prior import Predictive, Prior, observed

ROWS = 6
N_SUMS = 3
_N, _SUM, _BASE, _SHAPE, _CONSTANT, _PER_EVENT = range(ROWS)


@dataclass(frozen=True)
class PoissonPrior(Prior):
    """Gamma prior of the rate.

    Parameters
    ----------
    shape, rate : float
        alpha (pseudo-events) and beta (pseudo-rows).
    """

    shape: float
    rate: float

    positive = ("shape", "rate")

    @classmethod
    def default(cls, values: np.ndarray, scale: float = 1.0) -> PoissonPrior:
        """One pseudo-event at the column's mean rate; the prior scale does not enter."""
        x = observed(values)
        mean = float(x.mean()) if x.size else 1.0
        return cls(1.0, 1.0 / mean if mean > 0 else 1.0)

    def posterior(self, values: np.ndarray) -> PoissonPrior:
        """Prior updated with the observed counts."""
        x = observed(values)
        return PoissonPrior(float(self.shape + x.sum()), self.rate + x.size)

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(alpha, beta)."""
        return np.array([self.shape, self.rate])

    def summary(self) -> dict[str, float]:
        """Events for each row."""
        return {"mean": self.shape / self.rate}

    def predictive(self) -> Predictive:
        """Negative binomial; of two modes the larger."""
        mean = self.shape / self.rate
        mode = math.floor(max(self.shape - 1.0, 0.0) / self.rate)
        return Predictive(float(mode), mean, mean * (self.rate + 1.0) / self.rate)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Counts from the predictive, shape (size,)."""
        return random.poisson(random.gamma(self.shape, 1.0 / self.rate, size)).astype(np.float64)


@inner
def add(state, row, k, x, sign):
    """Put a count into (sign=1) or take it out of (sign=-1) the sums of cluster k."""
    state[row + _N, k] += sign
    state[row + _SUM, k] += sign * x
    state[row + _BASE, k] -= sign * math.lgamma(x + 1.0)


@inner
def refresh(state, row, k, prior, p):
    """Posterior and predictive coefficients of cluster k from its sums."""
    shape = prior[p] + state[row + _SUM, k]
    rate = prior[p + 1] + state[row + _N, k]
    state[row + _SHAPE, k] = shape
    state[row + _CONSTANT, k] = shape * math.log(rate / (rate + 1.0)) - math.lgamma(shape)
    state[row + _PER_EVENT, k] = math.log(rate + 1.0)


@inlined
def score(state, row, n_states, x, out):
    """Add the log predictive probability of x under every cluster."""
    base = fast_lgamma(x + 1.0)
    for k in range(n_states):
        out[k] += (
            fast_lgamma(state[row + _SHAPE, k] + x)
            + state[row + _CONSTANT, k]
            - x * state[row + _PER_EVENT, k]
            - base
        )


@inlined
def score_without(state, row, k, x, prior, p):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    with_x = state[row + _SHAPE, k]
    shape = max(with_x - x, prior[p])
    rate = prior[p + 1] + state[row + _N, k]
    return (
        math.lgamma(with_x)
        - math.lgamma(shape)
        - math.lgamma(x + 1.0)
        + shape * math.log((rate - 1.0) / rate)
        - x * math.log(rate)
    )


@inner
def mode(state, row, k, prior, p):
    """Mode of the predictive of cluster k, the larger one where two tie."""
    rate = prior[p + 1] + state[row + _N, k]
    return float(math.floor(max(state[row + _SHAPE, k] - 1.0, 0.0) / rate))


@inner
def log_marginal(state, row, k, n_states, prior, p, out):
    """Add ln p of the values of clusters k and l together, for every l."""
    constant = prior[p] * math.log(prior[p + 1]) - fast_lgamma(prior[p])
    for other in range(n_states):
        shape = prior[p] + state[row + _SUM, k] + state[row + _SUM, other]
        rate = prior[p + 1] + state[row + _N, k] + state[row + _N, other]
        out[other] += constant + fast_lgamma(shape) - shape * fast_log(rate)
        out[other] += state[row + _BASE, k] + state[row + _BASE, other]
