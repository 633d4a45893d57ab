"""Times to events beside lifelines, R and statsmodels, on public cohorts and by permutation.

lifelines' values are stored with its version, as it holds pandas below 3.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from mapdp_studio.core.statistics.differences import Test
from mapdp_studio.core.statistics.regression import cox, hazards, proportionality, ratio
from mapdp_studio.core.statistics.survival import (
    Curve,
    compare_times,
    cumulative_incidence,
    difference,
    gray,
    horizon,
    kaplan_meier,
    median_follow_up,
    restricted_mean,
)
from mapdp_studio.core.statistics.variables import Variable
from tests.tables.cohorts import COHORTS, cohort, competing, table

THEIRS = json.loads((Path(__file__).parents[1] / "data" / "lifelines.json").read_text("utf-8"))
CLOSE = {"rel": 1e-6, "abs": 1e-9}


def compared(times: np.ndarray, kinds: np.ndarray, groups: np.ndarray, few: bool = False) -> Test:
    """Kinds: 0 last seen without an event, 1 the event, 2 another."""
    others = kinds == 2
    outcome = Variable(
        "t", "time to event", times, (), kinds == 1, others if others.any() else None
    )
    rows = [groups == k for k in range(int(groups.max()) + 1)]
    return compare_times(outcome, rows, few, np.random.default_rng(5))


def agree(curve: Curve, theirs: dict, inside: np.ndarray, least: int) -> None:
    """The curve is theirs, as is its interval where ``inside``: at more than ``least`` times."""
    assert curve.times.tolist() == theirs["times"]
    assert curve.share == pytest.approx(np.array(theirs["share"], dtype=float), **CLOSE)
    low, high = (np.array(theirs[end], dtype=float) for end in ("low", "high"))
    inside = inside & np.isfinite(low) & np.isfinite(high)
    assert inside.sum() > least
    assert curve.low[inside] == pytest.approx(low[inside], **CLOSE)
    assert curve.high[inside] == pytest.approx(high[inside], **CLOSE)


@pytest.mark.parametrize("name", COHORTS)
def test_what_lifelines_says(name):
    times, events, groups, inputs = cohort(name)
    theirs = THEIRS[name]
    for k, of_group in enumerate(theirs["curves"]):
        rows = groups == k
        curve = kaplan_meier(times[rows], events[rows])
        agree(curve, of_group, (curve.share > 0) & (curve.times > 0), 4)
        assert curve.at_risk(curve.times).tolist() == of_group["at risk"]
        assert median_follow_up(times[rows], events[rows]) == of_group["median follow-up"]
    test = compared(times, events.astype(int), groups)
    assert (test.statistic, test.p) == pytest.approx(theirs["log-rank"], **CLOSE)
    fit = cox(times, events, inputs)
    assert fit.params == pytest.approx(theirs["coefficients"], **CLOSE)
    assert fit.bse == pytest.approx(theirs["errors"], **CLOSE)
    until, expected = theirs["restricted mean"]
    mean = restricted_mean(times[groups == 1], events[groups == 1], until)
    assert mean.value == pytest.approx(expected, **CLOSE)
    curve = cumulative_incidence(*competing(name))
    # Nobody is left after the last time, which their variance divides by.
    agree(curve, theirs["incidence"], curve.share > 0, 25)


def test_curves_at_their_ends():
    down = kaplan_meier(np.array([1.0, 2.0, 3.0, np.nan]), np.ones(4, dtype=bool))
    assert down.share == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])
    assert (down.low[-1], down.median, down.n_events) == (0.0, 2.0, 3)
    assert down.high[-1] == down.high[-2] > 1 / 3
    half = kaplan_meier(np.arange(1.0, 5.0), np.array([True, True, False, False]))
    assert half.median == 2.0
    nobody = kaplan_meier(np.arange(1.0, 5.0), np.zeros(4, dtype=bool))
    assert (nobody.share.tolist(), nobody.median) == ([1.0], None)
    none = np.zeros(4, dtype=bool)
    assert cumulative_incidence(np.arange(1.0, 5.0), none, none).share.tolist() == [0.0]
    alone = cumulative_incidence(np.arange(1.0, 5.0), none, ~none)
    assert (alone.share.max(), alone.high.max()) == (0.0, 0.0)
    both = cumulative_incidence(np.arange(1.0, 5.0), np.array([True, True, False, True]), none)
    assert both.at(2.5).value == pytest.approx(0.5)
    assert (both.low <= both.share).all()
    assert (both.high[1:] > both.share[1:])[:-1].all()
    with pytest.raises(ValueError, match="No time is known"):
        kaplan_meier(np.full(2, np.nan), np.ones(2, dtype=bool))


def test_gray_s_test_and_incidences_are_those_that_cmprsk_prints():
    """R: cuminc(MASS::Melanoma$time, status, ulcer, cencode = 2), as in E. Zabor's tutorial.

    "Survival Analysis in R", part 3, competing risks.
    """
    frame = table("melanoma")
    kinds = frame["status"].map({1: 1, 2: 0, 3: 2}).to_numpy()
    times, ulcer = frame["time"].to_numpy(float), frame["ulcer"].to_numpy()
    found = compared(times, kinds, ulcer)
    assert found.statistic == pytest.approx(26.120719, abs=5e-7)
    assert found.p == pytest.approx(3.207240e-07, rel=1e-6)
    other = compared(times, np.array([0, 2, 1])[kinds], ulcer)
    assert other.statistic == pytest.approx(0.158662, abs=5e-7)
    assert other.p == pytest.approx(0.6903913, abs=5e-8)
    shares = {
        0: (0.03509042, 0.10322276, 0.18165409, 0.18165409),
        1: (0.24444444, 0.38972746, 0.46972340, 0.53306966),
    }
    for group, printed in shares.items():
        rows = ulcer == group
        curve = cumulative_incidence(times[rows], kinds[rows] == 1, kinds[rows] == 2)
        ours = [curve.at(time).value for time in (1000, 2000, 3000, 4000)]
        assert ours == pytest.approx(printed, abs=5e-9)


@pytest.mark.parametrize("count", [2, 3])
def test_gray_s_test_agrees_with_its_permutation(count):
    """Ties and three groups, too, where no two figures of R could be found."""
    random = np.random.default_rng(count)
    group = np.repeat(np.arange(count), 40)
    own, rest, left = (random.exponential(mean, group.size) for mean in (1.0, 1.5, 2.0))
    own = own * (1 + 0.25 * group)
    ends = np.array([left, own, rest])
    kinds, times = ends.argmin(axis=0), np.ceil(ends.min(axis=0))
    theory = compared(times, kinds, group, few=True)
    again = np.array([gray(times, kinds, random.permutation(group)) for _ in range(2_000)])
    assert np.mean(again >= theory.statistic) == pytest.approx(theory.p, abs=0.02)
    renamed = compared(times, kinds, count - 1 - group)
    assert renamed.statistic == pytest.approx(theory.statistic, rel=1e-9)


def test_proportional_hazards_are_judged_as_by_cox_zph():
    """R, survival 3: cox.zph(coxph(Surv(time, status) ~ trt + prior + karno, veteran)).

    GLOBAL chisq 18.073, df 3, p .00042 (the vignette on time-dependent covariates; "Medical
    statistics with R", chapter on Cox regression).
    """
    veteran = table("veteran")
    times, events = veteran["time"].to_numpy(float), veteran["status"].to_numpy() == 1
    found = proportionality(times, events, veteran[["trt", "prior", "karno"]].to_numpy(float))
    assert found.statistic == pytest.approx(18.073, abs=5e-4)
    assert found.p == pytest.approx(0.00042, abs=5e-6)


def outcome(random, own, others=None) -> Variable:
    left = random.uniform(0, 3, own.size)
    return Variable("t", "time to event", np.minimum(own, left), (), own <= left, others)


def test_where_curves_cross_the_restricted_mean_leads():
    random, labels = np.random.default_rng(1), np.repeat([0, 1], 200)
    own = np.where(labels == 0, random.weibull(0.6, 400), random.weibull(2.5, 400))
    found = hazards(outcome(random, own), labels, (0, 1), (0, 1))
    assert not found.ratio_leads
    assert "the difference of restricted means leads" in found.sentence
    other = outcome(random, random.exponential(1 + labels))
    assert hazards(other, labels, (0, 1), (0, 1)).ratio_leads


def test_of_few_events_the_likelihood_gives_the_interval():
    """Wald's is as far on both sides of the log ratio, and too wide."""
    random = np.random.default_rng(4)
    first, times = np.arange(40) < 20, random.permutation(np.arange(1.0, 41.0))
    events = (~first & (random.random(40) < 0.6)) | (np.arange(40) < 3)
    variable = Variable("t", "time to event", times, (), events)
    found = ratio(variable, (~first).astype(int), (0, 1))
    low, middle, high = np.log([found.low, found.estimate, found.high])
    assert middle - low > 1.1 * (high - middle)
    best = cox(times, events, first[:, None].astype(float))
    assert (middle, found.p) == pytest.approx((best.params[0], best.pvalues[0]), rel=1e-5)
    for end in (low, high):
        fallen = best.llf - best.model.loglike(np.array([end]))
        assert fallen == pytest.approx(stats.chi2.ppf(0.95, 1) / 2, rel=1e-4)


def test_a_difference_of_restricted_means_has_the_variance_of_both_areas():
    random, labels = np.random.default_rng(7), np.repeat([0, 1], [90, 70])
    variable = outcome(random, random.exponential(1.0 + labels))
    until = horizon(variable, labels, (0, 1))
    assert 1.0 < until < variable.values.max()
    found = difference(variable, labels, (0, 1), until)
    parts = []
    for k in (0, 1):
        times, events = variable.values[labels == k], variable.events[labels == k]
        curve = kaplan_meier(times, events)
        grid = np.linspace(0, until, 100_001)
        area = trapezoid([curve.at(time).value for time in grid[::50]], grid[::50])
        again = []
        for _ in range(300):
            rows = random.integers(0, times.size, times.size)
            again.append(restricted_mean(times[rows], events[rows], until).value)
        parts.append((area, np.std(again)))
    (a, error_a), (b, error_b) = parts
    assert found.estimate == pytest.approx(a - b, abs=2e-3)
    reach = np.hypot(*(stats.t.ppf(0.975, [89, 69]) * (error_a, error_b)))
    assert (found.high - found.low) / 2 == pytest.approx(reach, rel=0.12)
    assert found.high - found.estimate == pytest.approx(found.estimate - found.low)
    # Three patients alone: Greenwood's sum by hand, times 2 / (2 - 1) of the events before 3.
    mean = restricted_mean(np.array([1.0, 2.0, 4.0]), np.ones(3, dtype=bool), 3.0)
    error = (mean.high - mean.value) / stats.t.ppf(0.975, 2)
    assert error**2 == pytest.approx(2 * (1.0**2 / (3 * 2) + (1 / 3) ** 2 / (2 * 1)))


def test_too_few_events_or_watched_patients_have_no_difference():
    random, labels = np.random.default_rng(8), np.repeat([0, 1], [40, 12])
    variable = outcome(random, random.exponential(1.0, 52))
    few = Variable("t", "time to event", variable.values, (), variable.events & (labels == 0))
    assert "Fewer than 3 events" in difference(few, labels, (0, 1), 1.0).reason
    assert "10 patients of a group are watched" in difference(variable, labels, (0, 1), 0.0).reason
    small = np.repeat([0, 1], [43, 9])
    assert horizon(variable, small, (0, 1)) == 0.0
    # Of 20 seen last at 1 to 20, ten are still watched at 10 and nine from 11 on.
    alone = Variable("t", "time to event", np.arange(1.0, 21.0), (), np.zeros(20, dtype=bool))
    assert horizon(alone, np.zeros(20, dtype=int), (0,)) == pytest.approx(11.0)
    others = ~variable.events & (random.random(52) < 0.5)
    either = Variable("t", "time to event", variable.values, (), few.events, others)
    assert "without any event" in ratio(either, labels, (0, 1)).reason
    assert ratio(replace(variable, others=others), labels, (0, 1)).name.startswith("cause-specific")
    assert "Fewer than 1 event in a group up to 1" in difference(either, labels, (0, 1), 1.0).reason
