"""Two-part columns: a number, or one of a few named special outcomes."""

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
from mapdp_studio.core.inference.contributions import column_contributions, row_contributions

N = 120
TWO_PART = ColumnSpec("cost", "normal", transform="log", special={"zero": 0})
OTHERS = [ColumnSpec("x", "normal"), ColumnSpec("y", "normal")]
SCHEMA = Schema([TWO_PART, *OTHERS])


def table(seed):
    """Costs with zeros and holes of two groups, and two measurements beside."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=N)
    cost = np.exp(random.normal(2 * group, 0.4))
    cost[random.random(N) < np.where(group, 0.1, 0.7)] = 0.0
    cost[random.random(N) < 0.1] = np.nan
    x, y = random.normal(3 * group), random.normal(size=N)
    return pd.DataFrame({"cost": cost, "x": x, "y": y}), group


@pytest.mark.parametrize("missing", ["marginalize", "impute"])
def test_it_is_two_columns_by_hand(missing):
    frame, _ = table(0)
    kind = np.where(frame["cost"] == 0, "zero", "a number").astype(object)
    kind[frame["cost"].isna()] = None
    by_hand = frame.assign(cost=frame["cost"].mask(frame["cost"] == 0), kind=kind)
    specs = [ColumnSpec("kind", "categorical", levels=("a number", "zero")), *OTHERS]
    twin_schema = Schema([ColumnSpec("cost", "normal", transform="log"), *specs])
    settings = {"n_init": 2, "random_state": 0, "missing": missing}
    model = MAPDP(**settings).fit(frame, SCHEMA)
    if missing == "marginalize":  # filled numbers differ by hand: no outcome decides about them
        twin = MAPDP(**settings).fit(by_hand[["cost", "kind", "x", "y"]], twin_schema)
        assert model.objective_ == pytest.approx(twin.objective_, rel=0, abs=1e-9)
        np.testing.assert_array_equal(model.labels_, twin.labels_)
    absent = np.isnan(model.partition_.table.values[:, 0])
    np.testing.assert_array_equal(absent, np.isnan(model.columns_.encoded.values[:, 0]))


def test_it_is_one_column_to_its_user():
    frame, group = table(2)
    model = MAPDP(n_init=3, random_state=0).fit(frame, SCHEMA)
    encoded, rows = model.columns_.encoded, row_contributions(model)
    np.testing.assert_array_equal(encoded.is_missing[:, 0], frame["cost"].isna())
    named = list(column_contributions(model.partition_).index), list(rows.margin.columns)
    assert named == (["cost", "x", "y"], ["cost", "x", "y"])
    np.testing.assert_array_equal(rows.margin["cost"].isna(), frame["cost"].isna())
    filled, holes = model.impute(frame), frame["cost"].isna()
    pd.testing.assert_series_equal(filled["cost"][~holes], frame["cost"][~holes])
    assert set(filled["cost"][holes & (group == 0)]) == {0.0}, "the outcome is decided first"
    assert (filled["cost"][holes & (group == 1)] > 0).mean() > 0.7
    again = load_model(save_model(model))
    np.testing.assert_allclose(again.predict_proba(frame), model.predict_proba(frame))
    assert again.schema_["cost"].special == ("zero",)


def test_limits_by_text_by_sign_and_as_numbers():
    cells = ["<0.5", 1.5, "<0.2", " ", "3", ">9", 2.5]
    frame = pd.DataFrame({"lab": cells, "x": np.arange(7.0)})
    base = Schema([ColumnSpec("lab", "normal"), ColumnSpec("x", "normal")])
    one = base.with_column("lab", special={"below": "<", "above 9": ">9"}).encode(frame)
    np.testing.assert_array_equal(one.values[:, 1], [1, 0, 1, np.nan, 0, 2, 0])
    halved = {"<0.5": 0.25, "<0.2": 0.1}  # though one is a missing code, too
    taken = base.with_column("lab", taken_as=halved, missing_codes=["<0.2", ">9"])
    values = taken.encode(frame).values[:, 0]
    np.testing.assert_array_equal(values, [0.25, 1.5, 0.1, np.nan, 3, np.nan, 2.5])


def test_amounts_with_zeros_are_suggested_and_half_the_limit_is_one_click():
    random = np.random.default_rng(4)
    rain = np.where(random.random(300) < 0.6, 0.0, np.exp(random.normal(1, 1, 300)).round(2))
    spec = infer_schema(pd.DataFrame({"rain": rain}))["rain"]
    assert (spec.family, spec.transform, spec.special) == ("normal", "log", ("zero",))
    lab = [f"{v:.2f}" if v > 0.5 else "<0.5" for v in np.exp(random.normal(0, 1, 300))]
    schema = infer_schema(pd.DataFrame({"lab": lab}))
    half = next(a for q in schema.questions for a in q.answers if a.text.startswith("Half"))
    answered = half(schema)
    assert (answered["lab"].special, answered["lab"].taken_as) == ((), (("<0.5", 0.25),))
    assert np.isfinite(answered.encode(pd.DataFrame({"lab": lab})).values).all()


@pytest.mark.parametrize(
    ("word", "name"),
    [("<LOD", "below LOD"), ("below detection", "below detection"), ("BLQ", "BLQ")]
    + [(word, word) for word in ("Undetermined", "not detected", "90+")],
)
@pytest.mark.parametrize("share", [0.05, 0.4])
def test_what_was_too_little_to_measure_stands_beside_the_numbers(word, name, share):
    random = np.random.default_rng(4)
    few = random.random(200) < max(share, 0.2 * (word in ("Undetermined", "not detected", "90+")))
    frame = pd.DataFrame({"hg": np.where(few, word, random.gamma(2, 1, 200).round(2).astype(str))})
    schema = infer_schema(frame)
    assert schema["hg"].special == (name,)
    np.testing.assert_array_equal(schema.encode(frame).values[:, 1], few)
    (question,) = schema.questions
    keep, missing = question.answers
    assert (keep.changes, missing(schema)["hg"].special) == ({}, ())
    assert np.isnan(missing(schema).encode(frame).values[:, 0]).sum() == few.sum()


def test_what_cannot_be_is_refused():
    with pytest.raises(SchemaError, match="needs no special"):
        ColumnSpec("c", "categorical", special={"zero": 0})
    with pytest.raises(SchemaError, match="a block cannot hold"):
        SCHEMA.with_block("both", ["cost", "x"], "gaussian")
    assert SCHEMA.with_column("cost", family="categorical")["cost"].special == ()
    with pytest.raises(SchemaError, match="a name of its own"):
        ColumnSpec("c", "normal", special={"a number": 0})
