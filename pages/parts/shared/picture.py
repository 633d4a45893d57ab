"""A figure as the analyst's pages show it: still, with words for those who do not see it."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.theme import inked


def picture(figure: go.Figure, key: str, alt: str, name: str) -> None:
    """Draw a figure that can be saved under a name; ``alt`` says what it shows.

    The key, letters, digits and hyphens, tells it from others.
    """
    with st.container(key=key):
        st.plotly_chart(inked(figure), key=f"chart-{key}", config=saving(name), alt=alt)
