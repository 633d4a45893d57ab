"""On every page: undo, redo, and what becomes of the visitor's data."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.core.session.history import MOST, History
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.project import save_button
from mapdp_studio.pages.parts.visit.returning import KEPT, TAB_KEYS

# Beside the page's menu, in the free part of the header. While Streamlit says there that the line
# is cut, nothing can be undone.
_PLACE = """
<style>
.st-key-session_bar {
    position: fixed; top: 0.55rem; right: 3.25rem; z-index: 999991; width: auto !important;
}
.stApp:has([data-testid="stConnectionStatus"]) .st-key-session_bar { visibility: hidden; }
[data-testid="stConnectionStatus"], [data-testid="stConnectionStatus"] * { color: inherit; }
</style>
"""
_LAST = f"Only the last {MOST - 1} steps are kept"
_MINUTES = f"{KEPT / 60:.0f} minutes"


def bar_place() -> DeltaGenerator:
    """Where the bar stands, to be called before the page: its buttons stay there while it runs."""
    place = st.container()
    place.html(_PLACE)
    return place.container(key="session_bar", horizontal=True, gap="xsmall")


def session_bar(studio: Session, bar: DeltaGenerator) -> None:
    """Note what was decided by the page, and draw the buttons that go back and forth."""
    if st.session_state.pop("forgotten", False):
        st.toast("Your table, settings and results are gone.", icon=":material/check:")
    if st.session_state.pop("undone_all", False):
        st.toast(f"{_LAST}: this is where they begin.", icon=":material/undo:")
    if st.session_state.pop("locked_step", False):
        st.toast(
            "The roles are locked, and so is the table: unlock them on Clinical first.",
            icon=":material/lock:",
        )
    if studio.table is not None:
        with bar:
            _buttons(studio, _noted(studio))


def _buttons(studio: Session, history: History) -> None:
    _step("Undo", "undo", history.steps_back, _LAST if history.is_cut else "")
    _step("Redo", "redo", history.steps_forward)
    with st.popover("", icon=":material/shield_person:", type="tertiary", help="My data"):
        st.markdown(
            "Your table, its settings and all results are in this server's memory only, for as "
            f"long as this page is open and up to {_MINUTES} longer, so that a reload or a lost "
            "connection loses nothing."
        )
        save_button(studio, "save_project_here")
        st.button(
            "Forget my data",
            key="forget",
            icon=":material/delete_forever:",
            on_click=forget,
            help="Removes the table, settings, results and running work at once.",
        )


def _step(title: str, direction: str, possible: int, limit: str = "") -> None:
    st.button(
        "",
        key=direction,
        icon=f":material/{direction}:",
        type="tertiary",
        disabled=not possible,
        on_click=_go,
        args=(direction,),
        help=f"{title} one step of {possible:,}"
        if possible
        else f"{title}: {limit or f'nothing to {direction}'}",
    )


def _noted(studio: Session) -> History:
    studio.history.note(studio.work.decided)
    return studio.history


@in_visit
def _go(direction: str) -> None:
    studio = session()
    history = _noted(studio)
    if not (history.steps_back if direction == "undo" else history.steps_forward):
        return  # pressed again before the page was drawn anew
    step = -1 if direction == "undo" else 1
    decisions = history.go(step)
    there_now = decisions.table is studio.table and decisions.schema == studio.schema
    if studio.study.lock is not None and not there_now:
        history.go(-step)
        st.session_state["locked_step"] = True
        return
    studio.work.turn_to(decisions)
    st.session_state["undone_all"] = step < 0 and history.is_cut and not history.steps_back


@in_visit
def forget() -> None:
    """Let go of everything the visitor brought, made or asked for, in every tab that shows it."""
    session().empty()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
    for key in [key for key in st.session_state if key not in (*TAB_KEYS, "studio")]:
        del st.session_state[key]
    st.session_state["forgotten"] = True
    st.query_params.from_dict({})  # to clear is refused while sliders stand in the address
