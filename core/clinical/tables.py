"""Tables of a study that are fit to leave the room: no small count can be worked out of them."""

from __future__ import annotations

import pandas as pd

from ..release.allowed import PAIRS, SHOWN
from ..release.door import let_out
from ..statistics.association import Associations
from ..statistics.hypothesis_tests import Test
from ..statistics.suppression import HIDDEN
from ..wording import p_text, percent
from .checks import Checks
from .disclosure import are_told, outward, sizes, stays_inside, told_means
from .distinctions import Distinctions
from .subgroups import Subgroups
from .validation import effect_words, overall

#: Columns of each kind whose tables are hidden cell by cell; each takes some linear programmes.
MOST = 40


def size_table(checks: Checks, least: int) -> pd.DataFrame:
    """Group, patients, share, and how stable it is."""
    groups = checks.groups
    counts = sizes(groups, least).as_text()["Patients"]
    n = groups.labels.size
    table = pd.DataFrame({"Group": counts.index, "Patients": list(counts)})
    table["Share"] = [
        HIDDEN if count == HIDDEN else percent(int(count), n) for count in table["Patients"]
    ]
    bootstraps = None if checks.stability is None else checks.stability.bootstraps
    if bootstraps is not None:
        table["Comes back (Jaccard)"] = [
            *(
                HIDDEN
                if count == HIDDEN
                else "not assessable"
                if mean is None
                else f"{mean:.2f}, {band}"
                for count, mean, band in zip(
                    table["Patients"], bootstraps.mean_jaccard, bootstraps.bands, strict=False
                )
            ),
            "",
        ]
    return table


def yes_table(seen: Distinctions, least: int, most: int = MOST) -> pd.DataFrame:
    """Probability of "yes" in every group, where it may be told."""
    return _means_table(seen, seen.yes.head(most), least)


def score_table(seen: Distinctions, least: int, most: int = MOST) -> pd.DataFrame:
    """Mean score of every rating in every group, where it may be told."""
    return _means_table(seen, seen.scores.head(most), least)


def _means_table(seen: Distinctions, means: pd.DataFrame, least: int) -> pd.DataFrame:
    """Means ready to print, one row a column and one column a group."""
    told = told_means(seen, means.index, least)
    titles = [seen.groups.titles[k] for k in means.columns]
    printed = means.map("{:.2f}".format).where(told[means.columns], HIDDEN)
    return seen.labelled(printed.set_axis(titles, axis=1))


def pairs_table(found: Associations, groups: Subgroups, least: int) -> pd.DataFrame:
    """One row a column and pair of groups; no numbers of those that may not be told."""
    found = outward(found, groups, least)
    table = found.as_frame()
    if table.empty:
        return table
    told = [
        are_told(found, column, pair.groups, groups, least)
        for column in found.columns
        for pair in column.pairs
    ]
    why = f"Hidden: a count below {least}, or one that would give it away."
    return let_out(table, PAIRS, {SHOWN: told}, [why] * len(table))


def overall_table(found: Associations, groups: Subgroups, least: int) -> pd.DataFrame:
    """One row a column, all groups at once; only its name where its numbers would tell."""
    told = outward(found, groups, least)
    table = overall(told)
    away = [stays_inside(column.overall) for column in told.columns]
    table.loc[away, table.columns.difference(["Column", "Kind", "Remark"])] = HIDDEN
    return table


def pairs_text(table: pd.DataFrame) -> pd.DataFrame:
    """The pairs of ``pairs_table`` that have a p-value, short enough for a printed page."""
    if table.empty:
        return table
    made = table[table["p"].notna()]
    return pd.DataFrame(
        {
            "Column": made["column"],
            "Groups": [f"{a} and {b}" for a, b in zip(made["group"], made["against"], strict=True)],
            "n": [
                f"{a:,.0f} and {b:,.0f}" for a, b in zip(made["n"], made["n against"], strict=True)
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
