"""Real values with unknown mean and precision.

Model: x ~ N(mu, 1/tau). Prior: mu | tau ~ N(m_0, 1/(c_0 tau)), tau ~ Gamma(a_0, b_0), b_0 a rate.
Predictive: Student t with 2a degrees of freedom. R14 section 2.2; R16 Appendix A.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import inner, spliced
from ..special import fast_lgamma, fast_log
from .family import MEASUREMENT, Family, Kernels, Support, always
from .prior import Moments, Predictive, Prior, Weight, mean_and_variance, total_weight, weighed
from .statistics import N_MOMENTS, add_to_moments, holds, merge_moments, share

N_ROWS = 9
_N, _MEAN, _SPREAD, _LOCATION, _RATE, _GAIN, _POWER, _CONSTANT, _WITHOUT = range(N_ROWS)
_LN_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class NormalPrior(Prior):
    """Normal-gamma prior.

    Parameters
    ----------
    mean : float
        m_0, prior mean of the cluster means, in the column's units.
    mean_count : float
        c_0, how many observations that mean is worth.
    shape, rate : float
        a_0 and b_0 of the gamma prior of the precision; ``rate`` in squared units.
    """

    mean: float
    mean_count: float
    shape: float
    rate: float

    positive = ("mean_count", "shape", "rate")

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0, shape: float = 1.0
    ) -> NormalPrior:
        """R14's weak prior with its rate multiplied by ``scale``: b_0 = scale a_0 var."""
        mean, variance = mean_and_variance(values, weight)
        return cls(
            mean, 10.0 / max(total_weight(values, weight), 1.0), shape, scale * shape * variance
        )

    def posterior(self, values: np.ndarray, weight: Weight = 1.0) -> NormalPrior:
        """Prior updated with the observed values."""
        x, w = weighed(values, weight)
        if x.size == 0:
            return self
        n = float(w.sum())
        middle, count = (w * x).sum() / n, self.mean_count + n
        deviation = middle - self.mean
        rate = self.rate + 0.5 * (w * np.square(x - middle)).sum()
        rate += 0.5 * self.mean_count * n * deviation**2 / count
        mean = self.mean + n * deviation / count
        return NormalPrior(float(mean), count, self.shape + n / 2, float(rate))

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(m_0, c_0, a_0, b_0) for rescaled data."""
        return np.array(
            [(self.mean - center) / scale, self.mean_count, self.shape, self.rate / scale**2]
        )

    def summary(self) -> dict[str, float]:
        """Mean, and the standard deviation at the mean precision."""
        return {"mean": self.mean, "sd": math.sqrt(self.rate / self.shape)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the column at the point estimate."""
        return Moments.of_column(summary["mean"], summary["sd"] ** 2)

    def predictive(self) -> Predictive:
        """Student t with 2a degrees of freedom."""
        width = self.rate * (self.mean_count + 1.0) / self.mean_count
        freedom = self.shape - 1.0 if self.shape > 1.0 else self.shape
        return Predictive(self.mean, self.mean, width / freedom)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Values from the predictive, shape (size,)."""
        width = self.rate * (self.mean_count + 1.0) / (self.mean_count * self.shape)
        return self.mean + math.sqrt(width) * random.standard_t(2.0 * self.shape, size)


@inner
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its moments."""
    n = state[row + _N, k]
    c_0 = prior[p + 1]
    deviation = state[row + _MEAN, k] - prior[p]
    c = c_0 + n
    a = prior[p + 2] + 0.5 * n
    b = prior[p + 3] + 0.5 * (state[row + _SPREAD, k] + c_0 * n * deviation * deviation / c)
    gain = weight * c / (2.0 * b * (c + weight))
    lgamma_a = math.lgamma(a)
    state[row + _LOCATION, k] = prior[p] + n * deviation / c
    state[row + _RATE, k] = b
    state[row + _GAIN, k] = gain
    state[row + _POWER, k] = a + 0.5 * weight
    state[row + _CONSTANT, k] = (
        math.lgamma(a + 0.5 * weight)
        - lgamma_a
        + 0.5 * math.log(gain)
        - 0.5 * math.log(math.pi)
        + 0.5 * ((1.0 - weight) * (_LN_2PI + math.log(b)) - math.log(weight))
    )
    if holds(n, weight):
        state[row + _WITHOUT, k] = (
            lgamma_a
            - math.lgamma(a - 0.5 * weight)
            + 0.5 * math.log((c - weight) / c)
            - 0.5 * weight * _LN_2PI
            - a * math.log(b)
        )
    else:
        state[row + _WITHOUT, k] = 0.0


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive density of x under every cluster."""
    value = x[first]
    for k in range(n_states):
        deviation = value - state[row + _LOCATION, k]
        out[k] += state[row + _CONSTANT, k] - state[row + _POWER, k] * fast_log(
            1.0 + state[row + _GAIN, k] * deviation * deviation
        )


@spliced
def score_without(state, row, size, k, empty, x, first, weight, prior, p, work):
    """Log predictive density of x, one of cluster k's values, given the others."""
    n = state[row + _N, k]
    c = prior[p + 1] + n
    deviation = x[first] - state[row + _LOCATION, k]
    b = state[row + _RATE, k] - 0.5 * weight * c / (c - weight) * deviation * deviation
    power = state[row + _POWER, k] - weight
    return state[row + _WITHOUT, k] + power * math.log(max(b, prior[p + 3]))


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set a missing cell to the mode of the predictive of cluster k."""
    x[first] = state[row + _LOCATION, k]


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    m_0, c_0, a_0, b_0 = prior[p], prior[p + 1], prior[p + 2], prior[p + 3]
    n_k = state[row + _N, k]
    constant = a_0 * math.log(b_0) - fast_lgamma(a_0) + 0.5 * math.log(c_0)
    for other in range(n_states):
        n_l = state[row + _N, other]
        n = n_k + n_l
        shift = state[row + _MEAN, other] - state[row + _MEAN, k]
        part = share(n_l, n)
        mean = state[row + _MEAN, k] + shift * part
        spread = state[row + _SPREAD, k] + state[row + _SPREAD, other]
        spread += shift * shift * n_k * part
        c = c_0 + n
        a = a_0 + 0.5 * n
        b = b_0 + 0.5 * (spread + c_0 * n * (mean - m_0) * (mean - m_0) / c)
        out[other] += (
            constant + fast_lgamma(a) - a * fast_log(b) - 0.5 * fast_log(c) - 0.5 * n * _LN_2PI
        )


KERNELS = Kernels(
    always(N_ROWS),
    always(N_MOMENTS),
    add_to_moments,
    merge_moments,
    refresh,
    score,
    score_without,
    log_marginal,
    fill,
)

FAMILY = Family(
    name="normal",
    label="measurement (normal)",
    help="Real values, each cluster with its own mean and spread; take logs if skewed.",
    kind=MEASUREMENT,
    Prior=NormalPrior,
    kernels=KERNELS,
    support=Support(),
    mixture="normal",
    options=("transform",),
    is_real=True,
)
