"""Logarithm and log-gamma without calls or branches, so that loops over clusters vectorise."""

import math

import numpy as np

from .jit import inlined, inner

# Bits of sqrt(1/2) and of 1.0: arguments are reduced to [sqrt(1/2), sqrt(2)) times a power of two.
_HALF_ROOT = np.int64(0x3FE6A09E667F3BCD)
_ONE = np.int64(0x3FF0000000000000)
_MANTISSA = np.int64(0x000FFFFFFFFFFFFF)
_SHIFT = np.int64(52)
_BIAS = np.int64(1023)
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_HALF_LN_2PI = 0.9189385332046727418


#: Coefficients of series, the last first.
_STIRLING = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_HALF_STEP = (691 / 180224, -31 / 18432, 17 / 14336, -1 / 640, 1 / 192, -1 / 8)
_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_ODD = (
    1.479819860510658591e-01,
    1.818357216161805012e-01,
    2.857142874366239149e-01,
    6.666666666666735130e-01,
)


@inlined
def _polynomial(x, coefficients):
    total = 0.0
    for coefficient in coefficients:
        total = coefficient + x * total
    return total


@inlined
def fast_log(x):
    """Natural logarithm of a positive normal float64, within one ulp (FreeBSD's ``e_log.c``)."""
    bits = np.float64(x).view(np.int64) + (_ONE - _HALF_ROOT)
    exponent = np.float64((bits >> _SHIFT) - _BIAS)
    fraction = np.int64((bits & _MANTISSA) + _HALF_ROOT).view(np.float64) - 1.0
    s = fraction / (2.0 + fraction)
    z = s * s
    w = z * z
    even, odd = w * _polynomial(w, _EVEN), z * _polynomial(w, _ODD)
    half_square = 0.5 * fraction * fraction
    tail = s * (half_square + even + odd) + exponent * _LN2_LOW
    return exponent * _LN2_HIGH - ((half_square - tail) - fraction)


@inlined
def fast_lgamma(z):
    """Log-gamma for 0 < z < 1e40, relative error below 1e-14: Stirling's series at z + 7."""
    product = z * (z + 1.0) * (z + 2.0) * (z + 3.0) * (z + 4.0) * (z + 5.0) * (z + 6.0)
    y = z + 7.0
    inverse = 1.0 / y
    series = inverse * _polynomial(inverse * inverse, _STIRLING)
    return (y - 0.5) * fast_log(y) - y + _HALF_LN_2PI + series - fast_log(product)


@inner
def half_rise(a, times):
    """Ln [Gamma(a + 1/2)/Gamma(a) times^(1/2)], by a series from a = 8 on.

    ln Gamma(a + 1/2) - ln Gamma(a) = 1/2 ln a - 1/(8 a) + 1/(192 a^3) - ...: the terms are (2^-k -
    2) B_(k+1)/(k (k+1) a^k) for odd k; six of them leave less than 1e-13.
    """
    if a < 8.0:
        return math.lgamma(a + 0.5) - math.lgamma(a) + 0.5 * math.log(times)
    inverse = 1.0 / a
    return 0.5 * math.log(a * times) + inverse * _polynomial(inverse * inverse, _HALF_STEP)


@inner
def log_rise(start, steps, weight):
    """Ln Gamma(start + steps weight) - ln Gamma(start); by few logarithms at a weight of 1."""
    if weight != 1.0:
        return math.lgamma(start + steps * weight) - math.lgamma(start)
    log_p, product = 0.0, 1.0
    for j in range(steps):
        product *= start + j
        if product < 1e-200 or product > 1e200:
            log_p += math.log(product)
            product = 1.0
    return log_p + math.log(product) if steps > 0 else 0.0
