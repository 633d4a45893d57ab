"""Tables of a study that are fit to leave the room: no small count can be worked out of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..statistics.association import Associations
from ..statistics.suppression import HIDDEN, Suppressed, suppress_tables
from .checks import Checks
from .distinctions import Distinctions
from .subgroups import Subgroups, percent
from .validation import effect_words, p_text

#: Columns of each kind whose tables are hidden cell by cell; each takes some linear programmes.
MOST = 40


def sizes(groups: Subgroups, least: int) -> Suppressed:
    """Sizes of the groups with what must be hidden among them."""
    return suppress_tables(groups.labels, {}, least).sizes


def shown(groups: Subgroups, least: int) -> tuple[int, ...]:
    """Groups whose size is shown; of the others no number leaves."""
    hidden = sizes(groups, least).hidden["Patients"].to_numpy()[:-1]
    return tuple(np.flatnonzero(~hidden).tolist())


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
                "not assessable" if mean is None else f"{mean:.2f}, {band}"
                for mean, band in zip(bootstraps.mean_jaccard, bootstraps.bands, strict=True)
            ),
            "",
        ]
    return table


def yes_table(seen: Distinctions, least: int, most: int = MOST) -> pd.DataFrame:
    """Probability of "yes" in every group; a row of a table with hidden cells has none."""
    groups, encoded = seen.groups, seen.encoded
    names = list(seen.yes.index[:most])
    place = {name: j for j, name in enumerate(encoded.names)}
    columns = {}
    for name in names:
        codes = encoded.values[:, place[name]]
        columns[name] = np.where(np.isnan(codes), None, np.where(codes == 1.0, "yes", "no"))
    tables = suppress_tables(groups.labels, columns, least).columns
    rows = []
    for name in names:
        table, whole = tables[name].table, tables[name].is_whole
        row = {"Column": name}
        for k in groups.profiled:
            title = groups.titles[k]
            row[title] = HIDDEN
            if whole[title]:
                yes = int(table.loc[title, "yes"]) if "yes" in table else 0
                no = int(table.loc[title, "no"]) if "no" in table else 0
                row[title] = f"{yes / (yes + no):.2f}" if yes + no else "none observed"
        rows.append(row)
    return pd.DataFrame(rows)


def score_table(seen: Distinctions, least: int, most: int = MOST) -> pd.DataFrame:
    """Mean score of every rating in the groups whose size is shown."""
    groups, encoded = seen.groups, seen.encoded
    place = {name: j for j, name in enumerate(encoded.names)}
    kept = shown(groups, least)
    rows = []
    for name, means in seen.scores.head(most).iterrows():
        observed = ~np.isnan(encoded.values[:, place[name]])
        row = {"Column": name, "Scale": seen.scales.get(name, "")}
        for k in groups.profiled:
            n = int((observed & (groups.labels == k)).sum())
            row[groups.titles[k]] = f"{means[k]:.2f}" if k in kept and n >= least else HIDDEN
        rows.append(row)
    return pd.DataFrame(rows)


def pairs_table(found: Associations, groups: Subgroups, least: int) -> pd.DataFrame:
    """One row a column and pair of groups; pairs with a group of hidden size have no numbers."""
    table = found.as_frame(least)
    if table.empty:
        return table
    titles = np.array([k + 1 for k in shown(groups, least)])
    away = ~(table["group"].isin(titles) & table["against"].isin(titles))
    numbers = ["n", "n against", "p", "adjusted p", "estimate", "low", "high"]
    table[numbers] = table[numbers].astype(object)
    table.loc[away, numbers] = None
    table.loc[away, "remark"] = f"Hidden: a group below {least}, or one that would give it away."
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
            "p": [p_text(p) for p in made["p"]],
            "Adjusted p": [p_text(p) for p in made["adjusted p"]],
        }
    )
