"""Cox regressions, hazard ratios of two groups, and whether hazards stay proportional."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy import optimize, stats
from statsmodels.duration.hazard_regression import PHReg

from .effects import LEVEL, Effect, no_effect
from .hypothesis_tests import Test, no_test
from .survival import kaplan_meier

#: Of so many events in all, Wald's interval is as good as the likelihood's; below, it is too wide
#: (``tests.benchmarks.survival_coverage``).
MANY_EVENTS = 100
#: A log hazard ratio beyond it means that one group's hazard cannot be told from none.
SEPARATED = 12.0
NAME = "Grambsch-Therneau test"
_REACH = float(stats.norm.ppf(0.5 + LEVEL / 2))


def cox(times: np.ndarray, events: np.ndarray, inputs: np.ndarray, near: np.ndarray | None = None):
    """Cox's regression (Efron's ties) by Newton's steps from a near start.

    From 0 they can lead astray.

    Parameters
    ----------
    times, events : ndarray, shape (N,)
    inputs : ndarray of float64, shape (N, P)
    near : ndarray of float64, shape (P,), optional
        Coefficients to begin with; sought where none are given.

    Returns
    -------
    statsmodels.duration.hazard_regression.PHRegResults
    """
    model = PHReg(times, inputs, events.astype(np.float64), ties="efron")
    if near is None:
        near = model.fit(method="bfgs", disp=0).params
    return model.fit(start_params=near, disp=0)


def hazard_ratio(
    times: np.ndarray, events: np.ndarray, first: np.ndarray, name: str = "hazard ratio"
) -> Effect:
    """Hazard of the patients in ``first``, shape (N,) of bool, over that of the others.

    Wald's interval on the log scale; of few events, for which that is too wide, the one that the
    likelihood-ratio test does not reject. There is none where a group has no event.
    """
    rates = [events[rows].sum() / max(times[rows].sum(), 1e-300) for rows in (first, ~first)]
    if min(rates) == 0.0:
        return no_effect("A group without any event has no hazard ratio.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            near = np.log([rates[0] / rates[1]])
            fit = cox(times, events, first[:, None].astype(np.float64), near)
            log_ratio, error = float(fit.params[0]), float(fit.bse[0])
    except (np.linalg.LinAlgError, ValueError):
        return no_effect("The regression has no answer on these numbers.")
    if not np.isfinite([log_ratio, error]).all() or abs(log_ratio) > SEPARATED:
        return no_effect("The groups tell the events apart, so there is no finite hazard ratio.")
    ends = [log_ratio + side * _REACH * error for side in (-1.0, 1.0)]
    if events.sum() < MANY_EVENTS:
        likelihood = _two_groups(times, events, first)
        ends = [_profiled(likelihood, log_ratio, end) for end in ends]
    low, high = np.exp(ends)
    return Effect(name, float(np.exp(log_ratio)), float(low), float(high), null=1.0)


def _two_groups(
    times: np.ndarray, events: np.ndarray, first: np.ndarray
) -> Callable[[float], float]:
    """The log partial likelihood (Efron) of the log ratio of two hazards, from counts alone."""
    at, tied = np.unique(times[events], return_counts=True)
    left_out = (np.arange(tied.sum()) - np.repeat(np.cumsum(tied) - tied, tied)) / tied.repeat(tied)
    weighed = []
    for rows in (first, ~first):
        at_risk = rows.sum() - np.searchsorted(np.sort(times[rows]), at, side="left")
        place = np.searchsorted(at, times[rows & events])
        died = np.bincount(place, minlength=at.size)
        weighed.append(at_risk.repeat(tied) - left_out * died.repeat(tied))
    one, other = weighed
    count = int(events[first].sum())
    return lambda value: count * value - float(np.log(one * np.exp(value) + other).sum())


def _profiled(likelihood: Callable[[float], float], log_ratio: float, end: float) -> float:
    """Where the log likelihood has fallen as far as a 95 % interval lets it; from Wald's end."""
    lowest, step = likelihood(log_ratio) - _REACH**2 / 2, end - log_ratio
    while likelihood(log_ratio + step) > lowest:
        step *= 1.5
        if abs(step) > 2 * SEPARATED:
            return float(np.sign(step) * np.inf)
    return float(
        optimize.brentq(lambda value: likelihood(value) - lowest, log_ratio, log_ratio + step)
    )


def proportionality(times: np.ndarray, events: np.ndarray, inputs: np.ndarray) -> Test:
    """Whether the coefficients of a Cox regression change with time.

    The score test of a product of every input with 1 minus the Kaplan-Meier curve of all just
    before each event, as ``cox.zph`` of R's survival 3 makes it; what it weighs are Schoenfeld's
    residuals (Grambsch and Therneau, Biometrika 1994).

    Parameters
    ----------
    times, events, inputs
        As of ``cox``.
    """
    if events.sum() <= inputs.shape[1] + 1:
        return no_test("Too few events to tell whether hazards stay proportional.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coefficients = cox(times, events, inputs).params
        means, covariances = _at_events(times, events, inputs, coefficients)
    except (np.linalg.LinAlgError, ValueError):
        return no_test("The regression has no answer on these numbers.")
    when = np.sort(times[events])
    curve = kaplan_meier(times, events)
    before = curve.share[np.searchsorted(curve.times, when, side="left") - 1]
    course = 1.0 - before
    course = course - course.mean()
    order = np.argsort(times[events], kind="stable")
    residuals = inputs[events][order] - means
    score = course @ residuals
    own, mixed, squared = (
        np.einsum("e,epq->pq", weights, covariances)
        for weights in (np.ones(when.size), course, course**2)
    )
    try:
        statistic = score @ np.linalg.solve(squared - mixed @ np.linalg.solve(own, mixed), score)
    except np.linalg.LinAlgError:
        return no_test("The events tell too little of how hazards change with time.")
    if not np.isfinite(statistic) or np.abs(coefficients).max() > SEPARATED:
        return no_test("The events tell too little of how hazards change with time.")
    p = float(stats.chi2.sf(statistic, inputs.shape[1]))
    return Test(NAME, float(statistic), p)


def _at_events(
    times: np.ndarray, events: np.ndarray, inputs: np.ndarray, coefficients: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means (E, P) and covariances (E, P, P) of the inputs of those at risk, weighed by hazard.

    Events in order of time; of those tied, each later one leaves out a larger part of all of them
    (Efron).
    """
    weights = np.exp(inputs @ coefficients)
    products = inputs[:, :, None] * inputs[:, None, :]
    sums = [weights, weights[:, None] * inputs, weights[:, None, None] * products]
    order = np.argsort(times, kind="stable")
    at, place, tied = np.unique(times[events], return_inverse=True, return_counts=True)
    starts = np.searchsorted(times[order], at, side="left")
    rank = np.arange(tied.sum()) - np.repeat(np.cumsum(tied) - tied, tied)
    left_out = rank / np.repeat(tied, tied)
    found = []
    for part in sums:
        at_risk = np.cumsum(part[order][::-1], axis=0)[::-1][starts]
        died = np.zeros_like(at_risk)
        np.add.at(died, place, part[events])
        shape = (-1,) + (1,) * (part.ndim - 1)
        found.append(
            np.repeat(at_risk, tied, axis=0)
            - left_out.reshape(shape) * np.repeat(died, tied, axis=0)
        )
    total, first, second = found
    means = first / total[:, None]
    return means, second / total[:, None, None] - means[:, :, None] * means[:, None, :]
