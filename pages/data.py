"""Data: bring a table, see what it holds, and decide how each column takes part."""

import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.schema.encode import weights_sentence
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.data import columns
from mapdp_studio.pages.parts.data.prepare import point_to_suggestions, prepare
from mapdp_studio.pages.parts.data.reading import questions
from mapdp_studio.pages.parts.data.source import choose_table
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chosen import begin_look
from mapdp_studio.pages.parts.shared.compute import is_ready

PREVIEW_ROWS, PREVIEW_COLUMNS = 50, 100
#: Of a third of the page, in pixels, at least: below it the questions stand under the table.
TRACK = 360


def problems(visit: Session) -> None:
    """What keeps the table from being clustered as it stands, and what becomes of weights."""
    sentences = list(visit.problems.values())
    if not visit.schema.names("cluster"):
        sentences.append("No column is left to cluster on: give at least one the role “cluster”.")
    for name in visit.schema.names("weight"):
        try:
            if (weights := visit.schema.weights_of(visit.table.frame)) is not None:
                st.caption(f":material/balance: {weights_sentence(escaped(name), weights)}")
        except SchemaError as error:
            sentences.append(str(error))
    for problem in sentences:
        st.warning(escaped(problem), icon=":material/warning:")
    for notice in visit.notices:
        st.info(escaped(notice), icon=":material/history:")
    kit.show_refused(visit)


def preview(visit: Session) -> None:
    """The first rows; what identifies them only where that is asked for."""
    frame, asked = visit.table.frame, kit.shown_ids(visit)
    hidden = [name for name in visit.schema.names("id") if name not in asked]
    shown = [name for name in frame.columns if name not in hidden][:PREVIEW_COLUMNS]
    some = frame[shown].head(PREVIEW_ROWS)
    kit.listing(some, "The first rows")
    st.caption(
        f"{len(some):,} of {len(frame):,} rows, {len(shown):,} of {frame.shape[1]:,} columns."
    )


def columns_and_questions(visit: Session) -> None:
    """The columns as a table, and beside it the questions, or the one column that was opened."""
    grid = st.grid(3, min_column_width=TRACK)
    with grid.cell(column_span=2):
        columns.column_table(visit)
        with st.expander("Options: the model, joint blocks"):
            views = {"Model": columns.model_choice, "Joint blocks": columns.blocks}
            hidden = {"label_visibility": "collapsed"}
            views[kit.choose_one("Options", [*views], "column_options", **hidden)](visit)
    with grid.cell():
        if columns.is_open(visit):
            columns.one_column(visit)
        if visit.study.lock is None:  # of what is locked nothing is asked any more
            questions(visit)
            point_to_suggestions(visit)
        if not columns.is_open(visit):
            columns.one_column(visit)
    asked = {one["text"] for one in visit.table.as_read.attrs.get("open", []) if one["choices"]}
    split = {name for q in visit.schema.questions if q.about == "cells" for name in q.columns}
    split |= {*visit.table.as_read} - {*visit.schema}
    is_asked = tuple(f"'{name}' holds several answers" for name in split)
    for note in visit.table.frame.attrs.get("notes", []):
        if note not in asked and not note.startswith(is_asked):
            st.caption(f":material/info: {escaped(note)}")


visit = session()
st.html(kit.LOW_HEAD)
with st.container(horizontal=True, vertical_alignment="top"):
    st.title("Data", anchor=False, width="content")
    with st.container(width="stretch"):
        choose_table(visit)
    onward = st.button(
        "Find groups",
        type="primary",
        icon=":material/arrow_forward:",
        icon_position="right",
        disabled=not (visit.schema and visit.schema.names("cluster")),
    )
    clinical = st.button(
        "Clinical study",
        icon=":material/clinical_notes:",
        disabled=visit.table is None,
        help="Patients: lock roles first, then groups, t-tests and outcomes. Seeing groups on "
        "Compare first marks every later p-value.",
    )
if onward:
    st.switch_page("pages/compare.py")
if clinical:
    st.switch_page("pages/clinical.py")
if visit.table is None:
    st.info("Load a table of your own, or choose an example.", icon=":material/table:")
    st.stop()
problems(visit)
views = {"Columns": columns_and_questions, "Prepare": prepare, "Rows": preview}
kit.draw_tabs("data_tab", views, visit)
if visit.project.is_undecided and is_ready():
    begin_look(visit)  # what comes next is there when it is asked for
