"""Another table over a locked study: asked first, as lock, groups and the log would go with it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.project import save_button

#: Of a table that waits for the answer: what it is called, and what takes it.
_WAITING = "waiting_table"


@in_visit
def take_or_ask(title: str, take: Callable[[], None]) -> None:
    """Take another table; where the roles are locked, keep it until the visitor has answered."""
    if session().study.lock is None:
        take()
    else:
        st.session_state[_WAITING] = title, take


def waits() -> bool:
    """Whether a table waits for the answer."""
    return _WAITING in st.session_state


def ask_about_lock(studio: Session) -> None:
    """Ask what becomes of the locked study, if another table waits."""
    if not waits():
        return
    title, _ = st.session_state[_WAITING]
    with st.container(border=True):
        st.warning(
            f"The roles of **{escaped(studio.table.name)}** are locked. Another table takes its "
            "place, and with it go the lock, the groups and the log of what was looked at.",
            icon=":material/lock:",
        )
        with st.container(horizontal=True):
            st.button("Keep the locked study", type="primary", on_click=_keep)
            save_button(studio, "save_locked_study")
            st.button(f"Go on with {escaped(title)}", on_click=_go_on)


def _keep() -> None:
    st.session_state.pop(_WAITING, None)


@in_visit
def _go_on() -> None:
    _, take = st.session_state.pop(_WAITING)
    take()
