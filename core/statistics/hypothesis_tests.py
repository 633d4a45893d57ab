"""Tests of a difference between groups on one column: a p-value, or the words why there is none.

Each takes the observed values of the groups and calls scipy or statsmodels; which test suits which
column and how many patients is decided in ``association``.
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
from .survival import log_rank, log_rank_scores

#: Random rearrangements of a permutation test, and random tables of a Monte-Carlo Fisher test.
RESAMPLES = 9_999
#: Expected cells below this make the chi-square approximation poor.
LEAST_EXPECTED = 5.0
#: Right-leaning from this pooled skewness on. Of the skewness over the root of n: from the first on
#: Welch's test is corrected for it, from the second a rearrangement, or a test of more than two
#: groups, does not hold its level. And groups of so many patients whose means are near enough to
#: normal whatever their skewness. Measured by ``tests.benchmarks.small_groups`` and
#: ``survival_coverage``.
LEANING, CORRECTED, SKEWED, MANY = 0.5, 0.2, 0.6, 100
TOO_SKEWED = (
    "Not testable at this size: so skewed a column needs more patients in the smaller group for "
    "any test of means to hold its level."
)

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


def compare_measurements(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """Welch's t-test of two groups, Welch's F-test of more; their permutation where few.

    Both compare means whatever the spreads, and so does a permutation of a statistic that is
    studentised (Janssen 1997). Where a group is skewed for its size the t-test is corrected for
    that (``corrected_t``); where nothing holds its level, nothing is tested.

    Parameters
    ----------
    groups : sequence of ndarray
        Observed values of each group, at least two each.
    few : bool
        Rearrange the patients instead of trusting an approximation.
    random : numpy.random.Generator
    """
    refusal = _no_means(groups, few)
    if refusal:
        return no_test(refusal)
    if len(groups) == 2:
        return _two_means("Welch's t-test", groups, few, random)
    return _more_means("Welch's F-test", groups, few, random)


def compare_ratings(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """Welch's test of the mean scores; by permutation where few.

    Ranks would test something else: two groups of the same mean score and another spread differ in
    their ranks as soon as the scale is skewed.
    """
    refusal = _no_means(groups, few)
    if refusal:
        return no_test(refusal)
    if len(groups) == 2:
        return _two_means("Welch's test of mean scores", groups, few, random)
    return _more_means("Welch's F-test of mean scores", groups, few, random)


def _no_means(groups: Groups, few: bool) -> str:
    """Why means are not compared; empty where they are."""
    if _all_equal(groups):
        return "Every observed value is the same: there is nothing to test."
    flat = [np.ptp(group) == 0.0 for group in groups]
    if all(flat) or (len(groups) > 2 and any(flat)):
        return "A group's values are all the same: Welch's test needs some spread."
    can_be_corrected = len(groups) == 2 and not few
    return "" if can_be_corrected or skewness_of_means(groups) <= SKEWED else TOO_SKEWED


def _two_means(name: str, groups: Groups, few: bool, random: np.random.Generator) -> Test:
    if skewness_of_means(groups) > CORRECTED:
        if few:
            name = f"permutation of {name} corrected for skewness"
            return _permuted(name, corrected_t, groups, random, "two-sided")
        # Each rejects too often where the other does not: the one that says less counts.
        error, _, dof = difference_of_means(*groups)
        plain = (groups[0].mean() - groups[1].mean()) / error
        t = min(float(corrected_t(*groups)), plain, key=abs)
        name = f"{name}, with and without a correction for skewness"
        return _outcome(name, t, 2.0 * stats.t.sf(abs(t), dof))
    method = _permutations(random) if few else None
    with quiet():
        found = stats.ttest_ind(*groups, equal_var=False, method=method)
    if few:
        return _outcome(f"permutation of {name}", found.statistic, found.pvalue, _floor(2))
    return _outcome(name, found.statistic, found.pvalue)


def corrected_t(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    """Welch's t less the skewness that skewed groups give it.

    Hall's monotone transformation, t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 with g the skewness of the
    difference of the means (Hall 1992; Zhou and Dinh, Biostatistics 6, 2005, of two samples).

    Parameters
    ----------
    a, b : ndarray
        Values of both groups along ``axis``.
    axis : int

    Returns
    -------
    ndarray
        Infinite where neither group has any spread.
    """
    of_mean = [part.var(axis=axis, ddof=1) / part.shape[axis] for part in (a, b)]
    third = [stats.moment(part, 3, axis=axis) / part.shape[axis] ** 2 for part in (a, b)]
    variance = of_mean[0] + of_mean[1]
    t = (a.mean(axis=axis) - b.mean(axis=axis)) / np.sqrt(variance)
    g = (third[0] - third[1]) / variance**1.5
    corrected = t + g * t**2 / 3.0 + g**2 * t**3 / 27.0 + g / 6.0
    return np.where(variance > 0.0, corrected, np.inf)


def uncorrected_t(corrected: float, g: float) -> float:
    """The t that ``corrected_t`` turns into a value, for a skewness g of the difference."""
    if abs(g) < 1e-8:
        return corrected
    return float((np.cbrt(1.0 + g * (corrected - g / 6.0)) - 1.0) * 3.0 / g)


def difference_of_means(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """Standard error of a difference of means, its skewness and Welch's degrees of freedom."""
    variances = [float(part.var(ddof=1)) / part.size for part in (a, b)]
    third = [float(stats.moment(part, 3)) / part.size**2 for part in (a, b)]
    skewness = (third[0] - third[1]) / sum(variances) ** 1.5
    return float(np.sqrt(sum(variances))), skewness, satterthwaite(variances, (a, b))


def satterthwaite(variances: Sequence[float], groups: Groups) -> float:
    """Degrees of freedom of a sum of variances, one estimated in each group (Welch 1947)."""
    parts = sum(v**2 / (group.size - 1) for v, group in zip(variances, groups, strict=True))
    return sum(variances) ** 2 / parts if parts else float("nan")


def _more_means(name: str, groups: Groups, few: bool, random: np.random.Generator) -> Test:
    if few:
        return _permuted(f"permutation of {name}", _welch_f, groups, random, "greater")
    found = stats.f_oneway(*groups, equal_var=False)
    return _outcome(name, found.statistic, found.pvalue)


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
        return _outcome("chi-square", found.statistic, found.pvalue)
    if table.shape == (2, 2):
        return _outcome("Fisher's exact test", None, stats.fisher_exact(table).pvalue)
    method = stats.MonteCarloMethod(n_resamples=RESAMPLES, rng=random)
    found = stats.fisher_exact(table, method=method)
    return _outcome("Monte-Carlo Fisher", None, found.pvalue, _floor(1))


def compare_counts(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """Wald's test of the logarithm of a rate ratio with a sandwich variance and Welch's df.

    It does not take the counts for Poisson, and holds its level in small groups, where a
    permutation of it does not if they are spread otherwise. Of a group without any event there is
    no ratio: then the shares of patients with an event are compared. Of more than two groups,
    Welch's F-test; its permutation where few.
    """
    if not sum(group.sum() for group in groups):
        return no_test("No event was observed in any group: there is nothing to test.")
    if _all_equal(groups):
        return no_test("Every observed value is the same: there is nothing to test.")
    if len(groups) > 2:
        refusal = _no_means(groups, few)
        if refusal:
            return no_test(refusal)
        return _more_means("Welch's F-test", groups, few, random)
    if not all(group.sum() for group in groups):
        table = [[np.count_nonzero(group), np.count_nonzero(group == 0)] for group in groups]
        return _outcome("Fisher's exact test of any event", None, stats.fisher_exact(table).pvalue)
    ratio, error, dof = log_rate_ratio(*groups)
    if error == 0.0:
        return no_test("Neither group's counts vary, so there is nothing to judge them by.")
    return _outcome(
        "rate ratio, sandwich", ratio / error, 2.0 * stats.t.sf(abs(ratio / error), dof)
    )


def log_rate_ratio(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """Logarithm of the ratio of two rates, its sandwich standard error and degrees of freedom.

    The variance of a mean's logarithm by the delta method, with every group's own variance
    (Huber-White for a Poisson regression on the group), and Welch's degrees of freedom.
    """
    relative = [float(part.var(ddof=1)) / part.size / float(part.mean()) ** 2 for part in (a, b)]
    dof = satterthwaite(relative, (a, b))
    return float(np.log(a.mean() / b.mean())), float(np.sqrt(sum(relative))), dof


def compare_survival(times: Groups, events: Groups, few: bool, random: np.random.Generator) -> Test:
    """Log-rank test of two groups or more; of its scores' permutation where few."""
    time, event = np.concatenate(times), np.concatenate(events)
    if not event.any():
        return no_test("No event was observed in any group: there is nothing to test.")
    group = np.repeat(np.arange(len(times)), [part.size for part in times])
    if event.sum() < 2:
        return no_test("One event only was observed: that is too few to test.")
    if few:
        scores = log_rank_scores(time, event)
        parts = [scores[group == k] for k in range(len(times))]
        statistic, side = (_difference, "two-sided") if len(parts) == 2 else (_between, "greater")
        return _permuted("permutation of the log-rank test", statistic, parts, random, side)
    statistic, p = log_rank(time, event, group)
    return _outcome("log-rank test", statistic, p)


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings about groups that have no spread, or no event, in a rearrangement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _floor(sides: int) -> float:
    """The p-value of what no rearrangement reaches."""
    return sides / (RESAMPLES + 1)


def _outcome(name: str, statistic: float | None, p: float, floor: float = 0.0) -> Test:
    if not np.isfinite(p):
        return Test(name, reason=f"The {name} has no value on these numbers.")
    known = statistic is not None and np.isfinite(statistic)
    return Test(name, float(statistic) if known else None, float(p), floor=floor)


def _all_equal(groups: Groups) -> bool:
    values = np.concatenate(groups)
    return bool(values.min() == values.max())


def _permutations(random: np.random.Generator) -> stats.PermutationMethod:
    return stats.PermutationMethod(n_resamples=RESAMPLES, rng=random)


def _permuted(
    name: str, statistic: Callable, groups: Groups, random: np.random.Generator, alternative: str
) -> Test:
    with quiet():
        found = stats.permutation_test(
            groups,
            statistic,
            n_resamples=RESAMPLES,
            vectorized=True,
            alternative=alternative,
            rng=random,
        )
    floor = _floor(2 if alternative == "two-sided" else 1)
    return _outcome(name, found.statistic, found.pvalue, floor)


def _difference(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    return a.mean(axis=axis) - b.mean(axis=axis)


def _between(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
    """Sum of squares between groups, up to a constant."""
    return sum(group.sum(axis=axis) ** 2 / group.shape[axis] for group in groups)


def _welch_f(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
    return stats.f_oneway(*groups, equal_var=False, axis=axis).statistic
