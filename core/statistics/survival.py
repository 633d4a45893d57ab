"""Times to events: curves, follow-up, tests of groups, and differences of two groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from warnings import catch_warnings

import numpy as np
from scipy import stats
from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight, survdiff

from ..ticks import round_step
from ..wording import counted, in_digits
from .differences import LEVEL, RESAMPLES, Effect, Estimate, Test, difference_interval, log_log
from .variables import Variable

#: Round times from 0 to the last one, about so many, to end at.
STEPS = 20
#: Patients of each group still watched at the end: of fewer, the curve hangs on single ones.
WATCHED = 10
#: Events up to the end that each group needs: measured by ``tests.benchmarks.error_rates``.
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
        reached = self.times[self.share <= 0.5 + 1e-9]
        return float(reached[0]) if reached.size else None


@dataclass(frozen=True)
class Survival:
    """Curves of the groups for one time to an event."""

    name: str
    curves: dict[int, Curve]
    #: float64, shape (T,). Times at which the numbers at risk are shown.
    ticks: np.ndarray
    #: Whether the curves are shares who have had the event, as another one may rule it out.
    is_incidence: bool = False


def kaplan_meier(times: np.ndarray, events: np.ndarray) -> Curve:
    """Kaplan-Meier curve of some patients, with Greenwood's variance."""
    times, events = _observed(times, events)
    with catch_warnings(action="ignore"):  # nobody is left at the end
        found = SurvfuncRight(times, events.astype(np.float64))
    return _curve(1.0, found.surv_times, found.surv_prob, found.surv_prob_se, times, events)


def cumulative_incidence(times: np.ndarray, events: np.ndarray, others: np.ndarray) -> Curve:
    """Share with the event, where another may come first, by Aalen and Johansen.

    Variance by the delta method (Marubini and Valsecchi, "Analysing Survival Data", Wiley 1995).
    """
    times, events, others = _observed(times, events, others)
    ended = times[events | others]
    if not ended.size:
        return _curve(0.0, *np.empty((3, 0)), times, events)
    with catch_warnings(action="ignore"):  # nobody is left at the end
        found = CumIncidenceRight(times, events + 2 * others)
    selected = np.isin(found.times, ended)
    share, error = found.cinc[0][selected], found.cinc_se[0][selected]
    if np.isnan(error[-1]):  # where nobody is left, the last known
        error[-1] = error[-2] if error.size > 1 else 0.0
    return _curve(0.0, found.times[selected], share, error, times, events)


def _observed(times: np.ndarray, *which: np.ndarray) -> tuple[np.ndarray, ...]:
    observed = ~np.isnan(times)
    if not observed.any():
        raise ValueError("No time is known, so there is no curve to draw.")
    return times[observed], *(part[observed].astype(bool) for part in which)


def _curve(start: float, at, share, error, times: np.ndarray, events: np.ndarray) -> Curve:
    share, low, high = (np.append(start, part) for part in log_log(share, error))
    if start and share[-1] == 0.0:
        high[-1] = high[-2]
    return Curve(np.append(0.0, at), share, low, high, times, int(events.sum()))


def median_follow_up(times: np.ndarray, ended: np.ndarray) -> float | None:
    """Median time watched, by the reverse curve (Schemper and Smith, Controlled Trials 1996)."""
    return kaplan_meier(times, ~ended.astype(bool)).median


def compare_times(
    outcome: Variable, rows: Sequence[np.ndarray], few: bool, random: np.random.Generator
) -> Test:
    """Log-rank test of groups of rows, by permutation where few, or Gray's of incidences."""
    time, event = (
        np.concatenate([of[inside] for inside in rows]) for of in (outcome.values, outcome.events)
    )
    group = np.repeat(np.arange(len(rows)), [np.count_nonzero(inside) for inside in rows])
    if np.count_nonzero(event) < 2:
        return Test(reason="One event at most was observed: that is too few to test.")
    if outcome.others is None:
        name, (found, _) = "log-rank test", survdiff(time, event.astype(np.float64), group)
    else:
        kinds = event + 2 * np.concatenate([outcome.others[inside] for inside in rows])
        name, found = "Gray's test", gray(time, kinds, group)
    if not np.isfinite(found):
        return Test(reason=f"The statistic of the {name} has no value on these numbers.")
    if not few or outcome.others is not None:
        # The p-value of ``survdiff`` is 1 minus a distribution function, 0 long before it should.
        return Test(name, float(found), float(stats.chi2.sf(found, len(rows) - 1)))
    scores = log_rank_scores(time, event.astype(np.float64))
    parts = [scores[group == k] for k in range(len(rows))]
    how = {"n_resamples": RESAMPLES, "vectorized": True, "alternative": "greater", "rng": random}
    found = stats.permutation_test(parts, _between, **how)
    return Test(f"{name} by permutation", float(found.statistic), float(found.pvalue))


def log_rank_scores(times: np.ndarray, events: np.ndarray) -> np.ndarray:
    """Each patient's part in the log-rank statistic: the event minus its cumulative hazard."""
    curve = SurvfuncRight(times, events)
    hazard = np.append(0.0, np.cumsum(curve.n_events / curve.n_risk))
    return events - hazard[np.searchsorted(curve.surv_times, times, side="right")]


def _between(*groups: np.ndarray, axis: int = -1) -> np.ndarray:
    """Sum of squares between groups of values whose mean is 0."""
    return sum(part.shape[axis] * part.mean(axis=axis) ** 2 for part in groups)


def gray(times: np.ndarray, kinds: np.ndarray, groups: np.ndarray) -> float:
    """Gray's statistic, chi-square with one degree of freedom fewer than groups.

    Gray, Annals of Statistics 1988, rho = 0, hypergeometric ties. ``kinds``, (N,): 0 last seen
    without an event, 1 the event, 2 another; ``groups``, (N,), from 0 on.
    """
    order, ended = np.argsort(times, kind="stable"), kinds > 0
    at, width = np.unique(times[ended]), groups.max() + 1
    # By time and group, (T, K): who is at risk, has the event, has another one.
    inside = np.eye(width)[groups[order]]
    y = inside[::-1].cumsum(axis=0)[::-1][np.searchsorted(times[order], at)]
    died, other = np.zeros((2, at.size, width))
    for kind, counts in ((1, died), (2, other)):
        rows = kinds == kind
        np.add.at(counts, (np.searchsorted(at, times[rows]), groups[rows]), 1.0)
    after = np.cumprod(1.0 - _ratio(died + other, y), axis=0)
    before = np.concatenate([np.ones((1, width)), after[:-1]])
    own = np.cumsum(before * _ratio(died, y), axis=0)
    # Patients who would be at risk had nobody had any event, and those of them without this one.
    would = _ratio(y, before)
    still = would * (1.0 - np.concatenate([np.zeros((1, width)), own[:-1]]))
    all_would, all_still, all_died = (
        part.sum(axis=1, keepdims=True) for part in (would, still, died)
    )
    scores = (died - _ratio(all_died, all_still) * still).sum(axis=0)

    # Variance: every event moves its own score, and through the incidence those later on.
    step = _ratio(all_died, all_would)
    pooled = 1.0 - np.cumsum(step, axis=0)
    direct = would[:, :, None] * (np.eye(width) - _ratio(would, all_would)[:, None, :])
    direct = np.where((y > 0)[:, None, :], direct, 0.0)
    summed = np.cumsum(direct * (step / (pooled + step))[:, :, None], axis=0)
    later, ratio = summed[-1:] - summed, _ratio(pooled, after)[:, None, :]
    # Ties: as drawn without replacement from those at risk.
    event_tie = 1.0 - _ratio(np.maximum(all_died - 1.0, 0.0), all_would * before - 1.0)
    other_tie = 1.0 - _ratio(np.maximum(other - 1.0, 0.0), y - 1.0)
    variance = sum(
        np.einsum("tkr,tjr,tr->kj", part, part, weight)
        for part, weight in (
            (direct + (1.0 - ratio) * later, event_tie * _ratio(before * all_died, all_would * y)),
            (ratio * later, other_tie * before**2 * _ratio(other, y**2)),
        )
    )
    # The last group's score follows from the others'.
    solved = np.linalg.pinv(variance[:-1, :-1], hermitian=True) @ scores[:-1]
    return float(scores[:-1] @ solved)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """A ratio, 0 where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0.0)


def horizon(outcome: Variable, labels: np.ndarray, groups: Sequence[int]) -> float:
    """The last round time up to which every group was watched well enough; 0 if there is none."""
    rows = np.isin(labels, list(groups)) & outcome.observed
    ends = (_last_watched(outcome, rows & (labels == k)) for k in groups)
    last = min(float(outcome.values[rows].max(initial=0.0)), *ends)
    step = round_step(last / STEPS) if last > 0.0 else 1.0
    return float(np.floor(last / step + 1e-9) * step)


def _last_watched(outcome: Variable, rows: np.ndarray) -> float:
    """The time up to which so many patients of a group would have been watched."""
    times, ended = outcome.values[rows], outcome.events[rows].astype(bool)
    if outcome.others is not None:
        ended = ended | outcome.others[rows]
    if times.size < WATCHED:
        return 0.0
    watched = kaplan_meier(times, ~ended)
    too_few = watched.times[watched.share * times.size < WATCHED - 1e-9]
    if too_few.size:
        return float(too_few[0])
    return np.inf if ended[times == times.max()].all() else float(times.max())


def restricted_mean(times: np.ndarray, events: np.ndarray, until: float) -> Estimate:
    """Mean time without the event up to a time.

    Greenwood's variance, times m / (m - 1) of m events up to then (Kaplan and Meier, JASA 1958);
    the interval is by t, as the normal's is too narrow for groups of 30 against 150.
    """
    curve = SurvfuncRight(times, events.astype(np.float64))
    inside = curve.surv_times < until
    at, n, died = curve.surv_times[inside], curve.n_risk[inside], curve.n_events[inside]
    areas = np.append(1.0, curve.surv_prob[inside]) * np.diff([0.0, *at, until])
    left = np.cumsum(areas[::-1])[::-1][1:]
    alive = n > died
    variance = np.sum((left**2 * died)[alive] / (n * (n - died))[alive])
    m = died.sum()
    reach = stats.t.ppf(0.5 + LEVEL / 2, times.size - 1) * np.sqrt(variance * m / max(m - 1, 1))
    return Estimate(areas.sum(), areas.sum() - reach, areas.sum() + reach)


def difference(outcome: Variable, labels: np.ndarray, pair: Sequence[int], until: float) -> Effect:
    """Difference of restricted means (Royston and Parmar 2013), or of cumulative incidences."""
    is_mean, by = outcome.others is None, in_digits(until)
    if outcome.no_share:
        return Effect(reason="Nobody said which codes mean another event.")
    if until <= 0.0:
        return Effect(reason=f"Fewer than {WATCHED} patients of a group are watched for any time.")
    found, least = [], LEAST_EVENTS if is_mean else 1
    for group in pair:
        rows = (labels == group) & outcome.observed
        times, events = outcome.values[rows], outcome.events[rows].astype(bool)
        if (events & (times < until if is_mean else times <= until)).sum() < least:
            return Effect(reason=f"Fewer than {counted(least, 'event')} in a group up to {by}.")
        if is_mean:
            found.append(restricted_mean(times, events, until))
        else:
            found.append(cumulative_incidence(times, events, outcome.others[rows]).at(until))
    a, b = found
    low, high = difference_interval(a, b)
    name = "mean times without the event up to" if is_mean else "shares with the event by"
    return Effect(f"difference of {name} {by}", float(a.value - b.value), float(low), float(high))
