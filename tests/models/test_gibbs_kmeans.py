"""Gibbs against the exact posterior; K-means against scikit-learn, and the choice of K by BIC."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from mapdp_studio.core import CollapsedGibbs, KMeansBIC
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.gibbs import Chain, draw_concentration
from mapdp_studio.core.models.kmeans import bic, lloyd_states
from mapdp_studio.core.partitions.consensus import distances
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.demo_datasets import load_scenario
from tests.random_tables import random_table
from tests.reference import set_partitions


@pytest.mark.parametrize(
    ("weights", "power"), [(None, 1.0), (np.array([1.0, 2.0, 0.5, 1.5, 3.0]), 0.4)]
)
def test_draws_follow_the_exact_posterior(weights, power):
    families = ["normal", "categorical", "poisson", "binomial"]
    encoded, priors = random_table(np.random.default_rng(5), 5, families, missing=0.2)
    packed = PackedTable.pack(replace(encoded, weights=weights), priors, power)
    partitions = np.array(list(set_partitions(5)))
    exact = special.softmax([-Partition(packed, 2.0, z).objective() for z in partitions])
    random, n_draws = np.random.default_rng(0), 40_000
    partition = Partition(packed, 2.0)
    orders = np.array([random.permutation(5) for _ in range(1000)])
    uniforms = random.random((n_draws, 5))
    draws = np.empty((n_draws, 5), dtype=np.int64)
    for t in range(n_draws):
        partition.sweep(orders[t % 1000], uniforms[t])
        draws[t] = partition.labels
    # The first row of every row's cluster names a partition.
    names, found = (
        (labels[:, :, None] == labels[:, None, :]).argmax(axis=2) @ 6 ** np.arange(5)
        for labels in (partitions, draws)
    )
    order = np.argsort(names)
    frequencies = np.bincount(np.searchsorted(names[order], found), minlength=52) / n_draws
    assert 0.5 * np.abs(frequencies - exact[order]).sum() < 0.02


def test_summaries_agree_with_the_draws():
    table = np.random.default_rng(0).normal(size=(40, 2)) + 6.0 * (np.arange(40) % 2)[:, None]
    model = CollapsedGibbs(
        prior="empirical", n_sweeps=80, n_chains=2, n_kept=1000, random_state=0
    ).fit(table)
    draws = np.concatenate([chain.draws for chain in model.chains_])
    assert draws.shape == (80, 40)
    numbers = [chain.n_clusters[40:] for chain in model.chains_]
    posterior = model.n_clusters_posterior()
    assert posterior[2] == pytest.approx(np.mean(np.concatenate(numbers) == 2))
    assert model.objective_ == min(model.objective_trace_)
    judged = Partition(model.columns_, model.concentration, model.labels_).objective()
    assert model.objective_ == pytest.approx(judged, abs=1e-8)


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
    how, rows = {"prior": "empirical", "n_sweeps": 9, "random_state": 0}, np.arange(12.0)[:, None]
    (chain,) = CollapsedGibbs(concentration_prior=(2.0, 1.0), **how).fit(rows).chains_
    assert np.unique(chain.concentrations).size == 9
    with pytest.raises(ValueError, match=r"^concentration_prior=0\.0 is not allowed"):
        CollapsedGibbs(concentration_prior=(0.0, 1.0), **how).fit(rows)


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


def test_a_draw_of_an_unlikely_number_of_clusters_is_no_centre():
    draws = np.array([[0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]])
    assert distances(draws).sum(axis=0).argmin() == 2  # between the others, of three clusters
    model, n_clusters = CollapsedGibbs(burn_in=0.0), np.append(np.full(99, 2), 3)
    model.chains_ = (Chain(np.zeros(100), n_clusters, np.zeros(100), draws, draws[0], 0),)
    assert model._centre(np.arange(6)).max() == 1


def test_labels_to_start_from_are_of_all_rows_or_of_those_that_count():
    rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 20)).reshape(-1, 1)
    weights, start = np.tile([1.0, 1.0, 0.0, 1.0], 10), (rows[:, 0] > 4.5).astype(int)
    kwargs = {"prior": "empirical", "n_sweeps": 5, "random_state": 0}
    models = [
        CollapsedGibbs(init=init, **kwargs).fit(rows, sample_weight=weights)
        for init in (start, start[weights > 0])
    ]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    assert models[0].labels_.shape == models[0].init.shape == (40,)
    with pytest.raises(ValueError, match="one label for each"):
        CollapsedGibbs(init=start[:7], **kwargs).fit(rows, sample_weight=weights)


def _same_as_sklearn(table, start, **options):
    theirs = KMeans(len(start), init=start, n_init=1, **options).fit(table)
    last = list(lloyd_states(table, start, **options))[-1]
    assert np.array_equal(last.labels, theirs.labels_)
    assert np.allclose(last.centers, theirs.cluster_centers_)
    assert last.objective == pytest.approx(theirs.inertia_)


@pytest.mark.parametrize("seed", range(20))
def test_same_as_scikit_learn_from_the_same_start(seed):
    random = np.random.default_rng(seed)
    table = random.normal(size=(700, random.integers(1, 7))) + random.normal(scale=50.0)
    if seed % 2:  # rows that repeat
        table = table[random.integers(300, size=700)]
    start = table[random.choice(700, random.integers(1, 13), replace=False)]
    start = start + random.normal(scale=0.1, size=start.shape)
    if seed > 15:  # centres that no row is near
        start = np.vstack([start, np.full((2, start.shape[1]), 1e3) * [[1.0], [-1.0]]])
    _same_as_sklearn(table, start, tol=random.choice([0.0, 1e-4, 1e-2]))
    _same_as_sklearn(table, start, max_iter=2)


def test_error_never_rises_and_states_are_snapshots():
    table, truth = make_blobs(500, centers=4, cluster_std=3.0, random_state=3)
    states = list(lloyd_states(table, truth, tol=0.0))
    assert np.array_equal(states[0].labels, truth)
    assert np.allclose(states[0].centers[1], table[truth == 1].mean(axis=0))
    errors = [np.square(table - s.centers[s.labels]).sum() for s in states]
    assert np.allclose([state.objective for state in states], errors)
    assert np.all(np.diff(errors) <= 1e-9)
    assert [state.converged for state in states] == [False] * (len(states) - 1) + [True]


def test_bic_is_that_of_the_gaussian_density():
    random = np.random.default_rng(2)
    table, labels = random.normal(size=(40, 3)), random.integers(3, size=40)
    sizes = np.bincount(labels)
    apart = table - np.array([table[labels == k].mean(axis=0) for k in range(3)])[labels]
    inertia = np.square(apart).sum()
    log_density = stats.norm.logpdf(apart, scale=np.sqrt(inertia / 120)).sum(axis=1)
    log_likelihood = np.sum(log_density + np.log(sizes[labels] / 40))
    assert bic(sizes, inertia, 3) == pytest.approx(log_likelihood - 0.5 * 12 * np.log(40))


def test_bic_finds_round_clusters_and_k_can_be_given():
    table, truth = make_blobs(600, centers=5, cluster_std=0.4, random_state=2)
    model = KMeansBIC(k_max=9, n_init=5, random_state=0).fit(table)
    assert ari(truth, model.labels_) > 0.99
    assert max(model.bic_, key=model.bic_.get) == model.n_clusters_ == 5
    assert [*model.bic_] == [*range(1, 10)]
    assert np.array_equal(model.predict(table), model.labels_)
    assert KMeansBIC(7, 7, random_state=0).fit(table).n_clusters_ == 7


@pytest.mark.parametrize(("best_start", "n_clusters"), [("error", 3), ("bic", 4)])
def test_the_bic_that_won_is_that_of_the_labels(best_start, n_clusters):
    # 5.5, where a poor start of K = 4 has a higher BIC than the best one of 3.
    table = load_scenario("5.5", 2000, 0)[0].to_numpy()
    model = KMeansBIC(1, 6, 10, best_start=best_start, random_state=0).fit(table)
    assert model.n_clusters_ == n_clusters
    error = np.square(table - model.cluster_centers_[model.labels_]).sum()
    of_labels = bic(np.bincount(model.labels_), error, 2)
    assert model.bic_[n_clusters] == pytest.approx(of_labels, abs=1e-6)
    assert model.bic_[n_clusters] == max(model.bic_.values())


def test_k_stops_where_distinct_rows_run_out():
    table = np.repeat([[0.1, 0.2], [5.3, 5.1], [9.7, 0.3]], [4, 5, 6], axis=0)
    model = KMeansBIC(random_state=0).fit(table)
    assert list(model.bic_) == [1, 2, 3]
    assert np.isnan(model.bic_[3])
    assert model.n_clusters_ == 2
    assert KMeansBIC(5, 8, random_state=0).fit(table).n_clusters_ == 3
    assert KMeansBIC().fit(np.full((6, 2), 0.1)).n_clusters_ == 1
