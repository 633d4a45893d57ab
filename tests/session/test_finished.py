"""A finished fit of a large table, opened: its model stands where a fit of the sample would."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mapdp_studio.core import ModelFileError, load_model
from mapdp_studio.core.comparing.comparison import scoreboard
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.scale.fit_large import ABOUT, MODEL, fit_large
from mapdp_studio.core.session.finished import work_on_finished
from tests.scale.test_fit_large import SCHEMA, make_frame, write_files


@pytest.fixture
def folder(tmp_path):
    write_files(make_frame(), tmp_path / "table")
    fit_large(tmp_path / "table", tmp_path / "out", SCHEMA, n_sample=400, concentration=2.0)
    return tmp_path / "out"


def test_the_pages_get_the_sample_with_its_model_without_a_fit(folder):
    work = work_on_finished(folder)
    (task,) = work.tasks((JUDGE,)).values()
    model, saved = work.results.get(task), json.loads((folder / MODEL).read_text())
    assert work.table.name == "out: 400 of 3,000 rows"
    assert (len(work.table.frame), len(model.labels_)) == (400, 400)
    assert model.concentration == work.settings.concentration == 2.0
    assert model.objective_ == pytest.approx(saved["objective"], abs=1e-6)
    assert work.results.objective(task, task) == model.objective_
    assert not work.seeks_number(task, model)  # its groups are those of the labels
    new = make_frame(300)
    there = load_model((folder / MODEL).read_text())
    np.testing.assert_allclose(model.predict_proba(new), there.predict_proba(new), atol=1e-9)
    # No run is behind it.
    score = scoreboard(work.results, {JUDGE: task}, None)[0]
    assert (score.n_clusters, score.n_iter, score.seconds) == (model.n_clusters_, None, None)


def test_what_is_no_finished_fit_gets_a_sentence(folder, tmp_path):
    with pytest.raises(ModelFileError, match=r"There is no finished fit in .*name the folder"):
        work_on_finished(tmp_path)
    (folder / ABOUT).write_text(json.dumps({"rows": 3_000, "prior_scale": 0.1}))  # as 0.2 began
    with pytest.raises(ModelFileError, match=r"by an earlier version, .*fit the table again"):
        work_on_finished(folder)
