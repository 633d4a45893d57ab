"""Where a job in the background stands: its progress and its stop, or how it ended."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped

# Seconds before the time left is worth saying.
SETTLED = 2.0
# A bar that glides has the browser draw the whole page sixty times a second: without a graphics
# card that takes a third of a processor from the work whose progress it shows.
_STILL_BAR = "<style>[data-testid='stProgress'] * { transition: none !important }</style>"


def no_more() -> bool:
    """Of a job that shares nothing before its end."""
    return False


def job_state(
    job: Job | None, label: str, stopped: str = "Stopped.", has_more: Callable[[], bool] = no_more
) -> None:
    """Show the progress of a job, why it failed, or that it was stopped; nothing once it ended."""
    if job is None:
        return
    if job.running:
        job_line(job, label, has_more)
    elif job.failure:
        st.error(escaped(job.failure), icon=":material/error:")
    elif job.stopped:
        st.caption(f":material/pause: {stopped}", width="content")


@st.fragment(run_every=0.5)
def job_line(job: Job, label: str, has_more: Callable[[], bool] = no_more) -> None:
    """Show how far a running job is, with a Stop button; the page runs again when the job ends.

    The label says what is being done, and tells this line from others on the page; ``has_more``
    whether the job has shared more than the page shows, so that it has to run again.
    """
    if not job.running or has_more():
        st.rerun()
    st.html(_STILL_BAR)
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


@st.fragment(run_every=0.3)
def run_again_when(is_time: Callable[[], bool]) -> None:
    """Show nothing; the page runs again once something has happened."""
    if is_time():
        st.rerun()


def _left(seconds: float, share: float) -> str:
    """About how long it will still take, once that can be told."""
    if seconds < SETTLED or share < 0.02:
        return ""
    return f", about {duration(seconds * (1 - share) / share)} left"


def duration(seconds: float) -> str:
    """A time as it is promised: "12 s", "3 min", "1.5 h"."""
    if seconds < 90:
        return f"{max(seconds, 1):,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"
