"""Tests of a difference between groups on one column: a p-value, or the words why there is none.

Each takes the observed values of the groups and calls scipy or statsmodels; which test suits which
column and how many patients is decided in ``association``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.stats.nonparametric import rank_compare_2indep
from statsmodels.stats.rates import test_poisson_2indep as poisson_e_test

from .survival import log_rank, log_rank_scores

#: Random rearrangements of a permutation test, and random tables of a Monte-Carlo Fisher test.
RESAMPLES = 9_999
#: Expected cells below this make the chi-square approximation poor.
LEAST_EXPECTED = 5.0
#: A count's variance above so many means is more than Poisson.
OVERDISPERSED = 1.5
#: Events in a group beyond which the E-test's sum grows long and the score test is as good.
MANY_EVENTS = 1_000

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


def no_test(reason: str) -> Test:
    """No test, and why."""
    return Test(reason=reason)


def compare_measurements(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """Welch's t-test of two groups, Welch's F-test of more; their permutation where few.

    Parameters
    ----------
    groups : sequence of ndarray
        Observed values of each group, at least two each.
    few : bool
        Rearrange the patients instead of trusting an approximation.
    """
    if _all_equal(groups):
        return no_test("Every observed value is the same: there is nothing to test.")
    flat = [np.ptp(group) == 0.0 for group in groups]
    if all(flat) or (len(groups) > 2 and any(flat)):
        return no_test("A group's values are all the same: Welch's test needs some spread.")
    if len(groups) == 2:
        method = _permutations(random) if few else None
        with quiet():
            found = stats.ttest_ind(*groups, equal_var=False, method=method)
        name = "permutation of Welch's t" if few else "Welch's t-test"
        return _outcome(name, found.statistic, found.pvalue)
    if few:
        return _permuted("permutation of Welch's F", _welch_f, groups, random, "greater")
    found = stats.f_oneway(*groups, equal_var=False)
    return _outcome("Welch's F-test", found.statistic, found.pvalue)


def compare_ratings(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """Brunner-Munzel of two groups, Kruskal-Wallis of more; by permutation where few or apart."""
    if _all_equal(groups):
        return no_test("Every observed value is the same: there is nothing to test.")
    if len(groups) > 2:
        if few:
            name = "permutation of Kruskal-Wallis"
            return _permuted(name, _kruskal, groups, random, "greater")
        found = stats.kruskal(*groups)
        return _outcome("Kruskal-Wallis", found.statistic, found.pvalue)
    if few or _apart(groups):
        found = stats.mannwhitneyu(*groups, method=_permutations(random))
        return _outcome("permutation of Mann-Whitney", found.statistic, found.pvalue)
    found = rank_compare_2indep(*groups, use_t=True)
    return _outcome("Brunner-Munzel", found.statistic, found.pvalue)


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
    return _outcome("Monte-Carlo Fisher", None, found.pvalue)


def compare_counts(groups: Groups, few: bool, random: np.random.Generator) -> Test:
    """E-test of two Poisson rates; permutation where few, overdispersed or more than two groups."""
    if not sum(group.sum() for group in groups):
        return no_test("No event was observed in any group: there is nothing to test.")
    if _all_equal(groups):
        return no_test("Every observed value is the same: there is nothing to test.")
    if len(groups) > 2:
        name = "permutation of the spread of the rates"
        return _permuted(name, _between, groups, random, "greater")
    if few or dispersion(groups) > OVERDISPERSED:
        name = "permutation of the difference of rates"
        return _permuted(name, _difference, groups, random, "two-sided")
    a, b = groups
    many = max(a.sum(), b.sum()) > MANY_EVENTS
    method = "score" if many else "etest"
    with quiet():
        found = poisson_e_test(a.sum(), a.size, b.sum(), b.size, method=method, compare="ratio")
    return _outcome("score test of two rates" if many else "E-test", found.statistic, found.pvalue)


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


def dispersion(groups: Groups) -> float:
    """Variance of counts within groups over their mean: about 1 for Poisson, 0 where no event."""
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    expected = sum((group.size - 1) * float(group.mean()) for group in groups)
    return squares / expected if expected else 0.0


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings about groups that have no spread, or no event, in a rearrangement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _outcome(name: str, statistic: float | None, p: float) -> Test:
    if not np.isfinite(p):
        return Test(name, reason=f"The {name} has no value on these numbers.")
    known = statistic is not None and np.isfinite(statistic)
    return Test(name, float(statistic) if known else None, float(p))


def _all_equal(groups: Groups) -> bool:
    values = np.concatenate(groups)
    return bool(values.min() == values.max())


def _apart(groups: Groups) -> bool:
    """Whether every value of one group lies above every one of the other."""
    a, b = groups
    return bool(a.min() > b.max() or b.min() > a.max())


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
    return _outcome(name, found.statistic, found.pvalue)


def _difference(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    return a.mean(axis=axis) - b.mean(axis=axis)


def _between(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
    """Sum of squares between groups, up to a constant."""
    return sum(group.sum(axis=axis) ** 2 / group.shape[axis] for group in groups)


def _welch_f(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
    return stats.f_oneway(*groups, equal_var=False, axis=axis).statistic


def _kruskal(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
    """Kruskal-Wallis without its constants; ranks do not change as patients are rearranged."""
    sizes = [group.shape[axis] for group in groups]
    ranks = stats.rankdata(np.concatenate(groups, axis=axis), axis=axis)
    return _between(*np.split(ranks, np.cumsum(sizes)[:-1], axis=axis), axis=axis)
