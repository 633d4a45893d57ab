"""95 % intervals of shares, medians and means, and of how far those of two groups lie apart."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

LEVEL = 0.95
REACH = float(stats.norm.ppf(0.5 + LEVEL / 2))


class Estimate(NamedTuple):
    """A figure and its interval; arrays of one shape where it stands for several."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def effective(total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Rows of equal weight that say as much (Kish, "Survey Sampling", 1965); 0 of none."""
    return np.divide(total**2, squares, out=np.zeros(np.shape(squares)), where=squares > 0.0)


def share(part: np.ndarray, n: np.ndarray) -> Estimate:
    """A share of n rows with Wilson's interval (JASA 1927); of no rows, anything from 0 to 1."""
    square = REACH**2
    middle = (n * part + square / 2.0) / (n + square)
    reach = REACH * np.sqrt(n * part * (1.0 - part) + square / 4.0) / (n + square)
    # Rounding must not leave out the share itself.
    return Estimate(part, np.minimum(middle - reach, part), np.maximum(middle + reach, part))


def log_log(part: np.ndarray, error: np.ndarray) -> Estimate:
    """Shares with intervals on the scale of log(-log), from their standard errors, of one shape."""
    inside = (part > 0.0) & (part < 1.0)
    safe = np.where(inside, part, 0.5)
    reach = np.where(inside, REACH * error / np.abs(safe * np.log(safe)), 0.0)
    with np.errstate(over="ignore"):  # an interval of everything
        low, high = (np.where(inside, safe ** np.exp(side * reach), part) for side in (1.0, -1.0))
    return Estimate(part, low, high)


def median(values: np.ndarray, weights: np.ndarray) -> Estimate:
    """A median with the interval between two order statistics (Thompson, Ann. Math. Stat. 1936).

    Everything below six rows; with weights, ranks are shares of the weight (Woodruff, JASA 1952).
    """
    everything = np.float64(-np.inf), np.float64(np.inf)
    if not values.size:
        return Estimate(np.float64(np.nan), *everything)
    ends = np.cumsum(weights)
    n = int(effective(ends[-1], np.square(weights).sum()) + 1e-9)
    nearly = 1e-9 * ends[-1]
    # A value between two halves is shared by both.
    halves = [np.searchsorted(ends, ends[-1] / 2 + by) for by in (-nearly, nearly)]
    middle = values[np.minimum(halves, values.size - 1)].mean()
    outside = _outside(n)
    if outside < 1:
        return Estimate(middle, *everything)
    beyond = outside / n * ends[-1]
    low = values[np.searchsorted(ends, beyond - nearly)]
    high = values[np.searchsorted(ends, ends[-1] - beyond + nearly)]
    return Estimate(middle, low, high)


@lru_cache(maxsize=4096)  # many columns are known in as many rows
def _outside(n: int) -> int:
    """How many of n rows at either end the interval of their median leaves out."""
    return int(stats.binom.ppf(0.5 - LEVEL / 2, n, 0.5))


def apart(a: Estimate, b: Estimate) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a - b from an interval of each (Zou and Donner, Statistics in Medicine 2008).

    Of shares it is Newcombe's (Statistics in Medicine 1998, method 10).
    """
    gap = a.value - b.value
    low = gap - np.hypot(a.value - a.low, b.high - b.value)
    return low, gap + np.hypot(a.high - a.value, b.value - b.low)


def means_apart(
    a: np.ndarray, b: np.ndarray, weights_a: np.ndarray, weights_b: np.ndarray
) -> tuple[float, float]:
    """Welch's interval of the difference of two means; everything, below two rows in either."""
    parts = []
    for values, weights in ((a, weights_a), (b, weights_b)):
        n = float(effective(weights.sum(), np.square(weights).sum()))
        if n < 2.0 - 1e-9:
            return -np.inf, np.inf
        parts.append(DescrStatsW(values, weights * (n / weights.sum())))
    if not any(np.ptp(part.data) for part in parts):
        return parts[0].mean - parts[1].mean, parts[0].mean - parts[1].mean
    return CompareMeans(*parts).tconfint_diff(usevar="unequal")
