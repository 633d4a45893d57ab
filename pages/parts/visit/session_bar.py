"""On every page: undo, redo, and what becomes of the visitor's data."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

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
#: What is said once, when the page is drawn again.
_TOAST = "toast"


def bar_place() -> DeltaGenerator:
    """Where the bar stands, to be called before the page: its buttons stay there while it runs."""
    place = st.container()
    place.html(_PLACE)
    return place.container(key="session_bar", horizontal=True, gap="xsmall")


def session_bar(studio: Session, bar: DeltaGenerator) -> None:
    """Note what was decided by the page, and draw the buttons that go back and forth."""
    if _TOAST in st.session_state:
        st.toast(st.session_state.pop(_TOAST))
    if studio.table is None:
        return
    history = studio.history
    history.note(studio.work.decided)
    with bar:
        for step, title, direction in ((-1, "Undo", "undo"), (1, "Redo", "redo")):
            possible = history.steps[step]
            says = f"{title} one step of {possible:,}" if possible else f"Nothing to {direction}"
            looks = {"icon": f":material/{direction}:", "type": "tertiary", "help": says}
            looks |= {"disabled": not possible, "on_click": _go, "args": (step,)}
            st.button("", key=direction, **looks)
        with st.popover("", icon=":material/shield_person:", type="tertiary", help="My data"):
            st.markdown(
                "Your table, its settings and all results are in this server's memory only, for as "
                f"long as this page is open and up to {KEPT / 60:.0f} minutes longer, so that a "
                "reload or a lost connection loses nothing."
            )
            save_button(studio, "save_project_here")
            st.button(
                "Forget my data",
                key="forget",
                icon=":material/delete_forever:",
                on_click=forget,
                help="Removes the table, settings, results and running work at once.",
            )


@in_visit
def _go(step: int) -> None:
    studio, history = session(), session().history
    history.note(studio.work.decided)
    if not history.steps[step]:
        return  # pressed again before the page was drawn anew
    decisions = history.go(step)
    there_now = decisions.table is studio.table and decisions.schema == studio.schema
    if studio.study.lock is None or there_now:
        studio.work.turn_to(decisions)
    else:
        history.go(-step)
        st.session_state[_TOAST] = (
            "The roles are locked, and so is the table: unlock them on Clinical first."
        )


@in_visit
def forget() -> None:
    """Let go of everything the visitor brought, made or asked for, in every tab that shows it."""
    session().empty()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
    for key in [key for key in st.session_state if key not in (*TAB_KEYS, "studio")]:
        del st.session_state[key]
    st.session_state[_TOAST] = "Your table, settings and results are gone."
    st.query_params.from_dict({})  # to clear is refused while sliders stand in the address
