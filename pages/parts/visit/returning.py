"""A reloaded page finds its visit again, for a minute: the tab keeps a key, the server the visit.

Streamlit takes a reloaded page for a new visitor. The key is random, stays in the browser's tab,
and is in no address; whoever opens a copy of the tab gets a key, and an empty visit, of its own.
"""

from __future__ import annotations

import gc
import threading
import time
from dataclasses import dataclass
from functools import cache

import streamlit as st
from streamlit import runtime
from streamlit.components.v2 import component
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.comparing.comparison import clustered_part
from core.methods.settings import ADDRESSES
from pages import Session
from pages.parts.compare.settings import show_settings
from pages.parts.shared.scripts import script_beside
from pages.parts.visit.asked_example import SAID, is_asked
from pages.parts.visit.free_memory import give_back

#: Seconds that a visit is kept after its tab was closed, and between two looks.
KEPT, BETWEEN_LOOKS = 60.0, 5.0
#: What the session knows about its tab, and not about its visitor.
TAB_KEYS = ("tab", "tab_key", "tab_taken", "tab_opened")
_tab = component("mapdp_studio_tab", js=script_beside(__file__))


@dataclass
class Visit:
    """What a tab's visitor has done, who has it open, and when that was last so."""

    studio: Session
    session_id: str
    seen: float


class Visits:
    """Visits by the key of their tab; those whose tab is closed are let go after a minute."""

    def __init__(self) -> None:
        self._visits: dict[str, Visit] = {}
        self._sessions: dict[str, float] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._look, name="visits", daemon=True).start()

    def note(self, key: str, studio: Session, session_id: str) -> None:
        """Keep a visit under the key of its tab."""
        with self._lock:
            self._visits[key] = Visit(studio, session_id, time.monotonic())

    def note_session(self, session_id: str) -> None:
        """Remember that Streamlit has a session, which holds a table and files of its own."""
        self._sessions.setdefault(session_id, time.monotonic())

    def closed_sessions(self) -> list[str]:
        """Sessions whose tab was closed a minute ago; each is told once."""
        now, closed = time.monotonic(), []
        for session_id, seen in list(self._sessions.items()):
            if _is_open(session_id):
                self._sessions[session_id] = now
            elif now - seen > KEPT:
                del self._sessions[session_id]
                closed.append(session_id)
        return closed

    def get(self, key: str) -> Visit | None:
        """The visit of a tab, if it is kept."""
        return self._visits.get(key)

    def forget(self, key: str) -> None:
        """Let a visit go now."""
        with self._lock:
            self._visits.pop(key, None)

    def _look(self) -> None:
        collected = time.monotonic()
        while True:
            time.sleep(BETWEEN_LOOKS)
            now = time.monotonic()
            # Streamlit would do so after every run (config.toml), at the cost of all jobs.
            if now - collected > KEPT:
                gc.collect()
                give_back()
                collected = now
            with self._lock:
                for key, visit in list(self._visits.items()):
                    if _is_open(visit.session_id):
                        visit.seen = now
                    elif now - visit.seen > KEPT:
                        del self._visits[key]


@cache
def visits() -> Visits:
    """Those of the whole server."""
    return Visits()


def _is_open(session_id: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session_id)


def find_visit(page: str) -> None:
    """Take up the visit of this tab where a reload cut it off, and keep it for the next one.

    ``page`` is the one that was asked for, by its place in addresses.
    """
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return
    state, own = st.session_state, context.session_id
    visits().note_session(own)
    key = _tab(
        key="tab",
        data={"told": state.get("tab_key", ""), "taken": state.get("tab_taken", False)},
        default={"key": ""},
        on_key_change=lambda: None,
        height=1,
    ).key
    state["tab_taken"] = False
    if not key:
        return
    visit = visits().get(key)
    if key != state.get("tab_key") and visit is not None and visit.session_id != own:
        if _is_open(visit.session_id):
            time.sleep(0.5)  # a reloaded page may be faster than the end of the one before
        if _is_open(visit.session_id):
            state["tab_taken"] = True
            st.rerun()
        _take_up(visit.studio, page)
    state["tab_key"] = key
    visits().note(key, state.setdefault("studio", Session()), own)


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
