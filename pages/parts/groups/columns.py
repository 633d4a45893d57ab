"""Columns: which ones made the groups, and how the values of one are spread in each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.contributions import column_contributions
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.plots.profiles import bars_figure, distribution_figure
from mapdp_studio.core.profiling.describe import described_by
from mapdp_studio.core.profiling.profiles import (
    distribution,
    natural_column,
    prevalences_of,
    summary_of,
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
    summarise, told = summary_of, partial(_amounts, write=column.notation.write)
    if column.is_told_by_levels:
        summarise, told = prevalences_of, _levels
    rows = studio.results.latest("column summary", about, lambda: summarise(column, groups.labels))
    titles = [*groups.titles, "All rows"]
    st.dataframe(
        told(rows, titles),
        hide_index=True,
        alt=f"Summary of {name} by group",
    )
    if column.outcomes is not None:
        st.caption("The picture and the amounts are of the numbers; beside them stand")
        beside = studio.results.latest(
            "special outcomes", about, lambda: prevalences_of(column.outcomes, groups.labels)
        )
        st.dataframe(_levels(beside, titles), hide_index=True, alt=f"Special outcomes of {name}")
    if column.is_log:
        st.caption(f"The model takes the logarithm of {escaped(name)}; these are its own units.")


def _largest(groups: Groups) -> list[int]:
    """The groups drawn at first; shares of a handful of rows would tower above all others."""
    large = np.flatnonzero(groups.sizes >= FEW)[:MOST_GROUPS]
    return large.tolist() or [0]


def _amounts(rows: pd.DataFrame, titles: list[str], write: Callable[[float], str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Group": titles,
            "n observed": rows["n_observed"].to_numpy(),
            "Median": rows["median"].map(write).to_numpy(),
            "Quartiles": [
                f"{write(low)} to {write(high)}" if low == low else "-"
                for low, high in zip(rows["lower"], rows["upper"], strict=True)
            ],
            "Mean": rows["mean"].map(write).to_numpy(),
            "SD": rows["sd"].map(write).to_numpy(),
        }
    )


def _levels(shares: pd.DataFrame, titles: list[str]) -> pd.DataFrame:
    table = pd.DataFrame({"Group": titles, "n observed": shares["n_observed"].to_numpy()})
    for level in shares.columns[1:]:
        table[str(level)] = [
            "-" if share != share else f"{100 * share:.1f} %" for share in shares[level]
        ]
    return table
