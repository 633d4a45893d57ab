"""A visitor who comes back finds the visit again: the tab keeps a key, the server the visit.

Streamlit takes a reloaded page for a new visitor. The key is random, stays in the browser's tab,
and is in no address; a copy of the tab shares the visit.
"""

from __future__ import annotations

import threading
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import SAID as SETTINGS_SAID
from mapdp_studio.pages.parts.visit.asked_example import SAID

#: Seconds that a visit's work goes on after its last page was left, and that its table and what was
#: decided are kept after its page ran last; how many visits are kept at most.
WORKED, KEPT, MOST = 60.0, 3600.0, 50
#: What a session's state holds about its tab, and not about its visitor.
TAB_KEYS = ("tab", "tab_key", "tab_opened")
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_tab = component("mapdp_studio_tab", js=_SCRIPT)
_coming = threading.Lock()


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=MOST)
def _kept(key: str, user: str, _new: Session) -> Session:
    """The visit of a tab and of a visitor who had to log in; a new one where none is kept."""
    return _new


def come(key: str, own: Session, user: str) -> Session:
    """The visit that a page goes on with: the one of its tab's key, else its own."""
    with _coming:
        visit = _kept(key, user, own)
        # What a page has brought goes on; but an example of its address takes no table's place.
        if own.table is not None and (own.table.example is None or visit.table is None):
            visit = own
        _kept.clear(key, user, visit)  # its time begins anew
        return _kept(key, user, visit)


def leave(visit: Session) -> threading.Timer:
    """A page was left, or its line was cut: its work rests soon, unless somebody comes back."""

    def rest() -> None:
        if not visit.n_pages:
            with visit.lock:
                visit.rest()

    with _coming:
        visit.n_pages -= 1
    timer = threading.Timer(WORKED, rest)
    timer.daemon = True
    timer.start()
    return timer


@st.cache_resource(scope="session", show_spinner=False, on_release=leave)
def open_page(number: int, _visit: Session) -> Session:
    """Count an open page of a visit, whose ``id`` is the number, once."""
    with _coming:
        _visit.n_pages += 1
    return _visit


def find_visit() -> None:
    """Take up the visit of this tab where a reload cut it off, and keep it for the next one."""
    state = st.session_state
    own, told = state.setdefault("studio", Session()), state.get("tab_key", "")
    asked = {"data": {"told": told}, "default": {"key": ""}, "on_key_change": lambda: None}
    key = _tab(key="tab", height=1, **asked).key
    if not key:
        return
    visit = come(key, own, str(sorted(st.user.to_dict().items())))
    open_page(id(visit), visit)
    if key == told:
        return
    state["tab_key"], state["studio"] = key, visit
    if visit is own or visit.table is None:
        return
    for said in (SAID, SETTINGS_SAID):  # sliders that the address names stand as it says
        state.pop(said, None)
