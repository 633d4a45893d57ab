"""A column that its likelihood does not describe is named first, and a fitting table names none."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, infer_schema
from mapdp_studio.core.inference.misfit import misfits, quantile_residuals

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


def counts_in_groups(seed=0):
    """Counts that are Poisson within three groups, and geometric as one."""
    random = np.random.default_rng(seed)
    group = random.integers(3, size=200)
    frame = pd.DataFrame({f"m{j}": random.normal(5.0 * group, 1) for j in range(2)})
    return frame.assign(visits=random.poisson(np.array([1.0, 5.0, 14.0])[group]))


def test_who_fits_in_python_is_warned_once_of_a_suggestion_that_is_far_off():
    frame = counts_in_groups()
    schema = infer_schema(frame)
    assert schema["visits"].family == "geometric"
    assert "geometric as one group" in schema["visits"].reason
    model = MAPDP(patience=2, random_state=0).fit(frame, schema)
    with pytest.warns(UserWarning, match=r"'visits' as count \(Poisson\) \(E falls by") as told:
        (misfit,) = model.misfits_
    assert (misfit.column, dict(misfit.change)) == ("visits", {"family": "poisson"})
    assert (len(told), told[0].filename) == (1, __file__)
    assert model.misfits_ == (misfit,)  # a second warning would be an error
    again = MAPDP(patience=2, random_state=0).fit(
        frame, schema.with_column("visits", **misfit.change)
    )
    assert again.misfits_ == ()


def test_nobody_is_warned_of_what_they_set_themselves():
    frame = counts_in_groups()
    schema = infer_schema(frame).with_column("visits", family="geometric")
    said = Schema([ColumnSpec("m0", "normal"), ColumnSpec("visits", "geometric")])
    for chosen in (schema, said):
        model = MAPDP(patience=2, random_state=0).fit(frame, chosen)
        assert [misfit.column for misfit in model.misfits_] == ["visits"]
    skewed = np.exp(frame.to_numpy()[:, :2] / 3.0)
    model = MAPDP(likelihood="exponential", patience=2, random_state=0).fit(skewed)
    assert all(misfit.change is not None for misfit in model.misfits_)
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
