"""A guided tour of one scenario: stops that set the sliders, then a question and its answer."""

from __future__ import annotations

import streamlit as st

from demo_datasets import SCENARIOS
from pages.parts.teach.lessons import BEGINNING, LESSONS
from pages.parts.teach.settings import LAMBDA, follow_suggestion

STOP = "lesson"
QUESTION = "Question"


def begin_lesson(key: str) -> None:
    """The way into a scenario's lesson, for those who are not in it."""
    names = _names(key)
    if _is_under_way(names):
        return
    st.session_state[STOP] = None
    st.button(
        f"Lesson: {len(names) - 1} stops and a question",
        icon=":material/school:",
        on_click=_go,
        args=(key, names[0]),
        shortcut="Alt+L",
    )


def lesson(key: str) -> None:
    """The current stop of a scenario's lesson, for those who are in it."""
    stops, names = LESSONS[key].stops, _names(key)
    if not _is_under_way(names):
        return
    with st.container(border=True, gap="small"):
        at = _way(key, names)
        if at == QUESTION:
            st.markdown(f"**{LESSONS[key].question}**")
            with st.expander("The answer"):
                st.markdown(LESSONS[key].answer)
        elif at is not None:
            st.markdown(stops[names.index(at)].text)


def _names(key: str) -> list[str]:
    return [*(str(number + 1) for number in range(len(LESSONS[key].stops))), QUESTION]


def _is_under_way(names: list[str]) -> bool:
    return (st.session_state.get(STOP) or st.query_params.get(STOP)) in names


def _way(key: str, names: list[str]) -> str | None:
    """Stops to choose from, and back, on and out."""
    with st.container(horizontal=True, vertical_alignment="center"):
        at = st.segmented_control(
            f"Lesson: {SCENARIOS[key].title}",
            names,
            key=STOP,
            bind="query-params",
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
        st.button("End the lesson", type="tertiary", on_click=_go, args=(key, None))
    return at


def leave_lesson() -> None:
    """Another scenario has another lesson."""
    st.session_state[STOP] = None


def _go(key: str, stop: str | None) -> None:
    """Go to a stop and set the sliders as it says; the question leaves them."""
    state = st.session_state
    state[STOP] = stop
    if stop is None or stop == QUESTION:
        return
    knob = SCENARIOS[key].knob
    sets = LESSONS[key].stops[int(stop) - 1].sets
    state.update({**BEGINNING, knob.name: knob.default, **sets})
    if LAMBDA not in sets:
        follow_suggestion()
