"""Times to events beside lifelines, on public cohorts that come with it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from core.statistics.competing_risks import cumulative_incidence
from core.statistics.cox import cox
from core.statistics.restricted_means import restricted_mean
from core.statistics.survival import kaplan_meier, log_rank, median_follow_up

lifelines = pytest.importorskip("lifelines")
CLOSE = {"rel": 1e-6, "abs": 1e-9}


def cohort(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, events, groups and covariates (group first) of a public cohort."""
    from lifelines import datasets

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = getattr(datasets, f"load_{name}")()
    time, event, group, others = {
        "rossi": ("week", "arrest", table.get("fin"), ["age", "prio"]),
        "gbsg2": ("time", "cens", table.get("horTh") == "yes", ["age", "tsize", "pnodes"]),
        "larynx": ("time", "death", table.get("Stage_III"), ["age", "Stage_IV"]),
    }[name]
    groups = np.asarray(group, dtype=np.int64)
    inputs = np.column_stack([groups, table[others]]).astype(np.float64)
    return table[time].to_numpy(float), table[event].to_numpy() == 1, groups, inputs


COHORTS = ("rossi", "gbsg2", "larynx")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", COHORTS)
def test_curves_follow_up_and_the_log_rank_test(name):
    times, events, groups, _ = cohort(name)
    for k in (0, 1):
        rows = groups == k
        curve = kaplan_meier(times[rows], events[rows])
        theirs = lifelines.KaplanMeierFitter().fit(times[rows], events[rows])
        assert curve.share == pytest.approx(theirs.predict(curve.times).to_numpy(), **CLOSE)
        bounds = theirs.confidence_interval_survival_function_.loc[curve.times[1:]].to_numpy().T
        known = (curve.share[1:] > 0) & np.isfinite(bounds).all(axis=0)
        assert curve.low[1:][known] == pytest.approx(bounds[0][known], **CLOSE)
        assert curve.high[1:][known] == pytest.approx(bounds[1][known], **CLOSE)
        assert curve.at_risk(curve.times[1:]).tolist() == (
            theirs.event_table.loc[curve.times[1:], "at_risk"].tolist()
        )
        middle = lifelines.KaplanMeierFitter().fit(times[rows], ~events[rows]).median_survival_time_
        assert median_follow_up(times[rows], events[rows]) == (None if np.isinf(middle) else middle)
    statistic, p = log_rank(times, events, groups)
    theirs = lifelines.statistics.multivariate_logrank_test(times, groups, events)
    assert (statistic, p) == pytest.approx((theirs.test_statistic, theirs.p_value), **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_coefficients_of_cox_and_their_errors(name):
    times, events, _, inputs = cohort(name)
    fit = cox(times, events, inputs)
    table = pd.DataFrame(inputs).assign(t=times, e=events)
    theirs = lifelines.CoxPHFitter().fit(table, "t", "e", fit_options={"precision": 1e-12})
    assert fit.params == pytest.approx(theirs.params_.to_numpy(), **CLOSE)
    assert fit.bse == pytest.approx(theirs.standard_errors_.to_numpy(), **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_restricted_means(name):
    times, events, groups, _ = cohort(name)
    until = float(np.quantile(times, 0.8))
    theirs = lifelines.KaplanMeierFitter().fit(times[groups == 1], events[groups == 1])
    expected = lifelines.utils.restricted_mean_survival_time(theirs, until)
    mean, _ = restricted_mean(times[groups == 1], events[groups == 1], until)
    assert mean == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_cumulative_incidence_and_its_interval(name):
    """lifelines moves tied times at random: they are moved beforehand, the same for both."""
    times, events, _, _ = cohort(name)
    times = times + np.argsort(np.random.default_rng(1).random(times.size)) * 1e-6
    others = ~events & (np.random.default_rng(2).random(times.size) < 0.3)
    curve = cumulative_incidence(times, events, others)
    theirs = lifelines.AalenJohansenFitter(seed=0).fit(times, events + 2 * others, 1)
    expected = theirs.cumulative_density_["CIF_1"].loc[curve.times].to_numpy()
    assert curve.share == pytest.approx(expected, **CLOSE)
    bounds = theirs.confidence_interval_.loc[curve.times].to_numpy().T
    # Nobody is left after the last time, which their variance divides by.
    known = np.isfinite(bounds).all(axis=0) & (curve.share > 0)
    assert known.sum() > 25
    assert curve.low[known] == pytest.approx(bounds.min(axis=0)[known], **CLOSE)
    assert curve.high[known] == pytest.approx(bounds.max(axis=0)[known], **CLOSE)
