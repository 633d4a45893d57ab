"""How wide the page is: Streamlit's server is not told, and a figure's panels must fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_probe = component("mapdp_studio_page_width", js=_SCRIPT)


def page_width(steps: Sequence[int], assumed: int) -> int:
    """Largest of the steps, in pixels, that the page is at least as wide as; 0 below them all.

    Until it has been measured, ``assumed``.
    """
    key = "page_width"
    told = st.session_state.get("page_width_told", assumed)
    measured = _probe(
        key=key,
        data={"steps": list(steps), "told": told},
        default={"step": told},
        on_step_change=lambda: None,
        height=1,
    )
    st.session_state["page_width_told"] = measured.step
    return int(measured.step)
