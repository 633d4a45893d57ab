"""Tables of a study, to be handed out or printed: sizes, Table 1, t-tests, those of R16."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.progress import Progress
from ..statistics.compare import Associations
from ..statistics.hypothesis_tests import Test
from ..statistics.variables import Variable
from ..wording import in_digits, p_text, percent
from .checks import Checks
from .groups import SKEWED, SMALLEST, Distinctions, Subgroups, largest_difference, print_by_group
from .outcomes import Validation, adjusted_table, effect_words, missing_table
from .placing import NONE_OF_THESE, SecondCohort
from .small_counts import ALL, HIDDEN, OFF, TOTAL, Hidden, coded, fewest_in, hide_small, sizes_shown
from .study import Lock
from .t_tests import LEFT_OUT, PAIR, PAPER, Choice, Pair, TTests
from .verdict import in_short


def size_table(checks: Checks, hidden: Hidden) -> pd.DataFrame:
    """Group, patients, share, and how stable it is; then atypical patients together, and all."""
    groups, away = checks.groups, hidden.sizes.isna().to_numpy()
    table = checks.group_table().drop(columns="Treated as").astype({"Patients": str})
    empty, counts = dict.fromkeys(table, ""), [*groups.sizes, groups.labels.size]
    if groups.atypical:
        table.loc[len(table)] = empty | {"Group": ATYPICAL}
        counts.insert(-1, groups.sizes[list(groups.atypical)].sum())
        away = np.insert(away, -1, away[list(groups.atypical)].any())
    table.loc[len(table)] = empty | {"Group": TOTAL}
    table["Patients"] = [f"{count:,}" for count in counts]
    table["Share"] = [percent(int(count), groups.labels.size) for count in counts]
    names = table.columns.drop("Group")
    table[names] = table[names].mask(pd.Series(away), HIDDEN)
    return table.drop(index=list(groups.atypical)).reset_index(drop=True)


def pairs_text(table: pd.DataFrame) -> pd.DataFrame:
    """The pairs of a table of tests that have a p-value, short enough for a printed page."""
    if table.empty:
        return table
    made = table[table["p"].notna()]
    return pd.DataFrame(
        {
            "Column": made["column"],
            "Groups": [f"{a} and {b}" for a, b in zip(made["group"], made["against"], strict=True)],
            "n": [
                HIDDEN if pd.isna(a) or pd.isna(b) else f"{a:,.0f} and {b:,.0f}"
                for a, b in zip(made["n"], made["n against"], strict=True)
            ],
            "Effect (95 % interval)": [
                effect_words(row.effect, row.estimate, row.low, row.high)
                for row in made.itertuples()
            ],
            "Test": made["test"],
            "p": [
                Test(p=row.p, floor=0.0 if pd.isna(row.floor) else row.floor).p_text
                for row in made.rename(columns={"smallest p": "floor"}).itertuples()
            ],
            "p, corrected": [p_text(p) for p in made["p, corrected"]],
        }
    )


SMD = "Largest SMD"
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
    names = [*kept_out, *seen.contributions.index[:LEADING]]
    columns = [one for name in names if not isinstance(one := tests.columns[name], str)]
    titles = {k: groups.titles[k] for k in groups.profiled}
    everybody = print_by_group(columns, np.zeros_like(groups.labels), {0: ALL}, is_counted)
    table = print_by_group(columns, groups.labels, titles, is_counted)
    table.insert(1, ALL, everybody[ALL])
    table[SMD] = [largest_difference(one, groups.labels, groups.profiled) for one in columns]
    return table.set_axis([one.name for one in columns])


#: The line of patients in groups of few.
ATYPICAL = "Atypical"
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
    makers: dict[str, Callable[[], pd.DataFrame]] = {"groups": lambda: size_table(checks, hidden)}
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
    return tables


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


def second_sizes(found: SecondCohort, groups: Subgroups, least: int) -> pd.DataFrame:
    """Group sizes of both cohorts, small ones hidden."""
    names = [*groups.titles, NONE_OF_THESE]
    n = found.labels.size
    counts = pd.Series([*np.bincount(found.labels, minlength=len(names)), n], [*names, TOTAL])
    first = sizes_shown(groups, least)
    second = hide_small(counts.to_frame(), least)[0]
    return pd.DataFrame(
        {
            "Group": names,
            "First cohort": [*map(_count, first.iloc[:-1]), ""],
            "Second cohort": [*map(_count, second.iloc[:-1])],
            "Share in the second": [
                HIDDEN if np.isnan(count) else percent(int(count), n) for count in second.iloc[:-1]
            ],
        }
    )


def _count(count: float) -> str:
    return HIDDEN if np.isnan(count) else f"{count:,.0f}"


WARNING = (
    "This is what R16 printed, kept so that it can be compared. Student's t-test on the columns "
    "that made the groups, without correction, is no evidence of anything: in simulations it "
    "called 72 % of such columns different at the 5 % level where there were no groups at all. On "
    "yes/no columns and groups of unequal spread the test is wrong even where it is allowed."
)


@dataclass(frozen=True)
class Replication:
    """Tables 3 and 4, and the columns that differ."""

    distinctions: Distinctions
    tests: TTests

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Student's t at .01 on the columns that made the groups, every two but the tiniest."""
        pairs = self.tests.pairs(SMALLEST)
        lines = self.tests.lines(pairs, PAPER)
        return lines[lines["made"]]

    def counts(self) -> pd.DataFrame:
        """One row a pair of groups, ready to print.

        What is expected by chance would hold if the groups had nothing to do with the columns;
        groups found in these very columns exceed it even in noise.
        """
        of_pair = self.lines.groupby("pair", sort=True)
        tested = of_pair["judged"].count()
        return pd.DataFrame(
            {
                "Groups": of_pair["groups"].first(),
                "Columns tested": tested,
                f"Differ at {PAPER.alpha}": of_pair["differs"].sum(),
                "Expected by chance": (PAPER.alpha * tested).round(1),
            }
        ).reset_index(drop=True)

    @cached_property
    def differing(self) -> set[str]:
        """Columns that differ between some two groups."""
        return set(self.lines.loc[self.lines["differs"], "column"])

    def table_3(self) -> pd.DataFrame:
        """Probability of "yes" in every group, of the yes/no columns that differ, to print."""
        return self._differing(self.distinctions.yes)

    def table_4(self) -> pd.DataFrame:
        """Mean score in every group, of the ratings that differ, to print."""
        return self._differing(self.distinctions.scores)

    def _differing(self, means: pd.DataFrame) -> pd.DataFrame:
        return self.distinctions.printed(means[means.index.isin(self.differing)])


def in_words(line: pd.Series, first: str, second: str) -> list[str]:
    """One line of the table as sentences, a paragraph each.

    Parameters
    ----------
    line : Series
        Of ``TTests.beside_their_type``.
    first, second : str
        Titles of the groups.
    """
    said = [
        f"{title}: mean {in_digits(line[f'mean_{side}'])}, SD {in_digits(line[f'sd_{side}'])} "
        f"(n = {line[f'n_{side}']:,})"
        for side, title in enumerate((first, second), 1)
    ]
    if not line["made"]:
        said.append(f"This column took no part in making the groups: {_tested(line, LEFT_OUT)}")
    else:
        said.append(
            "Not testable with the column left out"
            if np.isnan(line["p_left_out"])
            else "Between the groups found without this column (overlap "
            f"{line['overlap']:.2f}): {_tested(line, LEFT_OUT)}"
        )
        said.append(f"As the paper, which is no evidence: {_tested(line, PAIR)}")
    if not np.isnan(line["g"]):
        said.append(f"{line['g']:+.2f} pooled SD (Hedges' g)")
    if line["test"]:
        said.append(f"The test that fits its type: {line['test']}, p {_p(line['p_test'])}")
    return said


def _tested(line: pd.Series, names: Sequence[str]) -> str:
    """A t-test in words, its names those of ``PAIR``; only a valid one has an interval."""
    of = dict(zip(PAIR, names, strict=True))
    if np.isnan(line[of["t"]]):
        return "no t-test"
    said = f"difference {in_digits(line[of['difference']])}"
    if of["low"] in line:
        low, high = (in_digits(line[of[end]]) for end in ("low", "high"))
        said += f" (95 % interval {low} to {high})"
    t, df = (in_digits(line[of[name]]) for name in ("t", "df"))
    return f"{said}, t = {t}, df = {df}, p {_p(line[of['p']])}"


def _p(p: float) -> str:
    return p_text(None if np.isnan(p) else p)
