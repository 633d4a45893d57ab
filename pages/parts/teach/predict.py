"""A prediction: the question, its choices, and once one is chosen what is right, and why."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.teaching.lessons import Stop
from mapdp_studio.core.wording import unbroken
from mapdp_studio.pages.parts.teach.controls import PREDICTION


def predicted(stop: Stop) -> int | None:
    """What was chosen, from 1 on; an address may name what is not there."""
    chosen = st.session_state.get(PREDICTION)
    return chosen if chosen in range(1, len(stop.choices) + 1) else None


def predict(stop: Stop) -> None:
    """Ask first; once something is chosen, say what is right, and why."""
    st.session_state[PREDICTION] = predicted(stop)
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
