"""An event that another one may rule out: cumulative incidence, and Gray's test of groups.

1 minus Kaplan and Meier's curve would count whoever had the other event as still waiting.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from ..wording import in_digits
from .effects import LEVEL, Effect, no_effect
from .hypothesis_tests import RESAMPLES, Test, no_test
from .intervals import Estimate, apart
from .survival import Curve
from .variables import Variable

#: Numbers that a batch of rearrangements may hold.
_ROOM = 1_000_000
_REACH = float(stats.norm.ppf(0.5 + LEVEL / 2))


def cumulative_incidence(times: np.ndarray, events: np.ndarray, others: np.ndarray) -> Curve:
    """Share of patients who have had the event, of those who may have another one first.

    Aalen and Johansen's estimate; its variance by the delta method from the binomial variance of
    the hazards at each time (Collett, "Modelling Survival Data", 3rd edition, 2015; of one kind of
    event, Greenwood's), the interval on the log-log scale.

    Parameters
    ----------
    times : ndarray of float64, shape (N,)
        NaN is missing; a ValueError says that none is known.
    events, others : ndarray of bool, shape (N,)
        Whether a time ended with the event, or with another.
    """
    seen = ~np.isnan(times)
    times, events, others = times[seen], events[seen].astype(bool), others[seen].astype(bool)
    if not times.size:
        raise ValueError("No time is known, so there is no curve to draw.")
    at = np.unique(times[events | others])
    n = times.size - np.searchsorted(np.sort(times), at, side="left")
    died, ended = (_counts(times[which], at) for which in (events, events | others))
    before = np.cumprod(np.append(1.0, 1.0 - ended / n))[:-1]
    share = np.cumsum(before * died / n)
    # Var F(t) = sum over s <= t of (F(t) - F(s))^2 g(s) + b(s) - 2 (F(t) - F(s)) c(s).
    survivors = np.maximum(n - ended, 1)
    g = np.where(n > ended, ended / (n * survivors), 0.0)
    b, c = before**2 * died * (n - died) / n**3, before * died / n**2
    sums = [np.cumsum(term) for term in (g, g * share, g * share**2, b, c, c * share)]
    variance = (share**2 * sums[0] - 2 * share * sums[1] + sums[2] + sums[3]) - 2 * (
        share * sums[4] - sums[5]
    )
    low, high = _log_log(share, np.sqrt(np.maximum(variance, 0.0)))
    first = np.zeros(1)
    return Curve(
        np.append(0.0, at),
        *(np.append(first, part) for part in (share, low, high)),
        times,
        int(events.sum()),
    )


def _counts(times: np.ndarray, at: np.ndarray) -> np.ndarray:
    """How many of some times are each of the sorted times ``at``."""
    found = np.sort(times)
    return np.searchsorted(found, at, side="right") - np.searchsorted(found, at, side="left")


def _log_log(share: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Interval of shares on the scale of log(-log): the share itself where it is 0 or 1."""
    inside = (share > 0.0) & (share < 1.0)
    safe = np.where(inside, share, 0.5)
    reach = np.where(inside, _REACH * error / np.abs(safe * np.log(safe)), 0.0)
    with np.errstate(over="ignore"):  # an interval of everything
        return tuple(np.where(inside, safe ** np.exp(s * reach), share) for s in (1.0, -1.0))


def incidence_at(curve: Curve, time: float) -> Estimate:
    """The share who have had the event by a time, with its interval."""
    place = np.searchsorted(curve.times, time, side="right") - 1
    return Estimate(curve.share[place], curve.low[place], curve.high[place])


def incidence_difference(
    outcome: Variable, labels: np.ndarray, pair: Sequence[int], until: float
) -> Effect:
    """Difference of the shares of two groups who have had the event by a time.

    The interval from those of both (Zou and Donner, Statistics in Medicine 2008).
    """
    if until <= 0.0:
        return no_effect("Too few patients of a group are watched for any time.")
    found = []
    for group in pair:
        rows = (labels == group) & outcome.observed
        times, events = outcome.values[rows], outcome.events[rows].astype(bool)
        if not (events & (times <= until)).any():
            return no_effect(
                f"A group has no event by {in_digits(until)}: its cumulative incidence has no "
                "interval, nor has a difference from it."
            )
        curve = cumulative_incidence(times, events, outcome.others[rows])
        found.append(incidence_at(curve, until))
    a, b = found
    low, high = apart(a, b)
    name = f"difference of shares with the event by {in_digits(until)}"
    return Effect(name, float(a.value - b.value), float(low), float(high))


def compare_incidence(
    times: np.ndarray,
    kinds: np.ndarray,
    groups: np.ndarray,
    few: bool,
    random: np.random.Generator,
) -> Test:
    """Gray's test that two groups or more have one cumulative incidence; by permutation where few.

    Gray, Annals of Statistics 1988, with his variance, ties as from a hypergeometric distribution,
    and rho = 0.

    Parameters
    ----------
    times : ndarray of float64, shape (N,)
    kinds : ndarray of int, shape (N,)
        0 if last seen without an event, 1 the event, 2 another.
    groups : ndarray of int, shape (N,)
        From 0 on.
    few : bool
        Rearrange the patients instead of trusting the chi-square approximation.
    random : numpy.random.Generator
    """
    if (kinds == 1).sum() < 2:
        return no_test("One event at most was observed: that is too few to test.")
    order = np.argsort(times, kind="stable")
    times, kinds, groups = times[order], kinds[order], groups[order]
    count = int(groups.max()) + 1
    statistic = float(_gray(times, kinds, groups[None], count)[0])
    if not np.isfinite(statistic):
        return no_test("Gray's test has no value on these numbers.")
    if not few:
        return Test("Gray's test", statistic, float(stats.chi2.sf(statistic, count - 1)))
    # As many rearrangements at a time as there is room for.
    at_a_time = max(1, _ROOM // (times.size * count**2))
    as_large, done = 0, 0
    while done < RESAMPLES:
        size = min(at_a_time, RESAMPLES - done)
        again = random.permuted(np.broadcast_to(groups, (size, groups.size)), axis=1)
        found = _gray(times, kinds, again, count)
        as_large += int((np.nan_to_num(found, nan=np.inf) >= statistic * (1 - 1e-12)).sum())
        done += size
    p = (as_large + 1) / (RESAMPLES + 1)
    return Test("permutation of Gray's test", statistic, p, floor=1 / (RESAMPLES + 1))


def _gray(times: np.ndarray, kinds: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Gray's statistic of B groupings, shape (B, N), of patients in order of time; shape (B,)."""
    starts = np.flatnonzero(np.append(True, np.diff(times) > 0))
    eventful = np.add.reduceat(kinds > 0, starts) > 0
    inside = groups[:, :, None] == np.arange(count)
    at_risk = np.cumsum(inside[:, ::-1], axis=1)[:, ::-1][:, starts][:, eventful]
    died, other = (
        np.add.reduceat(inside & (kinds == kind)[:, None], starts, axis=1, dtype=np.int64)[
            :, eventful
        ]
        for kind in (1, 2)
    )
    scores, variance = _scores(*(part.astype(np.float64) for part in (at_risk, died, other)))
    # The last group's score follows from the others'.
    scores, variance = scores[:, :-1], variance[:, :-1, :-1]
    solved = np.linalg.pinv(variance, hermitian=True) @ scores[:, :, None]
    return (scores[:, None, :] @ solved)[:, 0, 0]


def _scores(y: np.ndarray, died: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gray's scores (B, K) and their covariances (B, K, K) from counts by time, (B, T, K).

    A group's score is the sum over its events less those expected from the subdistribution hazard
    of all. An event, or another one, also moves the group's estimate of its own incidence for all
    times that follow: the terms with ``later``.
    """
    live = y > 0
    n = np.where(live, y, 1.0)
    after = np.cumprod(1.0 - (died + other) / n, axis=1)
    before = np.concatenate([np.ones_like(after[:, :1]), after[:, :-1]], axis=1)
    own = np.cumsum(np.where(live, before * died / n, 0.0), axis=1)
    own_before = np.concatenate([np.zeros_like(own[:, :1]), own[:, :-1]], axis=1)
    # Patients who would be at risk had nobody had any event, and those of them without this one.
    would = np.where(live, y / np.where(before > 0, before, 1.0), 0.0)
    still = would * (1.0 - own_before)
    all_would, all_still = (part.sum(axis=2, keepdims=True) for part in (would, still))
    all_died = died.sum(axis=2, keepdims=True)
    hazard = all_died / np.where(all_still > 0, all_still, 1.0)
    scores = (died - hazard * still).sum(axis=1)
    step = all_died / np.where(all_would > 0, all_would, 1.0)
    pooled = 1.0 - np.cumsum(step, axis=1)

    share = would / np.where(all_would > 0, all_would, 1.0)
    direct = would[:, :, :, None] * (np.eye(y.shape[2]) - share[:, :, None, :])
    direct = np.where(live[:, :, None, :], direct, 0.0)
    summed = np.cumsum(direct * (step / (pooled + step))[..., None], axis=1)
    later = summed[:, -1:] - summed
    ratio = np.where(after > 0, pooled / np.where(after > 0, after, 1.0), 0.0)
    of_event = direct + (1.0 - ratio)[:, :, None, :] * later
    of_other = ratio[:, :, None, :] * later

    # Ties: as drawn without replacement from those at risk.
    tied = all_would * before - 1.0
    event_tie = 1.0 - np.where(all_died > 1, (all_died - 1.0) / np.where(tied > 0, tied, 1.0), 0.0)
    other_tie = 1.0 - np.where(other > 1, (other - 1.0) / np.where(n > 1, n - 1.0, 1.0), 0.0)
    event_weight = event_tie * before * all_died / (np.where(all_would > 0, all_would, 1.0) * n)
    other_weight = other_tie * before**2 * other / n**2
    event_weight, other_weight = (np.where(live, w, 0.0) for w in (event_weight, other_weight))
    variance = sum(
        np.einsum("btkr,btjr,btr->bkj", part, part, weight)
        for part, weight in ((of_event, event_weight), (of_other, other_weight))
    )
    return scores, variance
