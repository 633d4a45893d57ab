"""Tables that let a report stand alone: missing cells, adjusted effects, t-tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..statistics.adjustment import adjustment
from ..statistics.association import Associations
from ..statistics.suppression import HIDDEN
from ..statistics.variables import Variable
from ..wording import p_text, percent
from .disclosure import are_patients_told, are_told, told_columns
from .distinctions import Distinctions
from .t_test_lines import TTests
from .told_of_all import told_of_all
from .validation import effect_words


def missing_table(tests: TTests, seen: Distinctions, least: int) -> pd.DataFrame:
    """Share of missing cells by column and group, those with the most first.

    Of the groups, and of all, of which Table 1 tells: another cell would give away one of its own.
    """
    groups = seen.groups
    told, told_all = told_columns(tests, seen, least), told_of_all(tests, seen, least)
    lines = []
    for name, column in tests.columns.items():
        if isinstance(column, str) or column.observed.all():
            continue
        missing = ~column.observed
        line = {"Column": column.name, "All": percent(missing.mean()) if told_all[name] else HIDDEN}
        for k in groups.profiled:
            share = percent(missing[groups.labels == k].mean())
            line[groups.titles[k]] = share if told.loc[k, name] else HIDDEN
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
        "Adjusted for covariates (95 % interval)": effect_words(
            adjusted.name, adjusted.estimate, adjusted.low, adjusted.high
        ),
        "p, adjusted for covariates": p_text(made.adjusted_p),
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
