"""What a table chose of its model travels with the schema, to every method and into every file."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_t

from mapdp_studio.core import (
    MAPDP,
    CollapsedGibbs,
    MAPViews,
    MixtureEM,
    Schema,
    SchemaError,
    choose_model,
    infer_schema,
    load_model,
    save_model,
)
from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.engine.packed import default_priors
from mapdp_studio.core.exports.script import from_file, script_of
from mapdp_studio.core.exports.settings_file import fitting_schema, load_settings, save_settings
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.reading.tables import ReadOptions, read_table
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.session.table import Table


@pytest.fixture(scope="module", params=[0.0, 0.2], ids=["all there", "a panel missing"])
def frame(request) -> pd.DataFrame:
    """Three columns that vary together within two groups, a rating wider than a binomial, names.

    Of a share of the rows the three are missing.
    """
    random = np.random.default_rng(0)
    group = random.integers(2, size=150)
    x = 3.0 * random.normal(size=(150, 1)) + 0.5 * random.normal(size=(150, 3))
    x[:, 0] += 5.0 * group
    table = pd.DataFrame(np.round(x, 2), columns=list("abc"))
    table["rating"] = random.choice([1, 2, 3, 4, 5], 150, p=[0.25, 0.2, 0.1, 0.2, 0.25])
    table["site"] = random.choice(["north", "south", "west"], 150)
    table.loc[np.random.default_rng(1).random(150) < request.param, [*"abc"]] = np.nan
    return table


@pytest.fixture(scope="module")
def choice(frame):
    return choose_model(frame)


def _same(schema: Schema, other: Schema) -> None:
    assert schema == other
    assert schema.priors == other.priors
    assert schema.chosen == other.chosen


def test_every_method_runs_under_it(frame, choice):
    priors = choice.model.prior_
    assert [set(block.columns) for block in choice.schema.blocks.values()] == [set("abc")]
    model = MAPDP(random_state=0).fit(frame, choice.schema)
    assert model.objective_ == pytest.approx(choice.model.objective_, abs=1.0)
    assert (model.prior_, model.prior_scale_) == (priors, None)
    assert MAPDP(random_state=0).fit(frame, choice.schema.without_choice()).prior_ != priors
    gibbs = CollapsedGibbs(n_sweeps=10, random_state=0).fit(frame, choice.schema)
    assert gibbs.prior_ == priors
    models = (MixtureEM(2, random_state=0, prior=prior) for prior in ("empirical", priors))
    found, given = (model.fit(frame, choice.schema).objective_ for model in models)
    assert found == given
    views = MAPViews(random_state=0, patience=0).fit(frame, choice.schema).views_
    assert {prior for view in views for prior in view.prior_} == set(priors)
    assert all(set(view.schema_.priors.values()) <= set(priors) for view in views)


@pytest.mark.parametrize(
    "change", [{"family": "binomial"}, {"role": "ignore"}, {"missing_codes": (5,)}]
)
def test_a_changed_column_drops_its_prior_and_no_other(frame, choice, change):
    schema, block = choice.schema, next(iter(choice.schema.blocks))
    changed, apart = schema.with_column("rating", **change), schema.without_block(block)
    assert set(schema.priors) - set(changed.priors) == {"rating"}
    assert not any(step.columns == ("rating",) for step in changed.chosen)
    encoded = changed.encode(frame.assign(rating=frame["rating"].replace(5, 2)))
    priors = dict(zip((u.name for u in encoded.units), default_priors(encoded, 1.0), strict=True))
    assert priors[block] == schema.priors[block]
    assert set(schema.priors) - set(apart.priors) == {block}
    assert not any(step.is_block for step in apart.chosen)
    assert schema.settled("label", ("site",)).priors == schema.priors


def test_a_block_without_one_of_its_columns_has_the_marginal_prior(choice):
    block = next(iter(choice.schema.blocks.values()))
    apart = choice.schema.with_column_apart(block.columns[1])
    left = apart.with_column(block.columns[1], role="ignore").priors[block.name]
    whole = choice.schema.priors[block.name]
    rows = whole.mean[[0, 2]] + np.random.default_rng(0).normal(size=(5, 2))
    dof = whole.dof - 3 + 1
    shape = (whole.scatter * (1 + 1 / whole.mean_count) / dof)[np.ix_([0, 2], [0, 2])]
    expected = multivariate_t(whole.mean[[0, 2]], shape, dof).logpdf(rows)
    marginal = replace(left, steps=0.0)
    found = [marginal.log_marginal(row[None]) for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_array_equal(left.steps, whole.steps[[0, 2]])


def test_a_column_leaves_a_block_that_was_chosen_once_somebody_decides_about_it(choice):
    block = next(iter(choice.schema.blocks))
    left = choice.schema.with_column("b", role="ignore")
    (joined,) = [change for change in left.chosen if change.is_block]
    assert left.blocks[block].columns == joined.columns == ("a", "c")
    assert joined.gain is None
    assert left.with_column("a", family="exponential").blocks == {}
    assert choice.schema.with_column("b", reason="Because.").blocks == choice.schema.blocks
    by_hand = choice.schema.without_block(block).with_block(block, ["a", "b", "c"], "gaussian")
    with pytest.raises(SchemaError, match="belongs to block"):
        by_hand.with_column("b", role="ignore")


def test_what_was_chosen_can_be_taken_back_one_by_one_or_all(frame, choice):
    before = infer_schema(frame).completed(frame)
    assert {change.words for change in choice.schema.chosen} == {"together", "as category"}
    for change in choice.schema.chosen:
        back = choice.schema.taken_back(change)
        assert [c for c in choice.schema.chosen if c != change] == list(back.chosen)
        assert all(back[name] == before[name] for name in change.columns)
    assert back.taken_back(back.chosen[0]).chosen == ()
    _same(choice.schema.as_suggested(), before)
    by_hand = choice.schema.with_column("site", role="ignore")
    assert by_hand.as_suggested() == before.with_column("site", role="ignore")


def test_it_is_in_every_file(frame, choice):
    schema = choice.schema
    _same(Schema.from_dict(json.loads(json.dumps(schema.to_dict()))), schema)
    project = Project(Table(frame, "t.csv", "digest"), schema, suggested=infer_schema(frame))
    _same(load_project(save_project(project)).schema, schema)
    saved = load_settings(save_settings(project.saved()))
    _same(saved.schema, schema)
    alone = next(name for name in schema.priors if name in frame)
    fitting, remarks = fitting_schema(saved.schema, infer_schema(frame.drop(columns=alone)))
    assert remarks
    assert set(schema.priors) - set(fitting.priors) == {alone}
    model = MAPDP(random_state=0).fit(frame, schema)
    again = load_model(save_model(model))
    _same(again.schema_, schema)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


def test_a_prior_or_a_choice_of_nothing_there_is_damage(frame, choice):
    plain = choice.schema.as_suggested().to_dict()
    assert not {"priors", "chosen"} & {*plain}
    damaged = choice.schema.to_dict()
    damaged["priors"][0] = damaged["priors"][0] | {"of": "nobody"}
    with pytest.raises(SchemaError, match="damaged"):
        Schema.from_dict(damaged)
    for columns in (["nobody"], ["a", "b"]):
        wrong = {"columns": columns, "gain": 1.0, "change": {}, "before": {}}
        with pytest.raises(SchemaError, match="There is no"):
            Schema.from_dict(plain | {"chosen": [wrong]})


def test_a_script_states_it_and_gives_the_labels(frame, choice, run, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = read_table(tmp_path / "t.csv")
    task = tasks("d", choice.schema, Settings(), len(frame))["MAPDP"]
    model = MAPDP(**dict(task.arguments)).fit(read, choice.schema)
    options = ReadOptions(**read.attrs["read_options"])
    text = script_of(from_file("t.csv", options), task, choice.schema, "chosen")
    assert "'priors': [" in text
    np.testing.assert_array_equal(run(text), model.labels_)


def test_an_order_in_words_is_left_where_a_person_gave_it_and_else_comes_back_whole():
    steps = ("none", "mild", "severe")
    words = np.repeat(steps, (45, 10, 45))
    frame = pd.DataFrame({"pain": words, "height": np.random.default_rng(0).normal(size=100)})
    chosen = choose_model(frame).schema
    assert chosen["pain"].family == "categorical"
    assert chosen.as_suggested()["pain"] == infer_schema(frame)["pain"]
    ordered = choose_model(frame.assign(pain=pd.Categorical(words, steps, ordered=True))).schema
    assert (ordered["pain"].levels, ordered["pain"].family) == (steps, "binomial")
    frame["pain"] = np.repeat(("small pot", "medium pan", "large dish"), (45, 10, 45))
    (question,) = infer_schema(frame).questions
    answered = question.answers[0](infer_schema(frame))
    assert choose_model(frame, answered).schema["pain"] == answered["pain"]
