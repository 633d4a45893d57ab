"""Some rows as a table of their own: the way into them, and the way back."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session


def cluster_again(studio: Session, rows: np.ndarray, name: str, label: str, key: str) -> None:
    """Draw a button that makes some rows, called by what they are, the current table."""
    if 1 < rows.size < len(studio.table.frame) and st.button(
        label,
        key=key,
        icon=":material/subdirectory_arrow_right:",
        type="tertiary",
        help="Makes them a table of their own; the way back is on top of every page.",
    ):
        try:
            studio.take_part(studio.work.on_part(np.sort(rows), name))
        except SchemaError as error:
            st.error(escaped(error), icon=":material/undo:")
            return
        st.switch_page("pages/compare.py")


def way_back(studio: Session) -> None:
    """On every page while the current table is a part of another one, of its rows or columns."""
    if not studio.parents:
        return
    part, whole, noun = studio.work, studio.parents[-1], "rows"
    here, there = len(part.table.frame), len(whole.table.frame)
    if here == there:
        here, there = (len(work.schema.names("cluster")) for work in (part, whole))
        noun = "clustered columns"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f":material/subdirectory_arrow_right: You are looking at a part, {here:,} of {there:,} "
            f"{noun} of **{escaped(whole.table.name)}**.",
            width="content",
        )
        looks = {"icon": ":material/arrow_back:", "type": "tertiary"}
        st.button("Back to all of them", key="leave_part", on_click=_leave_part, **looks)


@in_visit
def _leave_part() -> None:
    session().leave_part()
    st.session_state["result_of"] = session().algorithm
