"""What pages say in the same way: refusals, the way back from a part of a table."""

from __future__ import annotations

import streamlit as st

from core.wording import escaped
from pages import Session, session

SHOWN_PROBLEMS = 3


def show_refused(studio: Session) -> None:
    """Say why the last change was not made."""
    for problem in list(studio.refused.values())[:SHOWN_PROBLEMS]:
        st.error(f"Not changed. {escaped(problem)}", icon=":material/undo:")
    more = len(studio.refused) - SHOWN_PROBLEMS
    if more > 0:
        st.error(f"Not changed for similar reasons: {more:,} more.", icon=":material/undo:")


def way_back(studio: Session) -> None:
    """On every page while the current table is a part of another one."""
    if not studio.parents:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        whole = studio.parents[-1].table
        st.caption(
            f":material/subdirectory_arrow_right: You are looking at a part, "
            f"{len(studio.table.frame):,} of {len(whole.frame):,} rows of "
            f"**{escaped(whole.name)}**.",
            width="content",
        )
        st.button(
            "Back to all of them",
            key="leave_part",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=_leave_part,
        )


def _leave_part() -> None:
    studio = session()
    studio.leave_part()
    if studio.history.present is not None:
        # The sliders stand as the part left them.
        studio.history.present.restore(studio)
