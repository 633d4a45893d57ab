"""Teach: watch K-means fail on one data set after another, and see why others do not."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.shared.kit import choose_one, has_engine
from mapdp_studio.pages.parts.shared.width import page_width
from mapdp_studio.pages.parts.teach.controls import (
    ON_DRAWING,
    PROJECTOR,
    SCENARIO,
    VIEW,
    VIEWS,
    choose_switch,
    follow_address,
    write_address,
)
from mapdp_studio.pages.parts.teach.data_alone import data_alone
from mapdp_studio.pages.parts.teach.draw import draw
from mapdp_studio.pages.parts.teach.lesson import awaiting, begin_lesson, leave_lesson, lesson
from mapdp_studio.pages.parts.teach.restaurant import restaurant
from mapdp_studio.pages.parts.teach.settings import choose_settings, shared_results, work_ahead
from mapdp_studio.pages.parts.teach.sigma import sigma
from mapdp_studio.pages.parts.teach.stage import Stage, is_embedded, stage_styles
from mapdp_studio.pages.parts.teach.steps import WALK_MARKS, steps, steps_on_drawing
from mapdp_studio.pages.parts.teach.strips import strips
from mapdp_studio.pages.parts.teach.watch import LIT_MARKS, watch

#: Views of two columns of numbers.
PLANE_VIEWS = ("Step", "From K-means")
# Steps of the page's width at which the layout changes.
STEPS = (640, 820, 1200, 1600)


def choose_view() -> str:
    """The title and the views."""
    row = st.container(horizontal=True, vertical_alignment="center")
    row.title("Teach", anchor=False)
    with row:
        return choose_one("View", VIEWS, VIEW, label_visibility="collapsed")


def choose_scenario(stage: Stage) -> str:
    """The data set, the way into its lesson, and the switch for a projector."""
    with st.container(horizontal=True, vertical_alignment="center"):
        key = stage.choose(
            "Data set",
            list(TAUGHT),
            SCENARIO,
            format_func=lambda key: TAUGHT[key].title,
            on_change=leave_lesson,
            args=(st.session_state.get(SCENARIO, next(iter(TAUGHT))),),
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            begin_lesson(key)
            choose_projector()
    return key


def choose_projector() -> None:
    """The switch for a projector."""
    choose_switch(
        st,
        PROJECTOR,
        "Projector",
        "The picture fills most of the window, in large letters, with one sentence below; the "
        "page's own navigation is put away. NMI over every panel, wrong rows lit.",
    )


def arrange(view: str, stage: Stage) -> dict[str, DeltaGenerator]:
    """Where everything stands.

    On a projector the picture comes first, what is said of it beside it where there is room, with
    the buttons of a walk.
    """
    if not stage.is_picture_first:
        return {name: st.container() for name in ("data", "words", "view", "sliders")}
    is_beside = stage.panels_in_a_row
    shares = stage.halves(has_walk=view == "Step")
    halves = st.columns(shares, gap="medium") if is_beside else [st, st]
    picture, beside = (half.container() for half in halves)
    places = {name: st.container() for name in ("view", "sliders", "data")}
    with beside:
        places["words"] = st.container()
        if view == "Step":
            places["view"] = st.container()
    return places | {"picture": picture}


def on_a_scenario(studio: Session, view: str, stage: Stage) -> None:
    """The data set and what is said of it, the picture, and what drives it."""
    places = arrange(view, stage)
    if stage.is_embedded:
        key = st.session_state.get(SCENARIO, next(iter(TAUGHT)))
    else:
        with places["data"]:
            key = choose_scenario(stage)
        with places["words"]:
            if not lesson(key, stage.is_picture_first):
                st.markdown(TAUGHT[key].sentence if stage.is_projected else TAUGHT[key].text)
    with places["sliders"], st.expander("Sliders") if stage.is_folded else st.container():
        columns = st.columns(6, gap="medium") if stage.is_wide else [*st.columns(3), *st.columns(3)]
    results = shared_results()
    room = choose_settings(key, results, columns, is_tied=view == "From K-means")
    write_address()
    with places["view"]:
        if asked := awaiting(key):
            data_alone(room, results, stage, places.get("picture"), asked.asks_of_row)
            if view == "Watch":
                work_ahead(studio, room)
        elif view in PLANE_VIEWS and not room.is_plane:
            st.caption("This view needs two columns of numbers without holes: **Watch** does not.")
        elif view == "Watch":
            if stage.is_picture_first:
                places["words"].caption(LIT_MARKS)
            watch(studio, room, results, stage, places.get("picture"))
        elif view == "Step":
            if stage.is_picture_first:
                places["words"].caption(WALK_MARKS)
            steps(room, results, stage, places.get("picture"))
        elif view == "Strips":
            strips(room, studio)
        elif view == "From K-means":
            sigma(room, results, stage, places.get("picture"))


def main(studio: Session, view: str, stage: Stage) -> None:
    """One view, for the place it is shown in."""
    if view == "Draw":
        draw(studio, stage)
    elif view == "Step" and st.session_state.get(ON_DRAWING):
        steps_on_drawing(studio.teaching, stage)
    elif view == "Restaurant":
        restaurant(shared_results(), stage.panels_in_a_row)
    else:
        on_a_scenario(studio, view, stage)
        return
    if stage.is_picture_first:
        choose_projector()  # which stands beside the data set where there is one


studio = session()
follow_address()
is_projected = st.session_state.get(PROJECTOR, False)
body = st.container() if is_projected else None
with st.container():
    stage = Stage(page_width(STEPS, assumed=1200), is_projected, is_embedded())
    stage_styles(stage)
    view = st.session_state.get(VIEW, VIEWS[0]) if stage.is_embedded else choose_view()
with body or st.container():
    if view == "Draw" or has_engine("The clusterings appear here"):
        main(studio, view, stage)
write_address()
