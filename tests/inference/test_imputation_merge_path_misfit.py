"""Cells filled, groups merged in turn, and columns that their likelihood does not describe."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import (
    MAPDP,
    CollapsedGibbs,
    ColumnSpec,
    KMeansBIC,
    Schema,
    infer_schema,
)
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import GaussianPrior, NormalPrior
from mapdp_studio.core.inference.merge_path import merge_costs, merge_path
from mapdp_studio.core.inference.misfit import misfits, quantile_residuals
from tests.random_tables import FILLED, plain_columns, random_families, random_fit, random_table
from tests.reference import partition_objective


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
    with pytest.warns(UserWarning, match=r"never met, treated as missing \(z\)"):
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
    counted = model.columns_.in_user_units(model.partition_.table)
    assert table[4, 1] == pytest.approx(counted[4, 1], abs=1e-4)
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


def _partition(seed, fill=False, n=18):
    random = np.random.default_rng(seed)
    families = [FILLED, "poisson"] if fill else random_families(random)
    encoded, priors = random_table(random, n, families, fill=fill)
    return Partition(PackedTable.pack(encoded, priors), 0.8, np.sort(np.arange(n) % 5))


@pytest.mark.parametrize("seed", range(4))
def test_every_step_has_the_exact_objective_of_its_labels(seed):
    partition = _partition(seed)
    path = merge_path(partition)
    plain = plain_columns(partition.packed)
    for k, objective in zip(range(5, 0, -1), path.objectives, strict=True):
        labels = path.labels_at(k)
        assert np.all(np.diff(np.bincount(labels)) <= 0)
        assert labels.max() == k - 1
        assert objective == pytest.approx(partition_objective(plain, labels, 0.8), rel=1e-9)
    assert np.all(path.kept < path.dropped)
    assert np.array_equal(partition.labels, np.sort(np.arange(18) % 5))


def test_costs_of_merging_by_hand():
    partition = _partition(3)
    plain, labels = plain_columns(partition.packed), partition.labels
    costs = merge_costs(partition)
    rest = partition_objective(plain, labels, 0.8)
    for k in range(5):
        for other in range(5):
            merged = partition_objective(plain, np.where(labels == k, other, labels), 0.8)
            assert costs[k, other] == pytest.approx(merged - rest, abs=1e-8)
    rises = np.diff(merge_path(partition).objectives)
    assert rises[0] == pytest.approx(costs[~np.eye(5, dtype=bool)].min())


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_filled_cells_are_set_anew_after_each_merge(seed):
    partition = _partition(seed, fill=True)
    partition.settle()
    path = merge_path(partition)
    one = Partition(partition.packed, 0.8)
    assert path.objectives[-1] == pytest.approx(one.settle(), abs=1e-3)


@pytest.mark.parametrize("estimator", [MAPDP, CollapsedGibbs])
def test_a_fit_has_its_path(estimator):
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 2)) + 9.0 * random.integers(4, size=(60, 1))
    model = estimator(prior="empirical", random_state=0).fit(rows)
    path = model.merge_path_
    assert model.merge_path_.objectives[0] == pytest.approx(model.objective_)
    assert np.all(path.kept < path.dropped)
    assert np.array_equal(model.labels_at(model.n_clusters_), model.labels_)
    assert np.all(model.labels_at(1) == 0)
    with pytest.raises(ValueError, match="from 1 to"):
        model.labels_at(model.n_clusters_ + 1)
    with pytest.raises(AttributeError, match="KMeansBIC has no merge path"):
        _ = KMeansBIC(k_max=2, n_init=1, random_state=0).fit(rows).result_.merge_path_


FITTING = {
    "normal": lambda g, r: r.normal(3.0 * g, 1.0),
    "poisson": lambda g, r: r.poisson(np.where(g, 8, 2)),
    "geometric": lambda g, r: r.geometric(np.where(g, 0.15, 0.5)) - 1,
    "exponential": lambda g, r: r.exponential(np.where(g, 5.0, 1.0)),
    "binomial": lambda g, r: r.binomial(6, np.where(g, 0.75, 0.3)),
}
PLANTED = {
    "normal": lambda g, r: np.exp(r.normal(1.0 * g, 0.8)),
    "poisson": lambda g, r: r.negative_binomial(1.2, 1.2 / (1.2 + np.where(g, 8, 3))),
    "geometric": lambda g, r: r.poisson(np.where(g, 10, 4)),
    "exponential": lambda g, r: np.exp(r.normal(np.where(g, 3.0, 2.0), 0.3)),
    "binomial": lambda g, r: np.where(r.random(g.size) < np.where(g, 0.7, 0.35), 6, 0),
}


def misfit_table(seed: int, planted: str | None, n: int = 400) -> tuple[pd.DataFrame, Schema]:
    """Two groups in a column of each kind, one of them drawn from another family."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    makers = FITTING if planted is None else FITTING | {planted: PLANTED[planted]}
    frame = pd.DataFrame({name: make(group, random) * 1.0 for name, make in makers.items()})
    specs = [ColumnSpec(name, name) for name in frame if name != "binomial"]
    return frame, Schema([*specs, ColumnSpec("binomial", "binomial", trials=6)])


@pytest.mark.parametrize("kind", list(PLANTED))
def test_a_planted_misfit_is_named_first_with_what_fits_better(kind):
    frame, schema = misfit_table(3, kind)
    model = MAPDP(n_init=2, random_state=0).fit(frame, schema)
    found = misfits(model.partition_, model.schema_)
    assert found[0].column == kind
    change = found[0].change
    assert found[0].gain > 10
    better = MAPDP(n_init=2, random_state=0).fit(frame, schema.with_column(kind, **change))
    assert kind not in [m.column for m in misfits(better.partition_, better.schema_)]


def test_a_fitting_table_names_nothing():
    frame, schema = misfit_table(4, None)
    assert list(frame) == list(FITTING)
    model = MAPDP(n_init=2, random_state=0).fit(frame, schema)
    assert misfits(model.partition_, model.schema_) == ()


def test_a_fit_has_its_misfits_with_a_schema_and_without():
    """Counts that are Poisson within three groups, and geometric as one."""
    random = np.random.default_rng(0)
    group = random.integers(3, size=200)
    frame = pd.DataFrame({f"m{j}": random.normal(5.0 * group, 1) for j in range(2)})
    frame["visits"] = random.poisson(np.array([1.0, 5.0, 14.0])[group])
    schema = infer_schema(frame)
    assert schema["visits"].family == "geometric"
    assert "geometric as one group" in schema["visits"].reason
    model = MAPDP(patience=2, random_state=0).fit(frame, schema)
    (misfit,) = model.misfits_
    assert (misfit.column, dict(misfit.change)) == ("visits", {"family": "poisson"})
    again = MAPDP(patience=2, random_state=0).fit(
        frame, schema.with_column("visits", **misfit.change)
    )
    assert again.misfits_ == ()
    skewed = np.exp(frame.to_numpy()[:, :2] / 3.0)
    model = MAPDP(likelihood="exponential", patience=2, random_state=0).fit(skewed)
    assert [misfit.column for misfit in model.misfits_] == ["x0", "x1"]
    with pytest.raises(AttributeError):
        _ = MAPDP().misfits_


def test_residuals_are_uniform_where_the_model_is_right_and_missing_where_the_cell_is():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=500), "n": random.poisson(2.0, 500) * 1.0})
    frame.loc[:9, "x"] = np.nan
    schema = Schema([ColumnSpec("x", "normal"), ColumnSpec("n", "poisson")])
    model = MAPDP(n_init=1, random_state=0).fit(frame, schema)
    residuals = quantile_residuals(model.partition_)
    assert 10 <= np.isnan(residuals["x"]).sum() < 20  # and the cells of a tiny cluster
    for u in residuals.values():
        shares = np.histogram(u[~np.isnan(u)], np.linspace(0, 1, 6))[0]
        assert shares.min() > 70


@pytest.mark.parametrize(("seed", "named"), [(2, True), (3, False)])
def test_a_change_is_named_from_ten_nats_on(seed, named):
    random = np.random.default_rng(seed)
    visits = random.negative_binomial(4, 4 / 9, 210)[150:]  # E falls by 12.6 nats, and by 8.8
    frame, schema = pd.DataFrame({"n": visits * 1.0}), Schema([ColumnSpec("n", "poisson")])
    model = MAPDP(1e-6, patience=0, random_state=0).fit(frame, schema)
    assert bool(misfits(model.partition_, schema)) is named
