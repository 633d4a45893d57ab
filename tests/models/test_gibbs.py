"""Collapsed Gibbs against the exact posterior, and what it reports of its draws."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from mapdp_studio.core import CollapsedGibbs
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.gibbs import draw_concentration
from mapdp_studio.core.partitions.scores import distances
from tests.random_tables import random_table
from tests.reference import set_partitions


@pytest.mark.parametrize(
    ("weights", "power"), [(None, 1.0), (np.array([1.0, 2.0, 0.5, 1.5, 1.0, 3.0]), 0.4)]
)
def test_draws_follow_the_exact_posterior(weights, power):
    families = ["normal", "categorical", "poisson", "binomial"]
    encoded, priors = random_table(np.random.default_rng(5), 6, families, missing=0.2)
    columns = Columns.pack(replace(encoded, weights=weights), priors, power)
    partitions = np.array(list(set_partitions(6)))
    exact = special.softmax([-Partition(columns, 2.0, z).objective() for z in partitions])
    random, n_draws = np.random.default_rng(0), 400_000
    partition = Partition(columns, 2.0)
    orders = np.array([random.permutation(6) for _ in range(1000)])
    uniforms = random.random((n_draws, 6))
    draws = np.empty((n_draws, 6), dtype=np.int64)
    for t in range(n_draws):
        partition.sweep(orders[t % 1000], uniforms[t])
        draws[t] = partition.labels
    # The first row of every row's cluster names a partition.
    names, found = (
        (labels[:, :, None] == labels[:, None, :]).argmax(axis=2) @ 7 ** np.arange(6)
        for labels in (partitions, draws)
    )
    order = np.argsort(names)
    frequencies = np.bincount(np.searchsorted(names[order], found), minlength=203) / n_draws
    assert 0.5 * np.abs(frequencies - exact[order]).sum() < 0.02


def test_summaries_agree_with_the_draws():
    table = np.random.default_rng(0).normal(size=(40, 2)) + 6.0 * (np.arange(40) % 2)[:, None]
    model = CollapsedGibbs(
        prior="empirical", n_sweeps=80, n_chains=2, n_kept=1000, random_state=0
    ).fit(table)
    draws = np.concatenate([chain.draws for chain in model.chains_])
    assert draws.shape == (80, 40)
    together = (draws[:, :, None] == draws[:, None, :]).mean(axis=0)
    assert np.allclose(model.co_assignment_, together, atol=1e-6)
    kept = [chain.n_clusters[40:] for chain in model.chains_]
    posterior = model.n_clusters_posterior()
    assert posterior[2] == pytest.approx(np.mean(np.concatenate(kept) == 2))
    assert model.objective_ == min(model.objective_trace_)
    judged = Partition(model.columns_, model.concentration, model.labels_).objective()
    assert model.objective_ == pytest.approx(judged, abs=1e-8)
    assert np.array_equal(model.consensus_labels_, model.labels_)


def test_concentration_draws_follow_their_posterior():
    # p(N_0 | K) is prior times N_0^K Gamma(N_0)/Gamma(N_0 + N); K = 4 of N = 50, Gamma(2, 1).
    random = np.random.default_rng(1)
    draws, value = np.empty(20_000), 1.0
    for t in range(draws.size):
        value = draw_concentration(value, 4, 50, (2.0, 1.0), random)
        draws[t] = value
    grid = np.linspace(1e-4, 20.0, 200_001)
    log_p = (4 + 1) * np.log(grid) - grid + special.gammaln(grid) - special.gammaln(grid + 50)
    weights = special.softmax(log_p)
    assert draws.mean() == pytest.approx(weights @ grid, rel=0.03)
    assert np.median(draws) == pytest.approx(
        grid[np.searchsorted(np.cumsum(weights), 0.5)], rel=0.04
    )


def test_the_centre_of_the_draws_is_shown_with_a_likely_number_of_clusters():
    random = np.random.default_rng(3)
    for seed in range(3):
        table = random.normal(size=(60, 2)) + 2.5 * (np.arange(60) % 3)[:, None]
        model = CollapsedGibbs(
            prior="empirical", n_sweeps=60, n_kept=30, random_state=seed, read_out="centre"
        ).fit(table)
        low, high = model.likely_clusters()
        assert low <= model.n_clusters_ <= high
        draws = model.chains_[0].draws
        far = [
            sum(distances([draw, other])[0, 1] for other in draws)
            for draw in draws
            if low <= draw.max() + 1 <= high
        ]
        own = sum(distances([model.labels_, other])[0, 1] for other in draws)
        assert own == pytest.approx(min(far))
        judged = Partition(model.columns_, model.concentration, model.labels_).objective()
        assert model.objective_ == pytest.approx(judged, abs=1e-8)


def test_labels_to_start_from_are_of_all_rows_or_of_those_that_count():
    rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 20)).reshape(-1, 1)
    weights, start = np.tile([1.0, 1.0, 0.0, 1.0], 10), (rows[:, 0] > 4.5).astype(int)
    told = {"prior": "empirical", "n_sweeps": 5, "random_state": 0}
    models = [
        CollapsedGibbs(init=init, **told).fit(rows, sample_weight=weights)
        for init in (start, start[weights > 0])
    ]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    assert models[0].labels_.shape == models[0].init.shape == (40,)
    with pytest.raises(ValueError, match="one label for each"):
        CollapsedGibbs(init=start[:7], **told).fit(rows, sample_weight=weights)
