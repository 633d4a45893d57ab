"""What a group of patients is like on one column kept out of the clustering, ready to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..wording import counted, in_digits
from .effects import share_interval
from .survival import kaplan_meier
from .variables import Variable


@dataclass(frozen=True)
class GroupSummary:
    """One group on one column; available cases only."""

    group: int
    #: Patients of the group, and those observed in the column.
    size: int
    n: int
    #: Too few are observed to describe: ``numbers`` and ``counts`` are empty.
    hidden: bool = False
    #: By kind: ``mean sd median q25 q75`` of measurements (the latter three of log columns, in
    #: natural units), ``score`` of ratings, ``share low high`` of yes/no (Wilson), ``events rate``
    #: of counts, ``events median`` of times (without ``median`` where it never comes, or another
    #: event may come first: then ``others``, patients who had that one).
    numbers: Mapping[str, float] = field(default_factory=dict)
    #: Patients by level, of columns that have levels.
    counts: tuple[int, ...] = ()
    #: The same in one phrase, such as "12.3 (4.5)".
    text: str = ""


def summarise(variable: Variable, labels: np.ndarray, group: int, least: int) -> GroupSummary:
    """Describe a group on a column, unless fewer than ``least`` patients are observed."""
    inside = labels == group
    size, values = int(inside.sum()), variable.of_group(labels, group)
    if values.size < max(least, 1):
        few = f"fewer than {least} observed" if values.size else "none observed"
        return GroupSummary(group, size, int(values.size), hidden=True, text=few)
    counts: tuple[int, ...] = ()
    if variable.levels:
        found = np.bincount(values.astype(np.int64), minlength=len(variable.levels))
        counts = tuple(found.tolist())
    numbers, text = _BY_KIND[variable.kind](variable, values, inside & variable.observed)
    return GroupSummary(group, size, int(values.size), False, numbers, counts, text)


def _measurement(variable: Variable, values: np.ndarray, _: np.ndarray) -> tuple[dict, str]:
    natural = np.exp(values) if variable.log else values
    q25, median, q75 = (float(q) for q in np.quantile(natural, [0.25, 0.5, 0.75]))
    quartiles = {"median": median, "q25": q25, "q75": q75}
    if variable.log:
        return quartiles, f"{in_digits(median)} [{in_digits(q25)} to {in_digits(q75)}]"
    mean = float(values.mean())
    sd = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return {"mean": mean, "sd": sd} | quartiles, f"{in_digits(mean)} ({in_digits(sd)})"


def _rating(variable: Variable, values: np.ndarray, _: np.ndarray) -> tuple[dict, str]:
    score = float(variable.scores[values.astype(np.int64)].mean())
    return {"score": score}, f"mean score {in_digits(score)}"


def _yes_no(variable: Variable, values: np.ndarray, _: np.ndarray) -> tuple[dict, str]:
    yes, n = int(values.sum()), values.size
    low, high = share_interval(yes, n)
    text = f"{variable.levels[1]}: {yes:,} of {n:,}, {yes / n:.0%} ({low:.0%} to {high:.0%})"
    return {"share": yes / n, "low": low, "high": high}, text


def _category(variable: Variable, values: np.ndarray, _: np.ndarray) -> tuple[dict, str]:
    counts = np.bincount(values.astype(np.int64), minlength=len(variable.levels))
    shares = zip(variable.levels, counts / values.size, strict=True)
    return {}, ", ".join(f"{level} {share:.0%}" for level, share in shares)


def _count(variable: Variable, values: np.ndarray, _: np.ndarray) -> tuple[dict, str]:
    events, rate = float(values.sum()), float(values.mean())
    return {"events": events, "rate": rate}, f"{events:,.0f} events, {in_digits(rate)} a patient"


def _time_to_event(variable: Variable, values: np.ndarray, rows: np.ndarray) -> tuple[dict, str]:
    curve = kaplan_meier(values, variable.events[rows])
    numbers = {"events": float(curve.n_events)}
    if variable.others is not None:
        numbers["others"] = float(variable.others[rows].sum())
        said = counted(int(numbers["others"]), "patient")
        return numbers, f"{counted(curve.n_events, 'event')}, another first in {said}"
    if variable.no_share:
        return numbers, counted(curve.n_events, "event")
    if curve.median is None:
        return numbers, f"{curve.n_events:,} events, median not reached"
    numbers["median"] = curve.median
    return numbers, f"{curve.n_events:,} events, median {in_digits(curve.median)}"


_BY_KIND = {
    "measurement": _measurement,
    "rating": _rating,
    "yes/no": _yes_no,
    "category": _category,
    "count": _count,
    "time to event": _time_to_event,
}
