"""Scenarios: their shares, moments and knobs, as hard as the papers say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score as nmi
from threadpoolctl import threadpool_limits

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.demo_datasets import (
    SCENARIOS,
    bayes_labels,
    load_scenario,
    load_scenario_table,
)
from tests.classroom import SETTINGS
from tests.demo_datasets.energy import energy

# R16 Table 1: NMI of K-means and of MAP-DP. For 5.2 see demo_datasets/README.md.
K_MEANS = {"5.1": 0.57, "5.2": 0.60, "5.3": 0.67, "5.4": 0.56, "5.5": 1.00, "5.6": 0.56}
MAP_DP = {"5.1": 0.97, "5.2": 0.98, "5.3": 0.93, "5.4": 0.98, "5.5": 1.00, "5.6": 0.88}


def _k_means(frame, start="k-means++", **options):
    n_init = 10 if isinstance(start, str) else 1
    # On so few rows, threads that wait for one another cost a hundred times the work.
    with threadpool_limits(1):
        return KMeans(3, init=start, n_init=n_init, random_state=0, **options).fit(frame)


@pytest.mark.parametrize(
    ("key", "shares"),
    [
        ("5.1", (1333, 1334, 1333)),
        ("5.2", (2760, 1160, 80)),
        ("5.3", (1332, 1332, 1332, 2, 2)),
        ("5.4", (1333, 1334, 1333)),
        ("5.5", (480, 1120, 2400)),
        ("5.6", (1200, 200, 2600)),
    ],
)
def test_clusters_have_their_shares(key, shares):
    frame, truth = load_scenario(key)
    assert list(frame.columns) == ["x", "y"]
    assert truth.dtype == np.int64
    assert sorted(np.bincount(truth)) == sorted(shares)
    assert np.bincount(truth)[-1] == shares[-1]


@pytest.mark.parametrize("key", SCENARIOS)
@pytest.mark.parametrize("n", [30, 31, 1001])
def test_every_size_keeps_every_cluster(key, n):
    for value in (SCENARIOS[key].knob.low, SCENARIOS[key].knob.high):
        knobs = {SCENARIOS[key].knob.name: value}
        frame, truth = load_scenario(key, n=n, **knobs)
        assert len(frame) == len(truth) == n
        assert np.bincount(truth, minlength=3).min() >= 1
        assert np.isfinite(frame.to_numpy()).all()


@pytest.mark.parametrize("key", SCENARIOS)
def test_scenarios_depend_on_seed_and_knob_alone(key):
    knob = SCENARIOS[key].knob
    frame, truth = load_scenario(key, n=500, seed=3)
    again, same = load_scenario(key, n=500, seed=3, **{knob.name: knob.default})
    pd.testing.assert_frame_equal(frame, again)
    assert np.array_equal(truth, same)
    assert not np.allclose(frame, load_scenario(key, n=500, seed=4)[0])
    assert not np.allclose(frame, load_scenario(key, n=500, seed=3, **{knob.name: knob.high})[0])


@pytest.mark.parametrize("key", SCENARIOS)
def test_moments_are_the_specs(key):
    frame, truth = load_scenario(key, n=60_000, seed=1)
    spec = SCENARIOS[key].spec
    for k, (mean, covariance) in enumerate(zip(spec.means, spec.covariances, strict=True)):
        rows = frame.to_numpy()[truth == k]
        sds = np.sqrt(np.diag(covariance))
        assert np.abs((rows.mean(axis=0) - mean) / sds).max() < 5 / np.sqrt(len(rows))
        error = (np.cov(rows.T) - covariance) / np.outer(sds, sds)
        assert np.abs(error).max() < 7 / np.sqrt(len(rows))


@pytest.mark.parametrize("key", SCENARIOS)
def test_standardising_leaves_the_geometry_alone(key):
    sds = np.mean([load_scenario(key, seed=seed)[0].std() for seed in range(5)], axis=0)
    assert sds[0] == pytest.approx(sds[1], rel=0.03)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"key": "5.7"}, "no scenario '5.7'"),
        ({"key": "5.1", "n": 29}, "from 30 to 1,000,000, not 29"),
        ({"key": "5.1", "n": 1_000_001}, "from 30 to 1,000,000"),
        ({"key": "5.1", "n": 100.0}, "whole number"),
        ({"key": "5.1", "overlap": 1.0}, "has no knob 'overlap'; its knob is 'radius_ratio'"),
        ({"key": "5.1", "radius_ratio": 0.5}, "from 1 to 8, not 0.5"),
        ({"key": "5.4", "rotation": float("nan")}, "from 0 to 90, not nan"),
        ({"key": "5.4", "rotation": "30"}, "from 0 to 90, not '30'"),
    ],
)
def test_bad_requests_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        load_scenario(**arguments)


@pytest.mark.parametrize("key", SCENARIOS)
def test_scenarios_are_as_hard_as_the_papers(key):
    k_means, bayes = [], []
    for seed in range(11):
        frame, truth = load_scenario(key, seed=seed)
        k_means.append(nmi(truth, _k_means(frame).labels_))
        bayes.append(nmi(truth, bayes_labels(key, frame)))
    assert abs(np.median(k_means) - K_MEANS[key]) <= 0.10
    assert MAP_DP[key] - 0.005 <= np.median(bayes) <= MAP_DP[key] + 0.03


@pytest.mark.parametrize(("key", "n_clusters"), [("5.2", 2), ("5.3", 4), ("5.5", 4), ("5.6", 3)])
def test_bic_misleads_as_in_the_paper(key, n_clusters):
    chosen = [
        KMeansBIC(k_max=7, n_init=15, best_start="bic", random_state=0).fit(
            load_scenario(key, seed=seed)[0].to_numpy()
        )
        for seed in range(5)
    ]
    assert np.median([model.n_clusters_ for model in chosen]) == n_clusters


def test_k_means_leaves_the_truth_of_the_rotated_ellipses():
    for seed in range(5):
        frame, truth = load_scenario("5.4", seed=seed)
        means = frame.groupby(truth).mean().to_numpy()
        ended = _k_means(frame, means, max_iter=2000, tol=0.0)
        error = sum(np.square(frame[truth == k] - means[k]).to_numpy().sum() for k in range(3))
        assert nmi(truth, ended.labels_) < 0.75
        assert ended.inertia_ < error


def test_the_model_keeps_the_outlier_pairs_apart():
    for seed in range(5):
        frame, truth = load_scenario("5.3", seed=seed)
        encoded = Encoded.from_array(frame.to_numpy(), "gaussian")
        labels = bayes_labels("5.3", frame)
        assert np.array_equal(labels >= 3, truth >= 3)
        for scale in (0.2, 1.0):
            apart = energy(encoded, labels, scale)
            assert apart < energy(encoded, np.minimum(labels, 3), scale) - 1.0
            assert apart < energy(encoded, np.where(labels == 4, 1, labels), scale) - 1.0


def test_a_scenarios_table_is_the_scenario():
    frame, schema, label = load_scenario_table("5.3", 304, 7, outlier_distance=40.0)
    plain, truth = load_scenario("5.3", 304, 7, outlier_distance=40.0)
    pd.testing.assert_frame_equal(frame[["x", "y"]], plain)
    assert schema.label_column == label
    assert nmi(truth, frame[label]) == pytest.approx(1.0)
    assert tasks("d", schema, SETTINGS, 304)["MAPDP"].columns
