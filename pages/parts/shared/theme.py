"""Colours of the visitor's theme, for figures that draw on the page's own background."""

from __future__ import annotations

import streamlit as st


def colours() -> dict[str, str]:
    """Colour of the text and of the page, as figures take them."""
    theme = f"theme.{st.context.theme.type or 'light'}"
    return {
        "ink": st.get_option(f"{theme}.textColor"),
        "paper": st.get_option(f"{theme}.backgroundColor"),
    }
