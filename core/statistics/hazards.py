"""Cox regressions, hazard ratios of two groups, and whether hazards stay proportional."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats
from statsmodels.duration.hazard_regression import PHReg, PHRegResults

from .effect import Effect, no_effect
from .hypothesis_tests import Test, no_test, quiet
from .intervals import REACH
from .survival import horizon, kaplan_meier
from .variables import Variable

#: Below so many events Wald's interval is too wide (``tests.benchmarks.survival_coverage``).
MANY_EVENTS = 100
#: A log hazard ratio beyond it means that one group's hazard cannot be told from none.
SEPARATED = 12.0
#: P-values of the test of proportional hazards up to it let the other effect lead.
DOUBT = 0.05
NAME = "Grambsch-Therneau test"
NO_ANSWER = "The regression has no answer on these numbers."
UNKNOWN = "The events tell too little of how hazards change with time."
SCOPE = (
    "Times are read from 0 to the first event or the last visit: patients who enter late, and "
    "events that recur, are out of scope."
)


@dataclass(frozen=True)
class Hazards:
    """What is known of a time to an event before its groups are compared two by two."""

    proportional: Test
    #: Time up to which means and shares are compared.
    until: float
    is_competing: bool

    @property
    def ratio_leads(self) -> bool:
        """Whether hazard ratios are the first effect shown."""
        p = self.proportional.p
        return not self.is_competing and (p is None or p > DOUBT)

    @property
    def sentence(self) -> str:
        """What the check of proportional hazards found, and what leads for that."""
        test, average = self.proportional, "a hazard ratio is an average over time"
        if test.p is None:
            said = f"Proportional hazards were not checked. {test.reason}"
        elif test.p > DOUBT:
            said = f"No sign that hazards are not proportional ({test.name}, p {test.p_text})."
        else:
            said = f"Hazards are not proportional ({test.name}, p {test.p_text}): {average}"
            said += "." if self.is_competing else ", and the difference of restricted means leads."
        if self.is_competing:
            said += (
                " Another event may come first: cumulative incidences lead, and hazard ratios "
                "compare how fast this event comes among those still without either."
            )
        return said


def hazards(variable: Variable, labels: np.ndarray, groups: Sequence[int]) -> Hazards:
    """Check proportional hazards in all groups that are compared, and how far they are watched."""
    test = no_test("Fewer than two groups are compared.")
    if len(groups) > 1:
        rows = np.isin(labels, list(groups)) & variable.observed
        inputs = (labels[rows, None] == np.array(groups[1:])).astype(np.float64)
        test = proportionality(variable.values[rows], variable.events[rows].astype(bool), inputs)
    return Hazards(test, horizon(variable, labels, groups), variable.others is not None)


def cox(
    times: np.ndarray, events: np.ndarray, inputs: np.ndarray, near: np.ndarray | None = None
) -> PHRegResults:
    """Cox's regression (Efron's ties) of inputs, (N, P), by Newton's steps from a near start."""
    model = PHReg(times, inputs, events.astype(np.float64), ties="efron")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if near is None:
            near = model.fit(method="bfgs", disp=0).params
        return model.fit(start_params=near, disp=0)


def ratio(variable: Variable, labels: np.ndarray, pair: Sequence[int]) -> Effect:
    """Hazard of the first group over that of the second; cause-specific beside another event."""
    rows = np.isin(labels, list(pair)) & variable.observed
    times, events = variable.values[rows], variable.events[rows].astype(bool)
    return hazard_ratio(times, events, labels[rows] == pair[0], variable.hazard)[0]


def hazard_ratio(
    times: np.ndarray, events: np.ndarray, first: np.ndarray, name: str = "hazard ratio"
) -> tuple[Effect, float | None]:
    """Hazard of the patients in ``first``, bool of shape (N,), over that of the others; Wald's p.

    Wald's interval on the log scale; the likelihood's where few events make that too wide.
    """
    rates = [events[rows].sum() / max(times[rows].sum(), 1e-300) for rows in (first, ~first)]
    if min(rates) == 0.0:
        return no_effect("A group without any event has no hazard ratio."), None
    try:
        near = np.log([rates[0] / rates[1]])
        fit = cox(times, events, first[:, None].astype(np.float64), near)
    except (np.linalg.LinAlgError, ValueError):
        return no_effect(NO_ANSWER), None
    with quiet():
        middle, error, p = (float(part[0]) for part in (fit.params, fit.bse, fit.pvalues))
    if not np.isfinite([middle, error]).all() or abs(middle) > SEPARATED:
        reason = "The groups tell the events apart, so there is no finite hazard ratio."
        return no_effect(reason), None
    ends = [middle + side * REACH * error for side in (-1.0, 1.0)]
    if events.sum() < MANY_EVENTS:
        ends = [_profiled(fit, end) for end in ends]
    low, high = np.exp(ends)
    return Effect(name, float(np.exp(middle)), float(low), float(high), null=1.0), p


def _profiled(fit: PHRegResults, end: float) -> float:
    """Where the log likelihood has fallen as far as a 95 % interval lets it; from Wald's end."""
    middle = float(fit.params[0])
    lowest, step = fit.llf - REACH**2 / 2, end - middle

    def above(value: float) -> float:
        return fit.model.loglike(np.array([value])) - lowest

    while above(middle + step) > 0.0:
        step *= 1.5
        if abs(step) > 2 * SEPARATED:
            return float(np.sign(step) * np.inf)
    return float(optimize.brentq(above, middle, middle + step))


def proportionality(times: np.ndarray, events: np.ndarray, inputs: np.ndarray) -> Test:
    """Score test of whether a Cox regression's coefficients change with 1 - Kaplan-Meier.

    As R's ``cox.zph`` 3, by Schoenfeld's residuals (Grambsch and Therneau, Biometrika 1994).
    """
    if events.sum() <= inputs.shape[1] + 1:
        return no_test("Too few events to tell whether hazards stay proportional.")
    try:
        coefficients = cox(times, events, inputs).params
        means, covariances = _at_events(times, events, inputs, coefficients)
        order = np.argsort(times[events], kind="stable")
        curve = kaplan_meier(times, events)
        place = np.searchsorted(curve.times, times[events][order], side="left") - 1
        course = curve.share[place].mean() - curve.share[place]
        score = course @ (inputs[events][order] - means)
        own, mixed, squared = (
            np.einsum("e,epq->pq", course**power, covariances) for power in (0, 1, 2)
        )
        statistic = score @ np.linalg.solve(squared - mixed @ np.linalg.solve(own, mixed), score)
    except np.linalg.LinAlgError:
        return no_test(UNKNOWN)
    except ValueError:
        return no_test(NO_ANSWER)
    if not np.isfinite(statistic) or np.abs(coefficients).max() > SEPARATED:
        return no_test(UNKNOWN)
    return Test(NAME, float(statistic), float(stats.chi2.sf(statistic, inputs.shape[1])))


def _at_events(
    times: np.ndarray, events: np.ndarray, inputs: np.ndarray, coefficients: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means (E, P) and covariances (E, P, P) of the inputs of those at risk, weighed by hazard."""
    n, p = inputs.shape
    products = (inputs[:, :, None] * inputs[:, None, :]).reshape(n, -1)
    weights = np.exp(inputs @ coefficients)[:, None]
    parts = weights * np.column_stack([np.ones(n), inputs, products])
    order = np.argsort(times, kind="stable")
    at, place, tied = np.unique(times[events], return_inverse=True, return_counts=True)
    at_risk = np.cumsum(parts[order][::-1], axis=0)[::-1][np.searchsorted(times[order], at)]
    died = np.zeros_like(at_risk)
    np.add.at(died, place, parts[events])
    left_out = np.concatenate([np.arange(count) / count for count in tied])
    sums = at_risk.repeat(tied, axis=0) - left_out[:, None] * died.repeat(tied, axis=0)
    found = sums[:, 1:] / sums[:, :1]
    means, squares = found[:, :p], found[:, p:].reshape(-1, p, p)
    return means, squares - means[:, :, None] * means[:, None, :]
