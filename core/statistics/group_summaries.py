"""What groups of patients are like on a column, ready to print: one measure a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..wording import counted, in_digits
from .intervals import share
from .survival import kaplan_meier
from .variables import Variable

#: Skewness of all patients from which on a measurement is told by median and quartiles.
SKEWED = 1.0


@dataclass(frozen=True)
class GroupSummary:
    """One group on one column; available cases only."""

    group: int
    size: int
    n: int
    hidden: bool = False
    #: What they are like in one phrase, such as "12.3 (4.5)", and without any number of patients.
    text: str = ""
    bare: str = ""

    def cell(self, variable: Variable) -> str:
        """The phrase, how many are observed, and how many are missing."""
        if self.hidden:
            return self.text
        # A yes/no column says of how many.
        seen = [] if variable.kind == YES_NO else [f"n = {self.n:,}"]
        gone = self.size - self.n
        return "; ".join([self.text, *seen, *([f"{gone:,} missing"] if gone else [])])


def summarise(variable: Variable, labels: np.ndarray, group: int, least: int) -> GroupSummary:
    """Describe a group on a column, unless fewer than ``least`` patients are observed."""
    inside = labels == group
    rows = inside & variable.observed
    size, n = int(inside.sum()), int(rows.sum())
    if n < max(least, 1):
        few = f"fewer than {least} observed" if n else "none observed"
        return GroupSummary(group, size, n, True, few, few)
    return GroupSummary(group, size, n, False, *_phrases(variable, rows))


def described_by_group(
    columns: Iterable[Variable],
    labels: np.ndarray,
    titles: Mapping[int, str],
    is_counted: bool = True,
    least: int = 1,
) -> pd.DataFrame:
    """Columns by group; ``is_counted`` adds numbers of patients, alone below ``least``."""
    lines = []
    for column in columns:
        found = {title: summarise(column, labels, k, least) for k, title in titles.items()}
        cells = {t: one.cell(column) if is_counted else one.bare for t, one in found.items()}
        lines.append({"Column": column.title + _measure(column)} | cells)
    return pd.DataFrame(lines, columns=["Column", *titles.values()])


def _is_by_rank(variable: Variable) -> bool:
    values = variable.values[variable.observed]
    return variable.log or bool(values.size > 2 and abs(stats.skew(values)) > SKEWED)


def _measure(variable: Variable) -> str:
    if variable.kind == MEASUREMENT and _is_by_rank(variable):
        return ", median [quartiles]"
    return {MEASUREMENT: ", mean (SD)", COUNT: ", mean (SD)", RATING: ", mean score (SD)"}.get(
        variable.kind, ""
    )


def _phrases(variable: Variable, rows: np.ndarray) -> tuple[str, str]:
    values, n = variable.values[rows], int(rows.sum())
    if variable.kind == MEASUREMENT:
        text = _quartiles(values, variable.log) if _is_by_rank(variable) else _mean(values)
        return text, text
    if variable.kind == COUNT:
        return f"{_mean(values)}, {values.sum():,.0f} in all", _mean(values)
    if variable.levels:
        counts = np.bincount(values.astype(np.int64), minlength=len(variable.levels))
    if variable.kind == RATING:
        text = _mean(np.repeat(variable.scores, counts))
        return text, text
    if variable.kind == YES_NO:
        part, low, high = map(float, share(counts[1] / n, np.float64(n)))
        said = f"{variable.levels[1]}: {counts[1]:,} of {n:,}, {part:.0%} ({low:.0%} to {high:.0%})"
        return said, f"{variable.levels[1]}: {part:.0%}"
    if variable.kind == CATEGORY:
        shares = zip(variable.levels, counts / n, strict=True)
        text = ", ".join(f"{level} {part:.0%}" for level, part in shares)
        return text, text
    return _timed(variable, rows)


def _mean(values: np.ndarray) -> str:
    return f"{in_digits(values.mean())} ({in_digits(values.std(ddof=values.size > 1))})"


def _quartiles(values: np.ndarray, log: bool) -> str:
    places = np.quantile(np.exp(values) if log else values, [0.5, 0.25, 0.75])
    return "{} [{} to {}]".format(*map(in_digits, places))


def _timed(variable: Variable, rows: np.ndarray) -> tuple[str, str]:
    curve = kaplan_meier(variable.values[rows], variable.events[rows])
    events = counted(curve.n_events, "event")
    if variable.others is not None:
        others = counted(int(variable.others[rows].sum()), "patient")
        return f"{events}, another first in {others}", ""
    if variable.no_share:
        return events, ""
    if curve.median is None:
        return f"{events}, median not reached", ""
    median = f"median {in_digits(curve.median)}"
    return f"{events}, {median}", median
