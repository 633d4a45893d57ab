"""A finished fit of a large table, opened: its model stands where a fit of the sample would."""

import json

import numpy as np
import pytest

from mapdp_studio.core import ModelFileError, load_model
from mapdp_studio.core.comparing.comparison import scoreboard
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.scale.fit_large import MODEL, UNFINISHED, fit_large
from mapdp_studio.core.session.finished import work_on_finished
from tests.scale.test_fit_large import SCHEMA, make_frame, write_files


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
