"""Which page is drawn, and whether the visitor has just come to it or gone back."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

#: Where the page that is drawn is kept, and the one that was drawn before.
PAGE, _BEFORE = "page_drawn", "page_drawn_before"


def note_page(name: str) -> None:
    """Keep the page that is drawn now."""
    state = st.session_state
    state[_BEFORE], state[PAGE] = state.get(PAGE), name


def is_new_here() -> bool:
    """Whether the visitor comes from another page, or by the browser's own way back or forward."""
    state, context = st.session_state, get_script_run_ctx()
    comes = state.get(_BEFORE) != state.get(PAGE)
    return comes or (context is not None and context.is_history_navigation)
