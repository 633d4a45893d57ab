"""Laws of the sufficient statistics in Python, over the registry; slow references are judges."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.families import FAMILIES
from tests.random_tables import random_table
from tests.reference import log_marginal

N, K = 40, 3
every_family = pytest.mark.parametrize("name", FAMILIES)


def _unit(name, seed=0):
    """A unit with missing cells, its prior, and labels with some rows in no cluster."""
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, N, [name], 0.2)
    values = encoded.unit_values(0)
    if FAMILIES[name].fills_missing:  # of which incomplete rows are no observations
        values = np.where(np.isnan(values).any(axis=1, keepdims=True), np.nan, values)
    return values, priors[0], random.integers(-1, K, N)


def _rows(values, rows):
    """Rows with something to observe, as the references read them."""
    chosen = values[rows]
    return chosen[~np.isnan(chosen).all(axis=1)] if chosen.ndim == 2 else chosen


def _same(a, b):
    assert a.to_dict().keys() == b.to_dict().keys()
    for key, value in a.to_dict().items():
        np.testing.assert_allclose(value, b.to_dict()[key], rtol=1e-9, atol=1e-9)


@every_family
def test_evidence_of_a_statistic_is_that_of_its_rows(name):
    values, prior, labels = _unit(name)
    found = prior.log_marginal_of(prior.statistic(values, labels, K + 1))
    expected = [log_marginal(name, prior, _rows(values, labels == k)) for k in range(K)]
    np.testing.assert_allclose(found, [*expected, 0.0], rtol=1e-9, atol=1e-9)


@every_family
def test_posterior_of_a_statistic_is_that_of_its_rows(name):
    values, prior, labels = _unit(name)
    whole = prior.statistic(values, labels, K)
    for k in range(K):
        _same(prior.posterior_of(whole.cluster(k)), prior.posterior(values[labels == k]))


@pytest.mark.parametrize("name", ["normal", "gaussian"])
def test_all_clusters_together_are_the_rows_in_one(name):
    values, prior, labels = _unit(name)
    together = prior.statistic(values, labels, K).together()
    inside = values[labels >= 0]
    _same(prior.posterior_of(together), prior.posterior(inside))
    expected = log_marginal(name, prior, _rows(values, labels >= 0))
    assert prior.log_marginal_of(together)[0] == pytest.approx(expected, rel=1e-9)


@every_family
def test_a_row_of_weight_2_is_two_rows(name):
    values, prior, _ = _unit(name)
    weight = np.where(np.arange(N) % 3, 1.0, 2.0)
    twice = np.concatenate([values, values[weight == 2.0]])
    _same(prior.posterior(values, weight), prior.posterior(twice))
    assert prior.log_marginal(values, weight) == pytest.approx(prior.log_marginal(twice), rel=1e-9)
