"""Missing values: what is missing together, what the model makes of it, what dropping would do."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from mapdp_studio.core.exports.tables import as_csv, file_stem
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.heat_maps import missing_together_figure, share_figure
from mapdp_studio.core.plots.profiles import missing_cells
from mapdp_studio.core.profiling.missing import (
    Filled,
    fill_table,
    missing_by_group,
    missingness,
    without_incomplete_rows,
)
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.compute import get_result, is_asked_for
from mapdp_studio.pages.parts.shared.kit import download, draw_tabs, halves, heading
from mapdp_studio.pages.parts.shared.picture import crossed, picture
from mapdp_studio.pages.parts.shared.theme import colours

MOST_CELLS, MOST_NAMES, FEW = 300, 6, 20
METHODS = {
    "mode": "Most probable value in the row's group",
    "mean": "Mean over all groups, by their probability",
}


def together(studio: Session, chosen: Chosen) -> None:
    """The missing cells, and which columns share them."""
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups

    def look(job):
        cells = pd.DataFrame(encoded.is_missing, columns=list(encoded.columns))
        return missingness(cells), missing_by_group(encoded, groups.labels)

    found = get_result(studio, "missing", chosen.about, "Looking at the missing cells", look)
    if found is None:
        return
    missing, by_group = found
    st.markdown(
        f"**{missing.n_missing:,} of {missing.n_cells:,} cells are missing**; "
        f"{missing.n_complete:,} of {len(encoded.values):,} rows are complete."
    )
    left, right = halves()
    with left:
        st.subheader("Which cells", anchor=False)
        said = "Share of missing cells of each column, and which rows they are missing in"
        picture(missing_cells(missing), "cells", said, "missing-cells")
        st.subheader("Commonest combinations", anchor=False)
        patterns = missing.patterns.itertuples(index=False)
        st.dataframe(
            [
                {
                    "Rows": n,
                    "Share": 100.0 * n / len(encoded.values),
                    "Missing": listed(columns, MOST_NAMES) or "nothing",
                }
                for n, columns in patterns
            ],
            hide_index=True,
            column_config={"Share": st.column_config.NumberColumn(format="%.1f %%")},
            alt="Combinations of columns missing in the same rows",
        )
    with right:
        if len(missing.together) > 1:
            st.subheader("Missing in the same rows", anchor=False)
            figure = missing_together_figure(missing.together, colours()["paper"])
            said = "Correlation of being missing, column by column"
            picture(figure, "together", said, "missing-together")
            st.caption(
                "1: always missing together. 0: one tells nothing of the other. Below 0: one is "
                "there where the other is not."
            )
        if groups.n_groups > 1:
            st.subheader("% missing in each group", anchor=False)
            figure = share_figure(by_group, groups.titles, colours()["paper"])
            said = "Share of missing cells of each column in each group"
            picture(figure, "by-group", said, "missing-by-group")
            st.caption(
                "The groups were made from what is there; missing cells took no part. Where one "
                "group lacks far more than the others, ask why before naming it."
            )


def filled(studio: Session, chosen: Chosen) -> None:
    """On request, what the model would put into the missing cells."""
    st.write(
        "No hole has to be filled: the groups are made without them. Where another tool needs "
        "whole rows, the model can say what it expects in each hole, and how sure it is."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = st.selectbox(
            "Fill with",
            list(METHODS),
            format_func=METHODS.get,
            key="fill_method",
            persist_state="session",
            width=380,
        )
        key = "fill", chosen.about, method
        looks = {"type": "primary", "icon": ":material/edit:"}
        if not is_asked_for(key, "Fill the missing cells", **looks):
            return
    frame = studio.table.frame
    result = get_result(
        studio,
        "filled",
        key,
        "Filling the missing cells",
        lambda job: fill_table(chosen.partition, frame, method),
    )
    if result is not None:
        _show_filled(studio, result)


def _show_filled(studio: Session, result: Filled) -> None:
    by_column, number = result.by_column(), st.column_config.NumberColumn(format="%.3g")
    left, right = halves()
    with left:
        st.subheader("Column by column", anchor=False)
        titles = {"n_filled": "Cells filled", "spread": "Typical spread"}
        st.dataframe(
            by_column.rename_axis("Column").rename(columns=titles).reset_index(),
            hide_index=True,
            column_config={"Typical spread": number},
            alt="Cells filled in each column",
        )
        stem = file_stem(studio.table.name)
        with st.container(horizontal=True):
            for label, table, ending in (
                ("Filled table (CSV)", result.table, "filled"),
                ("Spread of each filled cell (CSV)", result.spread, "spread"),
            ):
                download(label, partial(as_csv, table), f"{stem}-{ending}.csv", "text/csv")
    with right:
        st.subheader("Cell by cell", anchor=False)
        name = st.selectbox("Column", [*by_column.index], key=f"filled-{studio.table.digest}")
        cells = result.cells(name)
        titles = {"row": "Row", "value": "Filled with", "spread": "Spread"}
        st.dataframe(
            cells.head(MOST_CELLS).rename(columns=titles),
            hide_index=True,
            column_config={"Spread": number},
            height=320,
            alt=f"Filled cells of {name}",
        )
        if len(cells) > MOST_CELLS:
            st.caption(f"The first {MOST_CELLS:,} of {len(cells):,} filled cells.")
    st.caption(
        "Spread: the standard deviation of what the model expects, in the column's own units; for "
        "categories and yes/no, the probability that another level is true. Filled cells are "
        "guesses: never test them as if somebody had measured them."
    )


def dropped(studio: Session, chosen: Chosen) -> None:
    """What a tool that drops incomplete rows would have found."""
    st.write(
        f"Most tools drop every row with a hole. Here {chosen.title} is fitted again with the same "
        "settings to the complete rows alone, and its groups are compared with those of all rows."
    )
    frame, schema, task = studio.table.frame, studio.schema, chosen.task
    told = chosen.model.labels_, task.algorithm, dict(task.arguments)
    looks = {"type": "primary", "icon": ":material/filter:"}
    if not is_asked_for(("drop", task), "Fit the complete rows alone", **looks):
        return
    result = get_result(
        studio,
        "dropped",
        task,
        "Fitting the complete rows",
        lambda job: without_incomplete_rows(frame, schema, *told, job),
    )
    if result is None:
        return
    n_rows, n_left, k = len(frame), result.rows.size, int(result.labels.max()) + 1
    lost, groups, agreement = st.columns(3)
    lost.metric("Rows lost", f"{n_rows - n_left:,} of {n_rows:,}")
    groups.metric("Groups", f"{k:,} instead of {chosen.model.n_clusters_:,}")
    agreement.metric(
        "Agreement (ARI)",
        f"{result.ari:.2f}",
        help="Of the rows that are left: 1 if they are grouped in the same way, about 0 if only by "
        "chance.",
    )
    table = Contingency.of(result.with_all, result.labels)
    titles = [f"Cluster {j + 1}" for j in range(max(k, chosen.model.n_clusters_))]
    sides = ("all rows", titles), ("the complete rows alone", titles)
    crossed(table, *sides, "dropped", "dropped-rows")
    said = f"{table.n_apart:,} of {n_left:,} complete rows change their group."
    if n_left < FEW:
        said += " So few rows are left that their agreement says little."
    if result.set_aside:
        names = listed(map(escaped, result.set_aside), MOST_NAMES)
        said += f" Alike in all complete rows, so of no use there: {names}."
    st.caption(said + " Groups that were put together are apart in this comparison.")


studio = session()
chosen = choose_result(studio, heading("Missing values", studio))
if chosen is not None and not chosen.judge.columns_.encoded.is_missing.any():
    st.info("No cell of the columns clustered on is missing.", icon=":material/check:")
elif chosen is not None:
    parts = {
        "Missing together": together,
        "Filled in": filled,
        "If incomplete rows were dropped": dropped,
    }
    draw_tabs("missing_tab", parts, studio, chosen)
