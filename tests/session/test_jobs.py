"""Jobs in the background: progress, partial results, a stop, sentences instead of tracebacks."""

from __future__ import annotations

import gc
import threading

import pytest

from mapdp_studio.core import Progress
from mapdp_studio.core.session.jobs import UNEXPECTED, WORKERS, Job, Jobs, stop_all


def endless(job: Job) -> None:
    while True:
        job(Progress(1, 10, 0.0, 1, "working"))


def begun(pool: str = "fits") -> Job:
    """A job that goes on until it is stopped, at work."""
    job = Job("this", endless, pool)
    while job.progress is None:
        pass
    return job


def test_a_job_reports_shares_and_ends_with_its_result():
    seen = threading.Event()

    def work(job):
        job(Progress(3, 10, 0.0, 1, "working"))
        job.share("half")
        seen.wait(60)
        return "whole"

    job = Job("this", work)
    while job.partial is None:
        pass
    assert not job.wait(0.01)
    assert (job.running, job.result, job.progress.done) == (True, None, 3)
    seen.set()
    assert job.wait(60)
    assert (job.running, job.result, job.stopped, job.failure) == (False, "whole", False, "")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(ValueError("Too few rows."), "Too few rows."), (KeyError("x"), UNEXPECTED)],
)
def test_an_error_becomes_a_sentence(error, sentence):
    def work(job):
        raise error

    job = Job("this", work)
    assert job.wait(60)
    assert (job.failure, job.stopped) == (sentence, False)


def test_twenty_quick_starts_leave_one_running():
    jobs = Jobs()
    started = [jobs.start("strip", i, endless) for i in range(20)]
    assert all(job.wait(60) and job.stopped and not job.failure for job in started[:-1])
    assert started[-1].running
    assert jobs.get("strip", 3) is None
    assert jobs.find("strip", 19, endless) is jobs.get("strip", 19) is started[-1]
    jobs.clear()
    assert started[-1].wait(60)
    assert jobs.get("strip", 19) is None


@pytest.mark.parametrize("pool", WORKERS)
def test_what_waits_for_a_worker_runs_in_the_end_or_can_be_stopped(pool):
    busy = [begun(pool) for _ in range(WORKERS[pool])]
    waiting, given_up = Job("next", lambda job: "done", pool), Job("last", endless, pool)
    given_up.stop()
    assert given_up.wait(60)
    assert given_up.stopped
    assert waiting.running
    for other in {*WORKERS} - {pool}:  # nothing of another kind waits behind it
        assert Job("short", lambda job: "done", other).wait(60)
    for job in busy:
        job.stop()
    assert waiting.wait(60)
    assert waiting.result == "done"


def test_a_server_that_ends_and_a_visitor_who_leaves_leave_nothing_running():
    jobs = [Job(pool, endless, pool) for pool in WORKERS for _ in range(5)]
    stop_all()
    assert all(job.wait(60) and job.stopped for job in jobs)
    visit = Jobs()
    job = visit.start("strip", 0, endless)
    del visit
    gc.collect()
    assert job.wait(60)
