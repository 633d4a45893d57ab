"""Predictions, judged by Bayes' rule on the reference's marginals and by scipy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

from mapdp_studio.core import MAPDP, CollapsedGibbs
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.inference.row_scores import RowScores, assignment_costs
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import (
    COLUMN_FAMILIES,
    FILLED,
    as_frame,
    plain_columns,
    random_families,
    random_fit,
    random_prior,
    random_table,
    random_values,
)
from tests.reference import log_marginal

CLOSE = 1e-8


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


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_follow_bayes_rule(seed):
    families = list(FAMILIES) if seed == 0 else None
    model, new, encoded = random_fit(seed, families)
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


@pytest.mark.parametrize("likelihood", ["gaussian", "spherical"])
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
    new = np.array([[0.0, 7.0], [0.0, np.nan]])
    new.flags.writeable = False  # as pandas 3 hands out a table's cells; they are left as they are
    strange, empty = model.score_samples(new)
    assert strange == empty
    ratings = MAPDP(likelihood="binomial", random_state=0).fit(codes)
    with pytest.raises(ValueError, match="above 2"):
        ratings.predict([[0.0, 3.0]])


def test_rows_are_scored_block_by_block_and_leave_the_model_as_it_was(monkeypatch):
    model, frame, _ = random_fit(2)
    before = model.partition_.clusters.state.copy()
    whole = model.predict_proba(frame)
    monkeypatch.setattr("mapdp_studio.core.inference.row_scores.BLOCK", 4)
    assert np.array_equal(model.predict_proba(frame), whole)
    model.impute()
    assert np.array_equal(before, model.partition_.clusters.state, equal_nan=True)


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
    if not FAMILIES[name].support.is_whole:
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
    if name == "negative_binomial":
        return stats.betanbinom(round(1 / prior.dispersion), prior.successes, prior.failures)
    if name == "categorical":
        shares = np.array(prior.counts) / sum(prior.counts)
        return stats.rv_discrete(values=(np.arange(shares.size), shares))
    return stats.betabinom(getattr(prior, "trials", 1), prior.yes, prior.no)


@pytest.mark.parametrize("name", ["gaussian", "spherical"])
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


LABELS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3])


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_costs_are_changes_of_e_at_every_power_and_weight(power, seed):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, 10, random_families(random))
    weights = random.choice([0.5, 1.0, 3.0], 10) if seed % 2 else None
    columns = Columns.pack(Encoded(encoded.values, encoded.units, weights), priors, power)
    partition = Partition(columns, 1.7, LABELS)
    for row in (1, 8, 9):
        total = np.sum(assignment_costs(partition, row), axis=0)
        possible = np.flatnonzero(np.isfinite(total))
        assert possible.tolist() == ([0, 1, 2, 3] if row == 9 else [0, 1, 2, 3, 4])
        energies = []
        for k in possible:
            moved = LABELS.copy()
            moved[row] = k
            moved = np.unique(moved, return_inverse=True)[1]
            energies.append(Partition(columns, 1.7, moved).objective())
        own = np.flatnonzero(possible == LABELS[row])[0]
        expected = np.array(energies) - energies[own]
        assert total[possible] - total[possible][own] == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(partition.labels, LABELS)


def test_at_power_1_the_likelihood_term_is_minus_the_log_predictive():
    random = np.random.default_rng(0)
    encoded, priors = random_table(random, 10, ["normal", "categorical"])
    partition = Partition(Columns.pack(encoded, priors), 1.7, LABELS)
    likelihood, _ = assignment_costs(partition, 4)
    one, own = encoded.rows(slice(4, 5)), LABELS[4:5]
    expected = -RowScores.of(partition).log_predictive(one, own)[0]
    assert likelihood == pytest.approx(expected, abs=1e-9)
