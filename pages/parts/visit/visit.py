"""A visit: found again after a reload; undo, redo and forgetting.

Streamlit takes a reloaded page for a new visitor. So the tab keeps a key, the server the visit. The
key is random, stays in the browser's tab, and is in no address; a copy of the tab shares the visit.
"""

import threading
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.source import save_button
from mapdp_studio.pages.parts.shared.controls import ADDRESS

#: Seconds that a visit's work goes on after its last page was left, and that its table and what was
#: decided are kept after its page ran last; how many visits are kept at most.
WORKED, KEPT, MOST = 60.0, 3600.0, 50
#: Where and how long a table stays, as pages say it.
HOW_LONG = (
    "in the memory of the server that runs this app, for as long as its page is open and up to "
    f"{KEPT / 60:.0f} minutes longer, so that a reload or a lost connection loses nothing."
)
#: What a session's state holds of its tab, and not of its visitor.
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
        if own.table is not None:  # loaded before the key came
            visit = own
        _kept.clear(key, user, visit)  # its time begins anew
        return _kept(key, user, visit)


def leave(visit: Session) -> threading.Timer:
    """A page was left, or its line was cut: its work ends soon, unless somebody comes back."""

    def release() -> None:
        if not visit.n_pages:
            with visit.lock:
                visit.release()

    with _coming:
        visit.n_pages -= 1
    timer = threading.Timer(WORKED, release)
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
    own, current = state.setdefault("visit", Session()), state.get("tab_key", "")
    asked = {"data": {"current": current}, "default": {"key": ""}, "on_key_change": lambda: None}
    key = _tab(key="tab", height=1, **asked).key
    if not key:
        return
    visit = come(key, own, str(sorted(st.user.to_dict().items())))
    open_page(id(visit), visit)
    if key == current:
        return
    state["tab_key"], state["visit"] = key, visit
    if visit is not own and visit.table is not None:
        state.pop(ADDRESS, None)  # sliders that the address names stand as it says


# Next to the page's menu, in the free part of the header; what Streamlit says while a page runs is
# left of it. While it says there that the line is cut, nothing can be undone.
_PLACE = """
<style>
.st-key-session_bar {
    position: fixed; top: 0.55rem; right: 3.25rem; z-index: 999991; width: auto !important;
}
.stApp:has([data-testid="stConnectionStatus"]) .st-key-session_bar { visibility: hidden; }
[data-testid="stStatusWidget"] { position: fixed; right: 8.75rem; }
[data-testid="stConnectionStatus"], [data-testid="stConnectionStatus"] * { color: inherit; }
</style>
"""


def bar_place() -> DeltaGenerator:
    """Where the bar stands, to be called before the page: its buttons stay there while it runs."""
    place = st.container()
    place.html(_PLACE)
    return place.container(key="session_bar", horizontal=True, gap="xsmall")


def session_bar(visit: Session, bar: DeltaGenerator) -> None:
    """Note what was decided by the page, and draw the buttons that go back and forth."""
    if visit.table is None:
        return
    history = visit.history
    history.keep(visit.project.decided)
    with bar:
        for step, title, direction in ((-1, "Undo", "undo"), (1, "Redo", "redo")):
            possible = history.steps[step]
            says = f"{title} one step of {possible:,}" if possible else f"Nothing to {direction}"
            kwargs = {"icon": f":material/{direction}:", "type": "tertiary", "help": says}
            kwargs |= {"disabled": not possible, "on_click": _go, "args": (step,)}
            st.button("", key=direction, **kwargs)
        with st.popover("", icon=":material/shield_person:", type="tertiary", help="My data"):
            st.markdown(f"Your table, its settings and all results stay {HOW_LONG}")
            save_button(visit, "save_project_here")
            st.button(
                "Forget my data",
                key="forget",
                icon=":material/delete_forever:",
                on_click=forget,
                help="Removes the table, settings, results and running work at once.",
            )


@in_visit
def _go(step: int) -> None:
    visit, history = session(), session().history
    history.keep(visit.project.decided)
    if not history.steps[step]:
        return  # pressed again before the page was drawn anew
    decisions = history.go(step)
    there_now = decisions.table is visit.table and decisions.schema == visit.schema
    if visit.study.lock is None or there_now:
        visit.project.turn_to(decisions)
    else:
        history.go(-step)
        st.toast("The roles are locked, and so is the table: unlock them on Clinical first.")


@in_visit
def forget() -> None:
    """Let go of everything the visitor brought, made or asked for, in every tab that shows it."""
    session().empty()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
    for key in [key for key in st.session_state if key not in (*TAB_KEYS, "visit")]:
        del st.session_state[key]
    st.toast("Your table, settings and results are gone.")
    st.query_params.clear()
