"""Time to an event: curves with their numbers at risk, follow-up, and the log-rank test."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.duration.survfunc import survdiff


@dataclass(frozen=True)
class Curve:
    """Share of patients still without the event, or who have had it, as time goes on."""

    #: Shape (T,). 0, then every time at which an event happened.
    times: np.ndarray
    #: Shape (T,). Estimate from each time on: Kaplan and Meier's of those without the event, or
    #: Aalen and Johansen's of those who have had it.
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

    @property
    def median(self) -> float | None:
        """First time at which half or fewer are without the event; None if it never comes.

        Of a Kaplan-Meier curve only.
        """
        reached = np.flatnonzero(self.share <= 0.5)
        return float(self.times[reached[0]]) if reached.size else None


def kaplan_meier(times: np.ndarray, events: np.ndarray) -> Curve:
    """Kaplan-Meier curve of some patients.

    ``events`` says whether a time ended with the event; a time of NaN is missing, and a ValueError
    says that none is known.
    """
    seen = ~np.isnan(times)
    times, events = times[seen], events[seen].astype(bool)
    if not times.size:
        raise ValueError("No time is known, so there is no curve to draw.")
    data = stats.CensoredData(uncensored=times[events], right=times[~events])
    found = stats.ecdf(data).sf
    at = np.unique(times[events])
    low, high = np.ones(at.size), np.ones(at.size)
    if at.size:
        with warnings.catch_warnings():  # of the last time, handled below
            warnings.simplefilter("ignore", RuntimeWarning)
            interval = found.confidence_interval(method="log-log")
            low, high = interval.low.evaluate(at), interval.high.evaluate(at)
        survival = found.evaluate(at)
        # Where everybody has had the event the variance has no value: the last bound stands.
        low, high = np.where(np.isnan(low), 0.0, low), _carried(high)
    else:
        survival = np.ones(0)
    one = np.ones(1)
    return Curve(
        np.append(0.0, at),
        np.append(one, survival),
        np.append(one, low),
        np.append(one, high),
        times,
        int(events.sum()),
    )


def median_follow_up(times: np.ndarray, ended: np.ndarray) -> float | None:
    """Median time for which patients were, or would have been, watched; None if never reached.

    Kaplan and Meier's curve the other way round: the end of watching is the event, and whatever
    ``ended`` it sooner cuts it short (Schemper and Smith, Controlled Clinical Trials 1996).
    """
    return kaplan_meier(times, ~ended.astype(bool)).median


def log_rank(times: np.ndarray, events: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Log-rank test of equal hazards in two groups or more, on known times and an event at least.

    The statistic is chi-square with one degree of freedom fewer than groups; then p.
    """
    statistic, _ = survdiff(times, events.astype(np.float64), groups)
    # Its own p-value is 1 minus the distribution function, which is 0 long before it should be.
    return float(statistic), float(stats.chi2.sf(statistic, np.unique(groups).size - 1))


def log_rank_scores(times: np.ndarray, events: np.ndarray) -> np.ndarray:
    """Each patient's part in the log-rank statistic: the event minus its cumulative hazard.

    A group's scores add up to its events observed minus expected, so that permuting them among
    the patients is the exact form of the test for small groups.
    """
    at, place = np.unique(times, return_inverse=True)
    died = np.bincount(place, weights=events.astype(np.float64), minlength=at.size)
    ended = np.bincount(place, minlength=at.size)
    at_risk = times.size - np.append(0, np.cumsum(ended)[:-1])
    return events - np.cumsum(died / at_risk)[place]


def _carried(values: np.ndarray) -> np.ndarray:
    """Every value, or the last known one before it; 1 where none is."""
    known = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(values.size)))
    return np.where(known >= 0, values[np.maximum(known, 0)], 1.0)


@dataclass(frozen=True)
class Survival:
    """Curves of the groups for one time to an event."""

    name: str
    #: By group.
    curves: dict[int, Curve]
    #: float64, shape (T,). Times at which the numbers at risk are told.
    ticks: np.ndarray
    #: Whether the curves are shares who have had the event, as another one may rule it out.
    is_incidence: bool = False

    def at_risk(self) -> pd.DataFrame:
        """Patients still watched, one row a group, one column a time."""
        return pd.DataFrame(
            [curve.at_risk(self.ticks) for curve in self.curves.values()],
            index=[f"Group {group + 1}" for group in self.curves],
            columns=[f"{tick:g}" for tick in self.ticks],
        )
