"""Kernels of columns of real values, whose spread is unknown or known, from three moments."""

import math

import numpy as np

from ..jit import inlined, inner, spliced
from ..special import fast_lgamma, fast_log, half_rise
from .family import Kernels

#: Weight below which a cluster counts as empty, as rounding may leave some.
NOTHING = 1e-7
_LOCATION, _GAIN, _POWER, _CONSTANT = range(4)
#: Cached rows for one of the cluster's own values, given the others.
_LEAST, _OWN_GAIN, _OWN_POWER, _OWN_CONSTANT = range(4, 8)
_N, _MEAN, _SPREAD = range(8, 11)
_LN_2PI = math.log(2.0 * math.pi)
#: Factors up to it, and from its inverse on, have products of ``TOGETHER`` that a float holds.
_NEAR = 1e35


@inlined
def holds(n, weight):
    """Whether a row of this weight can be among values of weight n."""
    return n > (1.0 - NOTHING) * weight


@inlined
def put(value, line, n):
    for b in range(n):
        line[b] = value


@inlined
def share(n_other, n):
    """Share of n that ``n_other`` is; 0 of nothing."""
    return n_other / (n if n > 0.0 else 1.0)


def statistics(size: int) -> range:
    """State rows of n, mean and squared deviations, after the cached ones."""
    return range(_N, _SPREAD + 1)


@inner
def add(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    value, n = x[first], state[row + _N, k] + weight
    if n < NOTHING * abs(weight):
        state[row + _N, k] = 0.0
        state[row + _MEAN, k] = 0.0
        state[row + _SPREAD, k] = 0.0
        return
    before = value - state[row + _MEAN, k]
    state[row + _N, k] = n
    state[row + _MEAN, k] += weight * before / n
    spread = state[row + _SPREAD, k] + weight * before * (value - state[row + _MEAN, k])
    state[row + _SPREAD, k] = max(spread, 0.0)


@inlined
def _joint_moments(state, row, k, other):
    """Moments of two clusters together (Chan, Golub and LeVeque 1983)."""
    n_k, n_other = state[row + _N, k], state[row + _N, other]
    n = n_k + n_other
    part = share(n_other, n)
    shift = state[row + _MEAN, other] - state[row + _MEAN, k]
    spread = state[row + _SPREAD, k] + state[row + _SPREAD, other] + shift * shift * n_k * part
    return n, state[row + _MEAN, k] + shift * part, spread


@inner
def merge(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    n, mean, spread = _joint_moments(state, row, k, other)
    state[row + _N, k] = n
    state[row + _MEAN, k] = mean
    state[row + _SPREAD, k] = spread


@inner
def fill(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    if marks[first]:
        x[first] = state[row + _LOCATION, k]


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, x, first, marks, out, work):
    n, c_0, step = state[row + _N, k], prior[p + 1], prior[p + 4]
    deviation = state[row + _MEAN, k] - prior[p]
    c = c_0 + n
    a = prior[p + 2] + 0.5 * n
    b = prior[p + 3] + 0.5 * (state[row + _SPREAD, k] + c_0 * n * deviation * deviation / c)
    b += n * step
    widened = b + weight * step
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
        left = max(b - weight * step, prior[p + 3])
        state[row + _LEAST, k] = prior[p + 3] / left
        state[row + _OWN_GAIN, k] = -0.5 * weight * c / ((c - weight) * left)
        ratio = weight / (2.0 * math.pi * left) * (c - weight) / c
        state[row + _OWN_CONSTANT, k] = _rise(a - 0.5 * weight, weight, left, ratio)
        if step > 0.0:
            state[row + _OWN_CONSTANT, k] -= a * math.log(b / left)
    if step > 0.0:
        state[row + _CONSTANT, k] -= a * math.log(widened / b)


@inner
def _rise(a, weight, rate, gain):
    """Ln of the constant of a Student t of power a + w/2, of a value of weight w."""
    if weight == 1.0:
        return half_rise(a, gain)
    rise = math.lgamma(a + 0.5 * weight) - math.lgamma(a) + 0.5 * math.log(gain)
    return rise + _power_constant(weight, rate)


@inner
def _power_constant(weight, variance):
    """Ln of N(x | mu, s^2)^w by N(x | mu, s^2/w), but for what cancels; 0 for a weight of 1."""
    if weight == 1.0:  # nearly always, and it saves two logarithms
        return 0.0
    return 0.5 * ((1.0 - weight) * (_LN_2PI + math.log(variance)) - math.log(weight))


@spliced
def score(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    value = x[first]
    for j in range(n_states):
        deviation = value - state[row + _LOCATION, j]
        out[j] += state[row + _CONSTANT, j] - state[row + _POWER, j] * fast_log(
            1.0 + state[row + _GAIN, j] * deviation * deviation
        )


@spliced
def score_without(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    """Leaving x out multiplies the rate by 1 - w c/(2 b (c - w)) d^2, kept at least the prior's."""
    deviation = x[first] - state[row + _LOCATION, k]
    factor = 1.0 + state[row + _OWN_GAIN, k] * deviation * deviation
    factor = max(factor, state[row + _LEAST, k])
    return state[row + _OWN_CONSTANT, k] + state[row + _OWN_POWER, k] * math.log(factor)


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Columns of equal counts share one logarithm of the product of their factors."""
    product, constant, first = spare[0], spare[1], u
    while first < end:
        last = first
        while last < end and _joins(state, units, first, last, n_states, n, cells[last - u]):
            last += 1
        last = max(last, first + 1)
        for k in range(n_states):
            put(1.0, product, n)
            put(0.0, constant, n)
            for v in range(first, last):
                _multiply(state, units[v, 3], k, n, cells[v - u], product, constant)
            line, power = lines[k], state[units[first, 3] + _POWER, k]
            for b in range(n):
                line[b] += constant[b] - power * fast_log(product[b])
        put(1.0, product, n)
        put(0.0, constant, n)
        for v in range(first, last):
            _multiply_own(state, units[v, 3], n, own, cells[v - u], product, constant)
        power = state[units[first, 3] + _OWN_POWER]
        for b in range(n):
            within[b] += constant[b] + power[own[b]] * fast_log(product[b])
        first = last


@inner
def _joins(state, units, u, v, n_states, n, x):
    """Whether clusters have as many values in column v as in u, and all its factors are near 1."""
    row, furthest = units[v, 3], 0.0
    for b in range(n):
        furthest = max(furthest, abs(x[b]) if x[b] == x[b] else 0.0)
    for k in range(n_states):
        reach = furthest + abs(state[row + _LOCATION, k])
        is_far = state[row + _GAIN, k] * reach * reach > _NEAR
        is_far |= state[row + _LEAST, k] < 1.0 / _NEAR
        if is_far or state[units[u, 3] + _POWER, k] != state[row + _POWER, k]:
            return False
    return True


@inner
def _multiply(state, row, k, n, x, product, constant):
    """Multiply by the factors of a column; that of a missing cell is 1."""
    location, gain = state[row + _LOCATION, k], state[row + _GAIN, k]
    of_column = state[row + _CONSTANT, k]
    for b in range(n):
        cell = x[b]
        deviation = cell - location
        factor = 1.0 + gain * deviation * deviation
        product[b] *= factor if cell == cell else 1.0
        constant[b] += of_column if cell == cell else 0.0


@inner
def _multiply_own(state, row, n, own, x, product, constant):
    location, gain = state[row + _LOCATION], state[row + _OWN_GAIN]
    least, of_column = state[row + _LEAST], state[row + _OWN_CONSTANT]
    for b in range(n):
        k, cell = own[b], x[b]
        deviation = cell - location[k]
        factor = max(1.0 + gain[k] * deviation * deviation, least[k])
        product[b] *= factor if cell == cell else 1.0
        constant[b] += of_column[k] if cell == cell else 0.0


@spliced
def log_marginal(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    m_0, c_0, a_0, b_0 = prior[p], prior[p + 1], prior[p + 2], prior[p + 3]
    constant = a_0 * math.log(b_0) - fast_lgamma(a_0) + 0.5 * math.log(c_0)
    for other in range(n_states):
        n, mean, spread = _joint_moments(state, row, k, other)
        c = c_0 + n
        a = a_0 + 0.5 * n
        b = b_0 + 0.5 * (spread + c_0 * n * (mean - m_0) * (mean - m_0) / c) + n * prior[p + 4]
        out[other] += (
            constant + fast_lgamma(a) - a * fast_log(b) - 0.5 * fast_log(c) - 0.5 * n * _LN_2PI
        )


KERNELS = Kernels.of(globals())


# Known spread: the state rows of the location, half the precision and the constant are the same.


@inner
def _posterior(n, mean, prior, p):
    v = 1.0 / (1.0 / prior[p + 1] + n / prior[p + 2])
    return v * (prior[p] / prior[p + 1] + n * mean / prior[p + 2]), v


@spliced
def _refresh_known(state, row, size, k, empty, weight, prior, p, x, first, marks, out, work):
    location, v = _posterior(state[row + _N, k], state[row + _MEAN, k], prior, p)
    state[row + _LOCATION, k] = location
    variance = v + prior[p + 2] / weight
    state[row + _GAIN, k] = 0.5 / variance
    state[row + _CONSTANT, k] = _power_constant(weight, prior[p + 2]) - 0.5 * (
        _LN_2PI + math.log(variance)
    )


@spliced
def _score_known(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    value = x[first]
    for j in range(n_states):
        deviation = value - state[row + _LOCATION, j]
        out[j] += state[row + _CONSTANT, j] - state[row + _GAIN, j] * (deviation * deviation)


@spliced
def _without_known(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    n, mean = state[row + _N, k] - weight, state[row + _MEAN, k]
    mean -= weight * (x[first] - mean) / max(n, weight)
    location, v = _posterior(n, mean, prior, p)
    variance = v + prior[p + 2] / weight
    deviation = x[first] - location
    return _power_constant(weight, prior[p + 2]) - 0.5 * (
        _LN_2PI + math.log(variance) + deviation * deviation / variance
    )


@spliced
def _score_many_known(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    for v in range(u, end):
        x, row, p = cells[v - u], units[v, 3], units[v, 4]
        for b in range(n):
            if x[b] == x[b]:
                for k in range(n_states):
                    deviation = x[b] - state[row + _LOCATION, k]
                    lines[k, b] += state[row + _CONSTANT, k] - state[row + _GAIN, k] * deviation**2
                k, at = own[b], np.int64(b)
                within[b] += _without_known(
                    state, row, 1, k, n_states, weight, prior, p, x, at, codes, within, spare
                )


@spliced
def _marginal_known(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    mu_0, s2_0, s2 = prior[p], prior[p + 1], prior[p + 2]
    per_value = _LN_2PI + math.log(s2)
    for other in range(n_states):
        n, mean, spread = _joint_moments(state, row, k, other)
        width = s2 + n * s2_0
        out[other] += -0.5 * (
            n * per_value
            + fast_log(width / s2)
            + spread / s2
            + n * (mean - mu_0) * (mean - mu_0) / width
        )


KNOWN_KERNELS = KERNELS._replace(
    refresh=_refresh_known,
    score=_score_known,
    score_without=_without_known,
    score_many=_score_many_known,
    log_marginal=_marginal_known,
)
