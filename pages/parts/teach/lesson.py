"""A guided tour of one scenario: at every stop a prediction first, then the picture and why."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.teaching.lessons import LESSONS, Stop
from mapdp_studio.core.wording import unbroken
from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages.parts.teach.controls import (
    LAMBDA,
    PREDICTION,
    SCENARIO,
    STOP,
    K,
    set_at,
    stop_of,
)
from mapdp_studio.pages.parts.teach.settings import follow_suggestion

#: Where a stop's text stands, and the way through the lesson.
SAID, WAY = "lesson-said", "lesson-way"


def begin_lesson(key: str) -> None:
    """The way into a scenario's lesson, for those who are not in it."""
    names = _names(key)
    if _is_under_way(names):
        return
    st.session_state[STOP] = None
    st.button(
        f"Lesson: {len(names)} predictions",
        icon=":material/school:",
        on_click=_go,
        args=(key, names[0]),
        shortcut="Alt+L",
    )


def lesson(key: str, is_bare: bool = False) -> bool:
    """Draw the current stop of a scenario's lesson for those who are in it; whether they are.

    Bare, what is said comes first, and the way through the lesson below.
    """
    names = _names(key)
    if not _is_under_way(names):
        return False
    with st.container(border=not is_bare, gap="small"):
        places = st.container(), st.container()
        said, way = places if is_bare else reversed(places)
        with way:
            at = _way(key, names, is_bare)
    with said, st.container(gap="small", key=SAID):
        if at is not None:
            _predict(LESSONS[key][names.index(at)])
    return True


def awaiting(key: str) -> Stop | None:
    """The stop that has asked, if nothing was predicted yet: its answer must not be seen."""
    at = stop_of(key, st.session_state.get(STOP))
    return at if at is not None and _predicted(at) is None else None


def _names(key: str) -> list[str]:
    return [str(number) for number in range(1, len(LESSONS[key]) + 1)]


def _is_under_way(names: list[str]) -> bool:
    return st.session_state.get(STOP) in names


def _way(key: str, names: list[str], is_bare: bool) -> str | None:
    """Stops to choose from, back, on, and unless bare out."""
    with st.container(horizontal=True, vertical_alignment="center", key=WAY):
        at = st.segmented_control(
            f"Lesson: {TAUGHT[key].title}",
            names,
            key=STOP,
            persist_state="session",
            on_change=lambda: _go(key, st.session_state[STOP]),
            label_visibility="collapsed",
        )
        place = names.index(at) if at in names else 0
        before, after = names[max(place - 1, 0)], names[min(place + 1, len(names) - 1)]
        st.button(
            "Back",
            on_click=_go,
            args=(key, before),
            disabled=place == 0,
            shortcut="Alt+B",
        )
        st.button(
            "Next",
            type="primary",
            on_click=_go,
            args=(key, after),
            disabled=place == len(names) - 1,
            shortcut="Alt+N",
        )
        if not is_bare:
            st.button("End the lesson", type="tertiary", on_click=_go, args=(key, None))
    return at


def leave_lesson(left: str) -> None:
    """Another data set has another lesson; K follows it, unless it was moved."""
    state = st.session_state
    if state[SCENARIO] == left:  # a list took over from a row of choices, in another window
        return
    was, now = (set_at(key, None)[K] for key in (left, state[SCENARIO]))
    if state.get(K, was) == was:
        state[K] = now
    state[STOP] = None
    state.pop(PREDICTION, None)


def _go(key: str, stop: str | None) -> None:
    """Go to a stop and set the controls as it says; it begins unanswered."""
    st.session_state[STOP] = stop
    st.session_state.pop(PREDICTION, None)
    if stop is not None:
        sets = set_at(key, stop)
        st.session_state.update(sets)
        if LAMBDA not in sets:
            follow_suggestion()


# ---- a prediction


def _predicted(stop: Stop) -> int | None:
    """What was chosen, from 1 on; an address may name what is not there."""
    chosen = st.session_state.get(PREDICTION)
    return chosen if chosen in range(1, len(stop.choices) + 1) else None


def _predict(stop: Stop) -> None:
    """Ask first; once something is chosen, say what is right, and why."""
    st.session_state[PREDICTION] = _predicted(stop)
    st.markdown(f"**{unbroken(stop.question)}**")
    chosen = st.segmented_control(
        "Your prediction",
        range(1, len(stop.choices) + 1),
        format_func=lambda number: unbroken(stop.choices[number - 1]),
        key=PREDICTION,
        persist_state="session",
        label_visibility="collapsed",
    )
    if chosen is None:
        st.caption("Choose one: the picture then shows it, and the reason stands here.")
        return
    said = stop.choices[chosen - 1]
    verdict = "As you said" if said == stop.rightly else f"Not “{said}” but “{stop.rightly}”"
    st.markdown(unbroken(f":material/lightbulb: **{verdict}.** {stop.answer}"))
