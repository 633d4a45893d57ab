"""The prior count N_0 against brute force: urn simulations in exact sums, and fine grids."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from core.engine.columns import Columns, default_priors
from core.engine.partition import Partition
from core.models.concentration import expected_clusters, map_concentration
from core.schema.encoded import Encoded


@pytest.mark.parametrize("n", [1, 2, 7, 600, 4000])
def test_expected_clusters_is_the_sum_of_the_urns_chances(n):
    grid = np.array([1e-3, 0.1, 1.0, 3.0, 50.0, 1e4])
    chances = grid[:, None] / (grid[:, None] + np.arange(n))
    assert expected_clusters(grid, n) == pytest.approx(chances.sum(axis=1))
    assert isinstance(expected_clusters(3.0, n), float)


@pytest.mark.parametrize("n", [3, 25, 600, 1_000_000])
def test_under_a_flat_prior_the_most_probable_concentration_expects_the_clusters(n):
    for k in {2, n // 2 + 1, n - 1} - {1}:
        assert expected_clusters(map_concentration(k, n, 0.0, 0.0), n) == pytest.approx(k, rel=1e-8)


def _log_density_of_log(n_0, k, n, shape, rate):
    return (k + shape) * np.log(n_0) + gammaln(n_0) - gammaln(n_0 + n) - rate * n_0


@pytest.mark.parametrize(
    ("k", "n", "shape", "rate"),
    [(1, 50, 1.0, 1.0), (1, 50, 0.2, 3.0), (5, 600, 1.0, 0.0), (40, 50, 2.0, 0.1), (50, 50, 3, 9)],
)
def test_map_concentration_is_the_mode_in_the_logarithm(k, n, shape, rate):
    mode = map_concentration(k, n, shape, rate)
    grid = np.exp(np.linspace(np.log(mode) - 6, np.log(mode) + 6, 240_001))
    density = _log_density_of_log(grid, k, n, shape, rate)
    assert grid[np.argmax(density)] == pytest.approx(mode, rel=1e-4)
    assert np.all(np.diff(density, 2) < 1e-9), "log-concave, so there is no other mode"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, 50, 0.0, 1.0), "falls to 0"),
        ((50, 50, 1.0, 0.0), "grows without end"),
        ((51, 50, 1.0, 1.0), "there are 50 rows"),
        ((0, 50, 1.0, 1.0), "n_clusters"),
        ((2, 50, -1.0, 1.0), "shape"),
    ],
)
def test_without_a_mode_a_sentence_says_so(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        map_concentration(*arguments)


def test_objective_is_lowest_at_the_concentration_that_expects_its_clusters():
    random = np.random.default_rng(0)
    encoded = Encoded.from_array(random.normal(size=(40, 2)), "normal")
    columns = Columns.pack(encoded, default_priors(encoded, 0.1))
    labels = np.arange(40) % 4
    best = map_concentration(4, 40, 0.0, 0.0)
    grid = best * np.exp(np.linspace(-0.5, 0.5, 41))
    objectives = [Partition(columns, n_0, labels).objective() for n_0 in grid]
    assert int(np.argmin(objectives)) == 20
