"""A lecture: a prediction for every data set, then the picture and why; further ones on demand."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from mapdp_studio.core.teaching.lessons import LESSONS, Stop
from mapdp_studio.core.wording import unbroken
from mapdp_studio.pages.parts.teach.controls import (
    PROJECTOR,
    TITLES,
    key_of,
    open_data,
    put,
    stand,
    stop_of,
)

#: Where a stop's text stands, and the prediction that nobody made: the answer was just shown.
SAID, SHOWN = "lesson-said", 0
KEYS = "teach_keys"
_keys = component(
    "mapdp_studio_lecture_keys",
    js=Path(__file__).with_name("keys.js").read_text(encoding="utf-8"),
)


def current() -> Stop | None:
    """The stop of the lesson that is under way, if one is."""
    return stop_of(stand("scenario"), stand("lesson"))


def is_asking() -> bool:
    """Whether a stop has asked and nothing was predicted yet: its answer must not be seen."""
    return current() is not None and stand("prediction") is None


def onwards(by: int = 1) -> None:
    """Show the answer first; then turn to the next data set, and in a lesson to its question."""
    if is_asking() and by > 0:
        put(prediction=SHOWN)
        return
    keys = list(LESSONS)
    place = keys.index(stand("scenario")) if stand("scenario") in keys else -by
    open_data(keys[(place + by) % len(keys)], None if current() is None else 1)


def draw_ways(is_bare: bool) -> None:
    """Back and on, by keys, too: Page Up and Down, and the arrows where no walk needs these."""
    back, on = ("←", "→") if is_bare else ("Back", "Show" if is_asking() else "Next")
    st.button(back, key="teach back", on_click=onwards, args=(-1,))
    st.button(on, key="teach next", type="primary", on_click=onwards)
    data = {"arrows": stand("view") == "Watch" or is_asking()}
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
    stop = current()
    with st.container(key=SAID, gap="xxsmall"):
        st.markdown(f"**{unbroken(stop.question)}**")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _predict(stop)


def draw_further() -> None:
    """Other questions about the same data, and the end of the lesson."""
    key = stand("scenario")
    st.segmented_control(
        f"Questions about {TITLES[key]}",
        range(1, len(LESSONS[key]) + 1),
        key=key_of("lesson"),
        required=True,
        persist_state="session",
        on_change=lambda: open_data(key, stand("lesson")),
        label_visibility="collapsed",
    )
    st.button("End", on_click=put, kwargs={"lesson": None, "prediction": None})


def _predict(stop: Stop) -> None:
    """What to choose from; once something is chosen, what is right, and why."""
    chosen = stand("prediction")
    if chosen is None:
        for number, choice in enumerate(stop.choices, start=1):
            st.button(
                unbroken(choice),
                key=f"predict {number}",
                on_click=put,
                kwargs={"prediction": number},
            )
        return
    right = stop.rightly
    if chosen not in range(1, len(stop.choices) + 1):
        verdict = f"It is: {right}"
    elif stop.choices[chosen - 1] == right:
        verdict = f"As you said: {right}"
    else:
        verdict = f"Not “{stop.choices[chosen - 1]}” but “{right}”"
    st.markdown(unbroken(f":material/lightbulb: **{verdict}.** {stop.answer}"))
