"""How large a difference between two groups is, with its 95 % interval or the words why none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from .hypothesis_tests import Test, log_rate, quiet
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
    a: np.ndarray,
    b: np.ndarray,
    log: bool,
    of: str = "mean difference",
    test: Test | None = None,
) -> Effect:
    """Difference of means; of logarithms, the ratio of geometric means."""
    name, null, back = ("ratio of geometric means", 1.0, np.exp) if log else (of, 0.0, float)
    difference = a.mean() - b.mean()
    estimate = float(back(difference))
    if not np.ptp(a) and not np.ptp(b):
        reason = "Neither group has any spread, so there is no interval."
        return Effect(name, estimate, reason=reason, null=null)
    if test is not None and test.p is None:
        return Effect(name, estimate, reason=test.reason, null=null)
    with quiet():
        low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval(LEVEL)
    if test is not None and test.middle is not None:
        error = np.hypot(stats.sem(a), stats.sem(b))
        low, high = (difference - error * end for end in reversed(test.middle))
    return Effect(name, estimate, float(back(low)), float(back(high)), null=null)


def risk_difference(a: np.ndarray, b: np.ndarray) -> Effect:
    """Difference of two shares of 0s and 1s with Newcombe's interval."""
    low, high = apart(*(share(part.mean(), np.float64(part.size)) for part in (a, b)))
    return Effect("risk difference", float(a.mean() - b.mean()), float(low), float(high))


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
    estimate = float(a.mean() / b.mean())
    if not np.ptp(a) and not np.ptp(b):
        return Effect("rate ratio", estimate, reason="Neither group's counts vary.", null=1.0)
    welch = stats.ttest_ind(log_rate(a), log_rate(b), equal_var=False)
    low, high = np.exp(welch.confidence_interval(LEVEL))
    return Effect("rate ratio", estimate, float(low), float(high), null=1.0)
