"""Times to events: curves, follow-up, tests of groups, and how far two groups lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight, survdiff

from ..ticks import round_step
from ..wording import in_digits
from .effect import Effect, no_effect
from .hypothesis_tests import Groups, Test, made, no_test, permuted, quiet
from .intervals import LEVEL, Estimate, apart, log_log
from .variables import Variable

#: Round times from 0 to the last one, about so many, to end at.
STEPS = 20
#: Patients of each group still watched at the end: of fewer, the curve hangs on single ones.
WATCHED = 10
#: Events up to the end that each group needs: measured by ``tests.benchmarks.survival_coverage``.
LEAST_EVENTS = 3


@dataclass(frozen=True)
class Curve:
    """Share of patients still without the event, or who have had it, as time goes on."""

    #: Shape (T,). 0, then every time at which an event happened.
    times: np.ndarray
    #: Shape (T,). Share without the event (Kaplan and Meier), or with it (Aalen and Johansen).
    share: np.ndarray
    #: Shape (T,). 95 % interval of each, on the log-log scale.
    low: np.ndarray
    high: np.ndarray
    #: Shape (n,). Every patient's time, ended by the event or not.
    durations: np.ndarray
    n_events: int

    def at_risk(self, times: np.ndarray) -> np.ndarray:
        """Patients still watched and without the event just before each time."""
        return (self.durations[:, None] >= np.asarray(times)).sum(axis=0)

    def at(self, time: float) -> Estimate:
        """The share at a time, with its interval."""
        place = np.searchsorted(self.times, time, side="right") - 1
        return Estimate(self.share[place], self.low[place], self.high[place])

    @property
    def median(self) -> float | None:
        """First time at which half or fewer are without the event; None if it never comes."""
        reached = np.flatnonzero(self.share <= 0.5 + 1e-9)
        return float(self.times[reached[0]]) if reached.size else None


@dataclass(frozen=True)
class Survival:
    """Curves of the groups for one time to an event."""

    name: str
    curves: dict[int, Curve]
    #: float64, shape (T,). Times at which the numbers at risk are told.
    ticks: np.ndarray
    #: Whether the curves are shares who have had the event, as another one may rule it out.
    is_incidence: bool = False


def kaplan_meier(times: np.ndarray, events: np.ndarray) -> Curve:
    """Kaplan-Meier curve of some patients, with Greenwood's variance."""
    times, events = _known(times, events)
    with quiet():
        found = SurvfuncRight(times, events.astype(np.float64))
    return _curve(1.0, found.surv_times, found.surv_prob, found.surv_prob_se, times, events)


def cumulative_incidence(times: np.ndarray, events: np.ndarray, others: np.ndarray) -> Curve:
    """Share of patients who have had the event, of those who may have another one first.

    Aalen and Johansen's estimate; variance by the delta method (Marubini and Valsecchi, "Analysing
    Survival Data", Wiley 1995), the last known where nobody is left. ``events`` and ``others``,
    (N,), say which event ended a time.
    """
    times, events, others = _known(times, events, others)
    ended = events | others
    if not ended.any():
        return _curve(0.0, *np.empty((3, 0)), times, events)
    with quiet():
        found = CumIncidenceRight(times, events + 2 * others)
    kept = np.isin(found.times, times[ended])
    share, error = found.cinc[0][kept], found.cinc_se[0][kept]
    if np.isnan(error[-1]):
        error[-1] = error[-2] if error.size > 1 else 0.0
    return _curve(0.0, found.times[kept], share, error, times, events)


def _known(times: np.ndarray, *which: np.ndarray) -> tuple[np.ndarray, ...]:
    known = ~np.isnan(times)
    if not known.any():
        raise ValueError("No time is known, so there is no curve to draw.")
    return times[known], *(part[known].astype(bool) for part in which)


def _curve(start: float, at, share, error, times: np.ndarray, events: np.ndarray) -> Curve:
    _, low, high = log_log(share, error)
    share, low, high = (np.append(start, part) for part in (share, low, high))
    if start and share[-1] == 0.0:
        high[-1] = high[-2]
    return Curve(np.append(0.0, at), share, low, high, times, int(events.sum()))


def median_follow_up(times: np.ndarray, ended: np.ndarray) -> float | None:
    """Median time for which patients were, or would have been, watched; None if never reached.

    Reverse Kaplan-Meier (Schemper and Smith, Controlled Clinical Trials 1996): ``ended`` censors.
    """
    return kaplan_meier(times, ~ended.astype(bool)).median


def log_rank(times: np.ndarray, events: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Chi-square and p of the log-rank test, on known times with an event at least."""
    statistic, _ = survdiff(times, events.astype(np.float64), groups)
    # Its own p-value is 1 minus the distribution function, which is 0 long before it should be.
    return float(statistic), float(stats.chi2.sf(statistic, np.unique(groups).size - 1))


def log_rank_scores(times: np.ndarray, events: np.ndarray) -> np.ndarray:
    """Each patient's part in the log-rank statistic: the event minus its cumulative hazard."""
    at, place = np.unique(times, return_inverse=True)
    died = np.bincount(place, weights=events.astype(np.float64), minlength=at.size)
    ended = np.bincount(place, minlength=at.size)
    at_risk = times.size - np.append(0, np.cumsum(ended)[:-1])
    return events - np.cumsum(died / at_risk)[place]


def compare_survival(times: Groups, events: Groups, few: bool, random: np.random.Generator) -> Test:
    """Log-rank test of two groups or more; of its scores' permutation where few."""
    time, event = np.concatenate(times), np.concatenate(events)
    if not event.any():
        return no_test("No event was observed in any group: there is nothing to test.")
    if event.sum() < 2:
        return no_test("One event only was observed: that is too few to test.")
    group = np.repeat(np.arange(len(times)), [part.size for part in times])
    if not few:
        return made("log-rank test", *log_rank(time, event, group))
    scores = log_rank_scores(time, event)
    parts = [scores[group == k] for k in range(len(times))]
    is_pair = len(parts) == 2

    def apart(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
        """Difference of two means; of more the sum of squares between them, up to a constant."""
        means = [part.mean(axis=axis) for part in groups]
        sizes = [part.shape[axis] for part in groups]
        return means[0] - means[1] if is_pair else sum(map(np.multiply, sizes, np.square(means)))

    sides = "two-sided" if is_pair else "greater"
    return permuted("the log-rank test", apart, parts, random, alternative=sides)


def compare_incidence(
    times: np.ndarray,
    kinds: np.ndarray,
    groups: np.ndarray,
    few: bool,
    random: np.random.Generator,
) -> Test:
    """Gray's test of one cumulative incidence (arguments of ``gray``); by permutation where few."""
    if (kinds == 1).sum() < 2:
        return no_test("One event at most was observed: that is too few to test.")
    statistic = float(gray(times, kinds, groups))
    if not np.isfinite(statistic):
        return no_test("Gray's test has no value on these numbers.")
    if not few:
        return made("Gray's test", statistic, float(stats.chi2.sf(statistic, groups.max())))

    return permuted(
        "Gray's test",
        lambda again, axis=-1: np.nan_to_num(gray(times, kinds, again), nan=np.inf),
        (groups,),
        random,
        alternative="greater",
        permutation_type="pairings",
        batch=max(1, 1_000_000 // (times.size * (groups.max() + 1) ** 2)),
    )


def gray(times: np.ndarray, kinds: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Gray's statistic, chi-square with one degree of freedom fewer than groups, shape () or (B,).

    Gray, Annals of Statistics 1988, rho = 0, hypergeometric ties. ``kinds``, (N,): 0 last seen
    without an event, 1 the event, 2 another; ``groups``, (N,) or (B, N), from 0 on: one or several
    groupings.
    """
    order = np.argsort(times, kind="stable")
    times, kinds = times[order], kinds[order]
    inside = np.atleast_2d(groups)[:, order, None] == np.arange(groups.max() + 1)
    starts = np.flatnonzero(np.append(True, np.diff(times) > 0))
    eventful = np.add.reduceat(kinds > 0, starts) > 0
    at_risk = np.cumsum(inside[:, ::-1], axis=1)[:, ::-1][:, starts][:, eventful]
    died, other = (
        np.add.reduceat(inside & (kinds == kind)[:, None], starts, axis=1, dtype=np.int64)[
            :, eventful
        ]
        for kind in (1, 2)
    )
    scores, variance = _gray_scores(*(part.astype(np.float64) for part in (at_risk, died, other)))
    # The last group's score follows from the others'.
    scores, variance = scores[:, :-1], variance[:, :-1, :-1]
    solved = np.linalg.pinv(variance, hermitian=True) @ scores[:, :, None]
    return (scores[:, None, :] @ solved)[:, 0, 0].reshape(groups.shape[:-1])


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """A ratio, 0 where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0.0)


def _gray_scores(
    y: np.ndarray, died: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gray's scores (B, K) and their covariances (B, K, K) from counts by time, (B, T, K)."""
    after = np.cumprod(1.0 - _over(died + other, y), axis=1)
    before = np.concatenate([np.ones_like(after[:, :1]), after[:, :-1]], axis=1)
    own = np.cumsum(before * _over(died, y), axis=1)
    own_before = np.concatenate([np.zeros_like(own[:, :1]), own[:, :-1]], axis=1)
    # Patients who would be at risk had nobody had any event, and those of them without this one.
    would = _over(y, before)
    still = would * (1.0 - own_before)
    all_would, all_still, all_died = (
        part.sum(axis=2, keepdims=True) for part in (would, still, died)
    )
    scores = (died - _over(all_died, all_still) * still).sum(axis=1)
    step = _over(all_died, all_would)
    pooled = 1.0 - np.cumsum(step, axis=1)

    share = _over(would, all_would)
    direct = would[:, :, :, None] * (np.eye(y.shape[2]) - share[:, :, None, :])
    direct = np.where((y > 0)[:, :, None, :], direct, 0.0)
    summed = np.cumsum(direct * (step / (pooled + step))[..., None], axis=1)
    later = summed[:, -1:] - summed
    ratio = _over(pooled, after)
    of_event = direct + (1.0 - ratio)[:, :, None, :] * later
    of_other = ratio[:, :, None, :] * later

    # Ties: as drawn without replacement from those at risk.
    event_tie = 1.0 - _over(np.maximum(all_died - 1.0, 0.0), all_would * before - 1.0)
    other_tie = 1.0 - _over(np.maximum(other - 1.0, 0.0), y - 1.0)
    event_weight = event_tie * _over(before * all_died, all_would * y)
    other_weight = other_tie * before**2 * _over(other, y**2)
    variance = sum(
        np.einsum("btkr,btjr,btr->bkj", part, part, weight)
        for part, weight in ((of_event, event_weight), (of_other, other_weight))
    )
    return scores, variance


def horizon(outcome: Variable, labels: np.ndarray, groups: Sequence[int]) -> float:
    """The last round time up to which every group was watched well enough; 0 if there is none."""
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
    """Mean time without the event up to a time, and its standard error.

    Greenwood's variance, times m / (m - 1) of m events up to then (Kaplan and Meier, JASA 1958).
    """
    curve = SurvfuncRight(times, events.astype(np.float64))
    inside = curve.surv_times < until
    at, n, died = curve.surv_times[inside], curve.n_risk[inside], curve.n_events[inside]
    widths = np.diff([0.0, *at, until])
    areas = np.append(1.0, curve.surv_prob[inside]) * widths
    left = np.cumsum(areas[::-1])[::-1][1:]
    alive = n > died
    variance = np.sum((left**2 * died)[alive] / (n * (n - died))[alive])
    m = died.sum()
    return float(areas.sum()), float(np.sqrt(variance * m / max(m - 1.0, 1.0)))


def difference(outcome: Variable, labels: np.ndarray, pair: Sequence[int], until: float) -> Effect:
    """Difference of restricted means, or of cumulative incidences where another event may come.

    Up to a time (Royston and Parmar, BMC Medical Research Methodology 2013). Intervals of means are
    by t: the normal's are too narrow for groups of 30 against 150.
    """
    is_mean, said = outcome.others is None, in_digits(until)
    if outcome.no_share:
        return no_effect("Nobody said which codes mean another event.")
    if until <= 0.0:
        few = f"Fewer than {WATCHED}" if is_mean else "Too few"
        return no_effect(f"{few} patients of a group are watched for any time.")
    found = []
    for group in pair:
        rows = (labels == group) & outcome.observed
        times, events = outcome.values[rows], outcome.events[rows].astype(bool)
        if is_mean and (events & (times < until)).sum() < LEAST_EVENTS:
            return no_effect(
                f"Fewer than {LEAST_EVENTS} events in a group up to {said}: too few for a "
                "difference of mean times."
            )
        if not is_mean and not (events & (times <= until)).any():
            return no_effect(
                f"A group has no event by {said}: its cumulative incidence has no interval, nor "
                "has a difference from it."
            )
        if is_mean:
            mean, error = restricted_mean(times, events, until)
            reach = stats.t.ppf(0.5 + LEVEL / 2, times.size - 1) * error
            found.append(Estimate(mean, mean - reach, mean + reach))
        else:
            found.append(cumulative_incidence(times, events, outcome.others[rows]).at(until))
    a, b = found
    low, high = apart(a, b)
    name = "mean times without the event up to" if is_mean else "shares with the event by"
    return Effect(f"difference of {name} {said}", float(a.value - b.value), float(low), float(high))
