"""Hazard ratios, and proportional hazards beside R's cox.zph."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mapdp_studio.core.statistics.hazards import cox, hazard_ratio, hazards, proportionality
from mapdp_studio.core.statistics.variables import Variable
from tests.tables.cohorts import table


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


def test_where_curves_cross_the_restricted_mean_leads():
    random = np.random.default_rng(1)
    labels = np.repeat([0, 1], 200)
    own = np.where(labels == 0, random.weibull(0.6, 400), random.weibull(2.5, 400))
    left = random.uniform(0, 3, 400)
    crossing = Variable("t", "time to event", np.minimum(own, left), (), own <= left)
    found = hazards(crossing, labels, (0, 1))
    assert not found.ratio_leads
    assert "the difference of restricted means leads" in found.sentence
    own = random.exponential(1 + labels)
    alike = Variable("t", "time to event", np.minimum(own, left), (), own <= left)
    assert hazards(alike, labels, (0, 1)).ratio_leads


def test_of_few_events_the_likelihood_gives_the_interval():
    """Wald's is as far on both sides of the log ratio, and too wide."""
    random = np.random.default_rng(4)
    first, times = np.arange(40) < 20, random.permutation(np.arange(1.0, 41.0))
    events = (~first & (random.random(40) < 0.6)) | (np.arange(40) < 3)
    found, _ = hazard_ratio(times, events, first)
    low, middle, high = np.log([found.low, found.estimate, found.high])
    assert middle - low > 1.1 * (high - middle)
    inputs = first[:, None].astype(float)
    best = cox(times, events, inputs)
    for end in (low, high):
        fallen = best.llf - best.model.loglike(np.array([end]))
        assert fallen == pytest.approx(stats.chi2.ppf(0.95, 1) / 2, rel=1e-4)
    assert "without any event" in hazard_ratio(times, events & ~first, first)[0].reason
