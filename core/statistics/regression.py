"""Effects adjusted for other columns: ANCOVA, logistic, Poisson and Cox, on complete cases."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm
from statsmodels.tools.sm_exceptions import PerfectSeparationError

from .effect import Effect, no_effect
from .hazards import NO_ANSWER, SEPARATED, cox, hazard_ratio
from .intervals import LEVEL
from .variables import Variable

#: Patients, and events of yes/no and times, that a regression needs for each of its terms.
FOR_EACH = 5
MODELS = {
    "measurement": ("difference of means", "ANCOVA"),
    "rating": ("difference of mean scores", "ANCOVA"),
    "yes/no": ("odds ratio", "logistic regression"),
    "count": ("rate ratio", "Poisson regression, sandwich variance"),
    "time to event": ("hazard ratio", "Cox regression (Efron)"),
}


@dataclass(frozen=True)
class Adjustment:
    """One outcome between two groups, without and with the covariates."""

    n: tuple[int, int]
    unadjusted: Effect
    adjusted: Effect
    p: float | None
    adjusted_p: float | None
    model: str


def adjustment(
    outcome: Variable,
    covariates: Sequence[Variable],
    labels: np.ndarray,
    pair: tuple[int, int],
) -> Adjustment:
    """Compare two groups on one outcome, beside the covariates and without them."""
    table = np.column_stack([np.empty((labels.size, 0)), *map(_terms, covariates)])
    rows = np.isin(labels, pair) & outcome.observed & ~np.isnan(table).any(axis=1)
    first = labels[rows] == pair[0]
    n = int(first.sum()), int((~first).sum())
    if outcome.kind not in MODELS:
        nothing = no_effect("A category has no regression here: see its test.")
        return Adjustment(n, nothing, nothing, None, None, "")
    terms = table[rows]
    if rows.any():
        terms = terms[:, np.ptp(terms, axis=0) > 0]
    plain, p = _effect(outcome, rows, first, terms[:, :0])
    adjusted, adjusted_p = _effect(outcome, rows, first, terms)
    return Adjustment(n, plain, adjusted, p, adjusted_p, MODELS[outcome.kind][1])


def _terms(variable: Variable) -> np.ndarray:
    """A covariate as columns of a regression, shape (N, D); NaN is missing."""
    if variable.kind != "category":
        return (variable.values if variable.log else variable.amounts)[:, None]
    codes = variable.values[:, None]
    is_level = (codes == np.arange(1, len(variable.levels))).astype(np.float64)
    return np.where(np.isnan(codes), np.nan, is_level)


def _refusal(outcome: Variable, rows: np.ndarray, first: np.ndarray, terms: int) -> str:
    smallest = min(first.sum(), (~first).sum())
    if smallest < FOR_EACH or first.size < FOR_EACH * (terms + 1):
        return "Too few complete cases for a regression with so many terms."
    if outcome.kind not in ("time to event", "yes/no"):
        return "" if np.ptp(outcome.values[rows]) > 0 else "Every observed value is the same."
    happened = outcome.events if outcome.kind == "time to event" else outcome.values
    counted = int(happened[rows].sum())
    if outcome.kind == "yes/no":
        counted = min(counted, first.size - counted)
    return "" if counted >= FOR_EACH * terms else "Too few events for a regression."


def _effect(
    outcome: Variable, rows: np.ndarray, first: np.ndarray, terms: np.ndarray
) -> tuple[Effect, float | None]:
    """The coefficient of the first group as an effect, with Wald's p-value."""
    refusal = _refusal(outcome, rows, first, 1 + terms.shape[1])
    if refusal:
        return no_effect(refusal), None
    if outcome.kind == "time to event" and not terms.size:  # as it stands on Outcomes
        times, events = outcome.values[rows], outcome.events[rows].astype(bool)
        return hazard_ratio(times, events, first, outcome.hazard)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = _fitted(outcome, rows, np.column_stack([first, terms]).astype(np.float64))
            estimate, p = float(fit.params[0]), float(fit.pvalues[0])
            low, high = fit.conf_int(alpha=1.0 - LEVEL)[0]
    except (np.linalg.LinAlgError, ValueError, PerfectSeparationError):
        return no_effect(NO_ANSWER), None
    is_sum = outcome.kind in ("measurement", "rating")
    if not is_sum and abs(estimate) > SEPARATED:
        return no_effect("The groups tell the answers apart, so there is no finite ratio."), None
    if not np.isfinite([estimate, low, high]).all():
        return no_effect(NO_ANSWER), None
    name = outcome.hazard if outcome.kind == "time to event" else MODELS[outcome.kind][0]
    if is_sum and not outcome.log:
        return Effect(name, estimate, float(low), float(high)), p
    name = "ratio of geometric means" if outcome.log else name
    estimate, low, high = np.exp([estimate, low, high])
    return Effect(name, float(estimate), float(low), float(high), null=1.0), p


def _fitted(outcome: Variable, rows: np.ndarray, inputs: np.ndarray):
    """The regression that suits the outcome; of its coefficients the group's is the first."""
    values = outcome.values[rows]
    if outcome.kind == "time to event":
        return cox(values, outcome.events[rows], inputs)
    inputs = sm.add_constant(inputs, prepend=False, has_constant="add")
    if outcome.kind == "yes/no":
        return sm.GLM(values, inputs, family=sm.families.Binomial()).fit(tol=1e-12)
    if outcome.kind == "count":
        return sm.GLM(values, inputs, family=sm.families.Poisson()).fit(cov_type="HC0", tol=1e-12)
    return sm.OLS(outcome.amounts[rows] if outcome.kind == "rating" else values, inputs).fit()
