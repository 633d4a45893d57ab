"""Tests of a difference between groups: a p-value, or the words why there is none."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ..wording import p_text

#: Random rearrangements of a permutation test, and random tables of a Monte-Carlo Fisher test.
RESAMPLES = 9_999
#: Expected cells below this make the chi-square approximation poor.
LEAST_EXPECTED = 5.0
#: From this skewness on fewer are permuted: of 264 and 26 log-normal, Welch's rejects .08 to .14.
SKEWED, MANY = 1.25, 100
TOO_SKEWED = (
    "Not testable at this size: so skewed a column needs more patients in the smaller group for "
    "any test of means to hold its level."
)
ALL_THE_SAME = "Every observed value is the same: there is nothing to test."

Groups = Sequence[np.ndarray]


@dataclass(frozen=True)
class Test:
    """Outcome of one test."""

    __test__ = False  # for pytest, which collects classes of this name

    name: str = ""
    statistic: float | None = None
    p: float | None = None
    reason: str = ""
    #: The smallest p-value that so many random rearrangements can show; 0 where it can be any.
    floor: float = 0.0
    #: Between which the statistic lies in 95 % of the rearrangements; None where none were made.
    middle: tuple[float, float] | None = None

    @property
    def p_text(self) -> str:
        """The p-value as it is printed, or that there is none."""
        return p_text(self.p, self.floor, RESAMPLES)

    @property
    def stopped(self) -> str:
        """That the p-value is the smallest which rearrangements can show; empty where it is not."""
        return f"p {self.p_text}." if self.p is not None and self.p <= self.floor else ""


def no_test(reason: str) -> Test:
    """No test, and why."""
    return Test(reason=reason)


def made(name: str, statistic: float | None, p: float, floor: float = 0.0) -> Test:
    """A test, unless its p-value is none."""
    if not np.isfinite(p):
        return Test(name, reason=f"The {name} has no value on these numbers.")
    known = statistic is not None and np.isfinite(statistic)
    return Test(name, float(statistic) if known else None, float(p), floor=floor)


def permuted(
    name: str, statistic: Callable, groups: Groups, random: np.random.Generator, **options
) -> Test:
    """A test by random rearrangements, given what ``scipy.stats.permutation_test`` takes."""
    with quiet():
        found = stats.permutation_test(
            groups, statistic, n_resamples=RESAMPLES, vectorized=True, rng=random, **options
        )
    sides = 1 if options.get("alternative") == "greater" else 2
    test = made(f"permutation of {name}", found.statistic, found.pvalue, sides / (RESAMPLES + 1))
    # Beyond these two the two-sided p is .05 or less.
    outside = max(1, int(0.025 * (RESAMPLES + 1) + 1e-9))
    low, high = np.sort(found.null_distribution)[[outside - 1, -outside]]
    return replace(test, middle=(float(low), float(high)))


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings about groups that have no spread, or no event, in a rearrangement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def compare_means(groups: Groups, few: bool, random: np.random.Generator, of: str = "") -> Test:
    """Welch's t-test of two groups, Welch's F-test of more; their permutation where few or skewed.

    The permuted statistic is studentised (Janssen 1997), so that unequal spreads do not matter.
    """
    if _all_equal(groups):
        return no_test(ALL_THE_SAME)
    flat, is_pair = [np.ptp(group) == 0.0 for group in groups], len(groups) == 2
    if all(flat) or (not is_pair and any(flat)):
        return no_test("A group's values are all the same: Welch's test needs some spread.")
    skewed = is_skewed(groups)
    if few and skewed:  # groups of other spreads would be told apart too often
        return no_test(TOO_SKEWED)
    test = stats.ttest_ind if is_pair else stats.f_oneway
    kind = "t-test" if is_pair else "F-test"
    name = f"Welch's {'test' if of and is_pair else kind}{of}"
    if few or skewed:
        return permuted(
            name,
            lambda *parts, axis=-1: test(*parts, equal_var=False, axis=axis).statistic,
            groups,
            random,
            alternative="two-sided" if is_pair else "greater",
        )
    with quiet():
        found = test(*groups, equal_var=False)
    return made(name, found.statistic, found.pvalue)


def is_skewed(groups: Groups) -> bool:
    """Whether a group is small for how skewed the values of all are about their groups' means."""
    standard = [(group - group.mean()) / (group.std() or 1.0) for group in groups]
    return min(map(len, groups)) < MANY and abs(stats.skew(np.concatenate(standard))) > SKEWED


def compare_tables(table: np.ndarray, few: bool, random: np.random.Generator) -> Test:
    """Test whether rows (groups) and columns of a table of counts are independent."""
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return no_test("Every observed answer is the same: there is nothing to test.")
    expected = stats.contingency.expected_freq(table)
    if not few and expected.min() >= LEAST_EXPECTED:
        found = stats.chi2_contingency(table, correction=False)
        return made("chi-square", found.statistic, found.pvalue)
    if table.shape == (2, 2):
        return made("Fisher's exact test", None, stats.fisher_exact(table).pvalue)
    method = stats.MonteCarloMethod(n_resamples=RESAMPLES, rng=random)
    found = stats.fisher_exact(table, method=method)
    return made("Monte-Carlo Fisher", None, found.pvalue, 1 / (RESAMPLES + 1))


def compare_counts(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """Welch's test of the logarithms of two rates: a rate ratio with a sandwich variance."""
    if not sum(group.sum() for group in groups):
        return no_test("No event was observed in any group: there is nothing to test.")
    if len(groups) > 2 or _all_equal(groups):
        return compare_means(groups, few, random)
    if not all(group.sum() for group in groups):
        table = [[np.count_nonzero(group), np.count_nonzero(group == 0)] for group in groups]
        return made("Fisher's exact test of any event", None, stats.fisher_exact(table).pvalue)
    if not any(np.ptp(group) for group in groups):
        return no_test("Neither group's counts vary, so there is nothing to judge them by.")
    found = stats.ttest_ind(*map(log_rate, groups), equal_var=False)
    return made("rate ratio, sandwich", found.statistic, found.pvalue)


def log_rate(counts: np.ndarray) -> np.ndarray:
    """Values whose mean is the logarithm of a rate, with its variance by the delta method."""
    return np.log(counts.mean()) + counts / counts.mean() - 1.0


def _all_equal(groups: Groups) -> bool:
    values = np.concatenate(groups)
    return bool(values.min() == values.max())
