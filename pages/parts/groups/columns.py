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
        lambda job: column_contributions(chosen.partition.partition_)["nats"].sort_values(
            ascending=False, kind="stable"
        ),
    )
    if ranked is None:
        return
    left, right = halves()
    with left:
        st.subheader("What drove the grouping", anchor=False)
        shown = ranked.head(MOST_BARS)
        said = "Contribution of each column to the grouping, the largest first"
        bars = bars_figure(shown.index, shown, "log units")
        picture(bars, "contributions", said, "column-contributions")
        st.caption(
            "How much better the column is described group by group than by one group for all, on "
            "log scale; below 0 the groups do not suit it. It tells what drove the grouping, not "
            "what is significant." + _more(ranked, shown)
        )
    with right:
        _one_column(studio, chosen, ranked)
    described: DescribedGroups | None = studio.results.known("profiles", chosen.about)
    if chosen.groups.n_groups > 1 and described is not None:  # else the cards show how far it is
        found, titles = described.differences, chosen.groups.titles
        shown = strongest(found, MOST_FEATURES)
        st.subheader("All groups side by side", anchor=False)
        said = f"Standardised differences of {len(titles):,} groups in {len(shown):,} columns"
        figure = differences_figure(shown, titles, colours()["paper"])
        picture(figure, "differences", said, "standardised-differences")
        st.caption(
            "Mean of the group minus mean of all rows, in standard deviations of all rows; on the "
            "log scale where the model takes logarithms." + _more(found, shown)
        )


def _more(all_of_them: pd.Series | pd.DataFrame, shown: pd.Series | pd.DataFrame) -> str:
    more = len(all_of_them) - len(shown)
    return f" The {len(shown):,} largest; {more:,} more." if more else ""


def _one_column(studio: Session, chosen: Chosen, ranked: pd.Series) -> None:
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
    spread, summary = results.latest(
        "one column",
        key,
        lambda: (distribution(column, groups.labels), describe_columns([column], groups.labels)),
    )
    said = f"Values of {name} in {len(shown)} groups, as shares of each group's observed rows"
    figure = distribution_figure(spread, shown, groups.titles, groups.colours)
    picture(figure, "distribution", said, "distribution")
    table = _summary(column, *summary, [*groups.titles, "All rows"])
    st.dataframe(table, hide_index=True, alt=f"Summary of {name} by group")
    if name in described:
        st.caption(f"{escaped(name)} took no part in the grouping.")
    if column.outcomes is not None:
        st.caption("The picture and the amounts are of the numbers alone.")


def _summary(
    column: NaturalColumn, amounts: pd.DataFrame, shares: pd.DataFrame, titles: list[str]
) -> pd.DataFrame:
    """A line a group: its amounts, or the share of each level, of the rows that have a value."""
    table = pd.DataFrame({"Group": titles})
    if len(amounts):
        write = column.notation.write
        table["n observed"] = amounts["n_observed"].to_numpy()
        names = {"median": "Median", "lower": "Lower", "upper": "Upper", "mean": "Mean", "sd": "SD"}
        for name, title in names.items():
            table[title] = amounts[name].map(write).to_numpy()
    for place, (level, part) in enumerate(shares.groupby(level="level", sort=False)):
        if not place:
            table["Rows" if len(amounts) else "n observed"] = part["n_observed"].to_numpy()
        written = (100 * part["share"]).map("{:.1f} %".format, na_action="ignore")
        table[str(level)] = written.fillna("-").to_numpy()
    return table
