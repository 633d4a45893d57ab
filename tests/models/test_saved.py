"""Every estimator saved, read and saved again says the same; a file that is no model says why."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core import (
    MAPDP,
    CollapsedGibbs,
    MixtureEM,
    ModelFileError,
    infer_schema,
    load_model,
    save_model,
)
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.models.saved import FILE
from tests.fresh_process import run_script
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


def _mixed(n=60):
    return as_frame(random_table(np.random.default_rng(6), n, list(FAMILIES), fill=True)[0])


def _answers(model, rows):
    found = [model.predict(rows), model.predict_proba(rows), model.score_samples(rows)]
    has_rows = hasattr(model, "impute")
    return [*found, assignments(model, rows).log_density] if has_rows else found


FRAMES = [
    MAPDP(2.0, prior="empirical", likelihood_power=0.5, random_state=0),
    CollapsedGibbs(2.0, prior="empirical", n_sweeps=20, random_state=0),
    MixtureEM(3, prior="empirical", random_state=0),
    MixtureEM(3, prior=None, random_state=0),
]


@pytest.mark.parametrize("model", FRAMES, ids=repr)
def test_a_model_of_all_families_comes_back_to_the_last_bit(model):
    frame, schema = _mixed()
    text = save_model(model.fit(frame.iloc[:45], schema))
    again = load_model(text)
    assert save_model(again) == text
    assert again.schema_ == model.schema_
    for new, old in zip(_answers(again, frame), _answers(model, frame), strict=True):
        assert np.array_equal(new, old)
    if isinstance(model, MixtureEM):
        return
    for method in ("mode", "mean"):
        new, old = again.impute_with_spread(frame, method), model.impute_with_spread(frame, method)
        assert new.table.equals(old.table)
        assert new.spread.equals(old.spread)
    assert again.settings["concentration"] == 2.0
    with pytest.raises(ValueError, match="no rows of its own"):
        again.impute()


def test_a_pickled_model_of_all_families_works_in_another_process(tmp_path):
    frame, schema = _mixed()
    model = MAPDP(2.0, prior="empirical", random_state=0).fit(frame, schema)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps((model, frame)))
    script = (
        "import pickle\n"
        "with open('model.pickle', 'rb') as file:\n"
        "    model, frame = pickle.load(file)\n"
        "print(*model.predict(frame))\n"
    )
    output = run_script(script, tmp_path)
    assert output.split() == [*map(str, model.predict(frame))]


@pytest.fixture(scope="module")
def text() -> str:
    """A model of an array of two columns."""
    rows = np.random.default_rng(0).normal(size=(12, 2))
    return save_model(MAPDP(prior="empirical", random_state=0).fit(rows))


def test_a_model_is_read_from_its_path(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.json"
    path.write_text(text, encoding="utf-8")
    for source in ("m.json", str(path), path, text, f"\n{text}", text.encode()):
        assert save_model(load_model(source)) == text
    for source in ("none.json", path.with_name("none.json"), tmp_path, "x" * 5000, "a\0b"):
        with pytest.raises(ModelFileError, match="no model file") as caught:
            load_model(source)
        assert len(str(caught.value)) < 300
    with pytest.raises(ModelFileError, match="not JSON"):
        load_model(b"m.json")  # bytes are what an upload holds, never a path
    with pytest.raises(ValueError, match="1 columns and the model was fitted to 2"):
        load_model(text).predict([[0.0]])
    with pytest.raises(TypeError, match="not dict"):
        save_model({})


def test_a_file_can_be_read_by_people():
    frame, schema = _mixed()
    poisson = next(name for name in frame if name.startswith("poisson"))
    schema = schema.with_column(poisson, missing_codes=("n/a [x]", -1))
    model = MAPDP(prior="empirical", patience=1, random_state=0).fit(frame, schema)
    model.set_params(prior=list(model.prior_), random_state=np.random.default_rng(0))
    text = save_model(model)
    content = json.loads(text)
    for cluster, saved in zip(model.clusters_, content["clusters"], strict=True):
        assert saved["size"] == cluster.size
        assert saved["posterior"] == {n: p.to_dict() for n, p in cluster.posterior.items()}
    assert len(text.splitlines()) < 60 * len(content["clusters"]) * 4 + 400
    assert load_model(json.dumps(content)).schema_ == model.schema_
    settings = content["settings"]
    assert (settings["prior"][0], settings["random_state"]) == ("NormalPrior", "Generator")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c: c.update(version=FILE.version + 1), "newer version"),
        (lambda c: c.update(format="something"), "no model file of MAP-DP Studio"),
        (lambda c: c["clusters"][0].update(size=99), "was changed after it was saved"),
        (lambda c: c.pop("checksum"), "was changed after it was saved"),
    ],
)
def test_an_edited_file_gets_a_sentence(text, change, sentence):
    content = json.loads(text)
    change(content)
    with pytest.raises(ModelFileError, match=sentence):
        load_model(json.dumps(content))


@pytest.mark.parametrize("what", ["", "{", "[1, 2]", "label,size\n1,2", b"\xff\xfe\x00"])
def test_what_is_no_model_gets_a_sentence(what):
    with pytest.raises(ModelFileError, match="no model file"):
        load_model(what)


TWO = {"columns": ["x0", "y"], "center": [0.0, 0.0], "scale": [1.0, 1.0]}
#: Of a file whose checksum is right: the estimator, and the change.
WRONG = [
    ("MAPDP", lambda c: c.update(objective=float("inf"))),
    ("MAPDP", lambda c: c.update(concentration=-1.0)),
    ("MAPDP", lambda c: c["clusters"][0].update(size=float("inf"))),
    ("MAPDP", lambda c: c["clusters"][0].update(size="12")),
    ("MAPDP", lambda c: c["clusters"][0].update(size=0)),
    ("MAPDP", lambda c: c["clusters"][0]["statistics"].update(x0=7.0)),
    ("MAPDP", lambda c: c["clusters"].clear()),
    ("MAPDP", lambda c: c["columns"][0].update(scale=[0.0])),
    ("MAPDP", lambda c: c["columns"][0].update(scale=[1.0, 1.0])),
    ("MAPDP", lambda c: c["columns"][1].update(columns=["x0"])),
    ("MAPDP", lambda c: c["columns"][0].update(TWO)),
    ("MAPDP", lambda c: c["columns"][0].update(columns=["y"])),
    ("MAPDP", lambda c: c.update(schema={"x": 1})),
    ("DPMeans", lambda c: [center.pop() for center in c["rule"]["centers"]]),
    ("DPMeans", lambda c: c["rule"]["encoding"]["fill"].pop()),
    ("DPMeans", lambda c: c["rule"]["encoding"].update(n_levels=[2, 5])),
    ("DPMeans", lambda c: c["rule"].update(kind="pickle")),
    ("DPMeans", lambda c: c["rule"].update(centers=[["a", 1.0]])),
    ("DPMeans", lambda c: c.pop("schema")),
    ("MixtureEM", lambda c: c["rule"]["parts"][0][0][0].pop()),
]


def _refused(text, change):
    content = json.loads(text)
    content.pop("checksum")
    change(content)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(json.dumps(FILE.signed(content)))


@pytest.mark.parametrize(("name", "change"), WRONG)
def test_parts_that_do_not_fit_each_other_are_refused(text, name, change):
    if name != "MAPDP":
        text = save_model(_fitted(name, np.random.default_rng(0).normal(size=(9, 2))))
    _refused(text, change)


def test_a_schema_of_other_columns_is_refused():
    frame = pd.DataFrame({"a": np.arange(12.0) ** 2, "b": np.arange(12.0) % 5})
    text = save_model(MAPDP(random_state=0).fit(frame, infer_schema(frame)))
    other = {"role": "ignore"}
    _refused(text, lambda c: c["schema"]["columns"][0].update(other))
