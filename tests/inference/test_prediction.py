"""Predictions and filled cells, judged by Bayes' rule on the reference's marginals and by scipy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

from core import MAPDP, CollapsedGibbs, Schema
from core.engine.columns import Columns
from core.engine.partition import Partition
from core.families import FAMILIES
from core.families.prior import Predictive
from core.schema.encoded import Encoded
from core.schema.schema import ColumnSpec
from tests.random_tables import (
    COLUMN_FAMILIES,
    FILLED,
    as_frame,
    plain_columns,
    random_families,
    random_prior,
    random_table,
    random_values,
)
from tests.reference import log_marginal, partition_objective

CLOSE = 1e-8


def _fitted(seed, families=None, n=24, fill=True, **arguments):
    """A model of most rows of a random table, and the rows left out."""
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, n + 6, families or random_families(random), fill=fill)
    frame, schema = as_frame(encoded)
    arguments = {"prior": list(priors), "patience": 2, "random_state": seed} | arguments
    model = MAPDP(1.7, **arguments).fit(frame.iloc[:n], schema)
    return model, frame.iloc[n:], replace(encoded, values=encoded.values[n:])


def _bayes(model, new):
    """Ln p(z = k, x) of one new row by ratios of marginal likelihoods."""
    counted = plain_columns(model.columns_, model.partition_.table)
    sizes = np.append(np.bincount(model.labels_), model.concentration)
    joint = np.log(sizes / sizes.sum())
    for k in range(sizes.size):
        rows = model.labels_ == k
        for (family, prior, values), u in zip(counted, range(len(counted)), strict=True):
            cell = replace(model.columns_.encoded, values=new[None]).unit_values(u)
            before = log_marginal(family, prior, values[rows])
            joint[k] += log_marginal(family, prior, np.concatenate([values[rows], cell])) - before
    return joint


@pytest.mark.parametrize("seed", range(10))
def test_probabilities_follow_bayes_rule(seed):
    families = list(FAMILIES) if seed == 0 else None
    model, new, encoded = _fitted(seed, families)
    probabilities, densities = model.predict_proba(new), model.score_samples(new)
    assert probabilities.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert probabilities.shape == (6, model.n_clusters_ + 1)
    assert np.array_equal(model.predict(new), probabilities.argmax(axis=1))
    assert model.score(new) == pytest.approx(densities.mean())
    names = [unit.family for unit in encoded.units]
    for i, row in enumerate(encoded.values):
        if FILLED in names and np.isnan(encoded.unit_values(names.index(FILLED))[i]).any():
            continue
        joint = _bayes(model, row)
        assert densities[i] == pytest.approx(special.logsumexp(joint), abs=CLOSE)
        assert probabilities[i] == pytest.approx(special.softmax(joint), abs=CLOSE)


@pytest.mark.parametrize("likelihood", ["gaussian", "gaussian_known_covariance", "spherical"])
def test_a_missing_cell_of_a_block_is_integrated_out(likelihood):
    random = np.random.default_rng(1)
    rows = random.normal(size=(50, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
    rows[25:] += 4.0
    rows[::7, 0] = np.nan
    model = MAPDP(likelihood=likelihood, random_state=0).fit(rows)

    def density(x):
        return float(np.exp(model.score_samples([[x, 3.5]])[0]))

    whole = integrate.quad(density, -60, 70, points=[0, 4], limit=200, epsrel=1e-7)[0]
    assert model.score_samples([[np.nan, 3.5]])[0] == pytest.approx(np.log(whole), abs=1e-4)


@pytest.mark.parametrize("estimator", [MAPDP, CollapsedGibbs])
def test_an_empty_row_gets_the_prior_weights(estimator):
    random = np.random.default_rng(3)
    frame, schema = as_frame(random_table(random, 30, list(FAMILIES), fill=True)[0])
    model = estimator(2.0, prior="empirical", random_state=0).fit(frame, schema)
    empty = pd.DataFrame(np.nan, index=[0], columns=frame.columns)
    expected = np.append(model.result_.sizes, 2.0) / 32.0
    assert model.predict_proba(empty)[0] == pytest.approx(expected)
    assert model.score_samples(empty)[0] == pytest.approx(0.0, abs=1e-12)


def test_the_new_cluster_takes_what_is_unlike_all():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    rows[20:] += 10.0
    model = MAPDP(random_state=0).fit(rows)
    assert model.n_clusters_ == 2
    assert model.predict([[200.0, -200.0]])[0] == 2
    assert set(model.predict(rows)) == {0, 1}
    assert model.predict(pd.DataFrame(rows)).tolist() == model.predict(rows).tolist()


def test_codes_that_a_model_never_met():
    codes = np.random.default_rng(0).integers(3, size=(30, 2)).astype(float)
    model = MAPDP(likelihood="categorical", random_state=0).fit(codes)
    strange, empty = model.score_samples([[0.0, 7.0], [0.0, np.nan]])
    assert strange == empty
    ratings = MAPDP(likelihood="binomial", random_state=0).fit(codes)
    with pytest.raises(ValueError, match="above 2"):
        ratings.predict([[0.0, 3.0]])


def test_many_rows_are_scored_block_by_block(monkeypatch):
    model, _, _ = _fitted(2)
    frame = _fitted(2)[1]
    whole = model.predict_proba(frame)
    monkeypatch.setattr("core.inference.row_scores.BLOCK", 4)
    assert np.array_equal(model.predict_proba(frame), whole)


@pytest.mark.parametrize("name", COLUMN_FAMILIES)
def test_next_value_and_draws_follow_the_predictive(name):
    random = np.random.default_rng(7)
    values, options = random_values(FAMILIES[name], 30, random)
    prior = random_prior(FAMILIES[name], values, options, random).posterior(values)
    law = _law(name, prior)
    found = prior.predictive()
    draws = prior.draw(4000, random)
    assert found.mean == pytest.approx(law.mean())
    assert found.variance == pytest.approx(law.var())
    if FAMILIES[name].is_real or name == "exponential":
        assert stats.kstest(draws, law.cdf).pvalue > 1e-3
        assert np.all(law.logpdf(found.mode) >= law.logpdf(draws) - 1e-9)
    else:
        seen = np.arange(draws.max() + 1)
        assert np.all(law.logpmf(found.mode) >= law.logpmf(seen) - 1e-9)
        shares = np.bincount(draws.astype(int)) / draws.size
        assert shares == pytest.approx(law.pmf(seen), abs=0.04)


def _law(name, prior):
    """The predictive as a distribution of scipy."""
    if name == "normal":
        width = prior.rate * (prior.mean_count + 1) / (prior.mean_count * prior.shape)
        return stats.t(2 * prior.shape, prior.mean, np.sqrt(width))
    if name == "normal_known_variance":
        return stats.norm(prior.mean, np.sqrt(prior.mean_variance + prior.variance))
    if name == "exponential":
        return stats.lomax(prior.shape, scale=prior.rate)
    if name == "poisson":
        return stats.nbinom(prior.shape, prior.rate / (prior.rate + 1))
    if name == "geometric":
        return stats.betanbinom(1, prior.successes, prior.failures)
    if name == "categorical":
        shares = np.array(prior.counts) / sum(prior.counts)
        return stats.rv_discrete(values=(np.arange(shares.size), shares))
    return stats.betabinom(getattr(prior, "trials", 1), prior.yes, prior.no)


@pytest.mark.parametrize("name", ["gaussian", "gaussian_known_covariance", "spherical"])
def test_missing_cells_of_a_block_are_filled_given_the_others(name):
    random = np.random.default_rng(2)
    values, _ = random_values(FAMILIES[name], 40, random, width=3)
    prior = random_prior(FAMILIES[name], values, {}, random)
    posterior = prior.posterior(values)
    draws = posterior.draw(200_000, random)
    missing = np.array([False, True, False])
    row = posterior.mean + 0.4 * draws.std(axis=0)
    mean, variance = posterior.conditional(row[None], missing)
    # The draws whose other cells are nearest the row's, brought to it by a regression.
    design = np.column_stack([np.ones(len(draws)), draws[:, [0, 2]] - row[[0, 2]]])
    fit, *_ = np.linalg.lstsq(design, draws[:, 1], rcond=None)
    assert mean[0, 0] == pytest.approx(fit[0], abs=0.02 * draws[:, 1].std())
    near = np.abs(design[:, 1:] / design[:, 1:].std(axis=0)).max(axis=1) < 0.3
    spread = (draws[:, 1] - design @ fit)[near].var()
    assert variance[0, 0] == pytest.approx(spread, rel=0.1)
    one_less = prior.posterior(np.delete(values, 3, axis=0)).to_dict()
    if name != "spherical":
        for key, value in posterior.without(values[3]).to_dict().items():
            assert value == pytest.approx(np.array(one_less[key]), rel=1e-8), key


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


def _opened(seed, n=30):
    random = np.random.default_rng(seed)
    families = list(FAMILIES) if seed == 0 else random_families(random)
    encoded, priors = random_table(random, n, families, missing=0.25, fill=True)
    columns = Columns.pack(encoded, priors)
    return columns, columns.opened(random)


@pytest.mark.parametrize("seed", range(12))
def test_filled_cells_count_and_never_raise_the_objective(seed):
    columns, opened = _opened(seed)
    assert not np.isnan(opened.table.values).any()
    partition = Partition(opened, 1.0, np.arange(30) % 3)
    before = partition.objective()
    plain = plain_columns(columns, partition.table)
    assert before == pytest.approx(partition_objective(plain, partition.labels, 1.0), rel=1e-9)
    for _ in range(8):
        partition.sweep(np.arange(30))
        after = partition.objective()
        assert after <= before + CLOSE
        before = after
    plain = plain_columns(columns, partition.table)
    assert after == pytest.approx(partition_objective(plain, partition.labels, 1.0), rel=1e-9)
    observed = ~np.isnan(columns.encoded.values)
    assert np.array_equal(partition.table.values[observed], opened.table.values[observed])


@pytest.mark.parametrize("name", FAMILIES)
def test_a_filled_cell_is_the_mode_without_it(name):
    random = np.random.default_rng(4)
    encoded, priors = random_table(random, 25, [name], missing=0.2, fill=True)
    opened = Columns.pack(encoded, priors).opened(random)
    partition = Partition(opened, 1e-9, np.zeros(25, dtype=np.int64))
    for _ in range(60):
        partition.settle()
    ((_, prior, values),) = plain_columns(opened, partition.table)
    holes = np.isnan(encoded.values)
    for i in np.flatnonzero(holes.any(axis=1)):
        posterior = prior.posterior(np.delete(values, i, axis=0))
        if FAMILIES[name].is_block:
            row = np.where(holes[i], np.nan, values[i])
            expected = posterior.conditional(row[None], holes[i])[0][0]
            assert values[i][holes[i]] == pytest.approx(expected, rel=1e-3, abs=1e-3)
        else:
            predictive = posterior.predictive()
            assert isinstance(predictive, Predictive)
            assert values[i] == pytest.approx(predictive.mode, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("refine", [True, False])
def test_imputation_inside_the_loop(refine):
    families = ["normal", "categorical", "poisson"]
    model, new, _ = _fitted(5, families, missing="impute", refine=refine)
    assert not np.isnan(model.partition_.table.values).any()
    assert np.isfinite(model.score_samples(new)).all()
    left_out = _fitted(5, families, refine=refine)[0]
    assert np.isnan(left_out.partition_.table.values).any()
    with pytest.raises(ValueError, match="missing"):
        MAPDP(missing="drop").fit(np.arange(6.0)[:, None])


def test_new_rows_leave_the_model_as_it_was():
    model, new, encoded = _fitted(0, list(FAMILIES))
    before = model.partition_.clusters.state.copy()
    model.score_samples(new)
    model.impute()
    assert np.array_equal(before, model.partition_.clusters.state, equal_nan=True)
    assert isinstance(encoded, Encoded)
