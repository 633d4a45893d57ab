"""Tables that let a report stand alone: Table 1, missing cells, adjusted effects, survival."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from ..release.cells import ALL
from ..statistics.adjustment import adjustment, restricted_mean_difference
from ..statistics.association import Associations, ColumnAssociation
from ..statistics.group_summaries import summarise
from ..statistics.suppression import HIDDEN
from ..statistics.survival import Curve, Survival
from ..statistics.variables import Variable
from ..wording import p_text, percent
from .disclosure import are_patients_told, are_told, told_columns
from .distinctions import Distinctions
from .t_test_lines import TTests
from .validation import effect_words

#: Lines of the appendix of t-tests, and what each shows.
MOST_LINES = 300
APPENDIX = {
    **{"title": "Column", "groups": "Groups", "n_1": "n 1st", "n_2": "n 2nd"},
    **{"mean_1": "mean 1st", "mean_2": "mean 2nd", "difference_left_out": "Difference"},
    **{"low_left_out": "95 % from", "high_left_out": "to", "t_left_out": "t", "df_left_out": "df"},
    **{"p_left_out": "p, column left out", "overlap": "Overlap", "g": "g"},
    **{"t": "t, as the paper", "p": "p, as the paper"},
}
#: Of the tables that papers print, by the names of their files.
CAPTIONS = {
    "groups": "Patient groups.",
    "table-1": "Table 1. Columns kept out of the search, then those that drove the grouping most: "
    "mean (SD), median [quartiles], or the level counted with its share (95 % interval), of the "
    "patients observed. SMD: the largest standardised difference of two groups.",
}
#: Columns that made the groups in Table 1, those that drove the grouping most.
LEADING = 25


def table_one(tests: TTests, seen: Distinctions, least: int) -> pd.DataFrame:
    """Every column kept out, and the leading ones that made the groups, by group.

    The standardised difference is the largest between two groups that are shown: of means or
    shares, in pooled standard deviations.
    """
    groups = seen.groups
    told = told_columns(tests, seen, least)
    kept_out = [name for name in tests.columns if name not in tests.made]
    lines = []
    for name in [*kept_out, *seen.contributions.index[:LEADING]]:
        column = tests.columns[name]
        if isinstance(column, str):
            continue
        shown = [k for k in groups.profiled if told.loc[k, name]]
        texts = [
            summarise(column, groups.labels, k, least).text if k in shown else HIDDEN
            for k in groups.profiled
        ]
        lines.append(
            {"Column": column.title}
            | {groups.titles[k]: text for k, text in zip(groups.profiled, texts, strict=True)}
            | {"Largest SMD": _largest_difference(column, groups.labels, shown)}
        )
    return pd.DataFrame(lines)


def _largest_difference(column: Variable, labels: np.ndarray, shown: Sequence[int]) -> str:
    """Between two groups of those shown: another's would tell of what is hidden."""
    values = column.values if column.log else column.amounts
    if values is None:
        return ""
    parts = [values[(labels == k) & column.observed] for k in shown]
    found = [
        abs(a.mean() - b.mean()) / pooled
        for a, b in combinations([part for part in parts if part.size > 1], 2)
        if (pooled := np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)) > 0
    ]
    return f"{max(found):.1f}" if found else ""


def missing_table(tests: TTests, seen: Distinctions, least: int) -> pd.DataFrame:
    """Share of missing cells by column and group, those with the most first.

    Of the groups, and of all, of which Table 1 tells: another cell would give away one of its own.
    """
    groups, told, lines = seen.groups, told_columns(tests, seen, least), []
    for column in tests.columns.values():
        if isinstance(column, str) or column.observed.all():
            continue
        missing = ~column.observed
        line = {"Column": column.name, "All": percent(missing.mean())}
        for k in groups.profiled:
            inside = groups.labels == k
            count, n = int(missing[inside].sum()), int(inside.sum())
            line[groups.titles[k]] = percent(count, n) if told.loc[k, column.name] else HIDDEN
        if not told.loc[ALL, column.name]:
            line["All"] = HIDDEN
        lines.append((missing.mean(), line))
    ordered = sorted(lines, key=lambda pair: -pair[0])
    return pd.DataFrame([line for _, line in ordered])


def adjusted_table(
    tests: TTests,
    seen: Distinctions,
    found: Associations,
    covariates: Sequence[str],
    told: pd.DataFrame,
    least: int,
) -> pd.DataFrame:
    """Effects of the validators between every two groups, alone and beside the covariates.

    Parameters
    ----------
    tests : TTests
    seen : Distinctions
    found : Associations
        Of the validators.
    covariates : sequence of str
        Columns adjusted for; none leaves the unadjusted ones.
    told : DataFrame of bool
        Of which column and group (a row) numbers may be told.
    least : int
        No count below it may follow from the complete cases either.
    """
    beside = [tests.columns[name] for name in covariates]
    beside = [column for column in beside if not isinstance(column, str)]
    lines = []
    for column in found.columns:
        outcome = column.variable
        for pair in (pair.groups for pair in column.pairs):
            if outcome.name in covariates or not told.loc[list(pair), outcome.name].all():
                continue
            in_parts = len(found.parts(column)) > 1
            if in_parts and not are_told(found, column, pair, seen.groups, least):
                continue
            if not complete_cases_told(outcome, beside, tests.labels, pair, least):
                continue
            lines.append(_adjusted_line(tests, outcome, beside, pair))
    return pd.DataFrame(lines)


def _adjusted_line(
    tests: TTests, outcome: Variable, beside: Sequence[Variable], pair: tuple[int, int]
) -> dict[str, str]:
    made = adjustment(outcome, beside, tests.labels, pair)
    plain, adjusted = made.unadjusted, made.adjusted
    return {
        "Column": outcome.title,
        "Groups": tests.name_of(pair),
        "Complete cases": f"{made.n[0]:,} and {made.n[1]:,}",
        "Unadjusted (95 % interval)": effect_words(
            plain.name, plain.estimate, plain.low, plain.high
        ),
        "p": p_text(made.p),
        "Adjusted (95 % interval)": effect_words(
            adjusted.name, adjusted.estimate, adjusted.low, adjusted.high
        ),
        "Adjusted p": p_text(made.adjusted_p),
        "Model": made.model,
        "Remark": adjusted.reason or plain.reason,
    }


def complete_cases_told(
    outcome: Variable,
    beside: Sequence[Variable],
    labels: np.ndarray,
    pair: tuple[int, int],
    least: int,
) -> bool:
    """Whether no small count follows from the complete cases and what is told of all observed."""
    complete = outcome.observed & np.all([column.observed for column in beside], axis=0)
    for inside in (labels == k for k in pair):
        if 0 < (inside & ~complete).sum() < least:
            return False
        # Of those who are left out, too, levels and events follow by subtraction.
        parts = inside & complete, inside & outcome.observed & ~complete
        if not all(are_patients_told(outcome, part, least) for part in parts if part.any()):
            return False
    return True


def survival_table(survival: Survival, titles: Sequence[str]) -> pd.DataFrame:
    """Shares without the event at fixed times, by group; the curves as they are told."""
    return pd.DataFrame(
        [
            {"Group": titles[group]}
            | {f"at {tick:g}": _share_at(curve, tick) for tick in survival.ticks[1:]}
            for group, curve in survival.curves.items()
        ]
    )


def _share_at(curve: Curve, tick: float) -> str:
    if not curve.times.size or tick > curve.durations.max(initial=0.0):
        return ""
    return percent(float(curve.survival[np.searchsorted(curve.times, tick, side="right") - 1]))


def restricted_means(tests: TTests, column: ColumnAssociation, told: pd.DataFrame) -> pd.DataFrame:
    """Differences of mean times without the event between every two groups."""
    lines = []
    for pair in (pair.groups for pair in column.pairs):
        if not told.loc[list(pair), column.variable.name].all():
            continue
        effect, _ = restricted_mean_difference(column.variable, tests.labels, pair)
        lines.append(
            {
                "Groups": tests.name_of(pair),
                "Effect (95 % interval)": effect_words(
                    effect.name, effect.estimate, effect.low, effect.high
                ),
            }
        )
    return pd.DataFrame(lines)


def appendix(lines: pd.DataFrame) -> pd.DataFrame:
    """The clearest t-tests that may be told, of those in the CSV."""
    told = lines[lines["t"].notna()].head(MOST_LINES)
    return told[list(APPENDIX)].rename(columns=APPENDIX)
