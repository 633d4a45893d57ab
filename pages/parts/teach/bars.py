"""What stands above the picture: views and data sets, sliders, options, and the ways on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import K_MAX
from mapdp_studio.demo_datasets import GENERATED, SCENARIOS, TAUGHT
from mapdp_studio.pages.parts.teach.controls import (
    DRAWN,
    FIRST,
    MORE,
    PROJECTOR,
    TITLES,
    VIEWS,
    controls,
    key_of,
    open_data,
    put,
    stand,
)
from mapdp_studio.pages.parts.teach.lesson import SAID, current, draw_further, draw_ways
from mapdp_studio.pages.parts.teach.room import Classroom, room_now

#: Of a widget: kept from page to page, and in no address of Streamlit's making.
KEPT = {"persist_state": "session"}
KNOB_STEPS = 70
TEXT = "Projector: the picture fills the window, under one bar; Escape ends it."


def draw_head(is_wide: bool) -> DeltaGenerator | None:
    """The views, the six scenarios, and all else behind one button; more where there is room."""
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
    state = st.session_state
    state[key] = stand(name) if stand(name) in titles else None
    st.segmented_control(
        name,
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        on_change=lambda: state[key] is not None and then(state[key]),
        label_visibility="collapsed",
    )


def draw_bar(buttons: DeltaGenerator | None) -> tuple[Classroom, list[DeltaGenerator]]:
    """The sliders in one row, and beside them what else there is; the places of the sliders."""
    with st.container(key="teach_bar"):
        *sliders, beside = st.columns([3, 3, 3, 6] if buttons is None else [1, 1, 1, 0.01])
    in_lesson = current() is not None
    with (
        beside if buttons is None else buttons,
        st.container(horizontal=True, vertical_alignment="center", gap="xsmall"),
    ):
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
            place = stand("scenario") if stand("scenario") in TAUGHT else FIRST
            st.button("Lesson", icon=":material/school:", on_click=open_data, args=(place, 1))
        st.button(
            "" if in_lesson else "Projector",
            key="teach begin projector",
            icon=":material/tv:",
            help=TEXT,
            on_click=put,
            kwargs={PROJECTOR: True},
        )
    room = _room_with(sliders, options)
    if not in_lesson:
        with beside if buttons is None else st.container(), st.container(key=SAID):
            text = "No groups are known here: NMI is the agreement with MAP-DP."
            st.markdown(text if room.key == DRAWN else TAUGHT[room.key].sentence)
    return room, sliders


def draw_bare_bar() -> Classroom:
    """One bar: data, sliders, back and on, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", key="teach_bar"):
        st.selectbox(
            "Data set",
            list(TAUGHT),
            key=key_of("scenario"),
            format_func=TITLES.__getitem__,
            on_change=lambda: open_data(stand("scenario"), 1 if current() else None),
            label_visibility="collapsed",
            width=220,
            **KEPT,
        )
        sliders = [st.container(horizontal=True, vertical_alignment="center") for _ in range(3)]
        options = st.popover("", icon=":material/tune:", help="Options")
        draw_ways(is_bare=True)
        leave_projector()
    return _room_with(sliders, options, is_bare=True)


def leave_projector() -> None:
    """The way out of the one bar, but in the frame of a slide."""
    if not st.context.is_embedded:
        st.button("Exit", on_click=put, kwargs={PROJECTOR: False})


def _room_with(
    places: Sequence[DeltaGenerator], options: DeltaGenerator, is_bare: bool = False
) -> Classroom:
    """The data set as its sliders and options stand, which are drawn; bare, their names beside."""
    room = room_now(stand("scenario"))
    look = {"label_visibility": "collapsed" if is_bare else "visible"}
    if is_bare:
        for place, name in zip(places, ("K", "N₀", "λ"), strict=True):
            place.markdown(f":small[{name}]", width="content")
    k, n_0, penalty = places
    k.slider(
        "Clusters K",
        1,
        K_MAX,
        key=key_of("k"),
        help="Up: more groups. E-M has to be told K; K-means, too, unless BIC chooses for it.",
        **KEPT,
        **look,
    )
    text = (
        "Up: more clusters. The prior count of the Dirichlet process: how readily a row founds a "
    )
    text += f"cluster of its own. Read by {METHODS.readers('concentration')} only."
    choose_position(n_0, "n0", "Concentration N₀", text, **look)
    text = "Up: fewer clusters. What a cluster costs DP-means, as a squared distance between "
    text += "standardised rows; at first what gives the K that the data set opens with. Read by "
    text += f"{METHODS.readers('penalty')} only."
    choose_position(penalty, "lambda", "Penalty λ", text, **look)
    with options:
        _draw_options(room)
    return room


def choose_position(
    place: DeltaGenerator, name: str, label: str, text: str, form: str = "{:g}", **look: Any
) -> None:
    """The slider of a control that has positions, with a text of help."""
    look = {"format_func": form.format, "help": text, **KEPT} | look
    place.select_slider(label, controls()[name].options, key=key_of(name), **look)


def _draw_options(room: Classroom) -> None:
    """The table's own settings, what else the algorithms are told, and what the picture shows."""
    if room.key in GENERATED:
        text = "How many rows are drawn. The shapes stay, the evidence grows."
        choose_position(st, "rows", "Rows N", text, "{:,}")
        knob = GENERATED[room.key].knob
        step = round((knob.high - knob.low) / KNOB_STEPS, 2)
        look = {"step": step, "format": "%g", "key": key_of(knob.name), "help": knob.help}
        st.slider(knob.label, knob.low, knob.high, **look, **KEPT)
    text = "At 1 every row counts fully; to the right, small deviations from the model count less."
    choose_position(st, "tolerance", "Tolerance for misfit", text)
    st.slider("Restarts", 1, 10, key=key_of("restarts"), **KEPT)
    bounds = controls()["seed"].bounds
    st.number_input("Seed of data and random starts", *bounds, key=key_of("seed"), **KEPT)
    switches = {
        "bic": ("BIC chooses K for K-means", f"K-means runs for K = 1 to {K_MAX}."),
        "cells": (
            "Cells of K-means",
            "The part of the plane that is nearest to each centre (Voronoi cells), and the centres "
            "as crosses: one that lies far outside stands at the edge, with an arrow.",
        ),
        "lit": ("Wrong rows", "Lights rows whose cluster is not the one of their true group."),
    }
    if stand("chosen") or not room.schema.blocks:
        switches["chosen"] = (
            "The table chooses its model",
            "Likelihoods, logarithms and which columns vary together within the groups, chosen "
            "with the groups by E. Otherwise every column stands alone.",
        )
    for name, (label, text) in switches.items():
        st.toggle(label, key=key_of(name), help=text, **KEPT)
    st.button(
        "All as at first",
        icon=":material/restart_alt:",
        on_click=open_data,
        args=(room.key, stand("lesson")),
        kwargs={"points": stand("points"), "view": stand("view")},
    )
