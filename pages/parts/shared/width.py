"""How wide the page is: Streamlit's server is not told, and a figure's panels must fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component
from streamlit.delta_generator import DeltaGenerator

#: Steps for a page whose halves stand side by side where they have room.
HALVES = (480, 760, 1000, 1100)
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_probe = component("mapdp_studio_page_width", js=_SCRIPT)


def page_width(steps: Sequence[int], assumed: int) -> int:
    """Largest of the steps, in pixels, that the page is at least as wide as; 0 below them all.

    The page runs again when a window crosses a step; until it has been measured, ``assumed``.
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


def beside(shares: Sequence[int], least: int = 1000) -> list[DeltaGenerator]:
    """Places side by side on a page of at least so many pixels, one below the other else.

    The page itself has called ``page_width``, with a step near ``least``.
    """
    if st.session_state.get("page_width_told", least) >= least:
        return st.columns(shares, gap="large")
    return [st.container() for _ in shares]
