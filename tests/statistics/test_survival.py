"""Kaplan-Meier beside statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.duration.survfunc import SurvfuncRight

from core.statistics.survival import kaplan_meier


def test_kaplan_meier_is_statsmodels_own():
    random = np.random.default_rng(2)
    times, events = random.exponential(size=60).round(1), random.random(60) < 0.6
    curve = kaplan_meier(np.append(times, np.nan), np.append(events, True))
    theirs = SurvfuncRight(times, events.astype(float))
    assert curve.times[1:] == pytest.approx(theirs.surv_times)
    assert curve.survival[1:] == pytest.approx(theirs.surv_prob)
    assert curve.at_risk(curve.times[1:]).tolist() == theirs.n_risk.tolist()
    assert (curve.low <= curve.survival).all()
    assert (curve.survival <= curve.high).all()
    nobody = kaplan_meier(times, np.zeros(60, dtype=bool))
    assert nobody.survival.tolist() == [1.0]
    assert nobody.median is None
