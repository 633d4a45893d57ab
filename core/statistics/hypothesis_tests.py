"""Tests of a difference between groups on one column: a p-value, or the words why there is none.

Each takes the observed values of the groups and calls scipy; which test suits which column and how
many patients is decided in ``compare``.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..wording import p_text

#: Random rearrangements of a permutation test, and random tables of a Monte-Carlo Fisher test.
RESAMPLES = 9_999
#: Expected cells below this make the chi-square approximation poor.
LEAST_EXPECTED = 5.0
#: Right-leaning from this pooled skewness on. Of the skewness over the root of n: from the first on
#: Welch's test is corrected for it, from the second a rearrangement, or a test of more than two
#: groups, does not hold its level. And groups of so many patients whose means are near enough
#: to normal whatever their skewness. Measured by ``tests.benchmarks.small_groups`` and
#: ``survival_coverage``.
LEANING, CORRECTED, SKEWED, MANY = 0.5, 0.2, 0.6, 100
TOO_SKEWED = (
    "Not testable at this size: so skewed a column needs more patients in the smaller group for "
    "any test of means to hold its level."
)
ALL_THE_SAME = "Every observed value is the same: there is nothing to test."
F_TEST = "Welch's F-test"

Groups = Sequence[np.ndarray]


@dataclass(frozen=True)
class Test:
    """Outcome of one test."""

    __test__ = False  # for pytest, which collects classes of this name

    #: Of the test; empty where none was made.
    name: str = ""
    #: None where there is none.
    statistic: float | None = None
    p: float | None = None
    #: Why there is no p-value; empty where there is one.
    reason: str = ""
    #: The smallest p-value that so many random rearrangements can show; 0 where it can be any.
    floor: float = 0.0

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


def stream(seed: int, values: Groups) -> np.random.Generator:
    """Random numbers for one test: the same wherever the same values are tested under a seed.

    Parameters
    ----------
    seed : int
    values : sequence of ndarray
        All that the test is told: the values of the groups, of times also which are events.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in values:
        digest.update(part.size.to_bytes(8, "little") + part.tobytes())
    return np.random.default_rng([seed, int.from_bytes(digest.digest(), "little")])


def permuted(
    name: str,
    statistic: Callable,
    groups: Groups,
    random: np.random.Generator,
    **options,
) -> Test:
    """A test by random rearrangements, given what ``scipy.stats.permutation_test`` takes."""
    with quiet():
        found = stats.permutation_test(
            groups, statistic, n_resamples=RESAMPLES, vectorized=True, rng=random, **options
        )
    sides = 1 if options.get("alternative") == "greater" else 2
    return made(name, found.statistic, found.pvalue, sides / (RESAMPLES + 1))


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings about groups that have no spread, or no event, in a rearrangement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def compare_means(
    groups: Groups,
    few: bool,
    random: np.random.Generator,
    name: str = "Welch's t-test",
    of_more: str = F_TEST,
) -> Test:
    """Welch's t-test of two groups, Welch's F-test of more; their permutation where few.

    Both compare means whatever the spreads, and so does a permutation of a statistic that is
    studentised (Janssen 1997). Ranks would test something else: two groups of the same mean and
    another spread differ in their ranks as soon as the column is skewed. Where a group is skewed
    for its size the t-test is corrected for that (``corrected_t``); where nothing holds its level,
    nothing is tested.

    Parameters
    ----------
    groups : sequence of ndarray
        Observed values of each group, at least two each.
    few : bool
        Rearrange the patients instead of trusting an approximation.
    random : numpy.random.Generator
    name, of_more : str
        What the tests of two groups and of more are called.
    """
    if _all_equal(groups):
        return no_test(ALL_THE_SAME)
    flat = [np.ptp(group) == 0.0 for group in groups]
    if all(flat) or (len(groups) > 2 and any(flat)):
        return no_test("A group's values are all the same: Welch's test needs some spread.")
    skewness, is_pair = skewness_of_means(groups), len(groups) == 2
    if skewness > SKEWED and (few or not is_pair):
        return no_test(TOO_SKEWED)
    is_corrected = is_pair and skewness > CORRECTED
    test = stats.ttest_ind if is_pair else stats.f_oneway
    name = name if is_pair else of_more

    def statistic(*parts: np.ndarray, axis: int = -1) -> np.ndarray:
        if is_corrected:
            return corrected_t(*parts, axis=axis)
        return test(*parts, equal_var=False, axis=axis).statistic

    if few:
        name = f"permutation of {name}{' corrected for skewness' if is_corrected else ''}"
        sides = "two-sided" if is_pair else "greater"
        return permuted(name, statistic, groups, random, alternative=sides)
    with quiet():
        found = test(*groups, equal_var=False)
    if not is_corrected:
        return made(name, found.statistic, found.pvalue)
    # Each rejects too often where the other does not: the one that says less counts.
    t = min(float(corrected_t(*groups)), float(found.statistic), key=abs)
    name = f"{name}, with and without a correction for skewness"
    return made(name, t, 2.0 * stats.t.sf(abs(t), found.df))


def corrected_t(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    """Welch's t less the skewness that skewed groups give it; infinite without any spread.

    Hall's monotone transformation, t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 with g the skewness of the
    difference of the means (Hall 1992; Zhou and Dinh, Biostatistics 6, 2005, of two samples).
    """
    difference, error, g = difference_of_means(a, b, axis)
    t = difference / error
    return np.where(error > 0.0, t + g * t**2 / 3.0 + g**2 * t**3 / 27.0 + g / 6.0, np.inf)


def uncorrected_t(corrected: float, g: float) -> float:
    """The t that ``corrected_t`` turns into a value, for a skewness g of the difference."""
    if abs(g) < 1e-8:
        return corrected
    return float((np.cbrt(1.0 + g * (corrected - g / 6.0)) - 1.0) * 3.0 / g)


def difference_of_means(
    a: np.ndarray, b: np.ndarray, axis: int = -1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A difference of means along an axis, its standard error and its skewness."""
    n = a.shape[axis], b.shape[axis]
    means = [part.mean(axis=axis, keepdims=True) for part in (a, b)]
    variance, third = 0.0, 0.0
    for part, mean, size, sign in zip((a, b), means, n, (1.0, -1.0), strict=True):
        variance = variance + np.sum((part - mean) ** 2, axis=axis) / (size - 1) / size
        third = third + sign * np.mean((part - mean) ** 3, axis=axis) / size**2
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = third / variance**1.5
    return np.squeeze(means[0] - means[1], axis), np.sqrt(variance), skewness


def skewness_of_means(groups: Groups) -> float:
    """How skewed the means that are compared are, for the sizes of their groups.

    The error of a t-test grows with the skewness over the root of n. A sample of few tells little
    of its own skewness: of values that cannot be negative and lean to the right, the one of a
    log-normal of the same coefficient of variation is taken, else half as much again as observed.
    """
    standard = [(group - group.mean()) / (group.std() or 1.0) for group in groups]
    leaning = float(stats.skew(np.concatenate(standard)))
    positive = min(group.min() for group in groups) >= 0.0 and leaning > LEANING
    variance_of_mean = np.array([group.var(ddof=1) / group.size for group in groups])
    weights = (variance_of_mean / variance_of_mean.sum()) ** 1.5
    error = 0.0
    for group, own, weight in zip(groups, standard, weights, strict=True):
        if group.size >= MANY:
            continue
        if positive:
            relative = group.std(ddof=1) / group.mean() if group.mean() else 0.0
            skewness = 3.0 * relative + relative**3
        else:
            skewness = 1.5 * max(abs(leaning), abs(float(np.mean(own**3))))
        error += weight * skewness / np.sqrt(group.size)
    return error


def compare_tables(table: np.ndarray, few: bool, random: np.random.Generator) -> Test:
    """Test whether rows (groups) and columns of a table of counts are independent.

    Chi-square without Yates' correction where every expected count is 5 or more, unless there are
    ``few``; otherwise Fisher, exact on a 2 x 2 table and by random tables on a larger one. Levels
    that nobody has are left out.
    """
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
    """Welch's test of the logarithms of two rates: a rate ratio with a sandwich variance.

    It does not take the counts for Poisson, and holds its level in small groups, where a
    permutation of it does not if they are spread otherwise. Of a group without any event there is
    no ratio: then the shares of patients with an event are compared. Of more than two groups,
    Welch's F-test; its permutation where few.
    """
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
    """Values whose mean is the logarithm of a rate, with its variance by the delta method.

    That is the sandwich variance (Huber-White) of a Poisson regression on the group, with the
    group's own variance. Shape (N,), as the counts.
    """
    return np.log(counts.mean()) + counts / counts.mean() - 1.0


def _all_equal(groups: Groups) -> bool:
    values = np.concatenate(groups)
    return bool(values.min() == values.max())
