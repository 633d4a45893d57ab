"""Tests of differences between groups, effect sizes and their intervals, or why there are none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple
from warnings import catch_warnings

import numpy as np
from scipy import optimize, stats
from scipy.special import bdtrik, stdtrit
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from ..wording import p_text

#: Of all intervals, and how many standard errors a normal one reaches.
LEVEL = 0.95
REACH = float(stats.norm.ppf(0.5 + LEVEL / 2))
#: Random rearrangements of a permutation test, and random tables of a Monte-Carlo Fisher test.
RESAMPLES = 9_999
#: Expected cells below this make the chi-square approximation poor.
LEAST_EXPECTED = 5.0
#: Means are normal enough in groups of so many; of fewer, tests of a column that is more skewed in
#: any group are corrected for that (measured by ``tests.benchmarks.error_rates``).
MANY, SKEWED = 100, 0.75

ALL_THE_SAME = "Every observed value is the same: there is nothing to test."
FLAT = "A group's values are all the same: Welch's test needs some spread."
NO_SPREAD = "Neither group has any spread, so there is no interval."
NO_RATIO = "A group without any event has no rate ratio."

Groups = Sequence[np.ndarray]


@dataclass(frozen=True)
class Test:
    """Outcome of one test."""

    __test__ = False  # for pytest, which collects classes of this name

    name: str = ""
    statistic: float | None = None
    p: float | None = None
    reason: str = ""

    @property
    def p_text(self) -> str:
        """The p-value as it is printed, or that there is none."""
        return p_text(self.p)


@dataclass(frozen=True)
class Effect:
    """Size of a difference."""

    #: Such as "mean difference"; empty where there is none.
    name: str = ""
    #: The first group against the second, and its 95 % interval.
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    #: Of a regression's; a difference has its own test.
    p: float | None = None


def compare_means(groups: Groups, of: str = "", log: bool = False) -> tuple[Test, Effect]:
    """Welch's t-test of two groups, his F-test of more; where skewed, by corrected intervals."""
    a, b = groups[:2]
    effect = Effect(f"difference{of}" if of else "mean difference", float(a.mean() - b.mean()))
    if log:
        effect = Effect("ratio of geometric means", float(np.exp(effect.estimate)))
    flat, is_pair = [np.ptp(group) == 0.0 for group in groups], len(groups) == 2
    if all(flat) or (any(flat) and not is_pair):
        is_one = np.ptp(np.concatenate(groups)) == 0.0
        return Test(reason=ALL_THE_SAME if is_one else FLAT), replace(effect, reason=NO_SPREAD)
    if are_skewed(groups):
        p_values = [_corrected_p(*pair) for pair in combinations(groups, 2)]
        name = f"t-test{of} corrected for skewness" + ", least of all pairs" * (not is_pair)
        test = Test(name, None, min(1.0, len(p_values) * min(p_values)))
        ends = difference_interval(*(skewed_mean_interval(part)(1.0 - LEVEL) for part in (a, b)))
    else:
        with catch_warnings(action="ignore"):  # a group without spread
            welch = stats.ttest_ind(a, b, equal_var=False)
            found = welch if is_pair else stats.f_oneway(*groups, equal_var=False)
        test = Test(f"Welch's {'t' if is_pair else 'F'}-test{of}", found.statistic, found.pvalue)
        ends = welch.confidence_interval(LEVEL)
    low, high = np.exp(ends) if log else ends
    return test, replace(effect, low=float(low), high=float(high))


def are_skewed(groups: Groups) -> bool:
    """Whether a group is small, and any is skewed."""
    spread = [group for group in groups if np.ptp(group)]
    is_small = min(map(len, groups)) < MANY
    return is_small and any(abs(stats.skew(group)) > SKEWED for group in spread)


def _corrected_p(a: np.ndarray, b: np.ndarray) -> float:
    """Where the corrected interval of the difference ends at 0: one less its level."""
    intervals = skewed_mean_interval(a), skewed_mean_interval(b)

    def outside(log_p: float) -> float:
        low, high = difference_interval(*(interval(np.exp(log_p)) for interval in intervals))
        return max(low, -high)

    smallest = -700.0
    if outside(0.0) <= 0.0:
        return 1.0
    return float(np.exp(optimize.brentq(outside, smallest, 0.0))) if outside(smallest) < 0 else 0.0


def compare_tables(
    table: np.ndarray, few: bool, random: np.random.Generator
) -> tuple[Test, Effect]:
    """Whether rows (groups) and columns of counts are independent, and Cramér's V of two groups."""
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        refused = "Every observed answer is the same: there is nothing to test."
        return Test(reason=refused), Effect(reason=refused)
    expected = stats.contingency.expected_freq(table)
    if not few and expected.min() >= LEAST_EXPECTED:
        found = stats.chi2_contingency(table, correction=False)
        test = Test("chi-square", found.statistic, found.pvalue)
    elif table.shape == (2, 2):
        test = Test("Fisher's exact test", None, stats.fisher_exact(table).pvalue)
    else:
        method = stats.MonteCarloMethod(n_resamples=RESAMPLES, rng=random)
        test = Test("Monte-Carlo Fisher", None, stats.fisher_exact(table, method=method).pvalue)
    v = float(stats.contingency.association(table, method="cramer", correction=False))
    reason = "V cannot fall below 0, so an interval would not show whether it could be 0."
    return test, Effect("Cramér's V", v, reason=reason)


def risk_difference(a: np.ndarray, b: np.ndarray) -> Effect:
    """Difference of two shares of 0s and 1s with Newcombe's interval."""
    low, high = difference_interval(*(share(part.mean(), np.float64(part.size)) for part in (a, b)))
    return Effect("risk difference", float(a.mean() - b.mean()), float(low), float(high))


def compare_counts(groups: Groups) -> tuple[Test, Effect]:
    """Welch's test of the logarithms of two rates: a rate ratio with a sandwich variance."""
    sums = [group.sum() for group in groups]
    if not any(sums):
        refused = "No event was observed in any group: there is nothing to test."
        return Test(reason=refused), Effect(reason=NO_RATIO)
    if len(groups) > 2:
        return compare_means(groups)
    if not all(sums):
        table = [[np.count_nonzero(group), np.count_nonzero(group == 0)] for group in groups]
        p = stats.fisher_exact(table).pvalue
        return Test("Fisher's exact test of any event", None, p), Effect(reason=NO_RATIO)
    ratio = float(groups[0].mean() / groups[1].mean())
    if not any(np.ptp(group) for group in groups):
        reason = "Neither group's counts vary, so there is nothing to judge them by."
        return Test(reason=reason), Effect("rate ratio", ratio, reason=reason)
    # The mean is the logarithm of a rate, with its variance by the delta method.
    logs = (np.log(part.mean()) + part / part.mean() - 1.0 for part in groups)
    found = stats.ttest_ind(*logs, equal_var=False)
    low, high = np.exp(found.confidence_interval(LEVEL)).tolist()
    test = Test("rate ratio, sandwich", found.statistic, found.pvalue)
    return test, Effect("rate ratio", ratio, low, high)


class Estimate(NamedTuple):
    """A figure and its interval; arrays of one shape where it stands for several."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def effective(total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Effective number of rows (Kish, "Survey Sampling", 1965); 0 of none."""
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
    """A median of sorted values, between two order statistics (Thompson, Ann. Math. Stat. 1936).

    Everything below six rows; with weights, ranks are shares of the weight (Woodruff, JASA 1952).
    """
    if not values.size:
        return Estimate(np.float64(np.nan), np.float64(-np.inf), np.float64(np.inf))
    ends = np.cumsum(weights)
    total, nearly = ends[-1], 1e-9 * ends[-1]
    # A value between two halves is shared by both.
    halves = np.searchsorted(ends, [total / 2 - nearly, total / 2 + nearly])
    middle = values[np.minimum(halves, values.size - 1)].mean()
    n = int(effective(total, np.square(weights).sum()) + 1e-9)
    outside = np.ceil(bdtrik(0.5 - LEVEL / 2, n, 0.5))  # of n rows, at either end
    if outside < 1:
        return Estimate(middle, np.float64(-np.inf), np.float64(np.inf))
    beyond = outside / n * total
    low, high = np.searchsorted(ends, [beyond - nearly, total - beyond + nearly])
    return Estimate(middle, values[low], values[high])


def skewed_mean_interval(values: np.ndarray) -> Callable[[float], Estimate]:
    """A mean with its interval by alpha, one less its level, that minds the values' skewness.

    Hall's transformation of t (JRSS B 54, 1992).
    """
    mean, n = values.mean(), values.size
    error = values.std(ddof=1) / np.sqrt(n) if np.ptp(values) else 0.0
    g = stats.skew(values, bias=False) / np.sqrt(n) if error else 0.0

    def interval(alpha: float) -> Estimate:
        reach = stdtrit(n - 1, alpha / 2) * np.array([-1.0, 1.0])
        if abs(g) > 1e-8:
            reach = (np.cbrt(1.0 + g * (reach - g / 6.0)) - 1.0) * 3.0 / g
        return Estimate(mean, *(mean - reach * error))

    return interval


def difference_interval(a: Estimate, b: Estimate) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a - b from an interval of each (Zou and Donner, Statistics in Medicine 2008).

    Of shares it is Newcombe's (Statistics in Medicine 1998, method 10).
    """
    gap = a.value - b.value
    low = gap - np.hypot(a.value - a.low, b.high - b.value)
    return low, gap + np.hypot(a.high - a.value, b.value - b.low)


def welch_interval(
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
