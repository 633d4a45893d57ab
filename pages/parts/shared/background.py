"""Work that may take a while: done at once where it is quick, with progress and a stop else."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from core.session.jobs import Job
from core.wording import escaped
from pages import Session
from pages.parts.shared.job_line import job_line

#: Seconds to wait before a progress bar is worth drawing.
PATIENCE = 0.4


def in_background(
    studio: Session, name: str, about: Hashable, label: str, work: Callable[[Job], Any]
) -> Any:
    """What came of a piece of work, or None while it runs, was stopped or failed, as then shown.

    Parameters
    ----------
    name : str
        Of the job; only the newest result of each name is kept.
    about : hashable
        Everything the result depends on; with another one the work starts anew.
    label : str
        What is being done, for the progress line.
    work : callable
        ``work(job) -> result``; the job is the callback for fits.
    """
    job = studio.jobs.get(name, about) or studio.jobs.start(name, about, work)
    if job.wait(PATIENCE) and job.result is not None:
        return job.result
    if job.running:
        job_line(job, label)
    elif job.failure:
        st.error(escaped(job.failure), icon=":material/error:")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f":material/pause: {label}: stopped.")
            if st.button("Run", key=f"run {name}", icon=":material/play_arrow:"):
                studio.jobs.stop(name)
                st.rerun()
    return None
