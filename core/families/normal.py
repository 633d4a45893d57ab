"""Real values, x ~ N(mu, 1/tau); mu | tau ~ N(m_0, 1/(c_0 tau)), tau ~ Gamma(a_0, b_0).

R14 section 2.2; R16 Appendix A. b_0 is a rate; the predictive is a Student t. A value recorded in
steps is an interval: by Jensen, each adds step^2/12 to the sum of squares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..jit import inner, spliced
from ..special import fast_lgamma, fast_log, half_rise
from .family import MEASUREMENT, Family, Kernels, Support, always
from .pooled import Pooled
from .prior import Moments, Predictive, Prior, Spread
from .statistics import N_MOMENTS, add_to_moments, holds, joint_moments, merge_moments
from .sufficient import GroupMoments, Rows

N_ROWS = 11
_N, _MEAN, _SPREAD, _LOCATION, _GAIN, _POWER, _CONSTANT = range(7)
#: Cached rows for one of the cluster's own values, given the others.
_LEAST, _OWN_GAIN, _OWN_POWER, _OWN_CONSTANT = range(7, N_ROWS)
_LN_2PI = math.log(2.0 * math.pi)
#: A product within 1/_EXTREME.._EXTREME is safe to take the logarithm of.
_EXTREME = 1e280


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
    step : float
        Recorded values are multiples of it, in the column's units; 0 where not known.
    """

    mean: float
    mean_count: float
    shape: float
    rate: float
    step: float = 0.0

    positive = ("mean_count", "shape", "rate")
    n_learned = 2  # mean and spread
    scaled = ("rate",)

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 1.0, shape: float = 1.0) -> NormalPrior:
        """R14's weak prior with its rate multiplied by ``scale``: b_0 = scale a_0 var."""
        rate = scale * shape * float(spread.variance[0])
        return cls(float(spread.mean[0]), spread.weak_count, shape, rate)

    @classmethod
    def of_pooled(cls, found: Pooled) -> NormalPrior:
        rate, step = 0.5 * float(found.scatter[0, 0]), float(found.steps[0])
        return cls(float(found.mean[0]), found.mean_count, 0.5 * found.dof, rate, step)

    @staticmethod
    def statistic_of(rows: Rows) -> GroupMoments:
        return rows.moments()

    def posterior_of(self, statistic: GroupMoments) -> NormalPrior:
        n = float(statistic.n[0])
        if n == 0.0:
            return self
        deviation, count = float(statistic.mean[0, 0]) - self.mean, self.mean_count + n
        mean = self.mean + n * deviation / count
        rate = float(self._rate(statistic)[0])
        return NormalPrior(mean, count, self.shape + n / 2, rate, self.step)

    def log_marginal_of(self, statistic: GroupMoments) -> np.ndarray:
        n, rate = statistic.n, self._rate(statistic)
        shape = self.shape + n / 2
        before = self.shape * math.log(self.rate) - gammaln(self.shape)
        after = gammaln(shape) - shape * np.log(rate) - 0.5 * n * _LN_2PI
        return before + after + 0.5 * np.log(self.mean_count / (self.mean_count + n))

    def _rate(self, statistic: GroupMoments) -> np.ndarray:
        """b_n of every cluster, shape (K,)."""
        n, deviation = statistic.n, statistic.mean[:, 0] - self.mean
        between = self.mean_count * n * np.square(deviation) / (self.mean_count + n)
        spread = statistic.products[:, 0, 0] + n * self.step**2 / 12.0
        return self.rate + 0.5 * (spread + between)

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(m_0, c_0, a_0, b_0), half of what a row's step adds to b, for rescaled data."""
        return np.array(
            [
                (self.mean - center) / scale,
                self.mean_count,
                self.shape,
                self.rate / scale**2,
                self.step**2 / 24.0 / scale**2,
            ]
        )

    def summary(self) -> dict[str, float]:
        return {"mean": self.mean, "sd": math.sqrt(self.rate / self.shape)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["sd"] ** 2)

    def predictive(self) -> Predictive:
        """Student t with 2a degrees of freedom."""
        width = self._next_rate * (self.mean_count + 1.0) / self.mean_count
        freedom = self.shape - 1.0 if self.shape > 1.0 else self.shape
        return Predictive(self.mean, self.mean, width / freedom)

    @property
    def _next_rate(self) -> float:
        """The rate with what the step of one more value adds."""
        return self.rate + self.step**2 / 24.0

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        width = self._next_rate * (self.mean_count + 1.0) / (self.mean_count * self.shape)
        return self.mean + math.sqrt(width) * random.standard_t(2.0 * self.shape, size)


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its moments."""
    n = state[row + _N, k]
    c_0 = prior[p + 1]
    deviation = state[row + _MEAN, k] - prior[p]
    c = c_0 + n
    a = prior[p + 2] + 0.5 * n
    b = prior[p + 3] + 0.5 * (state[row + _SPREAD, k] + c_0 * n * deviation * deviation / c)
    b += n * prior[p + 4]
    widened = b + weight * prior[p + 4]
    gain = weight * c / (2.0 * widened * (c + weight))
    state[row + _LOCATION, k] = prior[p] + n * deviation / c
    state[row + _GAIN, k] = gain
    state[row + _POWER, k] = a + 0.5 * weight
    state[row + _OWN_POWER, k] = a - 0.5 * weight
    state[row + _CONSTANT, k] = _rise(a, weight, widened, gain / math.pi)
    state[row + _LEAST, k] = 1.0
    state[row + _OWN_GAIN, k] = 0.0
    state[row + _OWN_CONSTANT, k] = 0.0
    if holds(n, weight):
        left = max(b - weight * prior[p + 4], prior[p + 3])
        state[row + _LEAST, k] = prior[p + 3] / left
        state[row + _OWN_GAIN, k] = -0.5 * weight * c / ((c - weight) * left)
        ratio = weight / (2.0 * math.pi * left) * (c - weight) / c
        state[row + _OWN_CONSTANT, k] = _rise(a - 0.5 * weight, weight, left, ratio)
        if prior[p + 4] > 0.0:
            state[row + _OWN_CONSTANT, k] -= a * math.log(b / left)
    if prior[p + 4] > 0.0:
        state[row + _CONSTANT, k] -= a * math.log(widened / b)


@inner
def _rise(a, weight, rate, gain):
    """Ln of the constant of a Student t of power a + w/2, of a value of weight w."""
    if weight == 1.0:
        return half_rise(a, gain)
    rise = math.lgamma(a + 0.5 * weight) - math.lgamma(a) + 0.5 * math.log(gain)
    return rise + 0.5 * ((1.0 - weight) * (_LN_2PI + math.log(rate)) - math.log(weight))


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
def score_without(state, row, size, k, x, first, weight, prior, p, work):
    """Log predictive density of x, one of cluster k's values, given the others.

    Leaving x out multiplies the rate by 1 - w c/(2 b (c - w)) d^2, kept at least the prior's.
    """
    deviation = x[first] - state[row + _LOCATION, k]
    factor = 1.0 + state[row + _OWN_GAIN, k] * deviation * deviation
    factor = max(factor, state[row + _LEAST, k])
    return state[row + _OWN_CONSTANT, k] + state[row + _OWN_POWER, k] * math.log(factor)


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the scores of many rows; columns of equal counts share one logarithm of a product."""
    first = u
    while first < end:
        last = first + 1
        while last < end and _share_power(state, units, first, last, n_states):
            last += 1
        is_whole = _is_whole(cells, first - u, last - u, n)
        _score_others(state, units, u, first, last, n_states, n, cells, is_whole, lines, spare)
        _score_own(state, units, u, first, last, n, own, cells, within, spare)
        first = last


@inner
def _share_power(state, units, u, v, n_states):
    """Whether every cluster has as many values in one column as in another."""
    for k in range(n_states):
        if state[units[u, 3] + _POWER, k] != state[units[v, 3] + _POWER, k]:
            return False
    return True


@inner
def _is_whole(cells, first, last, n):
    """Whether no cell of some columns is missing: their factors need no choice between two."""
    n_missing = 0
    for j in range(first, last):
        x = cells[j]
        for b in range(n):
            n_missing += x[b] != x[b]
    return n_missing == 0


@inner
def _score_others(state, units, u, first, last, n_states, n, cells, is_whole, lines, spare):
    """Add the scores under every cluster, as if the rows were in none."""
    product, constant = spare[0], spare[1]
    for k in range(n_states):
        power, of_all = state[units[first, 3] + _POWER, k], 0.0
        for b in range(n):
            product[b] = 1.0
            constant[b] = 0.0
        for v in range(first, last):
            x, row = cells[v - u], units[v, 3]
            location, gain = state[row + _LOCATION, k], state[row + _GAIN, k]
            of_column = state[row + _CONSTANT, k]
            of_all += of_column
            if is_whole:
                _multiply(x, location, gain, n, product)
            else:
                _multiply_seen(x, location, gain, of_column, n, product, constant)
        if is_whole:
            for b in range(n):
                constant[b] = of_all
        if _add_logs(lines[k], constant, power, n, product) > 0:
            _add_extreme(state, units, u, first, last, k, n, cells, product, lines[k])


@inner
def _multiply(x, location, gain, n, product):
    """Multiply by the factors of a column without missing cells."""
    for b in range(n):
        deviation = x[b] - location
        product[b] *= 1.0 + gain * deviation * deviation


@inner
def _multiply_seen(x, location, gain, of_column, n, product, constant):
    """The same where cells are missing, whose factor is 1, without a branch."""
    for b in range(n):
        cell = x[b]
        deviation = cell - location
        factor = 1.0 + gain * deviation * deviation
        factor = factor if cell == cell else 1.0
        more = of_column if cell == cell else 0.0
        product[b] = product[b] * factor
        constant[b] = constant[b] + more


@inner
def _add_logs(line, constant, power, n, product):
    """Add constants and powers of the products; return how many are out of range."""
    n_extreme = 0
    for b in range(n):
        is_extreme = product[b] > _EXTREME
        n_extreme += is_extreme
        line[b] += constant[b] - power * fast_log(1.0 if is_extreme else product[b])
    return n_extreme


@inner
def _add_extreme(state, units, u, first, last, k, n, cells, product, line):
    """Add the powers of products that are out of range, factor by factor."""
    for b in range(n):
        for v in range(first, last if product[b] > _EXTREME else first):
            cell, row = cells[v - u, b], units[v, 3]
            deviation = cell - state[row + _LOCATION, k]
            factor = 1.0 + state[row + _GAIN, k] * deviation * deviation
            if cell == cell:
                line[b] -= state[row + _POWER, k] * math.log(factor)


@inner
def _score_own(state, units, u, first, last, n, own, cells, within, spare):
    product, constant = spare[0], spare[1]
    for b in range(n):
        product[b] = 1.0
        constant[b] = 0.0
    for v in range(first, last):
        _multiply_own(state, units[v, 3], n, own, cells[v - u], product, constant)
    n_extreme, power = 0, state[units[first, 3] + _OWN_POWER]
    for b in range(n):
        is_extreme = product[b] < 1.0 / _EXTREME
        n_extreme += is_extreme
        within[b] += constant[b] + power[own[b]] * fast_log(1.0 if is_extreme else product[b])
    for b in range(n if n_extreme > 0 else 0):
        for v in range(first, last if product[b] < 1.0 / _EXTREME else first):
            cell, row, k = cells[v - u, b], units[v, 3], own[b]
            deviation = cell - state[row + _LOCATION, k]
            factor = 1.0 + state[row + _OWN_GAIN, k] * deviation * deviation
            if cell == cell:
                within[b] += power[k] * math.log(max(factor, state[row + _LEAST, k]))


@inner
def _multiply_own(state, row, n, own, x, product, constant):
    location, gain = state[row + _LOCATION], state[row + _OWN_GAIN]
    least, of_column = state[row + _LEAST], state[row + _OWN_CONSTANT]
    for b in range(n):
        k, cell = own[b], x[b]
        deviation = cell - location[k]
        factor = max(1.0 + gain[k] * deviation * deviation, least[k])
        factor = factor if cell == cell else 1.0
        more = of_column[k] if cell == cell else 0.0
        product[b] = product[b] * factor
        constant[b] = constant[b] + more


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set a missing cell to the mode of the predictive of cluster k."""
    x[first] = state[row + _LOCATION, k]


@spliced
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    m_0, c_0, a_0, b_0 = prior[p], prior[p + 1], prior[p + 2], prior[p + 3]
    constant = a_0 * math.log(b_0) - fast_lgamma(a_0) + 0.5 * math.log(c_0)
    for other in range(n_states):
        n, mean, spread = joint_moments(state, row, k, other)
        c = c_0 + n
        a = a_0 + 0.5 * n
        b = b_0 + 0.5 * (spread + c_0 * n * (mean - m_0) * (mean - m_0) / c) + n * prior[p + 4]
        out[other] += (
            constant + fast_lgamma(a) - a * fast_log(b) - 0.5 * fast_log(c) - 0.5 * n * _LN_2PI
        )


rows = always(N_ROWS)
n_statistics = always(N_MOMENTS)
add = add_to_moments
merge = merge_moments
KERNELS = Kernels.of(globals())

NORMAL = Family(
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
    is_imputed=True,
)
