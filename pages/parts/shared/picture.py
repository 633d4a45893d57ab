"""A figure as the analyst's pages show it: still, with words for those who do not see it."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.pages.parts.shared.figure_tools import STILL, save_buttons
from mapdp_studio.pages.parts.shared.theme import inked


def picture(figure: go.Figure, key: str, alt: str, name: str) -> None:
    """Draw a figure, with buttons that save it as PNG or SVG under a name.

    The key, letters, digits and hyphens, tells it from others; ``alt`` says what it shows.
    """
    with st.container(key=key, gap="xsmall"):
        st.plotly_chart(inked(figure), key=f"chart-{key}", config=STILL, alt=alt)
        save_buttons(key, name)
