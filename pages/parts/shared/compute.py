"""The one way to anything that takes time: a kept result, worked out in the background."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import Results, Task
from mapdp_studio.core.comparing.panels import is_long
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.session.jobs import Job, wait_for_one
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session

#: Seconds: what is done by then never shows a progress bar, and how often a bar looks again.
PATIENCE = BETWEEN_LOOKS = 0.3
# Seconds before the time left is worth saying.
SETTLED = 2.0
# Shares of what is said of fits and of its button.
_LINE = [2, 1]
# A bar that glides has the browser draw the whole page sixty times a second: without a graphics
# card that takes a third of a processor from the work whose progress it shows.
_STILL_BAR = "<style>[data-testid='stProgress'] * { transition: none !important }</style>"


def get_result(
    studio: Session,
    name: str,
    key: Hashable,
    label: str,
    work: Callable[[Job], Any],
    results: Results | None = None,
    otherwise: Callable[[], Any] | None = None,
) -> Any:
    """What came of a piece of work, or None while it runs, was stopped or failed, as then shown.

    Only the newest result of each name is kept, with the table or in ``results``; ``key`` is
    everything that it depends on. The work is given its job; ``otherwise`` gives what is taken
    where it was stopped or failed.
    """
    kept = studio.results if results is None else results
    known = kept.known(name, key)
    if known is not None:
        return known
    pool = pool_of(studio.table.frame) if results is None else "short"
    job = studio.jobs.get(name, key) or studio.jobs.start(name, key, work, pool)
    be_patient(job)
    if job.running:
        job_line(job, label)
        return None
    if job.result is None and otherwise is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            job_state(job, label, f"{label}: stopped.")
            if not job.failure and st.button(
                "Run", key=f"run {name}", icon=":material/play_arrow:"
            ):
                studio.jobs.stop(name)
                st.rerun()
        return None
    result = otherwise() if job.result is None else job.result
    kept.note(name, key, result)
    return result


def pool_of(frame: pd.DataFrame) -> str:
    """Where work on a table belongs, so that what is short never waits behind what is long."""
    return "fits" if is_long(*frame.shape) else "short"


def be_patient(*jobs: Job) -> None:
    """Wait, once for all of them, for work that may end before its progress is worth drawing.

    Where one has run for longer, nothing is waited for.
    """
    until = _end_of_patience(*jobs)
    for job in jobs:
        job.wait(max(until - time.monotonic(), 0.0))


def _end_of_patience(*jobs: Job) -> float:
    """Until when to wait for them."""
    waited = max((job.seconds for job in jobs if job.running), default=0.0)
    return time.monotonic() + PATIENCE - waited


def is_asked_for(about: Hashable, label: str, **kwargs: Any) -> bool:
    """Whether the visitor has asked for something that takes long; until then, its button."""
    asked = st.session_state.setdefault("asked_for", set())
    if about in asked:
        return True
    if st.button(label, **{"key": f"ask {label}"} | kwargs):
        asked.add(about)
        st.rerun()
    return False


# ---- where a job stands


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


def job_line(job: Job, label: str, has_more: Callable[[], bool] = no_more) -> None:
    """Show how far a running job is, with a Stop button; the page runs again when the job ends.

    ``has_more`` says whether it has shared more than the page shows.
    """

    def draw() -> None:
        st.html(_STILL_BAR)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(*_progress(job, label))
            if st.button("Stop", key=f"stop {label}", icon=":material/stop:"):
                job.stop()

    run_again_when(lambda: not job.running or has_more(), draw)


@st.fragment(run_every=BETWEEN_LOOKS)
def run_again_when(is_time: Callable[[], bool], draw: Callable[[], object] | None = None) -> None:
    """Look again and again, drawing what there is to draw, until the page has to run again."""
    if is_time():
        st.rerun()
    if draw is not None:
        draw()


def _progress(job: Job, label: str) -> tuple[float, str]:
    """The share of a running job that is done, and what it is at, in words."""
    progress = job.progress
    if progress is None:
        said = "waiting for other work on this computer" if job.waiting else "starting"
        return 0.0, f"{label}: {said}"
    share = min(progress.done / max(progress.total, 1), 1.0)
    return share, f"{label}: {escaped(progress.phase)}{_left(job.seconds, share)}"


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


# ---- fits side by side


@dataclass
class Fits:
    """Where the fits that a page asks for stand."""

    results: Results
    #: The task that belongs to the settings, by algorithm.
    wanted: Mapping[str, Task]
    #: Of those that had no result; and of the looks at a sample that are taken meanwhile.
    begun: Mapping[str, Job]
    looks: Mapping[str, Job]

    @property
    def jobs(self) -> dict[str, Job]:
        """Of those that have no result yet."""
        return {
            name: job
            for name, job in self.begun.items()
            if self.results.get(self.wanted[name]) is None
        }

    @property
    def running(self) -> list[str]:
        """Algorithms that are at work or wait for a worker."""
        return [name for name, job in self.begun.items() if job.running]

    @property
    def stand(self) -> tuple[int, int]:
        """How many run, and how many were fitted to a sample: with others the page is another."""
        return len(self.running), len(self.looked)

    @property
    def looked(self) -> list[str]:
        """Algorithms without a result that were fitted to a sample."""
        return [name for name in self.jobs if name in self.looks and self.looks[name].result]

    @property
    def shown(self) -> dict[str, Task]:
        """The task to draw, by algorithm: the wanted one, or the one drawn before it."""
        before = st.session_state.setdefault("shown_tasks", {})
        for algorithm, task in self.wanted.items():
            if self.results.get(task) is not None:
                before[algorithm] = task
        return {
            algorithm: before[algorithm]
            for algorithm, task in self.wanted.items()
            if algorithm in before and before[algorithm].digest == task.digest
        }

    def wait_for_more(self, seconds: float) -> bool:
        """Wait until one more of what runs has ended; tells whether one did in that time."""
        return wait_for_one([*self.begun.values(), *self.looks.values()], seconds)


def fits(
    studio: Session,
    results: Results,
    table: tuple[pd.DataFrame, Schema],
    wanted: Mapping[str, Task],
    place: DeltaGenerator,
    look_first: Callable[[str, Job], bool] | None = None,
    draw: Callable[[Fits], object] | None = None,
) -> Fits:
    """Begin all fits that are missing, wait for them once, together, and say how far they are.

    ``wanted`` are the tasks that belong to the settings, by algorithm. ``look_first`` fits an
    algorithm to a sample meanwhile, true once it has; ``draw`` is called whenever more has ended,
    without it the page runs again.
    """
    begun = begin_fits(studio, results, table, wanted)
    looks = {name: _look(studio, name, wanted[name], look_first) for name in begun if look_first}
    found = Fits(results, wanted, begun, looks)
    until = _end_of_patience(*begun.values(), *looks.values())
    has_more = True
    while has_more:
        drawn = found.stand  # what ends from here on is drawn by the next look
        if draw is not None:
            draw(found)
        has_more = found.wait_for_more(until - time.monotonic())
    with place:
        if drawn[0]:
            _follow(found, drawn, draw)
        else:
            _say_ended(found)
    return found


@st.fragment(run_every=BETWEEN_LOOKS)
def _follow(
    found: Fits, drawn: tuple[int, int], draw: Callable[[Fits], object] | None = None
) -> None:
    """Say how far all are, draw what ends, and have the page run again where it says less."""
    _fits_line(found)
    has_more = draw is not None and found.wait_for_more(BETWEEN_LOOKS)
    if draw is not None:
        draw(found)
    if found.stand != drawn and not has_more:
        st.rerun()


def begin_fits(
    studio: Session,
    results: Results,
    table: tuple[pd.DataFrame, Schema],
    wanted: Mapping[str, Task],
) -> dict[str, Job]:
    """Begin all fits that are missing, or find them under way; arguments as of ``fits``."""
    frame, schema = table

    def begin(name: str) -> Job:
        about, task = f"fit of {name}", wanted[name]
        return studio.jobs.get(about, task) or studio.jobs.start(
            about, task, lambda job: results.fit(task, frame, schema, job), pool_of(frame)
        )

    missing = [name for name, task in wanted.items() if results.get(task) is None]
    # What begins where another one ended waits for that.
    missing.sort(key=lambda name: METHODS[name].prior_of is not None)
    return {name: begin(name) for name in missing}


def _look(studio: Session, name: str, task: Task, look_first: Callable[[str, Job], bool]) -> Job:
    about = f"first look at {name}"
    return studio.jobs.get(about, task) or studio.jobs.start(
        about, task, lambda job: look_first(name, job), "short"
    )


def _fits_line(fits: Fits) -> None:
    """How far all of them are, with a Stop."""
    st.html(_STILL_BAR)
    running = fits.running
    if not running:  # the last one has just ended: the next look draws the page
        return
    name = next((name for name in running if fits.begun[name].progress), running[0])
    share, text = _progress(fits.begun[name], METHODS[name].title)
    n_done = len(fits.wanted) - len(fits.jobs)
    line, button = st.columns(_LINE, vertical_alignment="center")
    line.progress((n_done + share) / len(fits.wanted), text)
    if button.button("Stop", key="stop", icon=":material/stop:"):
        for job in (*fits.begun.values(), *fits.looks.values()):
            job.stop()


def _say_ended(fits: Fits) -> None:
    """Say that all are there, or offer to run what was stopped."""
    line, button = st.columns(_LINE, vertical_alignment="center")
    jobs = fits.jobs
    if not jobs:
        line.caption(":material/check: All results belong to these settings.")
        button.button("Stop", key="idle", icon=":material/stop:", disabled=True)
        return
    names = ", ".join(METHODS[name].title for name in jobs)
    failed = next((job.failure for job in jobs.values() if job.failure), "")
    line.caption(f":material/pause: Stopped, so not up to date: {names}. {failed}")
    run = {"key": "run", "icon": ":material/play_arrow:", "on_click": _run_again}
    button.button("Run", args=([*jobs],), **run)


@in_visit
def _run_again(names: list[str]) -> None:
    for name in names:
        session().jobs.stop(f"fit of {name}")
