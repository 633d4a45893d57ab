"""Adjusted effects against statsmodels' formulas, and on a cohort whose groups are only age."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import optimize
from statsmodels.duration.hazard_regression import PHReg

from mapdp_studio.core.statistics.regression import adjustment
from mapdp_studio.core.statistics.variables import Variable

RANDOM = np.random.default_rng(0)
N = 400
AGE = RANDOM.normal(60, 10, N)
SITE = RANDOM.integers(0, 3, N).astype(float)
LABELS = (AGE + RANDOM.normal(0, 4, N) > 60).astype(int)
RISK = (AGE - 60) / 10
TIME = RANDOM.exponential(np.exp(-RISK))
SEEN = RANDOM.exponential(1.5, N)
OUTCOMES = {
    "measurement": 2.0 * RISK + RANDOM.normal(size=N),
    "rating": RANDOM.binomial(4, 1 / (1 + np.exp(-0.5 * RISK))).astype(float),
    "yes/no": (RANDOM.random(N) < 1 / (1 + np.exp(-RISK))).astype(float),
    "count": RANDOM.poisson(np.exp(0.7 * RISK)).astype(float),
    "time to event": np.minimum(TIME, SEEN),
}
LEVELS = {"rating": tuple(range(5)), "yes/no": ("alive", "dead")}


def outcome(kind: str) -> Variable:
    events = TIME <= SEEN if kind == "time to event" else None
    return Variable(kind, kind, OUTCOMES[kind], LEVELS.get(kind, ()), events)


COVARIATES = [
    Variable("age", "measurement", AGE),
    Variable("site", "category", SITE, ("a", "b", "c")),
]


def of_statsmodels(kind: str, terms: str) -> tuple[float, float, float, float]:
    """Estimate, interval and p of the first group from a formula."""
    table = pd.DataFrame(
        {"y": OUTCOMES[kind], "g": 1 - LABELS, "age": AGE, "site": SITE, "died": TIME <= SEEN}
    )
    if kind == "time to event":
        model = PHReg.from_formula(f"y ~ g{terms}", table, status=table["died"], ties="efron")
        fit = model.fit(disp=0)
        place = list(model.exog_names).index("g")
        low, high = fit.conf_int()[place]
        return *np.exp([fit.params[place], low, high]), fit.pvalues[place]
    if kind == "yes/no":
        fit = smf.logit(f"y ~ g{terms}", table).fit(disp=0)
    elif kind == "count":
        fit = smf.poisson(f"y ~ g{terms}", table).fit(disp=0, cov_type="HC0")
    else:
        fit = smf.ols(f"y ~ g{terms}", table).fit()
    numbers = np.array([fit.params["g"], *fit.conf_int().loc["g"]])
    back = np.exp if kind in ("yes/no", "count") else np.array
    return *back(numbers), fit.pvalues["g"]


@pytest.mark.parametrize("kind", list(OUTCOMES))
def test_effects_are_those_of_statsmodels_and_age_explains_them(kind):
    found = adjustment(outcome(kind), COVARIATES, LABELS, (0, 1))
    for effect, terms in ((found.unadjusted, ""), (found.adjusted, " + age + C(site)")):
        theirs = of_statsmodels(kind, terms)
        assert (effect.estimate, effect.low, effect.high, effect.p) == pytest.approx(
            theirs, rel=1e-6, abs=0.0
        )
    assert found.unadjusted.p < 0.001
    assert found.adjusted.p > 0.05


def test_a_hazard_ratio_far_from_1_is_found():
    """Newton's steps from 0, statsmodels' own way, end nowhere here."""
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], [160, 46])
    time, seen = random.exponential(np.where(group, 1.0, 40.0)), random.uniform(0, 5, 206)
    times, events = np.minimum(time, seen), time <= seen
    found = adjustment(Variable("time", "time to event", times, (), events), [], group, (0, 1))
    # Breslow's partial likelihood, whose ties are Efron's where there are none.
    order = np.argsort(-times)
    event, first = events[order], (group == 0)[order].astype(float)

    def loss(beta):
        return -(event * (beta * first - np.log(np.cumsum(np.exp(beta * first))))).sum()

    best = optimize.minimize_scalar(loss, (-6.0, 0.0), tol=1e-12).x
    assert np.log(found.unadjusted.estimate) == pytest.approx(best, rel=1e-5)
    assert found.unadjusted.estimate < 0.1


def test_incomplete_cases_and_too_few_events_are_told():
    holes = Variable("age", "measurement", np.where(np.arange(N) < 100, np.nan, AGE))
    found = adjustment(outcome("measurement"), [holes], LABELS, (0, 1))
    assert sum(found.n) == 300
    rare = Variable("rare", "yes/no", (np.arange(N) < 6).astype(float), ("no", "yes"))
    assert "Too few events" in adjustment(rare, COVARIATES, LABELS, (0, 1)).adjusted.reason
    names = Variable("c", "category", np.where(np.arange(N) < 50, np.nan, SITE), ("a", "b", "c"))
    assert sum(adjustment(outcome("measurement"), [names], LABELS, (0, 1)).n) == 350
    assert adjustment(names, [], LABELS, (0, 1)).adjusted.p is None
    small = np.repeat([0, 1, 2], [7, 7, N - 14])
    few = adjustment(outcome("measurement"), COVARIATES[:1], small, (0, 1)).adjusted
    assert "Too few complete cases" in few.reason
