"""Files saved by earlier versions still load, and say what they said.

``tests/data/version-0.1`` was written by version 0.1 itself: a table, the script, the model and the
settings saved for it, and the labels it found; ``version-0.2`` the project of the same table.
"""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema, load_model, read_table
from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.exports.settings_file import fitting_schema, load_settings
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.session.project_file import load_project

DATA = Path(__file__).parent / "data" / "version-0.1"
LABELS = pd.read_csv(DATA / "labels.csv")
MODEL, SETTINGS = ((DATA / f"{name}.json").read_text("utf-8") for name in ("model", "settings"))


@pytest.fixture
def frame() -> pd.DataFrame:
    return read_table(DATA / "patients.csv")


def test_a_script_gives_its_labels(run, tmp_path):
    shutil.copy(DATA / "patients.csv", tmp_path)
    text = (DATA / "script.py").read_text("utf-8")
    assert "from mapdp_studio.core.session.naming import Naming" in text
    np.testing.assert_array_equal(run(text), LABELS["merged"])


def test_a_model_places_the_rows_as_it_did(frame):
    model = load_model(MODEL)
    np.testing.assert_array_equal(model.predict(frame), LABELS["predicted"])
    probability = model.predict_proba(frame).max(axis=1)
    np.testing.assert_allclose(probability, LABELS["probability"], rtol=1e-9)


@pytest.mark.parametrize(
    ("there", "gone", "text"),
    [
        ('"family": "normal"', '"family": "gaussian_known_covariance"', "'gaussian_known_cov"),
        ('"result of": "MAPDP"', '"result of": "MAPHDP"', "'MAPHDP' is no method"),
        ('"comparison": {', '"comparison": {"own": [["HDBSCAN", "min_size", 7]],', "are gone"),
    ],
)
def test_what_is_gone_is_named(there, gone, text):
    with pytest.raises(ValueError, match=text):
        load_settings(SETTINGS.replace(there, gone, 1))


def test_settings_lead_to_the_same_groups(frame):
    saved = load_settings(SETTINGS)
    assert (saved.table, saved.algorithm) == ("patients.csv", "MAPDP")
    assert (saved.rows, saved.columns) == frame.shape
    assert saved.options.delimiter == ";"
    expected = {"concentration": 5.0, "penalty": 7.5, "effort": 2, "n_clusters": 4, "seed": 3}
    assert saved.settings == Settings(**expected)
    schema, remarks = fitting_schema(saved.schema, infer_schema(frame))
    assert (schema, remarks) == (saved.schema, [])
    groups = saved.namings["MAPDP"].apply(LABELS["fitted"].to_numpy())
    np.testing.assert_array_equal(groups.labels, LABELS["merged"])
    assert groups.titles[:2] == ("tall ones", "smokers")
    arguments = dict(tasks("digest", schema, saved.settings, len(frame))["MAPDP"].arguments)
    assert (arguments["concentration"], arguments["random_state"]) == (5.0, 3)


def test_a_project_opens_with_everything_in_it(frame):
    work = load_project((DATA.parent / "version-0.2" / "project.mapdp").read_bytes())
    pd.testing.assert_frame_equal(work.table.frame.fillna(np.nan), frame.fillna(np.nan))
    assert (work.algorithm, work.settings.concentration, work.settings.seed) == ("MAPDP", 5.0, 3)
    named = work.naming[work.tasks()["MAPDP"]].apply(LABELS["fitted"].to_numpy())
    for groups in (named, work.snapshots["merged"].groups):
        np.testing.assert_array_equal(groups.labels, LABELS["merged"])
        assert groups.titles[:2] == ("tall ones", "smokers")
    assert work.marked.tolist() == [0, 7]
    assert work.study.lock.plan.purpose == "to be read again"
    assert len(work.study.log) == 1
