"""Jobs in the background: progress, partial results, a stop, sentences instead of tracebacks."""

from __future__ import annotations

import gc
import threading

import pytest

from mapdp_studio.core import Progress
from mapdp_studio.core.session.jobs import AT_ONCE, UNEXPECTED, Job, Jobs, at_work
from mapdp_studio.core.session.turns import Turns


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


def test_what_waits_for_its_turn_runs_in_the_end_or_can_be_stopped():
    busy = [Job("this", endless) for _ in range(AT_ONCE)]
    while any(job.progress is None for job in busy):
        pass
    waiting, given_up = Job("next", lambda job: "done"), Job("last", endless)
    given_up.stop()
    assert given_up.wait(60)
    assert waiting.running
    assert waiting.progress is None
    for job in busy:
        job.stop()
    assert waiting.wait(60)
    assert waiting.result == "done"


def test_long_work_lets_those_that_wait_go_first(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.session.jobs.TURN", 0.01)
    busy = [Job("this", endless) for _ in range(AT_ONCE)]
    quick = [Job(place, lambda job: "done") for place in range(3)]
    assert all(job.wait(60) for job in quick)
    assert all(job.running for job in busy)
    for job in busy:
        job.stop()
    assert all(job.wait(60) and job.stopped for job in busy)


def test_what_nobody_waits_for_goes_on_while_nothing_else_is_worked_out(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.session.jobs._turns", Turns(AT_ONCE, 0.0))
    steps = threading.Semaphore(0)

    def count(job: Job) -> None:
        while True:
            job(step(1))
            steps.release()

    job = Job("chance", count, is_last=True)
    assert steps.acquire(timeout=60)
    with at_work():
        for _ in range(500):
            if not job.waiting:
                job.wait(0.01)
        assert job.waiting
        while steps.acquire(blocking=False):
            pass
        assert not steps.acquire(timeout=0.3)
    assert steps.acquire(timeout=60)
    job.stop()
    assert job.wait(60)


def test_work_that_begins_later_takes_no_place_until_then_and_heeds_a_stop():
    begun: list[Job] = []
    later = [Job("later", begun.append, after=60.0) for _ in range(AT_ONCE)]
    now = Job("now", lambda _: "done")
    assert now.wait(60)
    assert now.result == "done"
    for job in later:
        job.stop()
        assert job.wait(5)
    assert not begun


def test_a_visitor_who_leaves_leaves_nothing_running():
    jobs = Jobs()
    job = jobs.start("strip", 0, endless)
    del jobs
    gc.collect()
    assert job.wait(60)
