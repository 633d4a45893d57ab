"""Mean time without an event up to a fixed time, whatever becomes of the hazards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from ..ticks import round_step
from ..wording import in_digits
from .effects import LEVEL, Effect, no_effect
from .survival import kaplan_meier
from .variables import Variable

#: Round times from 0 to the last one, about so many, to end at.
STEPS = 20
#: Patients of each group who would still be watched at the end had nobody had an event: of fewer,
#: the curve hangs on single patients.
WATCHED = 10
#: Events up to the end that each group needs: measured by ``tests.benchmarks.survival_coverage``.
LEAST_EVENTS = 3


def horizon(outcome: Variable, labels: np.ndarray, groups: Sequence[int]) -> float:
    """The last round time up to which every group was watched well enough; 0 if there is none.

    The last time seen would be one patient's. A group of which everybody has had an event is known
    from then on.
    """
    rows = np.isin(labels, list(groups)) & outcome.observed
    if not rows.any():
        return 0.0
    last = min(float(outcome.values[rows].max()), *(_last(outcome, labels == k) for k in groups))
    if last <= 0.0:
        return 0.0
    step = round_step(last / STEPS)
    return float(np.floor(last / step + 1e-9) * step)


def _last(outcome: Variable, inside: np.ndarray) -> float:
    """The time up to which so many patients of a group would have been watched."""
    rows = inside & outcome.observed
    times, ended = outcome.values[rows], outcome.events[rows].astype(bool)
    if outcome.others is not None:
        ended = ended | outcome.others[rows]
    if times.size < WATCHED:
        return 0.0
    watched = kaplan_meier(times, ~ended)
    too_few = np.flatnonzero(watched.share * times.size < WATCHED - 1e-9)
    if too_few.size:
        return float(watched.times[too_few[0]])
    return np.inf if ended[times == times.max()].all() else float(times.max())


def restricted_mean(times: np.ndarray, events: np.ndarray, until: float) -> tuple[float, float]:
    """Mean time without the event up to a time, and its standard error (Greenwood's variance)."""
    curve = kaplan_meier(times, events)
    inside = curve.times < until
    starts = curve.times[inside]
    areas = curve.share[inside] * np.diff(np.append(starts, until))
    left = np.cumsum(areas[::-1])[::-1]
    at_risk = curve.at_risk(starts)[1:]
    died = np.searchsorted(np.sort(times[events]), starts[1:], side="right")
    died = np.diff(np.append(0, died))
    some_left = at_risk > died
    terms = np.divide(
        left[1:] ** 2 * died,
        at_risk * (at_risk - died),
        out=np.zeros(died.size),
        where=some_left,
    )
    return float(areas.sum()), float(np.sqrt(terms.sum()))


def restricted_mean_difference(
    outcome: Variable, labels: np.ndarray, pair: Sequence[int], until: float
) -> Effect:
    """Difference of the mean times without the event up to a time (Royston and Parmar 2013).

    A t-interval: by the normal one, groups of 30 are not held often enough.
    There is none where another event may come first.
    """
    if outcome.no_share:
        return no_effect("Nobody said which codes mean another event.")
    if until <= 0.0:
        return no_effect(f"Fewer than {WATCHED} patients of a group are watched for any time.")
    found, counts = [], []
    for group in pair:
        rows = (labels == group) & outcome.observed
        times, events = outcome.values[rows], outcome.events[rows].astype(bool)
        counts.append(int((events & (times < until)).sum()))
        if counts[-1] < LEAST_EVENTS:
            return no_effect(
                f"Fewer than {LEAST_EVENTS} events in a group up to {in_digits(until)}: too few "
                "for a difference of mean times."
            )
        found.append(restricted_mean(times, events, until))
    (a, error_a), (b, error_b) = found
    # A variance rests on the events: Welch's degrees of freedom from their numbers.
    variances = error_a**2, error_b**2
    parts = sum(v**2 / n for v, n in zip(variances, counts, strict=True))
    reach = stats.t.ppf(0.5 + LEVEL / 2, sum(variances) ** 2 / parts) * np.sqrt(sum(variances))
    name = f"difference of mean times without the event up to {in_digits(until)}"
    return Effect(name, a - b, float(a - b - reach), float(a - b + reach))
