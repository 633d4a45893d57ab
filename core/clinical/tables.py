"""Tables of a study, to be handed out or printed: sizes, Table 1, t-tests."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from itertools import combinations

import numpy as np
import pandas as pd

from ..profiling.by_group import SKEWED
from ..profiling.profiles import ALL as EVERYBODY
from ..statistics.variables import Variable
from ..version import __version__
from ..wording import percent
from .groups import Subgroups
from .lock import Lock
from .outcomes import Validation, adjusted_table, by_group, hide
from .small_counts import ALL, HIDDEN, OFF, TOTAL, Hidden
from .t_tests import LEFT_OUT, PAPER, TTests
from .verdict import Checks

ATYPICAL, SMD = "Atypical", "Largest SMD"
CAPTION = (
    "Table 1. Columns kept out of the search, then those that drove the grouping most, of the "
    "patients observed (n) with how many are missing. Measurements by mean (SD), or by median "
    f"[quartiles] where their skewness among all patients is beyond {SKEWED:g} or they are read in "
    "logarithms; counts by mean (SD) and how many in all, ratings by mean score (SD); of yes/no "
    "the level counted with its 95 % interval. All: everybody in the search, atypical patients "
    "among them. SMD: the largest standardised difference of two groups, of "
    "columns read in logarithms on that scale."
)
#: Not in the files: what is of groups that are described nowhere.
NOT_WRITTEN = ("pair", *(name for name in LEFT_OUT if name[:2] in ("n_", "me", "sd")))
#: What tells of both groups.
OF_BOTH = (
    *("difference", "t", "g", "overlap"),
    *("difference_left_out", "low_left_out", "high_left_out", "t_left_out"),
)
_PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "statsmodels", "plotly")
WARNING = (
    "This is what R16 printed, kept so that it can be compared. Student's t-test on the columns "
    "that made the groups, without correction, is no evidence of anything: in simulations it "
    "called 72 % of such columns different at the 5 % level where there were no groups at all. On "
    "yes/no columns and groups of unequal spread the test is wrong even where it is allowed."
)


def exported_tables(
    checks: Checks, validation: Validation, lock: Lock, hidden: Hidden
) -> dict[str, pd.DataFrame]:
    """The tables that are not empty, by file name without its ending, their small counts hidden."""
    groups, tests = checks.groups, checks.tests
    tables = {"groups": size_table(checks, hidden)}
    if groups.found_any:
        adjusting = tests.columns, lock.plan.covariates, groups.labels, hidden
        kept_out = [name for name in tests.columns if name not in tests.made]
        names = [*kept_out, *groups.contributions.index]
        tables |= {
            "validators": hide(validation.validators, hidden).as_frame(),
            "controls": hide(validation.controls, hidden).as_frame(),
            "table-1": table_one(tests, groups, hidden, names),
            "adjusted": adjusted_table(validation.validators, *adjusting),
            "t-tests": _lines(tests.lines(), hidden),
        }
    return {name: table for name, table in tables.items() if not table.empty}


def size_table(checks: Checks, hidden: Hidden) -> pd.DataFrame:
    """Group, patients, share, and how stable it is; then atypical patients together, and all."""
    groups, n = checks.groups, checks.groups.labels.size
    away, apart = hidden.sizes.isna().to_numpy(), list(groups.atypical)
    lines = [(groups.titles[k], groups.sizes[k], away[k]) for k in groups.profiled]
    if apart:
        lines.append((ATYPICAL, groups.sizes[apart].sum(), away[apart].any()))
    names, counts, is_away = zip(*lines, (TOTAL, n, away[-1]), strict=True)
    table = checks.group_table().drop(columns="Treated as").astype(str).set_index("Group")
    table = table.reindex(pd.Index(names, name="Group"), fill_value="")
    table["Patients"] = [f"{count:,}" for count in counts]
    table["Share"] = [percent(int(count), n) for count in counts]
    return table.mask(pd.Series(is_away, table.index), HIDDEN).reset_index()


def table_one(
    tests: TTests, groups: Subgroups, hidden: Hidden, names: Iterable[str], is_counted: bool = True
) -> pd.DataFrame:
    """Columns of the study, of all and by group, small counts hidden; indexed by their names."""
    columns = [one for name in names if not isinstance(one := tests.columns[name], str)]
    titles = {EVERYBODY: ALL, **{k: groups.titles[k] for k in groups.profiled}}
    counted, bare = by_group(columns, groups.labels, titles)
    names = [one.name for one in columns]
    table = hidden.over(counted if is_counted else bare, names, bare).set_axis(names)
    # From a difference and the share of one group that of the other follows.
    is_few = hidden.figures.loc[names, [groups.titles[k] for k in groups.profiled]].any(axis=1)
    largest = pd.Series([_largest_difference(one, groups) for one in columns], names)
    return table.assign(**{SMD: largest.mask(is_few, HIDDEN)})


def _largest_difference(column: Variable, groups: Subgroups) -> str:
    values = column.values if column.log else column.amounts
    if values is None:
        return ""
    parts = [values[(groups.labels == k) & column.observed] for k in groups.profiled]
    found = [
        abs(a.mean() - b.mean()) / pooled
        for a, b in combinations([part for part in parts if part.size > 1], 2)
        # What rounding leaves of groups without spread is none.
        if (pooled := np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)) > 1e-9 * np.abs(a).max()
    ]
    return f"{max(found):.1f}" if found else ""


@cache
def versions() -> dict[str, str]:
    """Versions of everything that the numbers depend on."""
    found = {"mapdp-studio": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in _PACKAGES}


def hidden_in(tests: TTests, validation: Validation, groups: Subgroups, least: int) -> Hidden:
    """What of a study's tables by group is hidden where counts below ``least`` are."""
    columns = [one for one in tests.columns.values() if isinstance(one, Variable)]
    for found in (validation.validators, validation.controls):
        columns += [one.variable for one in found.columns]
    return Hidden.of(columns, groups, least)


def _lines(lines: pd.DataFrame, hidden: Hidden) -> pd.DataFrame:
    """Lines of t-tests: p-values stay, figures only of groups that are shown."""
    written = lines.drop(columns=list(NOT_WRITTEN))
    if hidden.least == OFF:
        return written
    (few_1, away_1), (few_2, away_2) = (
        hidden.of_lines(lines["column"], [hidden.titles[pair[side]] for pair in lines["pair"]])
        for side in (0, 1)
    )
    few, away = few_1 | few_2, away_1 | away_2
    written = _blank(written, few_1, "mean_1", "sd_1")
    written = _blank(written, few_2, "mean_2", "sd_2")
    written = _blank(_blank(written, away_1, "n_1"), away_2, "n_2")
    written = _blank(_blank(written, away, "df", "df_left_out"), few, *OF_BOTH)
    said = f"hidden: a count below {hidden.least}"
    return written.assign(remark=written["remark"].mask(few, said))


def _blank(table: pd.DataFrame, rows: np.ndarray, *names: str) -> pd.DataFrame:
    return table.assign(**{name: table[name].astype(np.float64).mask(rows) for name in names})


def paper_counts(tests: TTests) -> pd.DataFrame:
    """Columns that differ as R16 counted them: one row a pair of groups, ready to print."""
    of_pair = tests.lines(choice=PAPER).groupby("pair", sort=True)
    tested = of_pair["judged"].count()
    found = {
        "Groups": of_pair["groups"].first(),
        "Columns tested": tested,
        f"Differ at {PAPER.alpha}": of_pair["differs"].sum(),
        "Expected by chance": (PAPER.alpha * tested).round(1),
    }
    return pd.DataFrame(found).reset_index(drop=True)
