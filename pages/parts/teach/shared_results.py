"""What the lessons' tables and sliders lead to: worked out once for all visitors of the server."""

from __future__ import annotations

import streamlit as st

from core.comparing.comparison import Results
from pages.parts.shared.turns import wait_aside

#: Stops and settings of which everything is kept; the lessons together have some sixty. Their
#: tables are drawn or come with the app: nothing of a visitor's is in the store.
MOST = 64


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits, and what follows from them: a whole class that asks at once waits for one of it."""
    return Results(models=MOST, most=MOST, wait=wait_aside)
