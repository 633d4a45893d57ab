"""Some rows as a table of their own: the way into them, and the way back."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.session.work import Work
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
    """On every page while the current table is a part of another one."""
    if not studio.parents:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        whole = studio.parents[-1]
        st.caption(
            f":material/subdirectory_arrow_right: You are looking at a part, "
            f"{_which(studio.work, whole)} of **{escaped(whole.table.name)}**.",
            width="content",
        )
        st.button(
            "Back to all of them",
            key="leave_part",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=_leave_part,
        )


def _which(part: Work, whole: Work) -> str:
    """How much of a table a part is: some of its rows, or all of them in some of its columns."""
    here, there = len(part.table.frame), len(whole.table.frame)
    if here < there:
        return f"{here:,} of {there:,} rows"
    here, there = (len(work.schema.names("cluster")) for work in (part, whole))
    return f"{here:,} of {there:,} clustered columns"


@in_visit
def _leave_part() -> None:
    studio = session()
    studio.leave_part()
    st.session_state["result_of"] = studio.algorithm
