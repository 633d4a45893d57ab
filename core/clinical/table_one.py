"""Table 1: who the patients are, all of them and by group, as journals print it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from ..families.family import COUNT, MEASUREMENT, RATING, YES_NO
from ..statistics.group_summaries import summarise
from ..statistics.variables import Variable
from ..wording import in_digits
from .distinctions import Distinctions
from .small_counts import ALL
from .t_test_lines import TTests

SMD = "Largest SMD"
#: Skewness of all patients from which on a measurement is told by median and quartiles.
SKEWED = 1.0
#: Columns that made the groups, those that drove the grouping most.
LEADING = 25
CAPTION = (
    "Table 1. Columns kept out of the search, then those that drove the grouping most, of the "
    "patients observed (n) with how many are missing. Measurements by mean (SD), or by median "
    f"[quartiles] where their skewness among all patients is beyond {SKEWED:g} or they are read in "
    "logarithms; counts by mean (SD) and how many in all, ratings by mean score (SD); of yes/no "
    "the level counted with its 95 % interval. All: everybody in the search, atypical patients "
    "among them. SMD: the largest standardised difference of two groups, of "
    "columns read in logarithms on that scale."
)


def table_one(tests: TTests, seen: Distinctions, is_counted: bool = True) -> pd.DataFrame:
    """Every column kept out, and the leading ones that made the groups, of all and by group.

    One line a column of the study, which is the index. ``is_counted`` says how many patients each
    cell is of. The standardised difference is the largest between two groups: of means or shares,
    in pooled standard deviations.
    """
    groups = seen.groups
    kept_out = [name for name in tests.columns if name not in tests.made]
    everybody = np.zeros_like(groups.labels)
    lines = {}
    for name in [*kept_out, *seen.contributions.index[:LEADING]]:
        column = tests.columns[name]
        if isinstance(column, str):
            continue
        by_rank = is_skewed(column)
        cells = {ALL: _cell(column, everybody, 0, by_rank, is_counted)}
        for k in groups.profiled:
            cells[groups.titles[k]] = _cell(column, groups.labels, k, by_rank, is_counted)
        difference = _largest_difference(column, groups.labels, groups.profiled)
        lines[name] = {"Column": _title(column, by_rank)} | cells | {SMD: difference}
    return pd.DataFrame.from_dict(lines, orient="index")


def is_skewed(column: Variable) -> bool:
    """Whether a measurement is told by median and quartiles: by the skewness of all patients."""
    if column.kind != MEASUREMENT:
        return False
    values = column.values[column.observed]
    return column.log or bool(values.size > 2 and abs(stats.skew(values)) > SKEWED)


def _title(column: Variable, by_rank: bool) -> str:
    if column.kind in (MEASUREMENT, COUNT):
        return f"{column.title}, {'median [quartiles]' if by_rank else 'mean (SD)'}"
    return f"{column.title}, mean score (SD)" if column.kind == RATING else column.title


def _cell(column: Variable, labels: np.ndarray, group: int, by_rank: bool, is_counted: bool) -> str:
    """What a group is like, how many are observed, and how many are missing."""
    summary = summarise(column, labels, group, 1)
    if summary.hidden:
        return summary.text
    numbers, text = summary.numbers, summary.text
    if column.kind == MEASUREMENT:
        names = ("median", "q25", "q75") if by_rank else ("mean", "sd")
        middle, *spread = (in_digits(numbers[name]) for name in names)
        text = f"{middle} [{' to '.join(spread)}]" if by_rank else f"{middle} ({spread[0]})"
    elif column.kind == RATING:
        scores = np.repeat(column.scores, summary.counts)
        text = _mean(scores)
    elif column.kind == COUNT:
        text = _mean(column.of_group(labels, group))
        text += f", {numbers['events']:,.0f} in all" if is_counted else ""
    elif not is_counted and "share" in numbers:
        text = f"{column.levels[1]}: {numbers['share']:.0%}"
    elif not is_counted and column.events is not None:
        text = f"median {in_digits(numbers['median'])}" if "median" in numbers else ""
    if not is_counted:
        return text
    # A yes/no column says of how many.
    seen = [] if column.kind == YES_NO else [f"n = {summary.n:,}"]
    missing = summary.size - summary.n
    return "; ".join([text, *seen, *([f"{missing:,} missing"] if missing else [])])


def _mean(values: np.ndarray) -> str:
    return f"{in_digits(values.mean())} ({in_digits(values.std(ddof=values.size > 1))})"


def _largest_difference(column: Variable, labels: np.ndarray, groups: Sequence[int]) -> str:
    """Between two of some groups."""
    values = column.values if column.log else column.amounts
    if values is None:
        return ""
    parts = [values[(labels == k) & column.observed] for k in groups]
    found = [
        abs(a.mean() - b.mean()) / pooled
        for a, b in combinations([part for part in parts if part.size > 1], 2)
        # What rounding leaves of groups without spread is none.
        if (pooled := np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)) > 1e-9 * np.abs(a).max()
    ]
    return f"{max(found):.1f}" if found else ""
