"""Jobs in the background: progress, partial results, a stop, sentences instead of tracebacks."""

import gc
import threading

import pytest

from mapdp_studio.core import Progress
from mapdp_studio.core.session.jobs import UNEXPECTED, WORKERS, Job, Jobs, stop_all


def endless(job: Job) -> None:
    while True:
        job(Progress(1, 10, 0.0, 1, "working"))


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
    assert (job.running, job.result, job.failure) == (False, "whole", "")


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


def test_of_a_visit_the_newest_job_of_a_name_runs_until_it_is_cleared_or_let_go():
    visit = Jobs()
    started = [visit.start("strip", i, endless) for i in range(20)]
    assert all(job.wait(60) and job.result is None and not job.failure for job in started[:-1])
    assert started[-1].running
    assert visit.get("strip", 3) is None
    assert visit.find("strip", 19, endless) is visit.get("strip", 19) is started[-1]
    visit.clear()
    assert started[-1].wait(60)
    assert visit.get("strip", 19) is None
    job = visit.start("strip", 0, endless)
    del visit
    gc.collect()
    assert job.wait(60)


@pytest.mark.parametrize("pool", WORKERS)
def test_what_waits_for_a_worker_runs_in_the_end_or_is_stopped_and_delays_no_other_kind(pool):
    busy = [Job("this", endless, pool) for _ in range(WORKERS[pool])]
    waiting, given_up = Job("next", lambda job: "done", pool), Job("last", endless, pool)
    given_up.stop()
    assert given_up.wait(60)
    assert given_up.result is None
    assert waiting.running
    for other in {*WORKERS} - {pool}:
        assert Job("short", lambda job: "done", other).wait(60)
    stop_all(busy)
    assert waiting.wait(60)
    assert waiting.result == "done"
    busy = [Job("this", endless, pool) for _ in range(WORKERS[pool] + 2)]
    stop_all()  # as a server ends
    assert all(job.wait(60) and job.result is None for job in busy)
