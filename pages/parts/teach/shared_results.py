"""What the lessons' tables and sliders lead to: worked out once for all visitors of the server."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import begin_fits
from mapdp_studio.pages.parts.teach.settings import Classroom

#: Stops and settings of which everything is kept; the lessons together have some sixty. Their
#: tables are drawn or come with the app: nothing of a visitor's is in the store.
MOST = 64


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits, and what follows from them: a whole class that asks at once waits for one of it."""
    return Results(models=MOST, most=MOST)


def work_ahead(studio: Session, room: Classroom) -> None:
    """While a class thinks, fit what its predictions will be answered with, once for all of it."""
    begin_fits(studio, shared_results(), (room.frame, room.schema), room.tasks)
