"""What stands above the picture: views, data sets, sliders, options, and the lecture's questions.

A lecture asks for a prediction of every data set, then shows the picture and says why.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.teaching.lessons import LESSONS, Stop
from mapdp_studio.demo_datasets import GENERATED, SCENARIOS, TAUGHT
from mapdp_studio.pages.parts.shared.kit import choose_from_list, choose_one, follows
from mapdp_studio.pages.parts.teach.room import (
    DRAWN,
    FIRST,
    MORE,
    PROJECTOR,
    TITLES,
    VIEWS,
    Classroom,
    get,
    key_of,
    open_data,
    put,
    room_now,
    slider,
    stop_of,
)

KNOB_STEPS = 70
#: Where a stop's text stands, and the prediction that nobody made: the answer was just shown.
LESSON, SHOWN = "lesson-text", 0
KEYS = "teach_keys"
_keys = component(
    "mapdp_studio_lecture_keys", js=Path(__file__).with_name("keys.js").read_text(encoding="utf-8")
)


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
    is_more = get("scenario") not in SCENARIOS
    label = TITLES[get("scenario")] if is_more else MORE.get(get("view"), "More data")
    with st.popover(label, icon=":material/add:"):
        for key in (key for key in TAUGHT if key not in SCENARIOS):
            st.button(TITLES[key], key=f"open {key}", on_click=open_data, args=(key,))
        if get("points"):
            kwargs = {"points": get("points")}
            st.button(TITLES[DRAWN], on_click=open_data, args=(DRAWN,), kwargs=kwargs)
        st.caption("Where the model comes from")
        for name, title in MORE.items():
            st.button(title, key=f"open {name}", on_click=put, kwargs={"view": name})


def _choose(key: str, titles: dict[str, str], name: str, then: Callable[[str], None]) -> None:
    default = get(name) if get(name) in titles else None
    st.segmented_control(
        name,
        list(titles),
        default=default,
        format_func=titles.__getitem__,
        label_visibility="collapsed",
        **follows(key, default, lambda value: value is not None and then(value)),
    )


def draw_bar(buttons: DeltaGenerator | None) -> tuple[Classroom, list[DeltaGenerator]]:
    """The sliders in one row, and next to them what else there is; the places of the sliders."""
    with st.container(key="teach_bar"):
        *sliders, right = st.columns([3, 3, 3, 6] if buttons is None else [1, 1, 1, 0.01])
    in_lesson = current() is not None

    def button(name: str, icon: str, **kwargs: Any) -> None:
        label = "" if in_lesson else name
        st.button(label, key=f"teach {name}", icon=icon, help=name, on_click=put, **kwargs)

    with (
        right if buttons is None else buttons,
        st.container(horizontal=True, vertical_alignment="center", gap="xsmall"),
    ):
        options = st.popover("" if in_lesson else "Options", icon=":material/tune:", help="Options")
        if get("view") == "Watch":
            kind = "primary" if get("numbers") else "secondary"
            turned = {"numbers": not get("numbers")}
            button("Numbers", ":material/table_chart:", type=kind, kwargs=turned)
        if in_lesson:
            draw_ways(is_bare=False)
            key = get("scenario")
            kwargs = {"on_change": lambda: open_data(key, get("lesson"))}
            kwargs |= {"label_visibility": "collapsed"}
            numbers = range(1, len(LESSONS[key]) + 1)
            choose_one(f"Questions about {TITLES[key]}", numbers, key_of("lesson"), **kwargs)
            st.button("End", on_click=put, kwargs={"lesson": None, "prediction": None})
        else:
            place = get("scenario") if get("scenario") in TAUGHT else FIRST
            st.button("Lesson", icon=":material/school:", on_click=open_data, args=(place, 1))
        button("Projector", ":material/tv:", kwargs={PROJECTOR: True})
    room = _room_with(sliders, options)
    if not in_lesson:
        with right if buttons is None else st.container(), st.container(key=LESSON):
            text = "No groups are known here: NMI is the agreement with MAP-DP."
            st.markdown(text if room.key == DRAWN else TAUGHT[room.key].sentence)
    return room, sliders


def draw_bare_bar() -> Classroom:
    """One bar: data, sliders, back and on, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", key="teach_bar"):
        kwargs = {"on_change": lambda: open_data(get("scenario"), 1 if current() else None)}
        kwargs |= {"format_func": TITLES.get, "label_visibility": "collapsed", "width": 220}
        choose_from_list("Data set", list(TAUGHT), key_of("scenario"), **kwargs)
        sliders = [st.container(horizontal=True, vertical_alignment="center") for _ in range(3)]
        for place, name in zip(sliders, ("K", "N₀", "λ"), strict=True):
            place.markdown(f":small[{name}]", width="content")
        options = st.popover("", icon=":material/tune:", help="Options")
        draw_ways(is_bare=True)
        leave_projector()
    return _room_with(sliders, options, label_visibility="collapsed")


def leave_projector() -> None:
    """The way out of the one bar, but in the frame of a slide."""
    if not st.context.is_embedded:
        st.button("Exit", on_click=put, kwargs={PROJECTOR: False})


def _room_with(
    places: Sequence[DeltaGenerator], options: DeltaGenerator, **kwargs: Any
) -> Classroom:
    """The data set with the values of its sliders and options, which are drawn."""
    room = room_now(get("scenario"))
    for place, name in zip(places, ("k", "n0", "lambda"), strict=True):
        slider(name, place, **kwargs)
    if room.key in GENERATED:
        slider("rows", options)
        knob = GENERATED[room.key].knob
        step = round((knob.high - knob.low) / KNOB_STEPS, 2)
        slider(knob.name, options, step=step, format="%g")
    names = ["tolerance", "restarts", "seed", "bic", "cells", "lit"]
    for name in names + ["chosen"] * (get("chosen") or not room.schema.blocks):
        slider(name, options)
    return room


def current() -> Stop | None:
    return stop_of(get("scenario"), get("lesson"))


def is_asking() -> bool:
    """Whether a stop has asked and nothing was predicted yet: its answer must not be seen."""
    return current() is not None and get("prediction") is None


def onwards(by: int = 1) -> None:
    """Show the answer first; then turn to the next data set, and in a lesson to its question."""
    if is_asking() and by > 0:
        put(prediction=SHOWN)
        return
    keys = list(LESSONS)
    place = keys.index(get("scenario")) if get("scenario") in keys else -by
    open_data(keys[(place + by) % len(keys)], None if current() is None else 1)


def draw_ways(is_bare: bool) -> None:
    """Back and on, by keys, too: Page Up and Down, and the arrows that no walk takes."""
    back, on = ("←", "→") if is_bare else ("Back", "Show" if is_asking() else "Next")
    st.button(back, key="teach back", on_click=onwards, args=(-1,))
    st.button(on, key="teach next", type="primary", on_click=onwards)
    data = {"arrows": get("view") == "Watch" or current() is not None}
    _keys(key=KEYS, data=data, on_key_change=_press, height=1)


def _press() -> None:
    """Do what a key asks for; Escape takes the page off the projector."""
    key = st.session_state[KEYS].key
    if key == "out":
        put(**{PROJECTOR: False})
    elif key is not None:
        onwards(1 if key == "on" else -1)


def draw_lesson() -> None:
    """The question with its choices, or the answer and why."""
    stop, chosen = current(), get("prediction")
    with st.container(key=LESSON, gap="xxsmall"):
        st.markdown(f"**{stop.question}**")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if chosen is not None:
                said = dict(enumerate(stop.choices, start=1)).get(chosen)
                verdict = f"Not “{said}” but “{stop.rightly}”" if said else f"It is: {stop.rightly}"
                verdict = f"As you said: {said}" if said == stop.rightly else verdict
                st.markdown(f":material/lightbulb: **{verdict}.** {stop.answer}")
                return
            for number, choice in enumerate(stop.choices, start=1):
                kwargs = {"prediction": number}
                key = f"predict {number}"
                st.button(choice, key=key, on_click=put, kwargs=kwargs)
