"""Non-negative real values such as waiting times.

Model: x ~ Exponential(rate lambda). Prior: lambda ~ Gamma(alpha, beta), beta a rate.
Predictive: Lomax. R16 equations (20) to (22), with the two updates of (21) exchanged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..jit import inlined, inner
from ..special import fast_lgamma, fast_log
from .prior import Predictive, Prior, observed

ROWS = 5
N_SUMS = 2
_N, _SUM, _RATE, _POWER, _CONSTANT = range(ROWS)


@dataclass(frozen=True)
class ExponentialPrior(Prior):
    """Gamma prior of the rate.

    Parameters
    ----------
    shape, rate : float
        alpha and beta; ``rate`` in the column's units.
    """

    shape: float
    rate: float

    positive = ("shape", "rate")

    @classmethod
    def default(cls, values: np.ndarray, scale: float = 1.0) -> ExponentialPrior:
        """One pseudo-observation at the column's mean; the prior scale does not enter."""
        x = observed(values)
        mean = float(x.mean()) if x.size else 1.0
        return cls(1.0, mean if mean > 0 else 1.0)

    def posterior(self, values: np.ndarray) -> ExponentialPrior:
        """Prior updated with the observed values."""
        x = observed(values)
        return ExponentialPrior(self.shape + x.size, float(self.rate + x.sum()))

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(alpha, beta); the data are not rescaled."""
        return np.array([self.shape, self.rate])

    def summary(self) -> dict[str, float]:
        """Mean waiting time at the mean rate."""
        return {"mean": self.rate / self.shape}

    def predictive(self) -> Predictive:
        """Lomax: its mode is 0, and it has a mean above shape 1 and a variance above shape 2."""
        mean = self.rate / (self.shape - 1.0) if self.shape > 1.0 else self.rate / self.shape
        widen = self.shape / (self.shape - 2.0) if self.shape > 2.0 else 1.0
        return Predictive(0.0, mean, widen * mean**2)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Values from the predictive, shape (size,)."""
        return random.exponential(1.0 / random.gamma(self.shape, 1.0 / self.rate, size))


@inner
def add(state, row, k, x, sign):
    """Put a value into (sign=1) or take it out of (sign=-1) the sums of cluster k."""
    state[row + _N, k] += sign
    state[row + _SUM, k] = max(state[row + _SUM, k] + sign * x, 0.0)


@inner
def refresh(state, row, k, prior, p):
    """Posterior and predictive coefficients of cluster k from its sums."""
    shape = prior[p] + state[row + _N, k]
    rate = prior[p + 1] + state[row + _SUM, k]
    state[row + _RATE, k] = rate
    state[row + _POWER, k] = shape + 1.0
    state[row + _CONSTANT, k] = math.log(shape) + shape * math.log(rate)


@inlined
def score(state, row, n_states, x, out):
    """Add the log predictive density of x under every cluster."""
    for k in range(n_states):
        out[k] += state[row + _CONSTANT, k] - state[row + _POWER, k] * fast_log(
            x + state[row + _RATE, k]
        )


@inlined
def score_without(state, row, k, x, prior, p):
    """Log predictive density of x, one of cluster k's values, given the others."""
    with_x = state[row + _RATE, k]
    rate = max(with_x - x, prior[p + 1])
    shape = state[row + _POWER, k] - 2.0
    return math.log(shape) + shape * math.log(rate) - (shape + 1.0) * math.log(with_x)


@inner
def log_marginal(state, row, k, n_states, prior, p, out):
    """Add ln p of the values of clusters k and l together, for every l."""
    constant = prior[p] * math.log(prior[p + 1]) - fast_lgamma(prior[p])
    shape_k = prior[p] + state[row + _N, k]
    rate_k = prior[p + 1] + state[row + _SUM, k]
    for other in range(n_states):
        shape = shape_k + state[row + _N, other]
        rate = rate_k + state[row + _SUM, other]
        out[other] += constant + fast_lgamma(shape) - shape * fast_log(rate)
