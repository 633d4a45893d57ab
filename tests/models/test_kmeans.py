"""K-means against scikit-learn from the same start, its seeds, and the choice of K by BIC."""

import numpy as np
import pytest
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.models.centroids import lloyd_states
from mapdp_studio.core.models.kmeans import bic
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.demo_datasets import load_scenario


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
    found = model.result_.details["bic"]
    assert [*model.bic_] == found["n_clusters"].tolist() == [*range(1, 10)]
    assert model.inertia_ == pytest.approx(found["inertia"][4])
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
    found = model.result_.details["bic"]
    assert np.all(found["highest"] >= found["bic"])
    assert np.array_equal(found["highest"], found["bic"]) == (best_start == "bic")


def test_k_stops_where_distinct_rows_run_out():
    table = np.repeat([[0.1, 0.2], [5.3, 5.1], [9.7, 0.3]], [4, 5, 6], axis=0)
    model = KMeansBIC(random_state=0).fit(table)
    assert list(model.bic_) == [1, 2, 3]
    assert np.isnan(model.bic_[3])
    assert model.n_clusters_ == 2
    assert "K stops at 3" in model.result_.details["note"]
    assert KMeansBIC(5, 8, random_state=0).fit(table).n_clusters_ == 3
    assert KMeansBIC().fit(np.full((6, 2), 0.1)).n_clusters_ == 1
