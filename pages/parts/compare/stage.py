"""How Compare is laid out: sliders on top, that stay in view, and pictures as high as they can."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.panels import PARTS
from mapdp_studio.pages.parts.shared.theme import colours

# The sliders stay on top while panels that do not fit the window are scrolled past them.
_STYLE = """<style>
.stMainBlockContainer { padding-top: 3.75rem }
[data-testid="stLayoutWrapper"]:has(> .st-key-compare_head) {
    position: sticky; top: 3.75rem; z-index: 90; background: PAPER;
}
.st-key-compare_head h1 { font-size: 1.5rem; padding: 0; white-space: nowrap }
@media (max-width: 1200px) { .st-key-compare_head h1 { font-size: 1.125rem } }
[data-testid="stLayoutWrapper"]:has(> [class*='st-key-PARTS']) {
    position: absolute; height: 0; overflow: hidden
}
</style>"""
# Up beside the page's invisible parts.
_UP = """<style>
[data-testid="stLayoutWrapper"]:has(> .st-key-compare_head) { margin-top: -2.75rem }
</style>"""
#: What the marks in the panels mean.
_LEGEND = (
    "Numbers and colours name the same groups in every panel, and on the other pages. Ellipses "
    "hold 95 % of a cluster under its model; grey rings are clusters too small or too many for a "
    "colour. NMI: agreement with the known groups, or else with MAP-DP's; 1 is the same."
)


def place_sliders(is_part: bool) -> list[DeltaGenerator]:
    """Draw the title; places of three sliders beside it, and of the options."""
    style = _STYLE.replace("PAPER", colours()["paper"]).replace("PARTS", PARTS)
    st.html(style if is_part else style + _UP)
    with st.container(key="compare_head"):
        title, *places, options = st.columns([1.2, 2, 2, 2, 1.3], vertical_alignment="center")
    title.title("Compare", anchor=False)
    return [*places, options.popover("Options")]


def draw_legend(studio: Session, n_used: int, note: str) -> None:
    """Which table this is, so many of its columns clustered on, and what the marks mean."""
    table = studio.table
    weighed = "".join(
        f"weighed by “{escaped(name)}” (scaled to mean 1), "
        for name in studio.schema.names("weight")
    )
    st.caption(
        f"**{escaped(table.name)}**: {len(table.frame):,} rows, {weighed}clustered on {n_used:,} "
        f"of {table.frame.shape[1]:,} columns. {_LEGEND} {escaped(note)}"
    )
