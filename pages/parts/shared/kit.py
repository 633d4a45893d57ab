"""What every page is laid out by: heading, need of a table, of the engine, tabs, choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import run_again_when
from mapdp_studio.pages.parts.shared.engine import FIRST_START, engine

SHOWN_PROBLEMS = 3
#: What a page shows first is what stands under its title: what stands above it is kept low.
LOW_HEAD = "<style>.stMainBlockContainer { padding-top: 4rem }</style>"
#: What stands beside a title may take two rows; the title stays in the first.
_IN_FIRST_ROW = "<style>.st-key-heading { align-items: first baseline }</style>"
#: Of a card, at least, and of each half of a page, in pixels.
CARD_WIDTH, HALF_WIDTH = 356, 440
#: Where the page that is drawn is kept, and the one that was drawn before.
PAGE, _BEFORE = "page_drawn", "page_drawn_before"


def say_in_address(name: str, value: str | None) -> None:
    """Let the address hold a value of a page, or, with None, nothing of that name."""
    if st.query_params.get(name) == value:
        return  # each writing sends the whole address as it was when the run began
    if value is None:
        del st.query_params[name]
    else:
        st.query_params[name] = value


def note_page(name: str) -> None:
    state = st.session_state
    state[_BEFORE], state[PAGE] = state.get(PAGE), name


def is_new_here() -> bool:
    """Whether the visitor comes from another page, or by the browser's own way back or forward."""
    state, context = st.session_state, get_script_run_ctx()
    comes = state.get(_BEFORE) != state.get(PAGE)
    return comes or (context is not None and context.is_history_navigation)


def heading(title: str, studio: Session) -> DeltaGenerator:
    """Draw a page's title and the current table's name in one row; the place between, for more."""
    st.html(LOW_HEAD + _IN_FIRST_ROW)
    row = st.container(horizontal=True, key="heading")
    row.title(title, anchor=False, width="content")
    between = row.container(horizontal=True, vertical_alignment="center", width="stretch")
    if studio.table is not None:
        row.caption(f"**{escaped(studio.table.name)}**", width="content")
    return between


def has_table(studio: Session) -> bool:
    if studio.table is None:
        text = "Load a table of your own, or choose an example, to begin."
        st.info(text, icon=":material/table:")
        go_to_data()
    return studio.table is not None


def go_to_data() -> None:
    if st.button("Go to Data", icon=":material/table_chart:"):
        to_data()


def to_data() -> NoReturn:
    # Told no parameters, Streamlit refuses to leave a page whose sliders stand in the address.
    st.switch_page("pages/data.py", query_params={})


def has_engine(awaited: str) -> bool:
    """Whether the engine is ready; until it is, say what comes then, and draw the page anew."""
    if engine().ready:
        return True
    long = f": {FIRST_START}" if engine().first_start else ""
    text = f"{awaited} as soon as the engine is ready{long}."
    run_again_when(lambda: engine().ready, lambda: st.info(text, icon=":material/bolt:"))
    return False


def halves() -> list[DeltaGenerator]:
    """Two places side by side where each has room, one below the other else."""
    grid = st.grid(2, min_column_width=HALF_WIDTH, gap="large")
    return [grid.cell(), grid.cell()]


def draw_tabs(key: str, views: Mapping[str, Callable[..., None]], *arguments: Any) -> None:
    """Draw views, by the tab's title, in tabs; only the open one is called, with the arguments."""
    tabs = st.tabs(list(views), key=key, on_change="rerun")
    for tab, draw in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                draw(*arguments)


def choose_one(label: str, options: Sequence[Any], key: str, **kwargs: Any) -> Any:
    """Exactly one of a few options, kept from page to page; the first one to begin with."""
    given = {"default": options[0], "persist_state": "session"} | kwargs
    return st.segmented_control(label, options, required=True, key=key, **given)


def choose_from_list(label: str, options: Sequence[Any], key: str, **kwargs: Any) -> Any:
    """As ``choose_one``, in a list that opens: for a narrow place."""
    return st.selectbox(label, options, key=key, **{"persist_state": "session"} | kwargs)


def download(
    label: str,
    content: str | bytes | Callable[[], str | bytes],
    name: str,
    mime: str | None,
    **kwargs: Any,
) -> None:
    """Draw a button that saves a file, made when it is asked for, without running the page."""
    given = {"icon": ":material/download:", "on_click": "ignore"} | kwargs
    st.download_button(label, content, name, mime, **given)


def show_refused(studio: Session) -> None:
    """Say why the last changes were not made."""
    problems = list(map(escaped, studio.refused.values()))
    more = len(problems) - SHOWN_PROBLEMS
    if more > 0:
        problems[SHOWN_PROBLEMS:] = [f"For similar reasons: {more:,} more."]
    for problem in problems:
        st.error(f"Not changed. {problem}", icon=":material/undo:")


def shown_ids(studio: Session) -> tuple[str, ...]:
    """Columns that identify rows, where they are asked for by a switch; none of a locked study."""
    ids = studio.schema.names("id")
    if not ids or studio.study.lock is not None:
        return ()
    is_on = st.toggle(
        f"With {listed(map(escaped, ids), 2)}",
        key="with_ids",
        persist_state="session",
        help="What identifies rows: a name or a number of a person is nobody else's business, that "
        "of a state or a shop may be what you look for.",
    )
    return ids if is_on else ()
