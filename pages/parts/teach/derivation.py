"""One derivation: from E-M to K-means by four switches, on one picture in the browser."""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2 import component

from core.plots.template import PALETTE
from core.teaching.ladder import BEFORE, SWITCHES
from pages.parts.teach.controls import PREDICTION, TURNED
from pages.parts.teach.live.scripts import DERIVATION, live_scripts, live_text
from pages.parts.teach.predict import predict, predicted
from pages.parts.teach.stage import Stage

_picture = component(
    "mapdp_studio_derivation",
    html=live_text("derivation.html"),
    css=live_text("board.css") + live_text("derivation.css"),
    js=live_scripts(DERIVATION),
)


def derivation(stage: Stage) -> None:
    """The switches, the picture with the bill of a point, and the prediction of the last switch."""
    turned = st.session_state.get(TURNED) or 0
    with st.container(horizontal=True, vertical_alignment="center"):
        for number, switch in enumerate(SWITCHES, start=1):
            key = f"derivation_switch_{number}"
            st.session_state[key] = number <= turned
            st.toggle(f"{number}. {switch.title}", key=key, on_change=_turn, args=(number,))
    waits = turned > 0 and predicted(SWITCHES[turned - 1].stop) is None
    _picture(
        key="derivation",
        data={
            "rung": turned - waits,
            "colours": PALETTE,
            "above": "15rem" if stage.is_folded else "24rem",
        },
        height="content",
    )
    if turned:
        predict(SWITCHES[turned - 1].stop, st.columns([5, 4], vertical_alignment="center"))
    else:
        st.markdown(BEFORE)


def _turn(number: int) -> None:
    """Each switch stands on those before it: they are on where it is, and off those after it.

    What was predicted of a switch is kept for when those after it go off again.
    """
    state = st.session_state
    is_on = state[f"derivation_switch_{number}"]
    said = state.setdefault("derivation_predictions", {})
    said[state.get(TURNED)] = state.pop(PREDICTION, None)
    state[TURNED] = number if is_on else number - 1
    if not is_on:
        state[PREDICTION] = said.get(number - 1)
