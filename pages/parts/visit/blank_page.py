"""A page that went blank in the browser, or lacks a part, is loaded anew; the visit goes on."""

from __future__ import annotations

from streamlit.components.v2 import component

from mapdp_studio.pages.parts.shared.scripts import script_beside

_watch = component("mapdp_studio_blank_page", js=script_beside(__file__))


def mend_blank_page() -> None:
    """On every page: watch whether it is still there, and whole."""
    _watch(key="blank_page", height=1)
