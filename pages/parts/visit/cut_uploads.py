"""A file that did not arrive whole: Streamlit gives the name of its error, this a sentence."""

from __future__ import annotations

from streamlit.components.v2 import component

from mapdp_studio.pages.parts.shared.scripts import script_beside

_sentences = component("mapdp_studio_cut_uploads", js=script_beside(__file__))


def explain_cut_uploads() -> None:
    """On every page: below whichever uploader a file was cut off on its way."""
    _sentences(key="cut_uploads", height=1)
