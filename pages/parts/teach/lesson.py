"""A guided tour of one scenario: stops that set the sliders, then a question and its answer."""

from __future__ import annotations

import streamlit as st

from core.teaching.assignment import assignment_sheet
from demo_datasets import TAUGHT
from pages.parts.shared.kit import download
from pages.parts.teach.address import address_of
from pages.parts.teach.controls import LAMBDA, PREDICTION, SCENARIO, STOP, K
from pages.parts.teach.lessons import LESSONS, QUESTION, set_at
from pages.parts.teach.settings import follow_suggestion


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


def lesson(key: str, is_bare: bool = False) -> bool:
    """Draw the current stop of a scenario's lesson for those who are in it; whether they are.

    Bare, what is said comes first, and the way through the lesson below.
    """
    stops, names = LESSONS[key].stops, _names(key)
    if not _is_under_way(names):
        return False
    with st.container(border=not is_bare, gap="small"):
        places = st.container(gap="small"), st.container()
        said, way = places if is_bare else reversed(places)
        with way:
            at = _way(key, names)
    with said:
        if at == QUESTION:
            _question(key)
        elif at is not None:
            st.markdown(stops[names.index(at)].text)
    return True


def _names(key: str) -> list[str]:
    return [*(str(number + 1) for number in range(len(LESSONS[key].stops))), QUESTION]


def _is_under_way(names: list[str]) -> bool:
    return st.session_state.get(STOP) in names


def _way(key: str, names: list[str]) -> str | None:
    """Stops to choose from, and back, on and out."""
    with st.container(horizontal=True, vertical_alignment="center"):
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
        st.button("End the lesson", type="tertiary", on_click=_go, args=(key, None))
        download(
            "Sheet",
            lambda: lesson_sheet(key),
            f"lesson-{key}.html",
            "text/html",
            type="tertiary",
            help="The lesson on one sheet to print, with the addresses of its stops.",
        )
    return at


def leave_lesson(left: str) -> None:
    """Another data set has another lesson; K follows it, unless it was moved."""
    state = st.session_state
    was, now = (set_at(key, None)[K] for key in (left, state[SCENARIO]))
    if state.get(K, was) == was:
        state[K] = now
    state[STOP] = None
    state.pop(PREDICTION, None)


def _go(key: str, stop: str | None) -> None:
    """Go to a stop and set the controls as it says; the question begins unanswered."""
    st.session_state[STOP] = stop
    st.session_state.pop(PREDICTION, None)
    if stop is not None:
        _set(key, stop)


def _set(key: str, stop: str) -> None:
    """Let the controls stand as they do at a stop, or at the answer."""
    sets = set_at(key, stop, st.session_state.get(PREDICTION))
    st.session_state.update(sets)
    if LAMBDA not in sets:
        follow_suggestion()


def lesson_sheet(key: str) -> str:
    """The lesson to be printed."""
    stops, question = LESSONS[key].stops, LESSONS[key].question
    return assignment_sheet(
        f"{TAUGHT[key].title}: where K-means fails, and why",
        TAUGHT[key].text,
        [(stop.text, _link(key, str(number))) for number, stop in enumerate(stops, start=1)],
        question.text,
        question.choices,
        _link(key, QUESTION),
    )


def _link(key: str, stop: str) -> str:
    return address_of({SCENARIO: key, STOP: stop})


def _question(key: str) -> None:
    """Ask first; once something is chosen, show it, with the reason."""
    question = LESSONS[key].question
    st.markdown(f"**{question.text}**")
    numbers = range(1, len(question.choices) + 1)
    if st.session_state.get(PREDICTION) not in numbers:  # as it may come with an address
        st.session_state[PREDICTION] = None
    chosen = st.segmented_control(
        "Your prediction",
        numbers,
        format_func=lambda number: question.choices[number - 1],
        key=PREDICTION,
        persist_state="session",
        on_change=lambda: _set(key, QUESTION),
        label_visibility="collapsed",
    )
    if chosen is None:
        st.caption("Choose one: the picture then shows it, and the reason stands here.")
        return
    said, right = question.choices[chosen - 1], question.choices[question.right]
    verdict = "As you said" if said == right else f"Not “{said}” but “{right}”"
    st.markdown(f":material/lightbulb: **{verdict}.** {question.answer}")
