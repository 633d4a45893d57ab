"""Cells filled and rows drawn: in the user's words, and inside the loop."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from mapdp_studio.core import MAPDP, Schema, infer_schema, load_model, save_model
from mapdp_studio.core.families import GaussianPrior, NormalPrior
from mapdp_studio.core.schema.schema import ColumnSpec
from tests.random_tables import random_fit


@pytest.mark.parametrize("method", ["mode", "mean"])
def test_cells_are_filled_in_the_users_words(method):
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], 40)
    frame = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(80)],
            "size": np.exp(random.normal(size=80) * 0.1 + 3 * group),
            "stage": np.where(group == 1, 4, 1 + random.integers(2, size=80)),
            "colour": pd.Categorical(np.where(group == 1, "red", "blue")),
            "smoker": np.where(random.random(80) < 0.1 + 0.8 * group, "yes", "no"),
            "visits": pd.array(random.poisson(1 + 9 * group), dtype="Int64"),
        }
    )
    schema = Schema(
        [
            ColumnSpec("id", None, "id"),
            ColumnSpec("size", "normal", transform="log"),
            ColumnSpec("stage", "binomial", offset=1, trials=3, missing_codes=(-9,)),
            ColumnSpec("colour", "categorical"),
            ColumnSpec("smoker", "bernoulli"),
            ColumnSpec("visits", "poisson"),
        ]
    )
    holed = frame.copy()
    holed.loc[[3, 50], "size"] = np.nan
    holed.loc[[4, 51], "stage"] = -9
    holed.loc[[5, 52], "colour"] = np.nan
    holed.loc[[6, 53], "smoker"] = None
    holed.loc[[7, 54], "visits"] = pd.NA
    model = MAPDP(random_state=0).fit(holed, schema)
    table, spread = model.impute_with_spread(holed, method)
    assert model.n_clusters_ == 2
    assert table.loc[[3, 50], "size"].to_numpy() == pytest.approx([1, np.exp(3)], rel=0.2)
    assert table.loc[[5, 52], "colour"].tolist() == ["blue", "red"]
    assert table.loc[[6, 53], "smoker"].tolist() == ["no", "yes"]
    assert table.loc[51, "stage"] == pytest.approx(4, abs=0.3)
    assert table.loc[54, "visits"] == pytest.approx(10, abs=1.5)
    if method == "mode":
        assert table.loc[4, "stage"] in (1, 2)
        assert table["visits"].dtype == frame["visits"].dtype
    untouched = ~holed.isna() & (holed != -9)
    assert (table[untouched] == frame[untouched])[untouched].sum().sum() == untouched.sum().sum()
    assert table["colour"].dtype == frame["colour"].dtype
    filled = spread.notna()
    assert filled.sum().tolist() == [2, 2, 2, 2, 2]
    assert np.all(spread.to_numpy()[filled] > 0)
    assert spread.loc[3, "size"] == pytest.approx(0.1, rel=0.4)
    assert 0 < spread.loc[6, "smoker"] < 0.5
    own = model.impute(method=method)
    assert list(own.columns) == list(frame.columns[1:])
    assert own.loc[[5, 52], "colour"].tolist() == ["blue", "red"]


def test_a_level_the_model_does_not_know_is_not_overwritten():
    frame = pd.DataFrame({"a": ["x", "y"] * 10, "b": np.arange(20.0)})
    schema = Schema([ColumnSpec("a", "categorical"), ColumnSpec("b", "normal")])
    model = MAPDP(random_state=0).fit(frame, schema)
    table = model.impute(pd.DataFrame({"a": ["z", None], "b": [1.0, 2.0]}))
    assert table["a"].iloc[0] == "z"
    assert table["a"].iloc[1] in ("x", "y")


def test_arrays_come_back_as_arrays():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    rows[4, 1] = np.nan
    model = MAPDP(likelihood="gaussian", random_state=0).fit(rows)
    table, spread = model.impute_with_spread()
    assert np.array_equal(np.isnan(spread), ~np.isnan(rows))
    assert table[~np.isnan(rows)] == pytest.approx(rows[~np.isnan(rows)])
    # The engine's own filled cell is the mode given the other rows, too.
    kept = model.columns_.counted(model.partition_.table)
    assert table[4, 1] == pytest.approx(kept[4, 1], abs=1e-4)
    with pytest.raises(ValueError, match="median"):
        model.impute(rows, method="median")


@pytest.mark.parametrize("refine", [True, False])
def test_imputation_inside_the_loop(refine):
    families = ["normal", "categorical", "poisson"]
    model, new, _ = random_fit(5, families, missing="impute", refine=refine)
    holes = np.isnan(model.columns_.encoded.values)
    assert holes.any(axis=0).all()
    left_out = holes & [False, True, True]  # categories and counts are never filled
    assert np.array_equal(np.isnan(model.partition_.table.values), left_out)
    assert np.isfinite(model.score_samples(new)).all()
    marginal = random_fit(5, families, refine=refine)[0]
    assert np.array_equal(np.isnan(marginal.partition_.table.values), holes)
    with pytest.raises(ValueError, match="missing"):
        MAPDP(missing="drop").fit(np.arange(6.0)[:, None])


def test_a_row_that_was_filled_though_it_has_no_cell_of_a_block_is_no_witness_of_its_own():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(12, 3)), columns=list("abc"))
    frame.loc[0, ["a", "b"]] = np.nan
    schema = infer_schema(frame).with_block("ab", ["a", "b"], "gaussian")
    seen = frame[1:].to_numpy()
    prior = {"ab": GaussianPrior.default(seen[:, :2]), "c": NormalPrior.default(seen[:, 2])}
    spreads = [
        MAPDP(1e-9, missing=missing, prior=prior, random_state=0)
        .fit(frame, schema)
        .impute_with_spread()
        .spread.loc[0, ["a", "b"]]
        .to_numpy(float)
        for missing in ("impute", "marginalize")
    ]
    np.testing.assert_allclose(*spreads, rtol=1e-6)


def test_rows_of_a_frame_come_in_its_words_and_by_the_clusters_sizes():
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], [150, 50])
    cost = np.where(random.random(200) < 0.4, 0.0, np.exp(random.normal(size=200) + 4 * group))
    frame = pd.DataFrame(
        {
            "cost": cost,
            "stage": 1 + random.binomial(3, 0.1 + 0.8 * group),
            "colour": np.where(group == 1, "red", "blue"),
            "height": random.normal(170 + 40 * group, 5),
            "weight": random.normal(70 + 40 * group, 5),
        }
    )
    schema = Schema(
        [
            ColumnSpec("cost", "normal", transform="log", special=("0",), special_codes=(0.0,)),
            ColumnSpec("stage", "binomial", offset=1, trials=3),
            ColumnSpec("colour", "categorical"),
            ColumnSpec("height", "normal"),
            ColumnSpec("weight", "normal"),
        ]
    ).with_block("size", columns=["height", "weight"], family="gaussian")
    model = MAPDP(random_state=0).fit(frame, schema)
    assert model.n_clusters_ == 2
    rows, labels = model.sample(2000, random_state=0)
    assert set(rows.columns) == set(frame.columns)
    assert set(rows["colour"]) == {"red", "blue"}
    assert set(rows["stage"]) <= {1, 2, 3, 4}
    assert np.mean(labels) == pytest.approx(0.25, abs=0.05)
    assert np.mean(rows["cost"] == 0.0) == pytest.approx(0.4, abs=0.1)
    assert rows["cost"].min() == 0.0
    assert np.mean(model.predict(rows) == labels) > 0.97
    assert rows["height"][labels == 1].mean() == pytest.approx(210, abs=3)


def test_a_model_read_from_a_file_draws_the_same_rows():
    model = MAPDP(random_state=0).fit(np.random.default_rng(0).normal(size=(30, 2)))
    rows, labels = load_model(save_model(model)).sample(5, random_state=1)
    np.testing.assert_allclose(rows, model.sample(5, random_state=1)[0])
    assert labels.shape == (5,)
    with pytest.raises(NotFittedError):
        MAPDP().sample()
    with pytest.raises(ValueError, match="n_samples=0 is not allowed"):
        model.sample(0)
