"""Columns: which ones made the groups, and how the values of one are spread in each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.contributions import column_contributions
from mapdp_studio.core.plots.heat_maps import differences_figure
from mapdp_studio.core.plots.profiles import bars_figure, distribution_figure
from mapdp_studio.core.profiling.profiles import (
    NaturalColumn,
    describe_columns,
    described_by,
    distribution,
    natural_column,
    strongest,
)
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen, DescribedGroups
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours

MOST_BARS, MOST_FEATURES, MOST_GROUPS, FEW = 25, 30, 6, 5


def group_columns(studio: Session, chosen: Chosen) -> None:
    """Draw the ranking beside one column's distributions, then all groups side by side."""
    ranked = get_result(
        studio,
        "contributions",
        chosen.about,
        "Weighing the columns",
        lambda job: column_contributions(chosen.partition.partition_).sort_values(
            "nats", ascending=False, kind="stable"
        ),
    )
    if ranked is None:
        return
    left, right = halves()
    with left:
        _ranking(ranked)
    with right:
        _one_column(studio, chosen, ranked)
    if chosen.groups.n_groups > 1:
        _side_by_side(studio, chosen)


def _ranking(ranked: pd.DataFrame) -> None:
    st.subheader("What drove the grouping", anchor=False)
    per_row = st.toggle(
        "Per observed row",
        key="per_row",
        persist_state="session",
        help="A column with many missing cells has fewer rows to speak for it.",
    )
    column, unit = ("nats_per_row", " per observed row") if per_row else ("nats", "")
    shown = ranked.sort_values(column, ascending=False, kind="stable").head(MOST_BARS)
    picture(
        bars_figure(shown.index, shown[column], f"log units{unit}"),
        "contributions",
        "Contribution of each column to the grouping, the largest first",
        "column-contributions",
    )
    more = len(ranked) - len(shown)
    st.caption(
        "How much better the column is described group by group than by one group for all, on "
        "log scale; below 0 the groups do not suit it. It tells what drove the grouping, not what "
        "is significant." + (f" The first {len(shown)}; {more:,} more columns." if more else "")
    )


def _one_column(studio: Session, chosen: Chosen, ranked: pd.DataFrame) -> None:
    encoded, groups, results = chosen.partition.columns_.encoded, chosen.groups, studio.results
    units = {unit.name: unit.columns for unit in encoded.units}
    key = studio.table.digest, studio.schema
    described = results.latest(
        "described by", key, lambda: described_by(studio.table.frame, studio.schema)
    )
    st.subheader("One column, group by group", anchor=False)
    more = ", those that only describe it last" if described else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            f"Column, those that drove the grouping first{more}",
            [*(name for unit in ranked.index for name in units[unit]), *described],
            key=f"profiled-{studio.table.digest}",
            persist_state="session",
            filter_mode="contains",
        )
        # Shares of a handful of rows would tower above all others.
        large = np.flatnonzero(groups.sizes >= FEW)[:MOST_GROUPS].tolist()
        shown = st.multiselect(
            "Groups",
            range(groups.n_groups),
            large or [0],
            format_func=groups.titles.__getitem__,
            key=f"groups-{hash(chosen.about)}",
            persist_state="session",
        )
    if name is None:
        return
    column = natural_column(described.get(name, encoded), name)
    key = chosen.about, name, name in described
    spread = results.latest("distribution", key, lambda: distribution(column, groups.labels))
    picture(
        distribution_figure(spread, shown, groups.titles, groups.colours),
        "distribution",
        f"Values of {name} in {len(shown)} groups, as shares of each group's observed rows",
        "distribution",
    )
    summary = results.latest(
        "column summary", key, lambda: describe_columns([column], groups.labels)
    )
    st.dataframe(
        _summary(column, *summary, [*groups.titles, "All rows"]),
        hide_index=True,
        alt=f"Summary of {name} by group",
    )
    notes = {
        f"{escaped(name)} took no part in the grouping.": name in described,
        "The picture and the amounts are of the numbers alone.": column.outcomes is not None,
        f"The model takes the logarithm of {escaped(name)}; these are its own units.": (
            column.is_log
        ),
    }
    st.caption(" ".join(note for note, is_so in notes.items() if is_so))


def _summary(
    column: NaturalColumn, amounts: pd.DataFrame, shares: pd.DataFrame, titles: list[str]
) -> pd.DataFrame:
    table = pd.DataFrame({"Group": titles})
    if len(amounts):
        write = column.notation.write
        table["n observed"] = amounts["n_observed"].to_numpy()
        table["Median"] = amounts["median"].map(write).to_numpy()
        table["Quartiles"] = [
            f"{write(low)} to {write(high)}" if low == low else "-"
            for low, high in zip(amounts["lower"], amounts["upper"], strict=True)
        ]
        table["Mean"] = amounts["mean"].map(write).to_numpy()
        table["SD"] = amounts["sd"].map(write).to_numpy()
    for place, (level, part) in enumerate(shares.groupby(level="level", sort=False)):
        if not place:
            table["Rows" if len(amounts) else "n observed"] = part["n_observed"].to_numpy()
        table[str(level)] = [
            f"{100 * share:.1f} %" if share == share else "-" for share in part["share"]
        ]
    return table


def _side_by_side(studio: Session, chosen: Chosen) -> None:
    described: DescribedGroups | None = studio.results.known("profiles", chosen.about)
    if described is None:  # the cards above show how far it is
        return
    found, titles = described.differences, chosen.groups.titles
    shown = strongest(found, MOST_FEATURES)
    st.subheader("All groups side by side", anchor=False)
    picture(
        differences_figure(shown, titles, colours()["paper"]),
        "differences",
        f"Standardised differences of {len(titles):,} groups in {len(shown):,} columns and levels",
        "standardised-differences",
    )
    more = len(found) - len(shown)
    st.caption(
        "Mean of the group minus mean of all rows, in standard deviations of all rows; on the log "
        "scale where the model takes logarithms."
        + (f" The {len(shown):,} rows with the largest ones; {more:,} more." if more else "")
    )
