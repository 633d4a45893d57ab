"""A small part of the benchmark: intervals that hold the truth about as often as they say."""

from __future__ import annotations

import pytest
from scipy import stats

from tests.benchmarks.survival_coverage import cases, covered

SETS = 150


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
    share, without = covered(cases()[name], (40, 40), SETS, seed=1)
    made = round(SETS * (1 - without))
    assert made > 0.9 * SETS
    # Of a true coverage of .93, hardly ever fewer.
    assert share * made >= stats.binom.ppf(0.001, made, 0.93)
