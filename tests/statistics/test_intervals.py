"""Intervals against scipy's and statsmodels' own, and how often they hold the truth."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from mapdp_studio.core.statistics.differences import (
    difference_interval,
    effective,
    median,
    share,
    welch_interval,
)
from tests.benchmarks.error_rates import misses, tally

RANDOM, SETS = np.random.default_rng(25), 150


@pytest.mark.parametrize(("yes", "n"), [(0, 5), (5, 5), (1, 7), (30, 80), (999, 1000)])
def test_shares_are_wilsons_and_newcombes(yes, n):
    of_others = share(np.array(12 / 40), np.array(40.0))
    own = share(np.array(yes / n), np.array(float(n)))
    assert own[1:] == pytest.approx(proportion_confint(yes, n, method="wilson"), abs=1e-12)
    theirs = confint_proportions_2indep(yes, n, 12, 40, method="newcomb", compare="diff")
    assert difference_interval(own, of_others) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("n", [5, 6, 7, 20, 51, 200])
def test_medians_lie_between_the_order_statistics_of_scipy(n):
    values = np.sort(RANDOM.lognormal(size=n).round(1))  # with ties
    found = median(values, np.ones(n))
    theirs = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    assert found.value == pytest.approx(np.median(values))
    reached = np.where(np.isinf(found[1:]), np.nan, found[1:])  # scipy's word for no end
    assert reached == pytest.approx([theirs.low, theirs.high], nan_ok=True)


def test_means_are_welchs():
    a, b = RANDOM.normal(1.0, 1.0, 9), RANDOM.normal(0.0, 4.0, 40)
    theirs = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert welch_interval(a, b, np.ones(9), np.ones(40)) == pytest.approx(theirs)
    assert welch_interval(a, b, np.full(9, 0.1), np.full(40, 0.1)) == pytest.approx(theirs)
    assert welch_interval(a[:1], b, np.ones(1), np.ones(40)) == (-np.inf, np.inf)


def test_rows_of_one_weight_count_once_and_heavy_ones_leave_fewer():
    values = np.sort(RANDOM.normal(size=30))
    tenths = np.full(30, 0.1)
    assert median(values, tenths) == pytest.approx(median(values, np.ones(30)))
    heavy = np.where(np.arange(30) < 3, 10.0, 0.1)
    assert effective(heavy.sum(), np.square(heavy).sum()) == pytest.approx(3.6, abs=0.1)
    assert np.isinf(median(values, heavy).low)


@pytest.mark.parametrize(
    "name",
    [
        "hazard ratio, 60% censored",
        "restricted means, 60% censored",
        "cumulative incidences, 60% censored",
        "ratio of geometric means",
        "risk difference",
        "rate ratio",
        "rating",
    ],
)
def test_the_truth_lies_inside_about_as_often_as_is_said(name):
    made, _, missed = tally(partial(misses, name, (40, 40)), SETS)[""]
    assert made > 0.9 * SETS
    # Of a true coverage of .93, hardly ever more.
    assert missed <= stats.binom.ppf(0.999, made, 0.07)
