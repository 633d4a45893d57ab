"""Jobs in the background: progress, partial results, a stop, sentences instead of tracebacks."""

from __future__ import annotations

import gc
import threading

import pytest

from mapdp_studio.core import Progress
from mapdp_studio.core.session.jobs import UNEXPECTED, WORKERS, Job, Jobs, stop_all


def step(done: int) -> Progress:
    return Progress(done, 10, 0.0, 1, "working")


def endless(job: Job) -> None:
    while True:
        job(step(1))


def test_a_job_reports_shares_and_ends_with_its_result():
    seen = threading.Event()

    def work(job):
        job(step(3))
        job.share("half")
        seen.wait(60)
        return "whole"

    job = Job("this", work)
    while job.partial is None:
        pass
    assert job.running
    assert job.result is None
    assert job.progress.done == 3
    seen.set()
    assert job.wait(60)
    assert job.result == "whole"
    assert not job.stopped
    assert not job.failure


def test_a_stop_ends_the_work_at_its_next_step():
    job = Job("this", endless)
    while job.progress is None:
        pass
    job.stop()
    assert job.wait(60)
    assert job.stopped
    assert job.result is None
    assert not job.failure


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(ValueError("Too few rows."), "Too few rows."), (KeyError("x"), UNEXPECTED)],
)
def test_an_error_becomes_a_sentence(error, sentence):
    def work(job):
        raise error

    job = Job("this", work)
    assert job.wait(60)
    assert job.failure == sentence


def test_twenty_quick_starts_leave_one_running():
    jobs = Jobs()
    started = [jobs.start("strip", i, endless) for i in range(20)]
    assert all(job.wait(60) for job in started[:-1])
    assert started[-1].running
    assert jobs.get("strip", 19) is started[-1]
    assert jobs.get("strip", 3) is None
    jobs.clear()
    assert started[-1].wait(60)
    assert jobs.get("strip", 19) is None


@pytest.mark.parametrize("pool", WORKERS)
def test_what_waits_for_a_worker_runs_in_the_end_or_can_be_stopped(pool):
    busy = [Job("this", endless, pool) for _ in range(WORKERS[pool])]
    while any(job.progress is None for job in busy):
        pass
    waiting, given_up = Job("next", lambda job: "done", pool), Job("last", endless, pool)
    given_up.stop()
    assert given_up.wait(60)
    assert given_up.stopped
    assert waiting.running
    assert waiting.waiting
    for other in {*WORKERS} - {pool}:  # nothing of another kind waits behind it
        assert Job("short", lambda job: "done", other).wait(60)
    for job in busy:
        job.stop()
    assert waiting.wait(60)
    assert not waiting.waiting
    assert waiting.result == "done"


def test_a_server_that_ends_ends_all_work():
    jobs = [Job(pool, endless, pool) for pool in WORKERS for _ in range(5)]
    stop_all()
    assert all(job.wait(60) and job.stopped for job in jobs)


def test_a_visitor_who_leaves_leaves_nothing_running():
    jobs = Jobs()
    job = jobs.start("strip", 0, endless)
    del jobs
    gc.collect()
    assert job.wait(60)
