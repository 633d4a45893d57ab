"""Effects adjusted for other columns: ANCOVA, logistic, Poisson and Cox regressions.

A difference between groups that age or site explains is no difference of the groups. Each outcome
is regressed on which of two groups a patient is in, once alone and once beside the covariates, on
the same complete cases.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm

from .cox import SEPARATED, cox, hazard_ratio
from .effects import LEVEL, Effect, no_effect
from .variables import Variable

#: Patients, and events of yes/no and times, that a regression needs for each of its terms.
FOR_EACH = 5
NAMES = {
    "measurement": ("difference of means", "ANCOVA"),
    "rating": ("difference of mean scores", "ANCOVA"),
    "yes/no": ("odds ratio", "logistic regression"),
    "count": ("rate ratio", "Poisson regression, sandwich variance"),
    "time to event": ("hazard ratio", "Cox regression (Efron)"),
}


@dataclass(frozen=True)
class Adjustment:
    """One outcome between two groups, without and with the covariates."""

    variable: Variable
    pair: tuple[int, int]
    #: Complete cases of each group.
    n: tuple[int, int]
    unadjusted: Effect
    adjusted: Effect
    #: Of Wald's tests; None where there is no effect.
    p: float | None
    adjusted_p: float | None
    #: Of the regression.
    model: str


def adjustment(
    outcome: Variable,
    covariates: Sequence[Variable],
    labels: np.ndarray,
    pair: tuple[int, int],
) -> Adjustment:
    """Compare two groups on one outcome, beside the covariates and without them.

    Parameters
    ----------
    outcome : Variable
        Of any kind but a category.
    covariates : sequence of Variable
        Categories by indicators, the first level left out.
    labels : ndarray of int, shape (N,)
    pair : (int, int)
        The first group against the second.
    """
    beside = np.column_stack([np.empty((labels.size, 0)), *map(design, covariates)])
    rows = np.isin(labels, pair) & outcome.observed & ~np.isnan(beside).any(axis=1)
    first = (labels[rows] == pair[0]).astype(np.float64)
    n = int(first.sum()), int((1 - first).sum())
    kind = outcome.kind
    if kind not in NAMES:
        reason = "A category has no regression here: see its test."
        return Adjustment(outcome, pair, n, no_effect(reason), no_effect(reason), None, None, "")
    varying = beside[rows][:, np.ptp(beside[rows], axis=0) > 0] if rows.any() else beside[rows]
    found = []
    for terms in (np.empty((first.size, 0)), varying):
        reason = _refusal(outcome, rows, n, 1 + terms.shape[1])
        found.append((no_effect(reason), None) if reason else _effect(outcome, rows, first, terms))
    (plain, p), (beside_them, adjusted_p) = found
    return Adjustment(outcome, pair, n, plain, beside_them, p, adjusted_p, NAMES[kind][1])


def design(variable: Variable) -> np.ndarray:
    """A covariate as columns of a regression, shape (N, D); NaN is missing."""
    if variable.kind != "category":
        values = variable.values if variable.log else variable.amounts
        return values[:, None]
    codes = variable.values
    columns = [(codes == code).astype(np.float64) for code in range(1, len(variable.levels))]
    table = np.column_stack([np.empty((codes.size, 0)), *columns])
    table[np.isnan(codes)] = np.nan
    return table


def _refusal(outcome: Variable, rows: np.ndarray, n: tuple[int, int], terms: int) -> str:
    """Why there is no regression; empty where there is one."""
    if min(n) < FOR_EACH or sum(n) < FOR_EACH * (terms + 1):
        return "Too few complete cases for a regression with so many terms."
    if outcome.kind == "time to event":
        counted = int(outcome.events[rows].sum())
    elif outcome.kind == "yes/no":
        yes = int(outcome.values[rows].sum())
        counted = min(yes, int(rows.sum()) - yes)
    else:
        return "" if np.ptp(outcome.values[rows]) > 0 else "Every observed value is the same."
    return "" if counted >= FOR_EACH * terms else "Too few events for a regression."


def _effect(
    outcome: Variable, rows: np.ndarray, first: np.ndarray, terms: np.ndarray
) -> tuple[Effect, float | None]:
    """The coefficient of the first group as an effect, with Wald's p-value."""
    if outcome.kind == "time to event" and not terms.size:
        return _two_hazards(outcome, rows, first)
    name = outcome.hazard if outcome.kind == "time to event" else NAMES[outcome.kind][0]
    inputs = np.column_stack([first, terms])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if outcome.kind == "time to event":
                fit, place = cox(outcome.values[rows], outcome.events[rows], inputs), 0
            else:
                fit, place = _regression(outcome, rows, inputs), 1
            estimate, (low, high) = fit.params[place], fit.conf_int(alpha=1.0 - LEVEL)[place]
            p = float(fit.pvalues[place])
    except (np.linalg.LinAlgError, ValueError, sm.tools.sm_exceptions.PerfectSeparationError):
        return no_effect("The regression has no answer on these numbers."), None
    additive = outcome.kind in ("measurement", "rating")
    if not additive and abs(estimate) > SEPARATED:
        return no_effect("The groups tell the answers apart, so there is no finite ratio."), None
    if not np.isfinite([estimate, low, high]).all():
        return no_effect("The regression has no answer on these numbers."), None
    if additive and not outcome.log:
        return Effect(name, float(estimate), float(low), float(high)), p
    name = "ratio of geometric means" if outcome.log else name
    estimate, low, high = np.exp([estimate, low, high])
    return Effect(name, float(estimate), float(low), float(high), null=1.0), p


def _two_hazards(
    outcome: Variable, rows: np.ndarray, first: np.ndarray
) -> tuple[Effect, float | None]:
    """The hazard ratio as it stands on Outcomes, with Wald's p-value."""
    times, events = outcome.values[rows], outcome.events[rows].astype(bool)
    effect = hazard_ratio(times, events, first > 0, outcome.hazard)
    if effect.estimate is None:
        return effect, None
    near = np.log([effect.estimate])
    return effect, float(cox(times, events, first[:, None], near).pvalues[0])


def _regression(outcome: Variable, rows: np.ndarray, inputs: np.ndarray):
    inputs = sm.add_constant(inputs, has_constant="add")
    values = outcome.values[rows]
    if outcome.kind == "yes/no":
        return sm.GLM(values, inputs, family=sm.families.Binomial()).fit(tol=1e-12)
    if outcome.kind == "count":
        return sm.GLM(values, inputs, family=sm.families.Poisson()).fit(cov_type="HC0", tol=1e-12)
    if outcome.kind == "rating":
        values = outcome.amounts[rows]
    return sm.OLS(values, inputs).fit()
