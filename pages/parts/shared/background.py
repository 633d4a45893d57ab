"""Work that may take a while: done at once where it is quick, with progress and a stop else."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from mapdp_studio.core.session.jobs import Job
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.job_line import job_line, job_state
from mapdp_studio.pages.parts.shared.turns import heed_stop

#: Seconds to wait before a progress bar is worth drawing.
PATIENCE = 0.4
#: Seconds between two looks at whether the page itself is to end.
BETWEEN_LOOKS = 0.05


def in_background(
    studio: Session, name: str, about: Hashable, label: str, work: Callable[[Job], Any]
) -> Any:
    """What came of a piece of work, or None while it runs, was stopped or failed, as then shown.

    Only the newest result of each name is kept, with the table; ``about`` is everything that it
    depends on: with another one the work starts anew. The label says what is being done; the work
    is given its job, the callback for fits.
    """
    known = studio.results.known(name, about)
    if known is not None:
        return known
    job = studio.jobs.get(name, about) or studio.jobs.start(name, about, work)
    be_patient(job)
    if job.running:
        job_line(job, label)
        return None
    if job.result is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            job_state(job, label, f"{label}: stopped.")
            if not job.failure and st.button(
                "Run", key=f"run {name}", icon=":material/play_arrow:"
            ):
                studio.jobs.stop(name)
                st.rerun()
        return None
    studio.results.note(name, about, job.result)
    return job.result


def be_patient(job: Job) -> None:
    """Wait for work that may well end before its progress is worth drawing."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and not job.wait(BETWEEN_LOOKS):
        heed_stop()


def is_asked_for(about: Hashable, label: str, **looks: Any) -> bool:
    """Whether the visitor has asked for something that takes long; until then, its button."""
    asked = st.session_state.setdefault("asked_for", set())
    if about in asked:
        return True
    if st.button(label, **{"key": f"ask {label}"} | looks):
        asked.add(about)
        st.rerun()
    return False
