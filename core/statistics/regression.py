"""Effects by regression (OLS, logistic, Poisson, Cox), and whether hazards stay proportional."""

from collections.abc import Sequence
from dataclasses import dataclass
from warnings import catch_warnings

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.duration.hazard_regression import PHReg, PHRegResults
from statsmodels.tools.sm_exceptions import PerfectSeparationError

from .differences import LEVEL, REACH, Effect, Test
from .survival import horizon, kaplan_meier
from .variables import Variable

#: Patients, and events of yes/no and times, that a regression needs for each of its terms.
FOR_EACH = 5
#: Below so many events Wald's interval is too wide (``tests.benchmarks.error_rates``).
MANY_EVENTS = 100
#: The logarithm of a ratio beyond it means that one group cannot be told from none.
SEPARATED = 12.0
#: P-values of the test of proportional hazards up to it let the other effect lead.
DOUBT = 0.05
NO_ANSWER = "The regression has no answer on these numbers."
UNKNOWN = "The events tell too little of how hazards change with time."
SCOPE = (
    "Times are read from 0 to the first event or the last visit: patients who enter late, and "
    "events that recur, are out of scope."
)
MODELS = {
    "measurement": ("difference of means", "ANCOVA"),
    "rating": ("difference of mean scores", "ANCOVA"),
    "yes/no": ("odds ratio", "logistic regression"),
    "count": ("rate ratio", "Poisson regression, sandwich variance"),
    "time to event": ("hazard ratio", "Cox regression (Efron)"),
}


@dataclass(frozen=True)
class Adjustment:
    """One outcome between two groups, without and with the covariates, of complete cases."""

    n: tuple[int, int]
    unadjusted: Effect
    adjusted: Effect
    model: str


def adjustment(
    outcome: Variable, covariates: Sequence[Variable], labels: np.ndarray, pair: tuple[int, int]
) -> Adjustment:
    """Compare two groups on one outcome, with the covariates and without them."""
    terms = np.column_stack([np.empty((labels.size, 0)), *map(_terms, covariates)])
    rows = np.isin(labels, pair) & outcome.observed & ~np.isnan(terms).any(axis=1)
    first, terms = labels[rows] == pair[0], terms[rows]
    n = int(first.sum()), int((~first).sum())
    if outcome.kind not in MODELS:
        nothing = Effect(reason="A category has no regression here: see its test.")
        return Adjustment(n, nothing, nothing, "")
    if n != (0, 0):
        terms = terms[:, np.ptp(terms, axis=0) > 0]
    effects = []
    for columns in (terms[:, :0], terms):
        reason = _refusal(outcome, rows, first, 1 + columns.shape[1])
        effects.append(Effect(reason=reason) if reason else _effect(outcome, rows, first, columns))
    return Adjustment(n, *effects, MODELS[outcome.kind][1])


def _terms(variable: Variable) -> np.ndarray:
    """A covariate as columns of a regression, shape (N, D); NaN is missing."""
    if variable.kind != "category":
        return (variable.values if variable.log else variable.amounts)[:, None]
    codes = variable.values[:, None]
    is_level = (codes == np.arange(1, len(variable.levels))).astype(np.float64)
    return np.where(np.isnan(codes), np.nan, is_level)


def _refusal(outcome: Variable, rows: np.ndarray, first: np.ndarray, terms: int) -> str:
    n_first = int(first.sum())
    if min(n_first, first.size - n_first) < FOR_EACH or first.size < FOR_EACH * (terms + 1):
        return "Too few complete cases for a regression with so many terms."
    if outcome.kind not in ("time to event", "yes/no"):
        return "" if np.ptp(outcome.values[rows]) > 0 else "Every observed value is the same."
    happened = (outcome.events if outcome.kind == "time to event" else outcome.values)[rows].sum()
    if outcome.kind == "yes/no":
        happened = min(happened, first.size - happened)
    return "" if happened >= FOR_EACH * terms else "Too few events for a regression."


def _effect(outcome: Variable, rows: np.ndarray, first: np.ndarray, terms: np.ndarray) -> Effect:
    """The coefficient of the first group as an effect, with Wald's p-value."""
    try:
        with catch_warnings(action="ignore"):
            fit = _fitted(outcome, rows, np.column_stack([first, terms]).astype(np.float64))
            found = np.array([fit.params[0], *fit.conf_int(alpha=1.0 - LEVEL)[0]])
            p = float(fit.pvalues[0])
    except (np.linalg.LinAlgError, ValueError, PerfectSeparationError):
        return Effect(reason=NO_ANSWER)
    is_sum = outcome.kind in ("measurement", "rating")
    if not is_sum and abs(found[0]) > SEPARATED:
        return Effect(reason="The groups tell the answers apart, so there is no finite ratio.")
    if not np.isfinite(found).all():
        return Effect(reason=NO_ANSWER)
    if outcome.kind == "time to event" and not terms.size and fit.model.status.sum() < MANY_EVENTS:
        found[1:] = [_profiled(fit, end) for end in found[1:]]
    name = MODELS[outcome.kind][0] if outcome.others is None else "cause-specific hazard ratio"
    if is_sum and not outcome.log:
        return Effect(name, *found.tolist(), p=p)
    name = "ratio of geometric means" if outcome.log else name
    return Effect(name, *np.exp(found).tolist(), p=p)


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


def cox(times: np.ndarray, events: np.ndarray, inputs: np.ndarray) -> PHRegResults:
    """Cox's regression (Efron's ties) of inputs, (N, P)."""
    model = PHReg(times, inputs, events.astype(np.float64), ties="efron")
    with catch_warnings(action="ignore"):
        # Newton's steps from 0 end nowhere where a ratio is far from 1.
        return model.fit(start_params=model.fit(method="bfgs", disp=0).params, disp=0)


def _profiled(fit: PHRegResults, end: float) -> float:
    """Where the log likelihood has fallen as far as a 95 % interval lets it; from Wald's end."""
    middle = float(fit.params[0])
    step = end - middle

    def above(value: float) -> float:
        return fit.model.loglike(np.array([value])) - fit.llf + REACH**2 / 2

    while above(middle + step) > 0.0:
        step *= 1.5
        if abs(step) > 2 * SEPARATED:
            return float(np.sign(step) * np.inf)
    return float(optimize.brentq(above, middle, middle + step))


def ratio(outcome: Variable, labels: np.ndarray, pair: Sequence[int]) -> Effect:
    """Hazard ratio of two groups; cause-specific where another event may come first."""
    rows = np.isin(labels, list(pair)) & outcome.observed
    if not all(outcome.events[rows & (labels == group)].any() for group in pair):
        return Effect(reason="A group without any event has no hazard ratio.")
    return _effect(outcome, rows, labels[rows] == pair[0], np.empty((np.count_nonzero(rows), 0)))


@dataclass(frozen=True)
class Hazards:
    """Facts on a time to an event before its groups are compared two by two."""

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
        """Result of the check of proportional hazards, and the effect that therefore leads."""
        test, average = self.proportional, "a hazard ratio is an average over time"
        if test.p is None:
            found = f"Proportional hazards were not checked. {test.reason}"
        elif test.p > DOUBT:
            found = f"No sign that hazards are not proportional ({test.name}, p {test.p_text})."
        else:
            found = f"Hazards are not proportional ({test.name}, p {test.p_text}): {average}"
            found += "." if self.is_competing else ", and the difference of restricted means leads."
        if self.is_competing:
            found += (
                " Another event may come first: cumulative incidences lead, and hazard ratios "
                "compare how fast this event comes among those still without either."
            )
        return found


def hazards(
    variable: Variable, labels: np.ndarray, groups: Sequence[int], watched: Sequence[int]
) -> Hazards:
    """Check proportional hazards in groups, and how far those of them that are watched are so."""
    test = Test(reason="Fewer than two groups are compared.")
    if len(groups) > 1:
        rows = np.isin(labels, list(groups)) & variable.observed
        inputs = (labels[rows, None] == np.array(groups[1:])).astype(np.float64)
        test = proportionality(variable.values[rows], variable.events[rows].astype(bool), inputs)
    return Hazards(test, horizon(variable, labels, watched), variable.others is not None)


def proportionality(times: np.ndarray, events: np.ndarray, inputs: np.ndarray) -> Test:
    """Score test of whether a Cox regression's coefficients change with 1 - Kaplan-Meier.

    As R's ``cox.zph`` 3, by Schoenfeld's residuals (Grambsch and Therneau, Biometrika 1994).
    """
    if events.sum() <= inputs.shape[1] + 1:
        return Test(reason="Too few events to tell whether hazards stay proportional.")
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
        return Test(reason=UNKNOWN)
    except ValueError:
        return Test(reason=NO_ANSWER)
    if not np.isfinite(statistic) or np.abs(coefficients).max() > SEPARATED:
        return Test(reason=UNKNOWN)
    p = float(stats.chi2.sf(statistic, inputs.shape[1]))
    return Test("Grambsch-Therneau test", float(statistic), p)


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
