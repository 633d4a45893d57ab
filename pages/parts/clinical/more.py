"""Under More: a second cohort, and the page as the 2016 paper would have had it."""

from __future__ import annotations

import streamlit as st

from pages import Session
from pages.parts.clinical.paper import paper
from pages.parts.clinical.second import second

VIEWS = {"A second cohort": second, "The 2016 paper's analysis": paper}


def more(studio: Session) -> None:
    """One of both."""
    view = st.segmented_control(
        "View",
        list(VIEWS),
        default=next(iter(VIEWS)),
        required=True,
        key="more_view",
        persist_state="session",
        label_visibility="collapsed",
    )
    VIEWS[view](studio)
