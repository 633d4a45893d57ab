"""How wide the page is: Streamlit's server is not told, and a figure's panels must fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_probe = component("mapdp_studio_page_width", js=_SCRIPT)


def page_width(steps: Sequence[int], assumed: int) -> int:
    """Largest of the steps, in pixels, that the page is as wide as; ``assumed`` at first."""
    told = st.session_state.get("page_width_told", assumed)
    data, default = {"steps": list(steps), "told": told}, {"step": told}
    asked = {"data": data, "default": default, "on_step_change": lambda: None}
    st.session_state["page_width_told"] = step = int(
        _probe(key="page_width", height=1, **asked).step
    )
    return step
