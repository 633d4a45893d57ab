"""A prediction: the question, its choices, and once one is chosen what is right, and why."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.teaching.lessons import Stop
from core.wording import unbroken
from pages.parts.teach.controls import PREDICTION


def predicted(stop: Stop) -> int | None:
    """What was chosen, from 1 on; an address may name what is not there."""
    chosen = st.session_state.get(PREDICTION)
    return chosen if chosen in range(1, len(stop.choices) + 1) else None


def predict(stop: Stop, places: Sequence[DeltaGenerator] = ()) -> None:
    """Ask first; once something is chosen, say what is right, and why.

    The question and its choices may stand in places of their own, such as two columns.
    """
    st.session_state[PREDICTION] = predicted(stop)
    asking, choosing = places or (st.container(), st.container())
    asking.markdown(f"**{unbroken(stop.question)}**")
    with choosing:
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
