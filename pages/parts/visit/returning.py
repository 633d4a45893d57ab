"""A visitor who comes back finds the visit again: the tab keeps a key, the server the visit.

Streamlit goes on with a session whose line was cut for two minutes, and takes a reloaded page for a
new visitor. The key is random, stays in the browser's tab, and is in no address; a copy of the tab
shares the visit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.methods.settings import ADDRESSES
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import show_settings
from mapdp_studio.pages.parts.visit.asked_example import SAID

#: Seconds after the last page of a visit was left: its work goes on and its results are kept; its
#: table and what was decided are kept. And how many left visits are kept at most.
WORKED, KEPT, MOST = 60.0, 3600.0, 50
#: What a session's state holds about its tab, and not about its visitor.
TAB_KEYS = ("tab", "tab_key", "tab_opened")
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_tab = component("mapdp_studio_tab", js=_SCRIPT)


@dataclass(eq=False)
class Presence:
    """One open page, for as long as its line is not cut."""

    #: Of its tab, once the tab has told it.
    key: str = ""


@dataclass(eq=False)
class Kept:
    """A visit, who may come back to it, and who is there."""

    visit: Session
    #: What the server knows about who is there, of a visitor that had to log in.
    user: dict[str, Any]
    present: set[Presence] = field(default_factory=set)
    #: When the last page was left.
    left: float = 0.0


class Visits:
    """All visits of a server, by the keys of their tabs; ``clock`` gives seconds since any time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, Kept] = {}
        self._lock = threading.RLock()

    def come(self, presence: Presence, key: str, own: Session, user: dict[str, Any]) -> Session:
        """The visit that a page goes on with: the one of its tab's key, else its own."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.user != user or _is_newer(own, kept.visit):
                kept = self._kept[key] = Kept(own, user)
            kept.present.add(presence)
            presence.key = key
            return kept.visit

    def leave(self, presence: Presence) -> None:
        """A page was left, or its line was cut."""
        with self._lock:
            kept = self._kept.get(presence.key)
            if kept is not None:
                kept.present.discard(presence)
                kept.left = self._clock()

    def tidy(self) -> None:
        """Let go of what is not kept any longer."""
        now = self._clock()
        with self._lock:
            left = {key: kept for key, kept in self._kept.items() if not kept.present}
            latest = sorted(left, key=lambda key: left[key].left)[-MOST:]
            for key, kept in left.items():
                if now - kept.left > KEPT or key not in latest:
                    self._kept.pop(key).visit.empty()
                elif now - kept.left > WORKED:
                    kept.visit.rest()

    def __len__(self) -> int:
        return len(self._kept)


def _is_newer(own: Session, kept: Session) -> bool:
    """Whether a page has something of its own, no example that its address opened, to go on with.

    Such an example never takes the place of a table that the tab, or a copy of it, shows already:
    Compare asks which of both it shall be.
    """
    if own is kept or own.table is None:
        return False
    return own.table.example is None or kept.table is None


@st.cache_resource(show_spinner=False)
def visits() -> Visits:
    """Those of the whole server."""
    return Visits()


@st.cache_resource(
    scope="session", show_spinner=False, on_release=lambda presence: visits().leave(presence)
)
def _presence() -> Presence:
    return Presence()


def find_visit() -> None:
    """Take up the visit of this tab where a reload cut it off, and keep it for the next one.

    It exists at once: what the tab has not told yet is found as soon as it has.
    """
    state = st.session_state
    own = state.setdefault("studio", Session())
    told = state.get("tab_key", "")
    key = _tab(
        key="tab", data={"told": told}, default={"key": ""}, on_key_change=lambda: None, height=1
    ).key
    if not key:
        return
    presence = _presence()
    if presence.key != key:
        _take_up(visits().come(presence, key, own, st.user.to_dict()))
        state["tab_key"] = key


def _take_up(visit: Session) -> None:
    """Let a visit go on in this session; sliders that the address names stand as it says."""
    state = st.session_state
    if visit is state["studio"] or visit.table is None:
        state["studio"] = visit
        return
    state.pop(SAID, None)
    state["studio"] = visit
    show_settings(visit.settings, (visit.table.digest, clustered_part(visit.schema)))
    for name, parameter in ADDRESSES.items():
        if name != "penalty" and parameter in st.query_params:
            state.pop(parameter, None)
