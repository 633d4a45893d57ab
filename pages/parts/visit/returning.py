"""A visitor who comes back finds the visit again: the tab keeps a key, the server the visit.

Streamlit goes on with a session whose line was cut, but takes a reloaded page for a new visitor.
The key is random, stays in the browser's tab, and is in no address; whoever opens a copy of the tab
gets a key, and an empty visit, of its own. Once a line
that was cut is back the page is asked for anew: the server may have been started anew meanwhile.
How long visits are kept is said in ``core.session.visits``.
"""

from __future__ import annotations

import time
from functools import cache

import streamlit as st
from streamlit import runtime
from streamlit.components.v2 import component
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.methods.settings import ADDRESSES
from mapdp_studio.core.session.visits import Visits
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import show_settings
from mapdp_studio.pages.parts.shared.scripts import script_beside
from mapdp_studio.pages.parts.visit.asked_example import SAID, is_asked
from mapdp_studio.pages.parts.visit.tab_storage import note_decided

#: What the session knows about its tab, and not about its visitor.
TAB_KEYS = ("tab", "tab_key", "tab_taken", "tab_opened", "tab_decided")
_tab = component("mapdp_studio_tab", js=script_beside(__file__))


@cache
def visits() -> Visits:
    """Those of the whole server."""
    return Visits(_is_open)


def _is_open(session_id: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session_id)


def find_visit(page: str) -> None:
    """Take up the visit of this tab where a reload cut it off, and keep it for the next one.

    ``page`` is the one that was asked for, by its place in addresses.
    """
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return
    state, own, user = st.session_state, context.session_id, dict(context.user_info)
    visits().note_session(own)
    tab = _tab(
        key="tab",
        data={"told": state.get("tab_key", ""), "taken": state.get("tab_taken", False)},
        default={"tab": {"key": "", "decided": ""}},
        on_tab_change=lambda: None,
        height=1,
    ).tab
    state["tab_taken"] = False
    key = tab["key"]
    if not key:
        return
    visit = visits().get(key)
    if visit is not None and visit.session_id != own:
        if _is_open(visit.session_id):
            time.sleep(0.5)  # a reloaded page may be faster than the end of the one before
        if _is_open(visit.session_id) or visit.user != user:
            state["tab_taken"] = True
            if state.get("tab_key") == key:
                state["studio"] = Session()  # a copy of this tab has gone on with it
            st.rerun()
        _take_up(visit.studio, page)
    state["tab_key"] = key
    visits().note(key, state.setdefault("studio", Session()), own, user)
    note_decided(state["studio"], tab["decided"], key, visits())


def forget_visit() -> None:
    """Keep nothing for a reload of this tab."""
    visits().forget(st.session_state.get("tab_key", ""))


def _take_up(studio: Session, page: str) -> None:
    """Let a visit go on in this session; what the address asks for comes before an example."""
    is_example = studio.table is not None and studio.table.example is not None
    if studio.table is None or (page == "compare" and is_example and not is_asked(studio)):
        return
    st.session_state.pop(SAID, None)
    st.session_state["studio"] = studio
    show_settings(studio.settings, (studio.table.digest, clustered_part(studio.schema)))
    for name, parameter in ADDRESSES.items():
        if name != "penalty" and parameter in st.query_params:
            st.session_state.pop(parameter, None)
