"""95 % intervals of shares, medians and means, and of how far those of two groups lie apart.

Rows may count by weights: as many as Kish's effective number say as much as so many equal ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special, stats

#: Of every interval.
LEVEL = 0.95
_REACH = float(stats.norm.ppf(0.5 + LEVEL / 2))


class Estimate(NamedTuple):
    """A figure and its interval; arrays of one shape where it stands for several."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def effective(total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """How many rows of equal weight say as much, from the sums of weights and of their squares.

    Kish, "Survey Sampling", Wiley 1965; the number of rows where all weigh the same, 0 of none.
    """
    return np.divide(total**2, squares, out=np.zeros(np.shape(squares)), where=squares > 0.0)


def share(part: np.ndarray, n: np.ndarray) -> Estimate:
    """A share of n rows with Wilson's interval (JASA 1927); of no rows, anything from 0 to 1.

    Parameters
    ----------
    part : float64
        The share, 0 to 1.
    n : float64, of the same shape
    """
    square = _REACH**2
    middle = (n * part + square / 2.0) / (n + square)
    reach = _REACH * np.sqrt(n * part * (1.0 - part) + square / 4.0) / (n + square)
    # Rounding must not leave out the share itself.
    return Estimate(part, np.minimum(middle - reach, part), np.maximum(middle + reach, part))


def median(values: np.ndarray, weights: np.ndarray) -> Estimate:
    """A median with the interval between two order statistics, whatever the distribution.

    From the binomial distribution of the rows below the median (Thompson, Annals of Mathematical
    Statistics 1936); everything, below the six rows that such an interval needs. By weights, the
    same ranks as shares of the weight (Woodruff, JASA 1952).

    Parameters
    ----------
    values : float64, shape (N,)
        In increasing order.
    weights : float64, shape (N,)
        Above 0.
    """
    if not values.size:
        return Estimate(np.float64(np.nan), np.float64(-np.inf), np.float64(np.inf))
    ends = np.cumsum(weights)
    n = int(effective(ends[-1], np.square(weights).sum()) + 1e-9)
    outside = _outside(n)
    nearly = 1e-9 * ends[-1]
    # A value between two halves is shared by both.
    halves = [np.searchsorted(ends, ends[-1] / 2 + by) for by in (-nearly, nearly)]
    middle = values[np.minimum(halves, values.size - 1)].mean()
    if outside < 1:
        return Estimate(middle, np.float64(-np.inf), np.float64(np.inf))
    beyond = outside / n * ends[-1]
    low = values[np.searchsorted(ends, beyond - nearly)]
    high = values[np.searchsorted(ends, ends[-1] - beyond + nearly)]
    return Estimate(middle, low, high)


@lru_cache(maxsize=4096)  # many columns are known in as many rows
def _outside(n: int) -> int:
    """How many of n rows at either end the interval of their median leaves out."""
    return int(stats.binom.ppf(0.5 - LEVEL / 2, n, 0.5))


def apart(a: Estimate, b: Estimate) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a - b from an interval of each.

    Of shares this is Newcombe's (Statistics in Medicine 1998, method 10); of anything else, the
    same squares and differences (Zou and Donner, Statistics in Medicine 2008).
    """
    gap = a.value - b.value
    low = gap - np.hypot(a.value - a.low, b.high - b.value)
    return low, gap + np.hypot(a.high - a.value, b.value - b.low)


def means_apart(
    a: np.ndarray, b: np.ndarray, weights_a: np.ndarray, weights_b: np.ndarray
) -> tuple[float, float]:
    """Welch's interval of the difference of two means; everything, below two rows in either.

    Parameters
    ----------
    a, b : float64, shapes (N,) and (M,)
    weights_a, weights_b : float64, shapes (N,) and (M,)
        Above 0.
    """
    means, variances, freedom = [], [], []
    for values, weights in ((a, weights_a), (b, weights_b)):
        n = float(effective(weights.sum(), np.square(weights).sum()))
        if n < 2.0 - 1e-9:
            return -np.inf, np.inf
        means.append(np.average(values, weights=weights))
        spread = np.average(np.square(values - means[-1]), weights=weights)
        variances.append(spread / (n - 1.0))
        freedom.append(n - 1.0)
    gap, error = means[0] - means[1], np.sqrt(sum(variances))
    if error == 0.0:
        return gap, gap
    dof = sum(variances) ** 2 / sum(v**2 / df for v, df in zip(variances, freedom, strict=True))
    reach = special.stdtrit(dof, 0.5 + LEVEL / 2) * error
    return gap - reach, gap + reach
