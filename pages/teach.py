"""Teach: watch K-means fail on one data set after another, and see why others do not."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.plots.panel_traces import LETTERS
from mapdp_studio.demo_datasets import SCENARIOS, TAUGHT
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.kit import has_engine
from mapdp_studio.pages.parts.shared.width import page_width
from mapdp_studio.pages.parts.teach.controls import (
    DRAWN,
    FIRST,
    MORE,
    PROJECTOR,
    TITLES,
    VIEWS,
    follow_address,
    key_of,
    open_data,
    put,
    stand,
    write_address,
)
from mapdp_studio.pages.parts.teach.draw import draw
from mapdp_studio.pages.parts.teach.grid import grid
from mapdp_studio.pages.parts.teach.lesson import (
    SAID,
    current,
    draw_further,
    draw_lesson,
    draw_ways,
    is_asking,
)
from mapdp_studio.pages.parts.teach.numbers import numbers
from mapdp_studio.pages.parts.teach.restaurant import restaurant
from mapdp_studio.pages.parts.teach.room import Classroom, draw_options, draw_sliders, room_now
from mapdp_studio.pages.parts.teach.small_variance import small_variance
from mapdp_studio.pages.parts.teach.steps import steps
from mapdp_studio.pages.parts.teach.strips import draw_strips

#: Steps of the page's width at which the layout changes.
WIDTHS = (760, 1300, 1500)
WIDE = 1300
#: Letters of the panels at a desk, and on a projector by the page's width.
DESK, SCREEN = LETTERS, {0: 15, 760: 15, 1300: 17, 1500: 24}
#: Of the window, under the picture where its numbers are asked for, in pixels.
FOR_NUMBERS = 300
TEXT = "Projector: the picture fills the window, under one bar; Escape ends it."
# What stands above the pictures is kept low.
STYLE = """
.stMainBlockContainer { padding: 3.9rem 2rem 0.5rem; }
.st-key-teach_page { margin-top: -0.9rem; }
.st-key-tab, .st-key-page_width { position: absolute; width: 100%; pointer-events: none; }
.st-key-teach_head h1 { font-size: 1.5rem; padding: 0; }
.st-key-teach_page { gap: 0.45rem; }
.st-key-teach_head, .st-key-teach_bar { gap: 0.4rem; }
.st-key-teach_head button { padding-inline: 0.6rem; min-height: 2rem; }
.st-key-teach_six [role="radiogroup"] { flex-wrap: wrap; }
.st-key-lesson-said [data-testid="stMarkdownContainer"] { margin: 0; }
.st-key-lesson-said p { margin: 0; font-size: 0.95rem; line-height: 1.35; }
.st-key-teach_bar { margin-bottom: -0.8rem; }
[data-testid="stSliderTickBar"] { display: none; }
.st-key-teach_keys { position: absolute; }
.st-key-teach_bar:has([class*="st-key-strip_"], .st-key-lesson-said) { margin-bottom: 0; }
[class*="st-key-strip_"] { margin-top: -1.7rem; min-height: 46px; }
"""
# On a projector the page's own navigation is put away, and one bar is left.
BARE = """
[data-testid="stHeader"], .st-key-session_bar { display: none; }
.stMainBlockContainer { padding: 0.25rem 0.75rem; }
.st-key-teach_bar { max-height: 40px; gap: 0.4rem; margin: 0; }
.st-key-lesson-said { font-size: max(18px, 2.4vh); }
.st-key-lesson-said p, .st-key-lesson-said button p { font-size: max(18px, 2.4vh); }
"""


def draw_head(is_wide: bool) -> DeltaGenerator | None:
    """The views, the six scenarios, and all else behind one button; where there is room for more.

    Where six names fill a line, they have one of their own, and the page's buttons stand above.
    """
    buttons = None
    with st.container(horizontal=True, vertical_alignment="center", key="teach_head"):
        st.title("Teach", anchor=False, width="content")
        _choose("teach_views", VIEWS, "view", lambda name: put(view=name))
        if not is_wide:
            _more()
            buttons = st.container(horizontal=True, width="content", gap="xsmall")
        _choose("teach_six", {key: TITLES[key] for key in SCENARIOS}, "scenario", open_data)
        if is_wide:
            _more()
    return buttons


def _more() -> None:
    """All other data sets and views."""
    is_more = stand("scenario") not in SCENARIOS
    label = TITLES[stand("scenario")] if is_more else MORE.get(stand("view"), "More data")
    with st.popover(label, icon=":material/add:"):
        drawn = [DRAWN] if stand("points") else []
        for key in [*(key for key in TAUGHT if key not in SCENARIOS), *drawn]:
            moved = {"points": stand("points"), "view": "Watch"} if key == DRAWN else {}
            look = {"on_click": open_data, "args": (key,), "kwargs": moved}
            st.button(TITLES[key], key=f"open {key}", **look)
        st.caption("Where the model comes from")
        for name, title in MORE.items():
            st.button(title, key=f"open {name}", on_click=put, kwargs={"view": name})


def _choose(key: str, titles: dict[str, str], name: str, then) -> None:
    """One of several, of which none may be chosen."""
    state = st.session_state
    state[key] = stand(name) if stand(name) in titles else None

    def chosen() -> None:
        if state[key] is not None:
            then(state[key])

    st.segmented_control(
        name,
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        on_change=chosen,
        label_visibility="collapsed",
    )


def draw_bar(buttons: DeltaGenerator | None) -> tuple[Classroom, list[DeltaGenerator]]:
    """The sliders in one row, and beside them what else there is."""
    with st.container(key="teach_bar"):
        *sliders, beside = st.columns([3, 3, 3, 6] if buttons is None else [1, 1, 1, 0.01])
    with beside if buttons is None else buttons:
        row = st.container(horizontal=True, vertical_alignment="center", gap="xsmall")
    in_lesson = current() is not None
    with row:
        options = st.popover("" if in_lesson else "Options", icon=":material/tune:", help="Options")
        if stand("view") == "Watch":
            st.button(
                "" if in_lesson else "Numbers",
                key="teach show numbers",
                icon=":material/table_chart:",
                type="primary" if stand("numbers") else "secondary",
                help="Numbers",
                on_click=lambda: put(numbers=not stand("numbers")),
            )
        if in_lesson:
            draw_ways(is_bare=False)
            draw_further()
        else:
            at = stand("scenario") if stand("scenario") in TAUGHT else FIRST
            st.button("Lesson", icon=":material/school:", on_click=open_data, args=(at, 1))
        on = {PROJECTOR: True}
        st.button(
            "" if in_lesson else "Projector",
            key="teach begin projector",
            icon=":material/tv:",
            help=TEXT,
            on_click=put,
            kwargs=on,
        )
    room = room_with(sliders, options)
    if not in_lesson:
        with beside if buttons is None else st.container(), st.container(key=SAID):
            st.markdown(sentence(room))
    return room, sliders


def draw_bare_bar() -> Classroom:
    """One bar: data, sliders, back and on, and the way out."""
    bar = st.container(horizontal=True, vertical_alignment="center", key="teach_bar")
    with bar:
        st.selectbox(
            "Data set",
            list(TAUGHT),
            key=key_of("scenario"),
            format_func=TITLES.__getitem__,
            on_change=lambda: open_data(stand("scenario"), 1 if current() else None),
            label_visibility="collapsed",
            persist_state="session",
            width=220,
        )
        sliders = [st.container(horizontal=True, vertical_alignment="center") for _ in range(3)]
        options = st.popover("", icon=":material/tune:", help="Options")
        draw_ways(is_bare=True)
        leave_projector()
    return room_with(sliders, options, is_bare=True)


def leave_projector() -> None:
    """The way out of the one bar, but in the frame of a slide."""
    if not st.context.is_embedded:
        st.button("Exit", on_click=put, kwargs={PROJECTOR: False})


def room_with(sliders: list, options: DeltaGenerator, is_bare: bool = False) -> Classroom:
    """The data set as the sliders and the options stand, which are drawn."""
    room = room_now(stand("scenario"))
    draw_sliders(sliders, is_bare)
    with options:
        draw_options(room)
    return room


def show(room: Classroom, width: int, is_bare: bool, sliders: list[DeltaGenerator]) -> None:
    """The question, if one is asked, and the view; under the sliders their strips."""
    if current() is not None:
        draw_lesson()
    letters = SCREEN[width] if is_bare else DESK
    view = stand("view")
    if view == "Step" and not is_asking():
        steps(room, width, letters, is_bare)
    elif view == "From K-means":
        small_variance(room)
    else:
        stop = current()
        below = FOR_NUMBERS if stand("numbers") and not is_bare else 6
        ring = not is_asking() or stop.asks_of_row
        found = grid(room, width, letters, below, is_asking(), ring)
        if stand("numbers") and not is_bare and not is_asking():
            numbers(room, found)
        # A strip would tell the answers of a lesson.
        if sliders and current() is None:
            draw_strips(room, sliders, not found.jobs)


def sentence(room: Classroom) -> str:
    """What these data are about."""
    if room.key == DRAWN:
        return "No groups are known here: NMI is the agreement with MAP-DP."
    return TAUGHT[room.key].sentence


def main(width: int) -> None:
    """One view, for the place it is shown in."""
    is_bare = stand(PROJECTOR) or st.context.is_embedded
    st.html(f"<style>{STYLE}{BARE if is_bare else ''}</style>")
    buttons = None if is_bare else draw_head(width >= WIDE)
    if is_bare and stand("view") in ("Draw", "Restaurant"):
        with st.container(horizontal=True, key="teach_bar"):
            draw_ways(is_bare=True)
            leave_projector()
    if stand("view") == "Restaurant":
        restaurant(bool(width))
    elif stand("view") == "Draw":
        draw(above="4rem" if is_bare else "10rem")
    else:
        room, sliders = (draw_bare_bar(), []) if is_bare else draw_bar(buttons)
        show(room, width, is_bare, sliders)


session()
follow_address()
with st.container(key="teach_page"):
    width = page_width(WIDTHS, assumed=760)
    if stand("view") == "Draw" or has_engine("The clusterings appear here"):
        main(width)
write_address()
