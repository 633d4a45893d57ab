"""Tables of a study, to be handed out or printed: sizes, Table 1, t-tests, those of R16."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from itertools import combinations

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.progress import Progress
from ..statistics.compare import SKEWED, Associations, described_by_group
from ..statistics.correct import HOLM_UP_TO, LEVEL
from ..statistics.variables import Variable
from ..version import __version__
from ..wording import percent
from .checks import Checks
from .groups import Distinctions, Subgroups
from .lock import Lock
from .outcomes import Validation, adjusted_table
from .small_counts import ALL, HIDDEN, OFF, TOTAL, Hidden, others
from .t_tests import LEFT_OUT, PAPER, TTests

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
#: Left out of the files: what is of groups that are described nowhere; then what tells of both.
NOT_WRITTEN = ("pair", *(name for name in LEFT_OUT if name[:2] in ("n_", "me", "sd")))
OF_BOTH = (
    *("difference", "t", "g", "overlap"),
    *("difference_left_out", "low_left_out", "high_left_out", "t_left_out"),
)
_PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "statsmodels", "plotly")
#: Of a line of tests of outcomes, the same.
EFFECTS = (
    *("estimate", "low", "high"),
    *("second estimate", "second low", "second high"),
)


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
    tests: TTests, seen: Distinctions, hidden: Hidden, is_counted: bool = True
) -> pd.DataFrame:
    """Every column of the study, of all and by group, small counts hidden."""
    groups = seen.groups
    kept_out = [name for name in tests.columns if name not in tests.made]
    names = [*kept_out, *seen.contributions.index]
    columns = [one for name in names if not isinstance(one := tests.columns[name], str)]
    titles = {k: groups.titles[k] for k in groups.profiled}

    def of_all(is_told: bool) -> pd.DataFrame:
        table = described_by_group(columns, groups.labels, titles, is_told)
        everybody = described_by_group(columns, np.zeros_like(groups.labels), {0: ALL}, is_told)
        table.insert(1, ALL, everybody[ALL])
        return table

    table = of_all(is_counted).assign(**{SMD: [_largest_difference(c, groups) for c in columns]})
    names = [one.name for one in columns]
    table = hidden.over(table, names, of_all(False)).set_axis(names)
    # From a difference and the share of one group that of the other follows.
    is_few = hidden.figures.loc[names, [*titles.values()]].any(axis=1)
    return table.assign(**{SMD: table[SMD].mask(is_few, HIDDEN)})


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


def settings_table(lock: Lock, least: int) -> pd.DataFrame:
    """How the study was carried out, as it was locked, and what the report hides."""
    plan = lock.plan
    n_tested = len(lock.columns("validator"))
    method = "Holm" if n_tested <= HOLM_UP_TO else "Benjamini-Hochberg"
    multiplicity = (
        f"P-values of the outcomes are corrected by {method} over outcomes x pairs of groups; "
        f"a corrected p of at most {LEVEL:g} counts as a difference. Available cases; fewer than "
        "10 observed in a group are described and not tested, shares and times of 10 to 19 tested "
        "exactly or by permutation."
    )
    rows = [
        ("Concentration N₀", f"{plan.concentration:g}"),
        ("Searches", f"{plan.restarts:,}"),
        ("Seed", f"{plan.seed}"),
        ("Clusters", "put together until all come back" if plan.merges else "as fitted"),
        ("Tolerance for misfit", f"{plan.likelihood_power:g}"),
        ("Model", lock.model),
        ("Adjustment", lock.adjustment),
        ("Multiplicity", multiplicity),
        ("Counts hidden", "none" if least == OFF else f"below {least}"),
        *versions().items(),
    ]
    return pd.DataFrame(rows, columns=["Setting", "Value"])


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


def exported_tables(
    seen: Distinctions,
    checks: Checks,
    validation: Validation,
    lock: Lock,
    hidden: Hidden,
    callback: Callback | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables that are not empty, by file name without its ending, their small counts hidden."""
    groups, tests, outcomes = checks.groups, checks.tests, validation.validators
    makers: dict[str, Callable[[], pd.DataFrame]] = {"groups": lambda: size_table(checks, hidden)}
    if groups.found_any:
        adjusting = tests.columns, lock.plan.covariates, groups.labels, hidden
        makers |= {
            "validators": lambda: _pairs(outcomes, hidden),
            "controls": lambda: _pairs(validation.controls, hidden),
            "table-1": lambda: table_one(tests, seen, hidden),
            "adjusted": lambda: adjusted_table(outcomes, *adjusting),
            "t-tests": lambda: _told_lines(tests.lines(), hidden),
        }
    tables = {}
    for step, (name, make) in enumerate(makers.items()):
        if callback is not None:
            callback(Progress(step, len(makers), 0.0, 0, f"table “{name}”"))
        tables[name] = make()
    return {name: table for name, table in tables.items() if not table.empty}


def _told_lines(lines: pd.DataFrame, hidden: Hidden) -> pd.DataFrame:
    told = lines.drop(columns=list(NOT_WRITTEN))
    if hidden.least == OFF:
        return told
    titles = hidden.titles
    second = [others(titles[a]) if b is None else titles[b] for a, b in lines["pair"]]
    few_1, uncounted_1 = hidden.of_lines(lines["column"], [titles[a] for a, _ in lines["pair"]])
    few_2, uncounted_2 = hidden.of_lines(lines["column"], second)
    few = few_1 | few_2
    told = _blank(
        told,
        {
            ("mean_1", "sd_1"): few_1,
            ("mean_2", "sd_2"): few_2,
            ("n_1",): uncounted_1,
            ("n_2",): uncounted_2,
            ("df", "df_left_out"): uncounted_1 | uncounted_2,
            OF_BOTH: few,
        },
    )
    return told.assign(remark=told["remark"].mask(few, f"hidden: a count below {hidden.least}"))


def _blank(table: pd.DataFrame, hidden: Mapping[tuple[str, ...], np.ndarray]) -> pd.DataFrame:
    blank = {n: table[n].astype(np.float64).mask(rows) for of, rows in hidden.items() for n in of}
    return table.assign(**blank)


def _pairs(found: Associations, hidden: Hidden) -> pd.DataFrame:
    """Tests between every two groups; p-values stay, effects only where both groups are shown."""
    table = found.as_frame()
    if table.empty:
        return table
    names = [column.variable.name for column in found.columns for _ in column.pairs]
    (few, away), (few_2, away_2) = (
        hidden.of_lines(names, [hidden.titles[k - 1] for k in table[side]])
        for side in ("group", "against")
    )
    return _blank(table, {("n",): away, ("n against",): away_2, EFFECTS: few | few_2})


WARNING = (
    "This is what R16 printed, kept so that it can be compared. Student's t-test on the columns "
    "that made the groups, without correction, is no evidence of anything: in simulations it "
    "called 72 % of such columns different at the 5 % level where there were no groups at all. On "
    "yes/no columns and groups of unequal spread the test is wrong even where it is allowed."
)


@dataclass(frozen=True)
class Replication:
    """Tables 3 and 4 of R16, and the columns that differ by Student's t at .01."""

    distinctions: Distinctions
    tests: TTests

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Every two groups but the tiniest."""
        return self.tests.lines(choice=PAPER)

    def counts(self) -> pd.DataFrame:
        """One row a pair of groups, ready to print."""
        of_pair = self.lines.groupby("pair", sort=True)
        tested = of_pair["judged"].count()
        found = {
            "Groups": of_pair["groups"].first(),
            "Columns tested": tested,
            f"Differ at {PAPER.alpha}": of_pair["differs"].sum(),
            "Expected by chance": (PAPER.alpha * tested).round(1),
        }
        return pd.DataFrame(found).reset_index(drop=True)

    def table_3(self) -> pd.DataFrame:
        """Probability of "yes" in every group, of the yes/no columns that differ."""
        return self._differing(self.distinctions.yes)

    def table_4(self) -> pd.DataFrame:
        """Mean score in every group, of the ratings that differ."""
        return self._differing(self.distinctions.scores)

    def _differing(self, means: pd.DataFrame) -> pd.DataFrame:
        names = self.lines.loc[self.lines["differs"], "column"]
        table = means[means.index.isin(names)].map(
            lambda m: "too few" if pd.isna(m) else f"{m:.2f}"
        )
        table.columns = [self.distinctions.groups.titles[k] for k in means.columns]
        table.insert(0, "Column", [self.tests.title(name) for name in table.index])
        return table.reset_index(drop=True)
