"""What a group of patients is like on one column kept out of the clustering, ready to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..wording import counted, in_digits
from .intervals import share
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
    #: natural units), ``share low high`` of yes/no (Wilson), ``events`` of counts, ``median`` of
    #: times (where it comes, and no other event may come first).
    numbers: Mapping[str, float] = field(default_factory=dict)
    #: Patients by level, of columns that have levels.
    counts: tuple[int, ...] = ()
    #: The same in one phrase, such as "12.3 (4.5)".
    text: str = ""


def summarise(variable: Variable, labels: np.ndarray, group: int, least: int) -> GroupSummary:
    """Describe a group on a column, unless fewer than ``least`` patients are observed."""
    rows = (labels == group) & variable.observed
    size, n = int((labels == group).sum()), int(rows.sum())
    if n < max(least, 1):
        few = f"fewer than {least} observed" if n else "none observed"
        return GroupSummary(group, size, n, hidden=True, text=few)
    counts: tuple[int, ...] = ()
    if variable.levels:
        codes = variable.values[rows].astype(np.int64)
        counts = tuple(np.bincount(codes, minlength=len(variable.levels)).tolist())
    numbers, text = _described(variable, rows, np.array(counts))
    return GroupSummary(group, size, n, False, numbers, counts, text)


def _described(
    variable: Variable, rows: np.ndarray, counts: np.ndarray
) -> tuple[dict[str, float], str]:
    """Numbers of some rows by the kind of column, and the phrase."""
    values, n = variable.values[rows], int(rows.sum())
    if variable.kind == "measurement":
        return _measured(values, variable.log)
    if variable.kind == "rating":
        return {}, f"mean score {in_digits(float(counts @ variable.scores) / n)}"
    if variable.kind == "yes/no":
        part, low, high = map(float, share(counts[1] / n, np.float64(n)))
        text = f"{variable.levels[1]}: {counts[1]:,} of {n:,}, {part:.0%} ({low:.0%} to {high:.0%})"
        return {"share": part, "low": low, "high": high}, text
    if variable.kind == "category":
        shares = zip(variable.levels, counts / n, strict=True)
        return {}, ", ".join(f"{level} {part:.0%}" for level, part in shares)
    if variable.kind == "count":
        events = float(values.sum())
        return {"events": events}, f"{events:,.0f} events, {in_digits(events / n)} a patient"
    return _timed(variable, rows)


def _measured(values: np.ndarray, log: bool) -> tuple[dict[str, float], str]:
    quartiles = np.quantile(np.exp(values) if log else values, [0.25, 0.5, 0.75])
    numbers = dict(zip(("q25", "median", "q75"), map(float, quartiles), strict=True))
    if log:
        q25, median, q75 = map(in_digits, numbers.values())
        return numbers, f"{median} [{q25} to {q75}]"
    mean, sd = float(values.mean()), float(values.std(ddof=values.size > 1))
    return {"mean": mean, "sd": sd} | numbers, f"{in_digits(mean)} ({in_digits(sd)})"


def _timed(variable: Variable, rows: np.ndarray) -> tuple[dict[str, float], str]:
    curve = kaplan_meier(variable.values[rows], variable.events[rows])
    if variable.others is not None:
        others = counted(int(variable.others[rows].sum()), "patient")
        return {}, f"{counted(curve.n_events, 'event')}, another first in {others}"
    if variable.no_share:
        return {}, counted(curve.n_events, "event")
    if curve.median is None:
        return {}, f"{curve.n_events:,} events, median not reached"
    return {"median": curve.median}, f"{curve.n_events:,} events, median {in_digits(curve.median)}"
