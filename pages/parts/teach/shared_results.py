"""What the lessons' tables and sliders lead to: worked out once for all visitors of the server."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.core.models.progress import Progress
from mapdp_studio.core.session.jobs import Job, Jobs
from mapdp_studio.pages.parts.shared.turns import step, turn, wait_aside
from mapdp_studio.pages.parts.teach.settings import Classroom

#: Stops and settings of which everything is kept; the lessons together have some sixty. Their
#: tables are drawn or come with the app: nothing of a visitor's is in the store.
MOST = 64
#: Seconds in which all of a class get their question, before its answer is worked out.
ASKED = 2.0


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits, and what follows from them: a whole class that asks at once waits for one of it."""
    return Results(models=MOST, most=MOST, wait=wait_aside)


@st.cache_resource(show_spinner=False)
def _jobs() -> Jobs:
    return Jobs()


def work_ahead(room: Classroom, results: Results) -> None:
    """While a class thinks, fit what its predictions will be answered with, once for all of it.

    No page waits for this: it goes on when none is in line.
    """
    about = tuple(room.tasks.values())
    missing = [task for task in about if results.get(task) is None]
    under_way = _jobs().get(room.key, about)
    if not missing or (under_way is not None and under_way.running):
        return

    def work(job: Job) -> None:
        def tick(progress: Progress) -> None:
            job(progress)
            step()

        with turn():
            for task in missing:
                results.fit(task, room.frame, room.schema, tick)

    _jobs().start(room.key, about, work, is_last=True, after=ASKED)
