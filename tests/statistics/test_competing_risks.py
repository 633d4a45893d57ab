"""Gray's test and cumulative incidence beside R's cmprsk, and by permutation."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.statistics.survival import (
    compare_incidence,
    cumulative_incidence,
    kaplan_meier,
)
from tests.tables.cohorts import table


def melanoma() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, 1 dead of melanoma or 2 of another cause, and whether the tumour was ulcerated."""
    frame = table("melanoma")
    kinds = frame["status"].map({1: 1, 2: 0, 3: 2}).to_numpy()
    return frame["time"].to_numpy(float), kinds, frame["ulcer"].to_numpy()


def test_gray_s_test_and_incidences_are_those_that_cmprsk_prints():
    """R: cuminc(MASS::Melanoma$time, status, ulcer, cencode = 2), as in E. Zabor's tutorial.

    "Survival Analysis in R", part 3, competing risks.
    """
    times, kinds, ulcer = melanoma()
    random = np.random.default_rng(0)
    found = compare_incidence(times, kinds, ulcer, False, random)
    assert found.statistic == pytest.approx(26.120719, abs=5e-7)
    assert found.p == pytest.approx(3.207240e-07, rel=1e-6)
    other = compare_incidence(times, np.array([0, 2, 1])[kinds], ulcer, False, random)
    assert other.statistic == pytest.approx(0.158662, abs=5e-7)
    assert other.p == pytest.approx(0.6903913, abs=5e-8)
    shares = {
        0: (0.03509042, 0.10322276, 0.18165409, 0.18165409),
        1: (0.24444444, 0.38972746, 0.46972340, 0.53306966),
    }
    for group, printed in shares.items():
        rows = ulcer == group
        curve = cumulative_incidence(times[rows], kinds[rows] == 1, kinds[rows] == 2)
        at = np.searchsorted(curve.times, [1000, 2000, 3000, 4000], side="right") - 1
        assert curve.share[at] == pytest.approx(printed, abs=5e-9)


def test_without_another_event_it_is_kaplan_and_meier_s_curve_turned_over():
    random = np.random.default_rng(2)
    times, events = random.exponential(size=80).round(1), random.random(80) < 0.6
    curve = cumulative_incidence(times, events, np.zeros(80, dtype=bool))
    plain = kaplan_meier(times, events)
    assert curve.share == pytest.approx(1 - plain.share)
    inside = plain.share[1:] > 0
    half = np.log(plain.high[1:] / plain.low[1:])[inside]
    assert (half > 0).all()
    others = (times > 0.5) & ~events
    both = cumulative_incidence(times, events, others).share[-1]
    assert both < 1 - plain.share[-1]  # what 1 - KM tells too many of
    assert both + cumulative_incidence(times, others, events).share[-1] <= 1 + 1e-12


@pytest.mark.parametrize("count", [2, 3])
def test_the_permutation_agrees_with_the_approximation(count):
    """Ties and three groups, too, where no two figures of R could be found."""
    random = np.random.default_rng(count)
    group = np.repeat(np.arange(count), 40)
    own, rest, left = (random.exponential(mean, group.size) for mean in (1.0, 1.5, 2.0))
    own = own * (1 + 0.25 * group)
    times = np.min([own, rest, left], axis=0).round(1)
    kinds = np.where(times == own.round(1), 1, np.where(times == rest.round(1), 2, 0))
    by_chance = compare_incidence(times, kinds, group, True, np.random.default_rng(5))
    theory = compare_incidence(times, kinds, group, False, random)
    assert by_chance.statistic == theory.statistic
    assert by_chance.p == pytest.approx(theory.p, abs=0.02)
    renamed = compare_incidence(times, kinds, count - 1 - group, False, random)
    assert renamed.statistic == pytest.approx(theory.statistic, rel=1e-9)


def test_a_permutation_says_where_its_p_stops():
    random = np.random.default_rng(0)
    times = np.append(random.uniform(0, 1, 15), random.uniform(5, 6, 15))
    kinds, group = np.append(np.ones(15), np.full(15, 2)).astype(int), np.repeat([0, 1], 15)
    found = compare_incidence(times, kinds, group, True, random)
    assert found.p_text == "\u2264 0.0001, the smallest that 9,999 rearrangements can show"
