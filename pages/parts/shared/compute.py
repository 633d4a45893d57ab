"""The one way to anything that takes time: a kept result, worked out in the background.

The compiled kernels are made ready there as well, while the pages stay usable.
"""

import subprocess
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import Results, Task
from mapdp_studio.core.comparing.panels import FirstLook, is_long
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.warmup import compiler, is_compiled, warm_up
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import NotYet, Session, in_visit, session

#: Seconds: what is done by then never shows a progress bar, and how often a bar looks again.
PATIENCE = BETWEEN_LOOKS = 0.3
#: Seconds until more of what has been found is drawn: drawing takes time from the work.
BETWEEN_DRAWINGS = 10.0
_RUN = ":material/play_arrow:"


def get_result(
    visit: Session,
    name: str,
    key: Hashable,
    work: Callable[[Job], Any],
    results: Results | None = None,
    otherwise: Callable[[], Any] | None = None,
) -> Any:
    """The newest result of that name and key; NotYet, and its progress drawn here, without one.

    The name is what is being done, as the page says it.
    """
    pool = pool_of(visit.table.frame, "results") if results is None else "short"
    result, job = so_far(visit, name, key, work, pool, results)
    if job is None:
        return result
    if job.running or otherwise is None:
        job_state(job, name)
        raise NotYet
    result = otherwise()
    (results or visit.results).store(name, key, result)
    return result


def so_far(
    visit: Session,
    name: str,
    key: Hashable,
    work: Callable[[Job], Any],
    pool: str = "checks",
    results: Results | None = None,
) -> tuple[Any, Job | None]:
    """The newest result of that name and key, and None; without one what was shared, and the job.

    The job, begun if need be, may have failed or been stopped.
    """
    cache = results or visit.results
    cached = cache.peek(name, key)
    if cached is not None:
        return cached, None
    job = visit.jobs.find(name, key, work, pool)
    be_patient(job)
    if job.result is None:
        return job.partial, job
    cache.store(name, key, job.result)
    return job.result, None


def pool_of(frame: pd.DataFrame, of_long: str = "fits") -> str:
    """Where work on a table belongs, so that what is short never waits behind what is long."""
    return of_long if is_long(*frame.shape) else "short"


def be_patient(*jobs: Job) -> None:
    """Wait, once for all of them, for work that may end before its progress is worth drawing."""
    running = [job for job in jobs if job.running]
    waited = time.monotonic() - min((job.created for job in running), default=0.0)
    wait([job.future for job in running], max(PATIENCE - waited, 0.0))


def wait_until_asked(subject: Hashable, label: str, **kwargs: Any) -> None:
    """Go on once the visitor has asked for something that takes long; NotYet, and its button."""
    asked = st.session_state.setdefault("asked_for", set())
    if subject not in asked:
        if st.button(label, **{"key": f"ask {label}"} | kwargs):
            asked.add(subject)
            st.rerun()
        raise NotYet


def job_state(job: Job | None, name: str) -> None:
    """How far the job of a name is, or why it has no result, with a way to go on; if there is one.

    The page runs again at its end, with the first that it shares, and then now and again.
    """
    if job is None:
        return
    shown, drawn = job.partial, time.monotonic()

    def is_time() -> bool:
        waits = shown is not None and time.monotonic() - drawn < BETWEEN_DRAWINGS
        return not job.running or (job.partial is not shown and not waits)

    if job.running or job.result is not None:  # it may have ended while the page was drawn
        run_again_when(is_time, lambda: _bar(*_progress(job, name), f"stop {name}", job.stop))
        return
    with _row():
        if job.failure:
            st.error(escaped(job.failure), icon=":material/error:")
        else:
            hint = " What was found until then is kept." if shown is not None else ""
            st.caption(f":material/pause: {name}: stopped.{hint}", width="content")
        run = {"key": f"run {name}", "icon": _RUN, "on_click": _run_again, "args": (name,)}
        st.button("Try again" if job.failure else "Run", **run)


@st.fragment(run_every=BETWEEN_LOOKS)
def run_again_when(is_time: Callable[[], bool], draw: Callable[[], object] | None = None) -> None:
    """Look again and again, drawing what there is to draw, until the page has to run again."""
    if is_time():
        st.rerun()
    if draw is not None:
        draw()


def _row() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center")


def _bar(share: float, text: str, key: str, stop: Callable[[], object]) -> None:
    with _row():
        st.progress(share, text)
        if st.button("Stop", key=key, icon=":material/stop:"):
            stop()


def _progress(job: Job, name: str) -> tuple[float, str]:
    """The share of a running job that is done, and what it is at, in words."""
    progress = job.progress
    if progress is None:
        return 0.0, f"{name}: waiting to begin"
    share = min(progress.done / max(progress.total, 1), 1.0)
    return share, f"{name}: {escaped(progress.phase)}"


@dataclass
class Fits:
    results: Results
    #: The task that belongs to the settings, by algorithm.
    tasks: Mapping[str, Task]
    #: Of those that had no result; and of the fits to a sample that are made meanwhile.
    started: Mapping[str, Job]
    first_jobs: Mapping[str, Job] = field(default_factory=dict)
    first: FirstLook | None = None

    @property
    def jobs(self) -> dict[str, Job]:
        """Of those that have no result yet."""
        tasks, get = self.tasks, self.results.get
        return {name: job for name, job in self.started.items() if get(tasks[name]) is None}

    @property
    def running(self) -> list[str]:
        """Algorithms that are at work or wait for a worker."""
        return [name for name, job in self.started.items() if job.running]

    @property
    def looked(self) -> list[str]:
        """Algorithms without a result that were fitted to a sample."""
        if self.first is None:
            return []
        get, tasks = self.first.results.get, self.tasks
        return [name for name in self.jobs if get(tasks[name]) is not None]

    @property
    def shown(self) -> dict[str, Task]:
        """The task to draw, by algorithm: that of the settings, or the one drawn before it."""
        before = st.session_state.setdefault("shown_tasks", {})
        for name, task in self.tasks.items():
            if self.results.get(task) is not None:
                before[name] = task
        drawn = {name: before[name] for name in self.tasks if name in before}
        return {n: task for n, task in drawn.items() if task.digest == self.tasks[n].digest}

    def stop(self) -> None:
        for job in (*self.started.values(), *self.first_jobs.values()):
            job.stop()


def fits(
    visit: Session,
    results: Results,
    table: tuple[pd.DataFrame, Schema],
    tasks: Mapping[str, Task],
    place: DeltaGenerator,
    first: FirstLook | None = None,
) -> Fits:
    """Begin the fits that are missing, wait once, together, say at ``place`` how far they are.

    The page runs again whenever one of them has ended, or a first look at a sample of the rows.
    """
    started, first_jobs = begin_fits(visit, results, table, tasks), {}
    if first is not None:
        sample, missing = (first.frame, first.schema), {name: tasks[name] for name in started}
        first_jobs = begin_fits(visit, first.results, sample, missing, "first look at")
    fitting = Fits(results, tasks, started, first_jobs, first)
    be_patient(*started.values(), *first_jobs.values())
    drawn = fitting.running, fitting.looked
    with place:
        if drawn[0]:
            run_again_when(
                lambda: (fitting.running, fitting.looked) != drawn, partial(_all_of, fitting)
            )
        else:
            _say_ended(fitting)
    return fitting


def begin_fits(
    visit: Session,
    results: Results,
    table: tuple[pd.DataFrame, Schema],
    tasks: Mapping[str, Task],
    called: str = "fit of",
) -> dict[str, Job]:
    """Begin all fits that are missing, or find them under way; arguments as of ``fits``."""
    frame, schema = table

    def begin(name: str) -> Job:
        task = tasks[name]
        fit = partial(results.fit, task, frame, schema)
        return visit.jobs.find(f"{called} {name}", task, fit, pool_of(frame))

    missing = [name for name, task in tasks.items() if results.get(task) is None]
    # What begins where another one ended waits for that.
    missing.sort(key=lambda name: METHODS[name].prior_of is not None)
    return {name: begin(name) for name in missing}


def _all_of(fitting: Fits) -> None:
    """How far all of them are; nothing where the last one has just ended."""
    running = fitting.running
    for name in sorted(running, key=lambda name: fitting.started[name].progress is None)[:1]:
        share, text = _progress(fitting.started[name], METHODS[name].title)
        n_done = len(fitting.tasks) - len(fitting.jobs)
        _bar((n_done + share) / len(fitting.tasks), text, "stop", fitting.stop)


def _say_ended(fitting: Fits) -> None:
    jobs = fitting.jobs
    with _row():
        if not jobs:
            st.caption(":material/check: All results belong to these settings.", width="stretch")
            # As high as the row of a running job, so that nothing below moves.
            st.button("Stop", key="idle", icon=":material/stop:", disabled=True)
            return
        names = ", ".join(METHODS[name].title for name in jobs)
        failed = next((job.failure for job in jobs.values() if job.failure), "")
        text = f":material/pause: Stopped, so not up to date: {names}. {failed}"
        st.caption(text, width="stretch")
        again = [f"fit of {name}" for name in jobs]
        st.button("Run", key="run", icon=_RUN, on_click=_run_again, args=again)


@in_visit
def _run_again(*names: str) -> None:
    for name in names:
        session().jobs.stop(name)


#: What a visitor of a fresh installation waits for, and how long.
FIRST_START = "about half a minute, on the first start only"
_compiling: list[subprocess.Popen] = []


@st.cache_resource(show_spinner=False)
def engine() -> threading.Thread:
    """What makes them ready, one for the whole server, started by whoever comes first."""
    thread = threading.Thread(target=_make_ready, name="warm-up", daemon=True)
    thread.start()
    return thread


def _make_ready() -> None:
    """In processes of their own where they are still to be compiled."""
    if not is_compiled():
        _compiling.append(compiler())
        while _compiling[-1].poll() is None and not is_compiled():
            time.sleep(0.2)
    warm_up()


def is_ready() -> bool:
    return not engine().is_alive()


def stop_compiling() -> None:
    for process in _compiling:
        process.kill()


def engine_notice() -> None:
    if not is_ready() and not is_compiled():
        text = f":material/hourglass_top: Preparing the engine: {FIRST_START}."
        run_again_when(is_ready, lambda: st.caption(text))
