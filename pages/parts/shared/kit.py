"""What every page is laid out by: heading, needs, tabs, choices, figures, tables."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from mimetypes import guess_type
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.methods.warmup import is_compiled
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.heat_maps import contingency_figure
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import NotYet, Session, in_visit
from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.compute import FIRST_START, is_ready, run_again_when

SHOWN_PROBLEMS = 3
#: What a page shows first is what stands under its title: what stands above it is kept low.
LOW_HEAD = "<style>.stMainBlockContainer { padding-top: 4rem }</style>"
#: What stands next to a title may take two rows; the title stays in the first.
_IN_FIRST_ROW = "<style>.st-key-heading { align-items: first baseline }</style>"
#: Of a card, at least, and of each half of a page, in pixels.
CARD_WIDTH, HALF_WIDTH = 356, 440
#: Of a widget: its value stays while it is not drawn, and is in no address of Streamlit's making.
KEPT = {"persist_state": "session"}
#: Where the page that is drawn is kept, and the one that was drawn before.
PAGE, BEFORE = "page_drawn", "page_drawn_before"


def heading(title: str, visit: Session) -> DeltaGenerator:
    """Draw a page's title and the current table's name in one row; the place between, for more."""
    st.html(LOW_HEAD + _IN_FIRST_ROW)
    row = st.container(horizontal=True, key="heading")
    row.title(title, anchor=False, width="content")
    between = row.container(horizontal=True, vertical_alignment="center", width="stretch")
    if visit.table is not None:
        row.caption(f"**{escaped(visit.table.name)}**", width="content")
    return between


def need_table(visit: Session) -> None:
    """Go on where there is a table; NotYet, and the way to one, else."""
    if visit.table is None:
        st.info("Load a table of your own, or choose an example.", icon=":material/table:")
        if st.button("Go to Data", icon=":material/table_chart:"):
            st.switch_page("pages/data.py")
        raise NotYet


def need_engine(awaited: str) -> None:
    """Go on once the engine is ready; NotYet, and what comes then, else."""
    if not is_ready():
        long = "" if is_compiled() else f": {FIRST_START}"
        text = f"{awaited} as soon as the engine is ready{long}."
        run_again_when(is_ready, lambda: st.info(text, icon=":material/bolt:"))
        raise NotYet


def halves() -> list[DeltaGenerator]:
    """Two places side by side where each has room, one below the other else."""
    grid = st.grid(2, min_column_width=HALF_WIDTH, gap="large")
    return [grid.cell(), grid.cell()]


def draw_tabs(key: str, views: Mapping[str, Callable[..., None]], *arguments: Any) -> None:
    """Draw views, by the tab's title, in tabs; only the open one is called, with the arguments."""
    tabs = st.tabs(list(views), key=key, on_change="rerun")
    for tab, draw in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab, suppress(NotYet):
                draw(*arguments)


def takes(key: str, take: Callable[[Any], object]) -> dict[str, Any]:
    """Arguments of a widget that hands over where it was moved to."""
    return {"key": key, "on_change": in_visit(lambda: take(st.session_state[key]))}


def follows(key: str, value: Any, take: Callable[[Any], object]) -> dict[str, Any]:
    """As ``takes``, of a widget that stands at a value of the visit, and begins with the same one.

    What is written to the session's state overrides the browser, and so a move on its way there: a
    widget that stands where it should is left alone.
    """
    if st.session_state.get(key, value) != value:
        st.session_state[key] = value
    return takes(key, take)


def choose_one(label: str, options: Sequence[Any], key: str, **kwargs: Any) -> Any:
    """Exactly one of a few options, kept from page to page; the first one to begin with."""
    given = {"default": options[0]} | KEPT | kwargs
    return st.segmented_control(label, options, required=True, key=key, **given)


def choose_from_list(label: str, options: Sequence[Any], key: str, **kwargs: Any) -> Any:
    """As ``choose_one``, in a list that opens: for a narrow place."""
    return st.selectbox(label, options, key=key, **KEPT | kwargs)


def download(
    label: str, content: str | bytes | Callable[[], str | bytes], name: str, **kwargs: Any
) -> None:
    """Draw a button that saves a file, made when it is asked for, without running the page."""
    given = {"icon": ":material/download:", "on_click": "ignore"} | kwargs
    st.download_button(label, content, name, guess_type(name)[0], **given)


def show_refused(visit: Session) -> None:
    """Say why the last changes were not made."""
    problems = list(map(escaped, visit.refused.values()))
    more = len(problems) - SHOWN_PROBLEMS
    if more > 0:
        problems[SHOWN_PROBLEMS:] = [f"For similar reasons: {more:,} more."]
    for problem in problems:
        st.error(f"Not changed. {problem}", icon=":material/undo:")


def shown_ids(visit: Session) -> tuple[str, ...]:
    """Columns that identify rows, where they are asked for by a switch; none of a locked study."""
    ids = visit.schema.names("id")
    if not ids or visit.study.lock is not None:
        return ()
    is_on = st.toggle(
        f"With {listed(map(escaped, ids), 2)}",
        key="with_ids",
        persist_state="session",
        help="What identifies rows: a name or a number of a person is nobody else's business, that "
        "of a state or a shop may be what you look for.",
    )
    return ids if is_on else ()


def colours() -> dict[str, str]:
    """Colour of the text and of the page, as figures take them."""
    theme = f"theme.{st.context.theme.type or 'light'}"
    return {
        "ink": st.get_option(f"{theme}.textColor"),
        "paper": st.get_option(f"{theme}.backgroundColor"),
    }


def picture(figure: go.Figure, name: str, alt: str) -> None:
    """Draw a figure that can be saved under a name; ``alt`` says what it shows."""
    ink = colours()["ink"]  # Streamlit's grey is hard to read
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont_color=ink, title_font_color=ink)
    st.plotly_chart(figure, key=f"chart-{name}", config=saving(name), alt=alt)


def listing(data: Any, alt: str, place: Any = st, **kwargs: Any) -> Any:
    """Draw a table without its index, a dash for what is missing; ``alt`` says what it shows."""
    return place.dataframe(data, hide_index=True, placeholder="\u2013", alt=alt, **kwargs)


def crossed(
    table: Contingency, down: tuple[str, Sequence[str]], across: tuple[str, Sequence[str]]
) -> None:
    """Draw two partitions, each a title and its groups' names, against each other."""
    figure = contingency_figure(table, down, across, colours()["paper"])
    alt = f"Rows by their group under {down[0]}, down, and {across[0]}, across"
    picture(figure, "groups-crossed", alt)
