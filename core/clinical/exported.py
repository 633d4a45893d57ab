"""All tables that a study hands out, small counts hidden; the slow part of its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.progress import Progress
from ..statistics.compare import Associations
from ..statistics.variables import Variable
from .checks import Checks
from .distinctions import Distinctions
from .flow import ATYPICAL, DESCRIBED, participants_table
from .report_tables import adjusted_table, missing_table
from .small_counts import HIDDEN, OFF, Hidden, coded, fewest_in
from .study import Lock
from .subgroups import SMALLEST, Subgroups
from .t_test_heading import in_short
from .t_test_lines import Choice, TTests
from .t_tests import LEFT_OUT, Pair
from .table_one import table_one
from .tables import size_table
from .validation import Validation

#: Tables by file name, without its ending.
Tables = dict[str, pd.DataFrame]

#: Columns that made the groups in each table of their means.
MOST = 40
#: Of a line of t-tests: what stays out of its file, being of groups that are nowhere described; and
#: what tells of both groups.
NOT_WRITTEN = ("pair", *(name for name in LEFT_OUT if name[:2] in ("n_", "me", "sd")))
OF_BOTH = (
    *("difference", "t", "g", "overlap"),
    *("difference_left_out", "low_left_out", "high_left_out", "t_left_out"),
)
#: Of a line of tests of outcomes, the same.
EFFECTS = (
    *("estimate", "low", "high"),
    *("second estimate", "second low", "second high"),
)


def hidden_in(
    seen: Distinctions, validation: Validation, tests: TTests | None, least: int
) -> Hidden:
    """What of a study's tables by group is hidden where counts below ``least`` are."""
    columns = {name: coded(seen.encoded, name) for name in seen.encoded.columns}
    for found in (validation.validators, validation.controls):
        columns |= {one.variable.name: one.variable for one in found.columns}
    if tests is not None:
        columns |= {name: one for name, one in tests.columns.items() if not isinstance(one, str)}
    return Hidden.of(columns.values(), seen.groups, least)


def exported_tables(
    seen: Distinctions,
    checks: Checks,
    validation: Validation,
    tests: TTests | None,
    lock: Lock,
    hidden: Hidden,
    least: int,
    callback: Callback | None = None,
) -> Tables:
    """Make the tables that are not empty, then hide their small counts.

    ``callback`` is told before each; what it raises ends the work.
    """
    groups = checks.groups
    makers: dict[str, Callable[[], pd.DataFrame]] = {
        "groups": lambda: _sizes(size_table(checks), hidden)
    }
    if groups.found_any:
        makers |= {
            "yes-no": lambda: _means(seen.printed(seen.yes.head(MOST)), hidden),
            "scores": lambda: _means(seen.printed(seen.scores.head(MOST)), hidden),
            "validators": lambda: _pairs(validation.validators, hidden, groups.titles),
            "controls": lambda: _pairs(validation.controls, hidden, groups.titles),
        }
    if groups.found_any and tests is not None:
        pairs, light = tests.pairs(SMALLEST), in_short(checks.light)
        makers |= {
            "table-1": lambda: _table_one(tests, seen, hidden),
            "missing": lambda: _missing(missing_table(tests, seen), hidden),
            "adjusted": lambda: _adjusted(
                adjusted_table(tests, validation.validators, lock.plan.covariates), hidden, least
            ),
            "t-tests": lambda: told_lines(
                tests, tests.lines(pairs, Choice()).assign(light=light), groups, least
            ),
        }
    tables = {}
    for step, (name, make) in enumerate(makers.items()):
        if callback is not None:
            callback(Progress(step, len(makers), 0.0, 0, f"table “{name}”"))
        if not (table := make()).empty:
            tables[name] = table
    flow = participants_table(lock, groups, tables.get("adjusted"))
    few = flow["Stage"].isin([DESCRIBED, ATYPICAL])
    if 0 < sum(int(groups.sizes[k]) for k in groups.atypical) < least:
        flow.loc[few, "Patients"] = HIDDEN
    return tables | {"participants": flow}


def told_lines(tests: TTests, lines: pd.DataFrame, groups: Subgroups, least: int) -> pd.DataFrame:
    """Lines of t-tests for a file: no figure of a group of few, no number that gives one away."""
    told = lines.drop(columns=list(NOT_WRITTEN))
    if least == OFF or lines.empty:
        return told
    columns = {name: one for name, one in tests.columns.items() if not isinstance(one, str)}
    hidden = Hidden.of(columns.values(), groups, least)
    few_1, few_2, uncounted_1, uncounted_2 = (
        np.array(
            [
                name not in columns or _side(judged, columns[name], groups, pair, side, least)
                for name, pair in zip(lines["column"], lines["pair"], strict=True)
            ]
        )
        for judged in (hidden.figures, hidden.counts)
        for side in (0, 1)
    )
    few = few_1 | few_2
    for names, rows in (
        (("mean_1", "sd_1"), few_1),
        (("mean_2", "sd_2"), few_2),
        (("n_1",), uncounted_1),
        (("n_2",), uncounted_2),
        (("df", "df_left_out"), uncounted_1 | uncounted_2),
        (OF_BOTH, few),
    ):
        for name in names:
            told[name] = told[name].astype(np.float64).mask(rows)
    return told.assign(remark=told["remark"].mask(few, f"hidden: a count below {least}"))


def _side(
    judged: pd.DataFrame,
    column: Variable,
    groups: Subgroups,
    pair: Pair,
    side: int,
    least: int,
) -> bool:
    """Whether one side of a pair is hidden; all others are where the group itself is."""
    k = pair[0] if pair[side] is None else pair[side]
    is_few = pair[side] is None and 0 < fewest_in(column, groups.labels != k) < least
    return is_few or bool(judged.loc[column.name, groups.titles[k]])


def _sizes(table: pd.DataFrame, hidden: Hidden) -> pd.DataFrame:
    away = hidden.sizes.isna().to_numpy()
    return table.assign(
        **{name: table[name].mask(away, HIDDEN) for name in table.columns.drop("Group")}
    )


def _means(table: pd.DataFrame, hidden: Hidden) -> pd.DataFrame:
    """Means and shares say of how many they are only where they are hidden anyway."""
    return hidden.over(table, table["Column"], table) if len(table) else table


def _missing(table: pd.DataFrame, hidden: Hidden) -> pd.DataFrame:
    """A share of missing cells is a count of patients."""
    if table.empty:
        return table
    return hidden.over(table, table["Column"], pd.DataFrame(HIDDEN, table.index, table.columns))


def _table_one(tests: TTests, seen: Distinctions, hidden: Hidden) -> pd.DataFrame:
    table = table_one(tests, seen)
    return hidden.over(table, table.index, table_one(tests, seen, is_counted=False))


def _adjusted(table: pd.DataFrame, hidden: Hidden, least: int) -> pd.DataFrame:
    """No complete cases where they are few, or the number of patients is hidden."""
    if table.empty:
        return table
    few = [
        any(int(n.replace(",", "")) < least for n in line["Complete cases"].split(" and "))
        or hidden.counts.loc[name, line["Groups"].split(" and ")].any()
        for name, line in zip(table.index, table.to_dict("records"), strict=True)
    ]
    return table.assign(**{"Complete cases": table["Complete cases"].mask(few, HIDDEN)})


def _pairs(found: Associations, hidden: Hidden, titles: Sequence[str]) -> pd.DataFrame:
    """Tests between every two groups; p-values stay, effects only where both groups are shown."""
    table = found.as_frame()
    if table.empty:
        return table
    sides = [
        (column.variable.name, [titles[k] for k in pair.groups])
        for column in found.columns
        for pair in column.pairs
    ]
    few = np.array([hidden.figures.loc[name, pair].any() for name, pair in sides])
    for place, of in enumerate(("n", "n against")):
        away = [bool(hidden.counts.loc[name, pair[place]]) for name, pair in sides]
        table[of] = table[of].astype(np.float64).mask(away)
    for name in EFFECTS:
        table[name] = table[name].astype(np.float64).mask(few)
    return table
