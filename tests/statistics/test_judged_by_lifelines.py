"""Times to events beside lifelines, on public cohorts.

Its values are stored, as it holds pandas below 3: tests/benchmarks/lifelines_values.py writes them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mapdp_studio.core.statistics.hazards import cox
from mapdp_studio.core.statistics.survival import (
    Curve,
    cumulative_incidence,
    kaplan_meier,
    log_rank,
    median_follow_up,
    restricted_mean,
)
from tests.tables.cohorts import COHORTS, cohort, competing

THEIRS = json.loads((Path(__file__).parents[1] / "data" / "lifelines.json").read_text("utf-8"))
CLOSE = {"rel": 1e-6, "abs": 1e-9}


def agree(curve: Curve, theirs: dict, known: np.ndarray, least: int) -> None:
    """The curve is theirs, as is its interval where ``known``: at more than ``least`` times."""
    assert curve.times.tolist() == theirs["times"]
    assert curve.share == pytest.approx(np.array(theirs["share"], dtype=float), **CLOSE)
    low, high = (np.array(theirs[end], dtype=float) for end in ("low", "high"))
    known = known & np.isfinite(low) & np.isfinite(high)
    assert known.sum() > least
    assert curve.low[known] == pytest.approx(low[known], **CLOSE)
    assert curve.high[known] == pytest.approx(high[known], **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_curves_follow_up_and_the_log_rank_test(name):
    times, events, groups, _ = cohort(name)
    for k, theirs in enumerate(THEIRS[name]["curves"]):
        rows = groups == k
        curve = kaplan_meier(times[rows], events[rows])
        agree(curve, theirs, (curve.share > 0) & (curve.times > 0), 4)
        assert curve.at_risk(curve.times).tolist() == theirs["at risk"]
        assert median_follow_up(times[rows], events[rows]) == theirs["median follow-up"]
    assert log_rank(times, events, groups) == pytest.approx(THEIRS[name]["log-rank"], **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_coefficients_of_cox_and_their_errors(name):
    times, events, _, inputs = cohort(name)
    fit = cox(times, events, inputs)
    assert fit.params == pytest.approx(THEIRS[name]["coefficients"], **CLOSE)
    assert fit.bse == pytest.approx(THEIRS[name]["errors"], **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_restricted_means(name):
    times, events, groups, _ = cohort(name)
    until, expected = THEIRS[name]["restricted mean"]
    assert until == pytest.approx(float(np.quantile(times, 0.8)))
    mean, _ = restricted_mean(times[groups == 1], events[groups == 1], until)
    assert mean == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_cumulative_incidence_and_its_interval(name):
    curve = cumulative_incidence(*competing(name))
    # Nobody is left after the last time, which their variance divides by.
    agree(curve, THEIRS[name]["incidence"], curve.share > 0, 25)
