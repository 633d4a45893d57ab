"""Every estimator is saved, read and saved again; what it says of new rows stays the same."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core import MixtureEM, ModelFileError, load_model, save_model
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.models.saved import FILE
from tests.models.test_estimator import SMALL
from tests.random_tables import as_frame, random_table

#: What is quick to find.
QUICK = SMALL | {"HardHDP": {"local_penalty": 9.0, "global_penalty": 9.0}}


def _fitted(name, table):
    return getattr(core, name)(**QUICK[name]).fit(table)


@pytest.mark.parametrize("name", SMALL)
def test_every_estimator_is_saved_by_path_and_again(name, tmp_path):
    random = np.random.default_rng(0)
    rows = np.vstack([random.normal(size=(12, 2)), random.normal(7.0, 1.0, (8, 2))])
    frame = pd.DataFrame(rows, columns=list("ab"))
    for table in (frame, rows) if hasattr(getattr(core, name), "predict") else (frame,):
        model = _fitted(name, table)
        path = tmp_path / "model.json"
        text = save_model(model, path)
        again = load_model(path)
        assert save_model(again) == text
        assert save_model(load_model(str(path)), tmp_path / "twice.json") == text
        assert (again.algorithm, again.n_clusters_) == (name, model.n_clusters_)
        assert again.objective_ == model.objective_
        assert (again.schema_ is None) == (model.schema_ is None)
        if not hasattr(model, "predict"):
            assert np.array_equal(again.labels_, model.labels_)
            with pytest.raises(AttributeError, match=f"{name} has no predict"):
                again.predict(table)
            continue
        assert not hasattr(again, "labels_")
        for method in ("predict", "predict_proba", "score_samples"):
            assert hasattr(again, method) == hasattr(model, method)
            if hasattr(model, method):
                mine, theirs = getattr(model, method)(table), getattr(again, method)(table)
                assert np.array_equal(mine, theirs)


def test_a_mixture_of_all_families_comes_back_to_the_last_bit():
    frame, schema = as_frame(
        random_table(np.random.default_rng(6), 60, list(FAMILIES), fill=True)[0]
    )
    for prior in ("empirical", None):
        model = MixtureEM(3, prior=prior, random_state=0).fit(frame, schema)
        again = load_model(save_model(model))
        assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
        assert np.array_equal(again.score_samples(frame), model.score_samples(frame))


def _spoilt(model, change):
    content = json.loads(save_model(model))
    del content["checksum"]
    change(content)
    return json.dumps(FILE.signed(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: [center.pop() for center in content["rule"]["centers"]],
        lambda content: content["rule"]["encoding"]["fill"].pop(),
        lambda content: content["rule"]["encoding"].update(n_levels=[2, 5]),
        lambda content: content["rule"].update(kind="pickle"),
        lambda content: content["rule"].update(centers=[["a", 1.0]]),
        lambda content: content["found"].update(_rule=3),
        lambda content: content.pop("schema"),
    ],
)
def test_a_file_whose_parts_do_not_fit_says_so(change):
    model = _fitted("DPMeans", np.random.default_rng(0).normal(size=(9, 2)))
    with pytest.raises(ModelFileError, match="This model file is damaged"):
        load_model(_spoilt(model, change))


def test_a_mixture_whose_parts_do_not_fit_says_so():
    model = _fitted("MixtureEM", np.random.default_rng(0).normal(size=(9, 2)))

    def cut(content):
        content["rule"]["parts"][0][0][0].pop()

    with pytest.raises(ModelFileError, match="damaged"):
        load_model(_spoilt(model, cut))
    with pytest.raises(ModelFileError, match="was changed after it was saved"):
        load_model(save_model(model).replace('"n_clusters_": ', '"n_clusters_": 1'))
    with pytest.raises(TypeError, match="not dict"):
        save_model({})
