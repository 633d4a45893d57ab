"""Tables that let a report stand alone: missing cells, adjusted effects, t-tests."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..statistics.compare import Associations
from ..statistics.regression import adjustment
from ..statistics.variables import Variable
from ..wording import p_text, percent
from .distinctions import Distinctions
from .small_counts import ALL
from .t_test_lines import TTests
from .validation import effect_words


def missing_table(tests: TTests, seen: Distinctions) -> pd.DataFrame:
    """Share of missing cells by column and group, those with the most first."""
    groups = seen.groups
    lines = []
    for column in tests.columns.values():
        if isinstance(column, str) or column.observed.all():
            continue
        missing = ~column.observed
        line = {"Column": column.name, ALL: percent(missing.mean())}
        for k in groups.profiled:
            line[groups.titles[k]] = percent(missing[groups.labels == k].mean())
        lines.append((missing.mean(), line))
    ordered = sorted(lines, key=lambda pair: -pair[0])
    return pd.DataFrame([line for _, line in ordered])


def adjusted_table(tests: TTests, found: Associations, covariates: Sequence[str]) -> pd.DataFrame:
    """Effects of the validators between every two groups, alone and beside the covariates.

    The index names the validator.

    Parameters
    ----------
    tests : TTests
    found : Associations
        Of the validators.
    covariates : sequence of str
        Columns adjusted for; none leaves the unadjusted ones.
    """
    beside = [tests.columns[name] for name in covariates]
    beside = [column for column in beside if not isinstance(column, str)]
    lines = [
        (column.variable.name, _adjusted_line(tests, column.variable, beside, pair.groups))
        for column in found.columns
        if column.variable.name not in covariates
        for pair in column.pairs
    ]
    return pd.DataFrame([line for _, line in lines], index=[name for name, _ in lines])


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
