"""The adapter to scikit-learn's and scipy's methods: what it adds, and what it leaves as it is."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage

from mapdp_studio.core.models.similarity import wrapped
from mapdp_studio.core.models.similarity.wrapped import (
    HDBSCAN,
    AffinityPropagation,
    Agglomerative,
    BisectingKMeans,
    DissimilarityAnalysis,
    SpectralClustering,
)
from mapdp_studio.core.partitions.scores import ari


@pytest.fixture(scope="module")
def blobs():
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 40, 30])
    return random.normal(size=(120, 2)) + 9.0 * np.eye(3)[truth][:, :2], truth


@pytest.mark.parametrize("kind", ["average", "single", "complete", "ward"])
def test_agglomerative_is_scipy_s(blobs, kind):
    table, _ = blobs
    model = Agglomerative(5, kind).fit(table)
    tree = linkage(table, kind)
    assert is_valid_linkage(model.linkage_)
    assert np.allclose(model.linkage_[:, 2], tree[:, 2])
    assert ari(fcluster(tree, 5, "maxclust"), model.labels_) == 1.0
    height = float(tree[-3, 2])
    by_height = Agglomerative(linkage=kind, height=height).fit(table)
    assert ari(fcluster(tree, height, "distance"), by_height.labels_) == 1.0
    assert np.unique(model.labels_at(7)).size == 7


def test_every_method_finds_plain_clusters(blobs):
    table, truth = blobs
    for model in (
        AffinityPropagation(preference=-400.0, random_state=0),
        SpectralClustering(3, random_state=0),
        BisectingKMeans(3, random_state=0),
        Agglomerative(3, "ward"),
        DissimilarityAnalysis(3),
        Agglomerative(3, "average", "gower"),
        HDBSCAN(10),
        HDBSCAN(10, "gower"),
    ):
        labels = model.fit(table).labels_
        firm = ~model.is_noise_ if isinstance(model, HDBSCAN) else np.ones(120, dtype=bool)
        assert firm.sum() > 80
        assert ari(truth[firm], labels[firm]) > 0.95, model
        assert np.isfinite(model.objective_)


def test_affinity_propagation_is_scikit_learn_s_and_says_if_it_does_not_settle(blobs):
    table, _ = blobs
    model = AffinityPropagation(preference=-400.0, random_state=0).fit(table)
    twin = sklearn.cluster.AffinityPropagation(
        damping=0.7, max_iter=500, preference=-400.0, random_state=0
    ).fit(table)
    assert ari(twin.labels_, model.labels_) == 1.0
    assert set(model.exemplars_) == set(twin.cluster_centers_indices_)
    assert np.array_equal(model.labels_[model.exemplars_], np.arange(3))
    hasty = AffinityPropagation(max_iter=1).fit(table)
    assert hasty.n_clusters_ == 1
    assert "did not settle" in hasty.result_.details["note"]


def test_limits_are_said_before_the_start(blobs, monkeypatch):
    table, _ = blobs
    monkeypatch.setattr(wrapped, "check_pairs", _refuse)
    with pytest.raises(ValueError, match="too many for Agglomerative"):
        Agglomerative().fit(table)
    BisectingKMeans().fit(table)  # it compares no pairs


def _refuse(n_rows, method):
    raise ValueError(f"too many for {method}")


def test_ward_needs_the_numbers():
    with pytest.raises(ValueError, match="linkage='ward' needs means"):
        Agglomerative(linkage="ward", measure="gower").fit(np.eye(5))


def test_hdbscan_gives_scikit_learn_s_labels_with_its_noise():
    random = np.random.default_rng(0)
    rows = [random.normal(m, 0.3, (30, 2)) for m in (0.0, 5.0)]
    rows = np.vstack([*rows, random.uniform(-9.0, 9.0, (20, 2))])
    model, theirs = HDBSCAN(10).fit(rows), sklearn.cluster.HDBSCAN(10, copy=True).fit(rows)
    assert -1 in model.labels_
    assert np.array_equal(model.labels_, theirs.labels_)
    assert np.array_equal(HDBSCAN(10).fit_predict(rows), theirs.labels_)
    assert model.n_clusters_ == 2
    assert model.result_.sizes.tolist() == sorted(model.result_.sizes, reverse=True)
    assert model.result_.n_clusters == 3
    assert np.unique(model.result_.labels[model.is_noise_]).size == 1
