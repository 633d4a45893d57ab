"""Gower's dissimilarity, spectra, cuts and trees from the top down, each against its definition."""

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from sklearn.datasets import make_circles, make_moons

from mapdp_studio.core import (
    FAMILIES,
    HDBSCAN,
    AffinityPropagation,
    Agglomerative,
    BayesianHierarchy,
    BisectingKMeans,
    DissimilarityAnalysis,
    KernelDPMeans,
    PenalisedCut,
    SpectralClustering,
    SpectralDPMeans,
)
from mapdp_studio.core.models.similarity.graph import (
    GraphCut,
    distances_to_means,
    gower,
    jump,
    neighbour_graph,
    spectrum,
)
from mapdp_studio.core.models.similarity.wrapped import divisive_linkage, labels_at, splinter
from mapdp_studio.core.partitions.scores import ari
from tests.random_tables import random_table
from tests.reference import set_partitions


@pytest.mark.parametrize("seed", range(5))
def test_gower_is_its_definition(seed):
    encoded, _ = random_table(np.random.default_rng(seed), 12, list(FAMILIES), missing=0.4)
    if seed == 0:  # two rows without a common column are as far apart as rows are
        encoded.values[0, ::2] = encoded.values[1, 1::2] = np.nan
    found, values = gower(encoded), encoded.values
    families = [unit.family for unit in encoded.units for _ in unit.columns]
    observed, isolated = [], []
    for i in range(12):
        for j in range(i):
            parts = []
            for x, y, column, family in zip(values[i], values[j], values.T, families, strict=True):
                if np.isnan(x) or np.isnan(y):
                    continue
                width = np.nanmax(column) - np.nanmin(column)
                is_name = family in ("bernoulli", "categorical")
                parts.append(float(x != y) if is_name else abs(x - y) / (width or 1.0))
            if parts:
                observed.append(found[i, j])
                assert found[i, j] == pytest.approx(np.mean(parts))
            else:
                isolated.append(found[i, j])
    assert isolated == pytest.approx([np.mean(observed)] * len(isolated))
    assert bool(isolated) or seed
    assert np.array_equal(found, found.T)
    assert not np.diagonal(found).any()


@pytest.mark.parametrize("make", [make_moons, make_circles])
def test_moons_and_rings(make):
    shape = {"factor": 0.45} if make is make_circles else {}
    table, truth = make(700, noise=0.05, random_state=0, **shape)
    for model in (
        SpectralDPMeans(random_state=0),
        PenalisedCut(random_state=0),
        PenalisedCut(cut="ratio", random_state=0),
        KernelDPMeans(kernel="diffusion"),
    ):
        assert ari(truth, model.fit(table).labels_) > 0.95


def cut_value(dense, labels, cut, penalty):
    """By its definition."""
    groups = [labels == k for k in np.unique(labels)]
    leaving = [dense[group][:, ~group].sum() for group in groups]
    rows = dense.sum(axis=1) if cut == "normalized" else np.ones(len(dense))
    return sum(a / rows[group].sum() + penalty for a, group in zip(leaving, groups, strict=True))


def _random_graph(seed, n, loops=0.0):
    random = np.random.default_rng(seed)
    weights = np.triu(random.random((n, n)) * (random.random((n, n)) < 0.6), 1)
    weights[np.arange(n - 1), np.arange(1, n)] += 0.1  # a chain, so that no row is alone
    return weights + weights.T + loops * np.diag(random.random(n) * (random.random(n) < 0.5))


@pytest.mark.parametrize("cut", ["normalized", "ratio"])
def test_the_cut_is_weighted_kernel_k_means_but_for_a_constant(cut):
    """KJ12 Theorem 5.3, for every partition of seven rows."""
    dense, penalty, sigma = _random_graph(0, 7), -0.37, 5.0
    degrees = dense.sum(axis=1)
    if cut == "normalized":
        kernel = sigma * np.diag(1 / degrees) + dense / np.outer(degrees, degrees)
        weights, lam = degrees, penalty + sigma + 1.0
        constant = 7 * sigma + np.trace(dense / np.sqrt(np.outer(degrees, degrees)))
    else:
        kernel = sigma * np.eye(7) - (np.diag(degrees) - dense)
        weights, lam = np.ones(7), penalty + sigma
        constant = np.trace(kernel)
    for partition in set_partitions(7):
        labels = np.array(partition)
        own = distances_to_means(kernel, weights, labels)[np.arange(7), labels]
        value = GraphCut(sparse.csr_array(dense), labels, cut, penalty).objective()
        assert value == pytest.approx(cut_value(dense, labels, cut, penalty))
        left = weights @ own + lam * (labels.max() + 1)
        assert left == pytest.approx(value + constant, abs=1e-9)


def _slow_sweep(dense, labels, order, cut, penalty):
    """Every row tries every cluster of a neighbour and one of its own, the objective read anew."""
    labels = labels.copy()
    for i in order:
        here = {*labels[(dense[i] > 0) & (np.arange(len(dense)) != i)].tolist()} - {labels[i]}
        choices = [*sorted(here), *([labels.max() + 1] if (labels == labels[i]).sum() > 1 else [])]
        moved = [np.where(np.arange(labels.size) == i, k, labels) for k in choices]
        tried = [cut_value(dense, one, cut, penalty) for one in moved]
        if tried and min(tried) < cut_value(dense, labels, cut, penalty) - 1e-9:
            labels = moved[int(np.argmin(tried))]
    return labels


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cut", ["normalized", "ratio"])
def test_visits_and_merges_are_the_slow_twin_s(seed, cut):
    random, dense = np.random.default_rng(seed), _random_graph(seed, 12, loops=1.0)
    labels, order = random.integers(3, size=12), random.permutation(12)
    penalty = -0.3 if cut == "normalized" else -1.0
    found = GraphCut(sparse.csr_array(dense), labels, cut, penalty)
    for i in order:
        found.visit(i)
    after = found.objective()
    expected = _slow_sweep(dense, labels, order, cut, penalty)
    assert after == pytest.approx(cut_value(dense, expected, cut, penalty))
    found.load(found.labels)
    labels = found.labels
    pairs = [(a, b) for b in range(labels.max() + 1) for a in range(b)]
    merged = [cut_value(dense, np.where(labels == b, a, labels), cut, penalty) for a, b in pairs]
    assert found.merge() == (min(merged, default=np.inf) < after - 1e-9)
    assert found.objective() == pytest.approx(min([after, *merged]))


def test_the_penalised_cut_reaches_the_lowest_of_small_graphs_about_always():
    hits = 0
    for seed in range(20):
        dense = _random_graph(seed, 6)
        dense[:3, 3:] *= 0.05
        dense[3:, :3] *= 0.05
        cut = PenalisedCut(-0.4, random_state=0)
        *_, trace, _ = cut._lowest(sparse.csr_array(dense), lambda progress: None)
        every = (cut_value(dense, np.array(p), "normalized", -0.4) for p in set_partitions(6))
        lowest = min(every)
        assert trace[-1] >= lowest - 1e-9
        assert np.all(np.diff(trace) <= 1e-9)
        hits += trace[-1] < lowest + 1e-9
    assert hits >= 18


def test_large_graphs_have_the_exact_spectrum_whose_jump_is_found():
    graph = neighbour_graph(make_moons(700, noise=0.05, random_state=0)[0])
    half = sparse.diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    matrix = half @ graph @ half
    values, vectors = spectrum(graph, 6)
    exact = np.sort(np.linalg.eigvalsh(matrix.toarray()))[::-1][:6]
    assert np.allclose(values, exact, atol=1e-8)
    assert np.allclose(matrix @ vectors, vectors * values, atol=1e-7)
    clear, weak, none = [0, 1e-4, 0.01, 0.02], [0, 0.01, 0.02, 0.1], [0, 0.01, 0.02, 0.03]
    for below, k in ((clear, 2), (weak, 3), (none, 1), ([0.0, 0.0, 0.01, 0.3, 0.32], 3)):
        assert jump(1.0 - np.array(below))[0] == k


def test_a_splinter_is_the_book_s():
    """M12 eqs. 25.52-25.54, the averages taken anew for every row that might leave."""
    random = np.random.default_rng(0)
    for _ in range(20):
        points = random.normal(size=(9, 2)) + 2.0 * random.integers(2, size=9)[:, None]
        apart = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
        gone = {int(apart.sum(axis=1).argmax())}
        left = {*range(9)} - gone
        while len(left) > 1:
            gains = {i: apart[i, [*(left - {i})]].mean() - apart[i, [*gone]].mean() for i in left}
            best = max(gains, key=gains.get)
            if gains[best] <= 0:
                break
            left.remove(best)
            gone.add(best)
        assert set(np.flatnonzero(splinter(apart))) == gone
    tree = divisive_linkage(apart)
    assert is_valid_linkage(tree)
    assert tree[-1, 2] == apart.max()
    assert np.all(np.diff(tree[:, 2]) >= 0.0)
    assert ari(labels_at(tree, 2), splinter(apart)) == 1.0


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
    parts = [table[model.labels_ == k] for k in range(5)]
    assert model.objective_ == pytest.approx(sum(np.square(x - x.mean(0)).sum() for x in parts))
    assert np.unique(model.labels_at(7)).size == 7


METHODS = [
    AffinityPropagation(preference=-400.0, random_state=0),
    SpectralClustering(3, random_state=0),
    BisectingKMeans(3, random_state=0),
    Agglomerative(3, "ward"),
    DissimilarityAnalysis(3),
    Agglomerative(3, "average", "gower"),
    HDBSCAN(10),
    KernelDPMeans(kernel="rbf"),
    KernelDPMeans(kernel="gower"),
]


@pytest.mark.parametrize("model", METHODS, ids=repr)
def test_every_method_finds_plain_clusters_and_one_row_is_one(blobs, model):
    table, truth = blobs
    labels = model.fit(table).labels_
    firm = labels >= 0
    assert firm.sum() > 80
    assert ari(truth[firm], labels[firm]) > 0.95
    assert np.isfinite(model.objective_)
    assert model.fit(table[:1]).labels_.tolist() == [0]


def test_affinity_propagation_is_scikit_learn_s_and_says_if_it_does_not_settle(blobs):
    table, _ = blobs
    model = AffinityPropagation(preference=-400.0, random_state=0).fit(table)
    twin = sklearn.cluster.AffinityPropagation(
        damping=0.7, max_iter=500, preference=-400.0, random_state=0
    ).fit(table)
    assert ari(twin.labels_, model.labels_) == 1.0
    assert np.array_equal(model.labels_[model.exemplars_], np.arange(3))
    apart = np.square(table - table[model.exemplars_][model.labels_]).sum()
    assert model.objective_ == pytest.approx(apart)
    hasty = AffinityPropagation(max_iter=1).fit(table)
    assert hasty.n_clusters_ == 1
    assert "did not settle" in hasty.result_.details["note"]


def test_limits_are_said_before_the_start(blobs, monkeypatch):
    table, _ = blobs
    with pytest.raises(ValueError, match="linkage='ward' needs means"):
        Agglomerative(linkage="ward", measure="gower").fit(table)
    monkeypatch.setattr("mapdp_studio.core.models.similarity.graph.MOST_ROWS", 100)
    for model in (Agglomerative(), KernelDPMeans(), BayesianHierarchy()):
        with pytest.raises(ValueError, match="compares every pair of rows: 120 rows"):
            model.fit(table)
    BisectingKMeans().fit(table)  # it compares no pairs


def test_hdbscan_gives_scikit_learn_s_labels_with_its_noise():
    random = np.random.default_rng(0)
    rows = [random.normal(m, 0.3, (30, 2)) for m in (0.0, 5.0)]
    rows = np.vstack([*rows, random.uniform(-9.0, 9.0, (20, 2))])
    model, theirs = HDBSCAN(10).fit(rows), sklearn.cluster.HDBSCAN(10, copy=True).fit(rows)
    assert -1 in model.labels_
    assert np.array_equal(model.labels_, theirs.labels_)
    assert (model.n_clusters_, model.result_.n_clusters) == (2, 3)
    is_noise = model.labels_ < 0
    assert np.unique(model.result_.labels[is_noise]).size == 1
    assert model.result_.details["note"] == f"{is_noise.sum()} rows noise"
