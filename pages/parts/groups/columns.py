"""Columns: which ones made the groups, and how the values of one are spread in each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.contributions import column_contributions
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.plots.profiles import bars_figure, distribution_figure
from mapdp_studio.core.profiling.profiles import (
    NaturalColumn,
    describe_columns,
    described_by,
    distribution,
    natural_column,
)
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.what_if import what_if_buttons

MOST_BARS, MOST_GROUPS, FEW = 25, 6, 5


def group_columns(studio: Session, chosen: Chosen) -> None:
    """Draw the ranking beside one column's distributions."""

    def contribute(job):
        return column_contributions(chosen.partition.partition_).sort_values(
            "nats", ascending=False, kind="stable"
        )

    ranked = get_result(studio, "contributions", chosen.about, "Weighing the columns", contribute)
    if ranked is None:
        return
    left, right = halves()
    with left:
        _ranking(ranked)
    with right:
        _one_column(studio, chosen, ranked)


def _ranking(ranked: pd.DataFrame) -> None:
    st.subheader("What drove the grouping", anchor=False)
    per_row = st.toggle(
        "Per observed row",
        key="per_row",
        persist_state="session",
        help="A column with many missing cells has fewer rows to speak for it.",
    )
    column = "nats_per_row" if per_row else "nats"
    shown = ranked.sort_values(column, ascending=False, kind="stable").head(MOST_BARS)
    picture(
        bars_figure(
            shown.index,
            shown[column],
            "log units per observed row" if per_row else "log units",
        ),
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
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups
    units = {unit.name: unit.columns for unit in encoded.units}
    described = studio.results.latest(
        "described by",
        (studio.table.digest, studio.schema),
        lambda: described_by(studio.table.frame, studio.schema),
    )
    names = [*(name for unit in ranked.index for name in units[unit]), *described]
    st.subheader("One column, group by group", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Column, those that drove the grouping first"
            + (", those that only describe it last" if described else ""),
            names,
            key=f"profiled-{studio.table.digest}",
            persist_state="session",
            filter_mode="contains",
        )
        shown = st.multiselect(
            "Groups",
            range(groups.n_groups),
            _largest(groups),
            format_func=groups.titles.__getitem__,
            key=f"groups-{hash(chosen.about)}",
            persist_state="session",
        )
    if name is None:
        return
    if name in described:
        st.caption(f"{escaped(name)} took no part in the grouping.")
    else:
        what_if_buttons(studio, name, "clusters")
    column = natural_column(described.get(name, encoded), name)
    about = chosen.about, name, name in described
    spread = studio.results.latest(
        "distribution", about, lambda: distribution(column, groups.labels)
    )
    picture(
        distribution_figure(spread, shown, groups.titles, groups.colours),
        "distribution",
        f"Values of {name} in {len(shown)} groups, as shares of each group's observed rows",
        "distribution",
    )
    summary = studio.results.latest(
        "column summary", about, lambda: describe_columns([column], groups.labels)
    )
    st.dataframe(
        _summary(column, *summary, [*groups.titles, "All rows"]),
        hide_index=True,
        alt=f"Summary of {name} by group",
    )
    if column.outcomes is not None:
        st.caption("The picture and the amounts are of the numbers alone.")
    if column.is_log:
        st.caption(f"The model takes the logarithm of {escaped(name)}; these are its own units.")


def _largest(groups: Groups) -> list[int]:
    """The groups drawn at first; shares of a handful of rows would tower above all others."""
    large = np.flatnonzero(groups.sizes >= FEW)[:MOST_GROUPS]
    return large.tolist() or [0]


def _summary(
    column: NaturalColumn, amounts: pd.DataFrame, shares: pd.DataFrame, titles: list[str]
) -> pd.DataFrame:
    """One line a group and one of all rows: amounts, and how common levels are."""
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
