"""How large a difference between two groups is, with its 95 % interval or the words why none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.nonparametric import rank_compare_2indep

from .hypothesis_tests import (
    CORRECTED,
    SKEWED,
    TOO_SKEWED,
    difference_of_means,
    log_rate_ratio,
    quiet,
    skewness_of_means,
    uncorrected_t,
)
from .intervals import LEVEL, apart, share


@dataclass(frozen=True)
class Effect:
    """Size of a difference."""

    #: Such as "mean difference"; empty where there is none.
    name: str = ""
    #: The first group against the second, and its 95 % interval.
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    #: Why something is not there; empty where all is.
    reason: str = ""
    #: The value that means no difference, where the name leaves that open.
    null: float | None = 0.0

    @property
    def sides(self) -> tuple[str, str]:
        """What lies below and above the value that means no difference, in words."""
        if self.null is None:
            return "weaker", "stronger"
        if self.name == "risk difference" or self.name.startswith("difference of shares"):
            return "rarer in the first group", "more frequent in the first group"
        if self.name.endswith("hazard ratio"):
            return "later in the first group", "sooner in the first group"
        if self.name.startswith("difference of mean times"):
            return "sooner in the first group", "later in the first group"
        return "lower in the first group", "higher in the first group"


def no_effect(reason: str) -> Effect:
    """No effect, and why."""
    return Effect(reason=reason, null=None)


def mean_difference(
    a: np.ndarray, b: np.ndarray, log: bool, of: str = "mean difference", few: bool = False
) -> Effect:
    """Difference of means; of logarithms, the ratio of geometric means.

    The interval holds what the test does not reject: Welch's, where the groups are skewed together
    with the one corrected for that (Hall's transformation turned round), and none where nothing
    holds its level. ``few`` as in ``compare_measurements``: the test rearranges patients then, the
    interval does not.
    """
    name, null = ("ratio of geometric means", 1.0) if log else (of, 0.0)
    back = np.exp if log else float
    estimate = float(back(a.mean() - b.mean()))
    if np.ptp(a) == 0.0 and np.ptp(b) == 0.0:
        reason = "Neither group has any spread, so there is no interval."
        return Effect(name, estimate, reason=reason, null=null)
    skewness = skewness_of_means((a, b))
    if few and skewness > SKEWED:
        return Effect(name, estimate, reason=TOO_SKEWED, null=null)
    if skewness > CORRECTED:
        error, g, dof = difference_of_means(a, b)
        reach = stats.t.ppf(0.5 + LEVEL / 2, dof)
        difference = a.mean() - b.mean()
        low, high = (
            difference - error * most(t, uncorrected_t(t, g))
            for t, most in ((reach, max), (-reach, min))
        )
    else:
        with quiet():
            low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval(LEVEL)
    return Effect(name, estimate, float(back(low)), float(back(high)), null=null)


def hedges_g(a: np.ndarray, b: np.ndarray) -> Effect:
    """Difference of means in pooled standard deviations, corrected for small samples."""
    if np.ptp(a) == 0.0 and np.ptp(b) == 0.0:
        return no_effect("Neither group has any spread to measure the difference by.")
    g, variance = effectsize_smd(a.mean(), a.std(ddof=1), a.size, b.mean(), b.std(ddof=1), b.size)
    reach = stats.norm.ppf(0.5 + LEVEL / 2) * np.sqrt(variance)
    return Effect("Hedges' g", float(g), float(g - reach), float(g + reach))


def superiority(a: np.ndarray, b: np.ndarray) -> Effect:
    """Probability that a patient of the first group has the higher rating, ties counting half."""
    name = "probability of superiority"
    if (np.ptp(a) == 0.0 and np.ptp(b) == 0.0) or a.min() > b.max() or b.min() > a.max():
        estimate = 0.5 * (float(a.min() > b.max()) - float(b.min() > a.max()) + 1.0)
        reason = "The groups do not overlap, so there is no interval."
        return Effect(name, estimate, reason=reason, null=0.5)
    found = rank_compare_2indep(a, b, use_t=True)
    low, high = np.clip(found.conf_int(alpha=1.0 - LEVEL), 0.0, 1.0)
    return Effect(name, float(found.prob1), float(low), float(high), null=0.5)


def risk_difference(yes_a: int, n_a: int, yes_b: int, n_b: int) -> Effect:
    """Difference of two shares with Newcombe's interval."""
    low, high = apart(share(yes_a / n_a, n_a), share(yes_b / n_b, n_b))
    return Effect("risk difference", float(yes_a / n_a - yes_b / n_b), float(low), float(high))


def share_interval(yes: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    _, low, high = share(yes / n, n)
    return float(low), float(high)


def cramers_v(table: np.ndarray) -> Effect:
    """Strength of association of a table of counts, shape (2, V), 0 to 1."""
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return no_effect("Every observed answer is the same: there is nothing to measure.")
    v = float(stats.contingency.association(table, method="cramer", correction=False))
    reason = "V cannot fall below 0, so an interval would not show whether it could be 0."
    return Effect("Cramér's V", v, reason=reason, null=None)


def rate_ratio(a: np.ndarray, b: np.ndarray) -> Effect:
    """Ratio of two rates per patient with its sandwich interval, whatever the counts' spread."""
    if not a.sum() or not b.sum():
        return no_effect("A group without any event has no rate ratio.")
    ratio, error, dof = log_rate_ratio(a, b)
    estimate = float(np.exp(ratio))
    if error == 0.0:
        return Effect("rate ratio", estimate, reason="Neither group's counts vary.", null=1.0)
    reach = stats.t.ppf(0.5 + LEVEL / 2, dof) * error
    low, high = np.exp(ratio - reach), np.exp(ratio + reach)
    return Effect("rate ratio", estimate, float(low), float(high), null=1.0)
