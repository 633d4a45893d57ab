"""Two-part columns: a number, or one of a few named special outcomes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import (
    MAPDP,
    ColumnSpec,
    Schema,
    SchemaError,
    infer_schema,
    load_model,
    save_model,
)
from mapdp_studio.core.inference.contributions import (
    assignments,
    column_contributions,
    row_contributions,
)
from mapdp_studio.core.profiling.cards import profile_cards

N = 120


def table(seed=0):
    """Costs with zeros and holes, by hand in two columns, and two measurements beside."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=N)
    cost = np.exp(random.normal(2 * group, 0.4))
    cost[random.random(N) < np.where(group, 0.1, 0.7)] = 0.0
    cost[random.random(N) < 0.1] = np.nan
    frame = pd.DataFrame({"cost": cost, "x": random.normal(3 * group), "y": random.normal(size=N)})
    by_hand = frame.assign(
        cost=frame["cost"].mask(frame["cost"] == 0),
        kind=np.where(np.isnan(cost), None, np.where(cost == 0, "zero", "a number")),
    )
    return frame, by_hand[["cost", "kind", "x", "y"]], group


def schemas():
    normal = [ColumnSpec("x", "normal"), ColumnSpec("y", "normal")]
    two_part = ColumnSpec("cost", "normal", transform="log", special={"zero": 0})
    number = ColumnSpec("cost", "normal", transform="log")
    kind = ColumnSpec("kind", "categorical", levels=("a number", "zero"))
    return Schema([two_part, *normal]), Schema([number, kind, *normal])


@pytest.mark.parametrize("missing", ["marginalize", "impute"])
def test_it_is_two_columns_by_hand(missing):
    frame, by_hand, _ = table()
    ours, theirs = schemas()
    settings = {"n_init": 2, "random_state": 0, "missing": missing}
    model = MAPDP(**settings).fit(frame, ours)
    twin = MAPDP(**settings).fit(by_hand, theirs)
    if missing == "marginalize":  # filled numbers differ by hand: no outcome decides about them
        assert model.objective_ == pytest.approx(twin.objective_, rel=0, abs=1e-9)
        np.testing.assert_array_equal(model.labels_, twin.labels_)
    codes = model.columns_.encoded
    absent = np.isnan(model.partition_.table.values[:, 0])
    np.testing.assert_array_equal(absent, np.isnan(codes.values[:, 0]))


def test_a_table_without_special_outcomes_keeps_its_objective_bit_for_bit():
    frame, *_ = table(5)
    plain = frame[["x", "y"]].mask(np.random.default_rng(5).random((N, 2)) < 0.1)
    settings = {"random_state": 0, "patience": 5}
    as_array = MAPDP(**settings).fit(plain.to_numpy())  # no schema, so nothing to say of outcomes
    schema = schemas()[0].with_column("cost", role="ignore")
    taken_back = schema.with_column("x", special={"zero": 0}).with_column("x", special=())
    for chosen in (schema, taken_back):
        model = MAPDP(**settings).fit(plain.assign(cost=frame["cost"]), chosen)
        assert model.objective_ == as_array.objective_
        np.testing.assert_array_equal(model.labels_, as_array.labels_)


def test_it_is_one_column_to_its_user():
    frame, _, group = table(1)
    model = MAPDP(n_init=3, random_state=0).fit(frame, schemas()[0])
    encoded = model.columns_.encoded
    assert encoded.columns == ("cost", "x", "y")
    np.testing.assert_array_equal(encoded.is_missing[:, 0], frame["cost"].isna())
    assert list(column_contributions(model.partition_).index) == ["cost", "x", "y"]
    rows = row_contributions(model)
    assert list(rows.own.columns) == ["cost", "x", "y"]
    np.testing.assert_array_equal(rows.own["cost"].isna(), frame["cost"].isna())
    joint = model._row_scores().log_joint(encoded, model.labels_)
    own = joint[np.arange(N), model.labels_]
    np.testing.assert_allclose(rows.own.sum(axis=1) + rows.weights[:, 0], own)
    assert assignments(model).n_columns == 3
    lines = [t for card in profile_cards(encoded, model.labels_) for t in card.traits]
    assert "cost = zero" in {t.what for t in lines}
    agreement = np.mean((model.labels_ == 0) == (group == group[model.labels_ == 0][0]))
    assert agreement > 0.8


def test_a_group_of_nothing_but_outcomes_has_no_median():
    group = np.repeat([0, 1], 40)
    cost = np.where(group == 0, 0.0, np.random.default_rng(4).lognormal(3.0, 0.5, 80))
    spec = ColumnSpec("cost", "normal", special={"zero": 0})
    encoded = Schema([spec]).encode(pd.DataFrame({"cost": cost}))
    (trait,) = profile_cards(encoded, group)[0].traits
    assert (trait.what, trait.here, trait.overall) == ("cost = zero", "100 %", "50 %")


def test_yes_and_no_beside_an_outcome_has_a_card_too():
    random = np.random.default_rng(6)
    group = np.repeat([0, 1], 40)
    answer = np.where(group == 0, random.choice([0, 1], 80), random.choice([1, 9], 80)) * 1.0
    frame = pd.DataFrame({"smokes": answer, "x": random.normal(4 * group)})
    yes_no = ColumnSpec("smokes", "bernoulli", levels=(0, 1), special={"refused": 9})
    encoded = Schema([yes_no, ColumnSpec("x", "normal")]).encode(frame)
    said = [t.what for card in profile_cards(encoded, group) for t in card.traits]
    assert "smokes = refused" in said


def test_imputing_decides_the_outcome_first():
    frame, _, group = table(2)
    model = MAPDP(n_init=3, random_state=0).fit(frame, schemas()[0])
    filled = model.impute(frame)
    holes = frame["cost"].isna()
    pd.testing.assert_series_equal(filled["cost"][~holes], frame["cost"][~holes])
    assert not filled["cost"].isna().any()
    assert set(filled["cost"][holes & (group == 0)]) == {0.0}
    assert (filled["cost"][holes & (group == 1)] > 0).mean() > 0.7


def test_new_rows_and_saved_models_know_it():
    frame, _, _ = table(3)
    model = MAPDP(n_init=2, random_state=0).fit(frame, schemas()[0])
    again = load_model(save_model(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    np.testing.assert_allclose(again.predict_proba(frame), model.predict_proba(frame))
    schema = Schema.from_dict(json.loads(json.dumps(model.schema_.to_dict())))
    assert schema == model.schema_
    assert schema["cost"].special == ("zero",)


def test_limits_by_text_by_sign_and_as_numbers():
    cells = ["<0.5", "1.5", "<0.2", None, "3", ">9", "2.5"]
    frame = pd.DataFrame({"lab": cells, "x": np.arange(7.0)})
    base = Schema([ColumnSpec("lab", "normal"), ColumnSpec("x", "normal")])
    one = base.with_column("lab", special={"below": "<", "above 9": ">9"}).encode(frame)
    np.testing.assert_array_equal(one.values[:, 1], [1, 0, 1, np.nan, 0, 2, 0])
    taken = base.with_column("lab", taken_as={"<0.5": 0.25, "<0.2": 0.1}, missing_codes=[">9"])
    np.testing.assert_array_equal(
        taken.encode(frame).values[:, 0], [0.25, 1.5, 0.1, np.nan, 3, np.nan, 2.5]
    )


def test_amounts_with_zeros_are_suggested_and_half_the_limit_is_one_click():
    random = np.random.default_rng(4)
    rain = np.where(random.random(300) < 0.6, 0.0, np.exp(random.normal(1, 1, 300)).round(2))
    spec = infer_schema(pd.DataFrame({"rain": rain}))["rain"]
    assert (spec.family, spec.transform, spec.special) == ("normal", "log", ("zero",))
    assert "0 in 5" in spec.reason
    lab = [f"{v:.2f}" if v > 0.5 else "<0.5" for v in np.exp(random.normal(0, 1, 300))]
    schema = infer_schema(pd.DataFrame({"lab": lab}))
    half = next(a for q in schema.questions for a in q.answers if a.text.startswith("Half"))
    answered = half(schema)
    assert (answered["lab"].special, answered["lab"].taken_as) == ((), (("<0.5", 0.25),))
    assert np.isfinite(answered.encode(pd.DataFrame({"lab": lab})).values).all()


def test_what_cannot_be_is_refused():
    with pytest.raises(SchemaError, match="needs no special"):
        ColumnSpec("c", "categorical", special={"zero": 0})
    schema = Schema([ColumnSpec("a", "normal", special={"zero": 0}), ColumnSpec("b", "normal")])
    with pytest.raises(SchemaError, match="a block cannot hold"):
        schema.with_block("both", ["a", "b"], "gaussian")
    assert schema.with_column("a", family="categorical")["a"].special == ()
    with pytest.raises(SchemaError, match="a name of its own"):
        ColumnSpec("c", "normal", special={"a number": 0})


def test_one_number_among_many_outcomes_does_not_speak_for_its_group():
    group = np.repeat([0, 1], 200)
    cost = np.where(group == 0, 0.0, np.random.default_rng(5).lognormal(3.0, 0.5, 400))
    cost[0] = 5_000.0
    encoded = Schema([ColumnSpec("cost", "normal", special={"zero": 0})]).encode(
        pd.DataFrame({"cost": cost})
    )
    cheap, dear = ([*card.traits] for card in profile_cards(encoded, group))
    assert [(t.word, t.here) for t in cheap] == [("more often", "99.5 %")]
    assert (dear[0].word, dear[0].here) == ("less often", "0 %")


def test_few_numbers_among_many_outcomes_are_no_trait_of_a_group():
    numbers = np.r_[np.linspace(19, 21, 10), np.zeros(90), np.linspace(9, 11, 10), np.zeros(90)]
    spec = ColumnSpec("cost", "normal", special={"zero": 0})
    encoded = Schema([spec]).encode(pd.DataFrame({"cost": numbers}))
    cards = profile_cards(encoded, np.repeat([0, 1], 100))
    assert [trait for card in cards for trait in card.traits] == []
