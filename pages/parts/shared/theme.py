"""Colours of the visitor's theme, for figures that draw on the page's own background."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st


def colours() -> dict[str, str]:
    """Colour of the text and of the page, as figures take them."""
    theme = f"theme.{st.context.theme.type or 'light'}"
    return {
        "ink": st.get_option(f"{theme}.textColor"),
        "paper": st.get_option(f"{theme}.backgroundColor"),
    }


def inked(figure: go.Figure) -> go.Figure:
    """Write a figure's axes in the page's own ink: Streamlit's grey is hard to read."""
    ink = colours()["ink"]
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont_color=ink, title_font_color=ink)
    return figure
