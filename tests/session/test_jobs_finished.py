"""Jobs in the background: progress, partial results, a stop, sentences instead of tracebacks."""

import gc
import json
import threading

import numpy as np
import pytest

from mapdp_studio.core import ModelFileError, Progress, load_model
from mapdp_studio.core.comparing.comparison import scoreboard
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.scale.fit_large import MODEL, UNFINISHED, fit_large
from mapdp_studio.core.session.finished import work_on_finished
from mapdp_studio.core.session.jobs import UNEXPECTED, WORKERS, Job, Jobs, stop_all
from tests.scale.test_fit_large import SCHEMA, make_frame, write_files


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


def test_of_a_visit_the_newest_job_of_a_name_runs_until_it_is_cleared_or_let_go():
    visit = Jobs()
    started = [visit.start("strip", i, endless) for i in range(20)]
    assert all(job.wait(60) and job.stopped and not job.failure for job in started[:-1])
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
    assert given_up.stopped
    assert waiting.running
    for other in {*WORKERS} - {pool}:
        assert Job("short", lambda job: "done", other).wait(60)
    stop_all(busy)
    assert waiting.wait(60)
    assert waiting.result == "done"
    busy = [Job("this", endless, pool) for _ in range(WORKERS[pool] + 2)]
    stop_all()  # as a server ends
    assert all(job.wait(60) and job.stopped for job in busy)


@pytest.fixture
def folder(tmp_path):
    write_files(make_frame(), tmp_path / "table")
    asked = {"labels": tmp_path / "out", "n_sample": 400, "concentration": 2.0}
    fit_large(tmp_path / "table", SCHEMA, **asked)
    return tmp_path / "out"


def test_the_pages_get_the_sample_with_its_model_without_a_fit(folder):
    work = work_on_finished(folder)
    (task,) = work.tasks((JUDGE,)).values()
    model, saved = work.results.get(task), json.loads((folder / MODEL).read_text())
    n_rows = len(work.table.frame)  # the first of every cluster are there, too
    assert work.table.name == f"out: {n_rows} of 3,000 rows"
    assert 400 < n_rows == len(model.labels_) <= 400 + 20 * model.n_clusters_
    assert model.concentration == work.settings.concentration == 2.0
    assert model.n_clusters_ == len(saved["clusters"])
    assert model.objective_ < saved["objective"]  # of the sample's rows, not of all
    assert work.results.objective(task, task) == model.objective_
    assert not work.seeks_number(task, model)  # its groups are those of the labels
    new = make_frame(300)
    there = load_model((folder / MODEL).read_text())
    assert np.mean(model.predict(new) == there.predict(new)) > 0.99
    # No run is behind it.
    score = scoreboard(work.results, {JUDGE: task}, None).iloc[0]
    assert score["K"] == model.n_clusters_
    assert score[["sweeps", "seconds"]].isna().all()


def test_what_is_no_finished_fit_gets_a_sentence(folder, tmp_path):
    with pytest.raises(ModelFileError, match=r"There is no finished fit in .*name the folder"):
        work_on_finished(tmp_path)
    (folder / UNFINISHED).write_bytes((folder / MODEL).read_bytes())
    with pytest.raises(ModelFileError, match=r"was stopped: 'mapdp-studio fit' goes on"):
        work_on_finished(folder)
