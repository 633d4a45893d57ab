"""Kernel DP-means against DP-means and its slow twin; weights, kernels and their penalties."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons

from mapdp_studio.core import DPMeans, KernelDPMeans
from mapdp_studio.core.models.dpmeans import dp_means_states, farthest_first_penalty
from mapdp_studio.core.models.similarity.kernel_dpmeans import (
    kernel_dp_means_states,
    kernel_farthest_first,
)
from mapdp_studio.core.partitions.scores import ari


def _blobs(seed, n=90):
    random = np.random.default_rng(seed)
    centers = random.normal(scale=4.0, size=(random.integers(1, 6), random.integers(1, 5)))
    table = centers[random.integers(len(centers), size=n)]
    return table + random.normal(size=table.shape)


def _linear(table):
    centred = table - table.mean(axis=0)
    return centred @ centred.T


@pytest.mark.parametrize("seed", range(12))
def test_with_inner_products_it_is_dp_means_label_for_label(seed):
    table = _blobs(seed)
    table = table[np.lexsort(table.T[::-1])]  # as DPMeans visits it
    penalty = np.random.default_rng(seed).choice([0.5, 2.0, 8.0, 50.0]) * table.shape[1]
    plain = list(dp_means_states(table, penalty))
    states = list(kernel_dp_means_states(_linear(table), np.ones(len(table)), penalty))
    assert len(states) == len(plain)
    for one, other in zip(states, plain, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert one.objective == pytest.approx(other.objective)
    hinted = KernelDPMeans().fit(table)
    hint = hinted.n_clusters_hint_
    assert hinted.penalty_ == pytest.approx(farthest_first_penalty(table, hint))
    assert np.array_equal(hinted.labels_, DPMeans(n_clusters_hint=hint).fit(table).labels_)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "gower", "diffusion"])
def test_where_rows_stand_in_the_table_changes_nothing(kernel):
    table = np.random.default_rng(3).normal(size=(80, 3))
    model = KernelDPMeans(kernel=kernel).fit(table)
    order = np.random.default_rng(4).permutation(80)
    again = KernelDPMeans(kernel=kernel).fit(table[order])
    assert again.objective_ == pytest.approx(model.objective_, abs=1e-6)
    assert ari(model.labels_[order], again.labels_) == 1.0


def _slow(kernel, weights, penalty):
    """One row, one sum over a cluster's pairs at a time; J after every pass."""
    n = len(kernel)
    labels, trace = [0] * n, []

    def distance(i, members):
        s = sum(weights[j] for j in members)
        cross = sum(weights[j] * kernel[i, j] for j in members) / s
        norm = sum(weights[j] * weights[m] * kernel[j, m] for j in members for m in members)
        return kernel[i, i] - 2 * cross + norm / s**2

    while True:
        before = list(labels)
        clusters = [[i for i in range(n) if before[i] == k] for k in range(max(before) + 1)]
        for i in range(n):
            distances = [distance(i, members) for members in clusters]
            labels[i] = int(np.argmin(distances))
            if weights[i] * min(distances) > penalty:
                clusters.append([i])
                labels[i] = len(clusters) - 1
        labels = np.unique(labels, return_inverse=True)[1].tolist()
        clusters = [[i for i in range(n) if labels[i] == k] for k in range(max(labels) + 1)]
        error = sum(weights[i] * distance(i, members) for members in clusters for i in members)
        trace.append(error + penalty * len(clusters))
        if labels == before:
            return np.array(labels), trace


@pytest.mark.parametrize("seed", range(8))
def test_same_labels_as_the_slow_twin_with_weights_on_any_kernel(seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(14, 3)) + 3.0 * random.integers(3, size=14)[:, None]
    kernel = np.exp(-np.square(points[:, None] - points[None]).sum(axis=2) / 4.0)
    weights = random.gamma(2.0, size=14)
    labels, trace = _slow(kernel, weights, 0.5)
    states = list(kernel_dp_means_states(kernel, weights, 0.5))
    assert np.array_equal(states[-1].labels, labels)
    assert np.allclose([state.objective for state in states[1:]], trace)
    objectives = [state.objective for state in states]
    assert np.all(np.diff(objectives) <= 1e-9)


@pytest.mark.parametrize("make", [make_moons, make_circles])
def test_moons_and_rings_on_the_diffusion_kernel(make):
    shape = {"factor": 0.45} if make is make_circles else {}
    table, truth = make(700, noise=0.05, random_state=1, **shape)
    model = KernelDPMeans(kernel="diffusion").fit(table)
    assert model.n_clusters_hint_ == 2
    assert ari(truth, model.labels_) > 0.95


@pytest.mark.parametrize("kernel", ["linear", "rbf", "gower", "diffusion"])
def test_three_clouds_are_three_clusters_on_every_kernel(kernel):
    truth = np.repeat([0, 1, 2], 70)
    three = np.random.default_rng(0).normal(size=(210, 2)) + 7.0 * np.eye(3)[truth][:, :2]
    model = KernelDPMeans(kernel=kernel).fit(three)
    assert model.n_clusters_hint_ == 3
    assert ari(truth, model.labels_) > 0.8


def test_farthest_first_counts_weighted_distances():
    table = np.array([[0.0], [1.0], [4.0], [15.0]])
    weights = np.array([8.0, 1.0, 1.0, 1.0])
    # The mean is 20 / 11; the farthest by weight is 15 (173.8), then 0 (8 x 3.3), then 4 (4.8).
    kernel = table @ table.T
    mean = 20 / 11
    expected = [(15 - mean) ** 2, 8 * mean**2, (4 - mean) ** 2]
    found = [kernel_farthest_first(kernel, weights, k) for k in (1, 2, 3)]
    assert found == pytest.approx(expected)


def test_a_row_of_no_weight_is_refused():
    with pytest.raises(ValueError, match="no rule for rows of weight 0"):
        KernelDPMeans().fit(_blobs(0), sample_weight=np.arange(90))
