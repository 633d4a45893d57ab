"""The progress of a job in the background, and its stop."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.session.jobs import Job
from core.wording import escaped

# Seconds before the time left is worth saying.
SETTLED = 2.0


@st.fragment(run_every=0.5)
def job_line(job: Job, label: str, has_more: Callable[[], bool] = lambda: False) -> None:
    """Show how far a job is, with a Stop button; the page runs again when the job ends.

    Parameters
    ----------
    job : Job
        Still running: a page shows what came of a job that has ended.
    label : str
        What is being done; also tells this line from others on the page.
    has_more : callable, optional
        Whether the job has shared more than the page shows, so that it has to run again.
    """
    if not job.running or has_more():
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        progress = job.progress
        if progress is None:
            said = "waiting for other work on this computer" if job.waiting else "starting"
            st.progress(0.0, f"{label}: {said}")
        else:
            share = min(progress.done / max(progress.total, 1), 1.0)
            st.progress(share, f"{label}: {escaped(progress.phase)}{_left(job.seconds, share)}")
        if st.button("Stop", key=f"stop {label}", icon=":material/stop:"):
            job.stop()


def _left(seconds: float, share: float) -> str:
    """About how long it will still take, once that can be told."""
    if seconds < SETTLED or share < 0.02:
        return ""
    left = seconds * (1 - share) / share
    return f", about {left:.0f} s left" if left < 90 else f", about {left / 60:.0f} min left"
