"""Data: bring a table, see what it holds, and decide how each column takes part."""

from __future__ import annotations

import streamlit as st

from core.plots.table_columns import missing_cells
from core.profiling.describe import MissingCells, find_missing
from core.session.work import Table
from core.wording import escaped
from pages import Session, session
from pages.parts.data.blocks import blocks
from pages.parts.data.column_details import column_details
from pages.parts.data.column_table import change_several, column_table
from pages.parts.data.source import choose_table, reading_options
from pages.parts.visit.reload_settings import reload_settings

PREVIEW_ROWS, PREVIEW_COLUMNS = 50, 100


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def holes_of(digest: str, _table: Table) -> MissingCells:
    return find_missing(_table.frame)


def summary(studio: Session, holes: MissingCells) -> None:
    """The table in five numbers."""
    frame, schema = studio.table.frame, studio.schema
    st.subheader(escaped(studio.table.name), anchor=False)
    places = st.columns(5)
    places[0].metric("Rows", f"{len(frame):,}")
    places[1].metric("Columns", f"{frame.shape[1]:,}")
    places[2].metric("Clustered on", f"{len(schema.names('cluster')):,}")
    places[3].metric("Complete rows", f"{holes.n_complete:,}")
    places[4].metric("Known groups", schema.label_column or "none")
    for problem in studio.problems.values():
        st.warning(escaped(problem), icon=":material/warning:")
    if not schema.names("cluster"):
        st.warning(
            "No column is left to cluster on: give at least one the role “cluster”.",
            icon=":material/warning:",
        )
    for note in frame.attrs.get("notes", []):
        st.caption(f":material/info: {escaped(note)}")


def preview(studio: Session) -> None:
    """The first rows, without what identifies a person."""
    frame, hidden = studio.table.frame, studio.schema.names("id")
    shown = [name for name in frame.columns if name not in hidden]
    st.dataframe(
        frame[shown[:PREVIEW_COLUMNS]].head(PREVIEW_ROWS),
        hide_index=True,
        placeholder="\u2013",
        alt="The first rows",
    )
    said = f"First {min(PREVIEW_ROWS, len(frame)):,} of {len(frame):,} rows"
    if len(shown) > PREVIEW_COLUMNS:
        said += f", first {PREVIEW_COLUMNS} of {len(shown):,} columns"
    if hidden:
        said += f"; not shown, because they identify rows: {', '.join(map(escaped, hidden))}"
    st.caption(f"{said}.")


def missing(holes: MissingCells, n_rows: int) -> None:
    """What is missing, and what is missing together."""
    if not holes.shares:
        st.info("No cell of this table is missing.", icon=":material/check:")
        return
    st.plotly_chart(
        missing_cells(holes),
        config={"displayModeBar": False},
        alt="Share of missing cells of each column, and which rows they are missing in",
    )
    st.caption(
        f"{holes.n_complete:,} of {n_rows:,} rows are complete. Missing cells are left out of the "
        "model's sums, so no row has to be dropped and no value made up."
    )


studio = session()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
    st.title("Data", anchor=False, width="content")
    onward = st.button(
        "Compare the methods",
        type="primary",
        icon=":material/arrow_forward:",
        icon_position="right",
        disabled=not (studio.schema and studio.schema.names("cluster")),
    )
if onward:
    st.switch_page("pages/compare.py")
choose_table(studio)
if studio.table is None:
    st.info("Load a table of your own, or choose an example, to begin.", icon=":material/table:")
    st.stop()

holes = holes_of(studio.table.digest, studio.table)
summary(studio, holes)
reload_settings(studio)
names = ["Columns", "One column", "Joint blocks", "Rows", "Missing cells"]
names += ["How it was read"] if studio.table.options else []
tabs = dict(zip(names, st.tabs(names, key="data_tab", on_change="rerun"), strict=True))
with tabs["Columns"]:
    column_table(studio)
    with st.expander("Change several columns at once", icon=":material/done_all:"):
        change_several(studio)
if tabs["One column"].open:
    with tabs["One column"]:
        column_details(studio)
if tabs["Joint blocks"].open:
    with tabs["Joint blocks"]:
        blocks(studio)
if tabs["Rows"].open:
    with tabs["Rows"]:
        preview(studio)
if tabs["Missing cells"].open:
    with tabs["Missing cells"]:
        missing(holes, len(studio.table.frame))
if "How it was read" in tabs:
    with tabs["How it was read"]:
        reading_options(studio)
