"""Kaplan-Meier beside statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight

from mapdp_studio.core.statistics.survival import kaplan_meier


def test_kaplan_meier_is_statsmodels_own():
    random = np.random.default_rng(2)
    times, events = random.exponential(size=60).round(1), random.random(60) < 0.6
    curve = kaplan_meier(np.append(times, np.nan), np.append(events, True))
    theirs = SurvfuncRight(times, events.astype(float))
    assert curve.times[1:] == pytest.approx(theirs.surv_times)
    assert curve.share[1:] == pytest.approx(theirs.surv_prob)
    assert curve.at_risk(curve.times[1:]).tolist() == theirs.n_risk.tolist()
    # Greenwood's variance on the log-log scale; once everybody has had the event it has no value.
    share, error = theirs.surv_prob, theirs.surv_prob_se
    inside = share > 0
    share, error = share[inside], error[inside]
    reach = stats.norm.ppf(0.975) * error / (share * np.abs(np.log(share)))
    assert curve.low[1:][inside] == pytest.approx(share ** np.exp(reach))
    assert curve.high[1:][inside] == pytest.approx(share ** np.exp(-reach))
    assert (curve.low <= curve.share).all()
    assert (curve.share <= curve.high).all()
    nobody = kaplan_meier(times, np.zeros(60, dtype=bool))
    assert nobody.share.tolist() == [1.0]
    assert nobody.median is None


def test_a_curve_that_comes_down_to_nobody_keeps_its_last_upper_bound():
    curve = kaplan_meier(np.array([1.0, 2.0, 3.0]), np.ones(3, dtype=bool))
    assert curve.share == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])
    assert curve.low[-1] == 0.0
    assert curve.high[-1] == curve.high[-2] > 1 / 3
    assert curve.median == 2.0
