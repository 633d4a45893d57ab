"""Stability: on groups that are there, and on small tables of every sort."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.clinical.traffic_light import traffic_light
from mapdp_studio.core.models.progress import Progress
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.statistics.copula import copula_reference
from mapdp_studio.core.statistics.stability import Protocol, Restarts, Stability, assess, n_fits
from tests.random_tables import random_families, random_table

SMALL = Protocol(restarts=4, bootstraps=6, fits=1)


@pytest.fixture(scope="module")
def blobs() -> MAPDP:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 40, 8])
    values = 6.0 * np.eye(3)[truth] + random.normal(size=(truth.size, 3))
    return MAPDP(random_state=0).fit(values)


@pytest.fixture(scope="module")
def judged(blobs) -> Stability:
    return assess(blobs, SMALL)


def test_firm_groups_come_back(judged, blobs):
    assert judged.complete
    assert judged.bootstraps.mean_jaccard[:2] == pytest.approx((1.0, 1.0), abs=0.05)
    assert judged.bootstraps.mean_jaccard[2] is None
    assert judged.bootstraps.bands == ("highly stable", "highly stable", "not assessable")
    assert judged.restarts.share == 1.0
    assert judged.restarts.optima.size == 1
    assert judged.bootstraps.held_out.low > 0
    assert [setting.k for setting in judged.settings if setting.is_own] == [3, 3]
    assert (judged.bootstraps.patients.share > 0.5).mean() > 0.95
    assert judged.consensus.own_distance <= judged.consensus.distance + 1e-9
    assert judged.consensus.order.size == blobs.labels_.size


def test_partial_results_grow_and_a_stop_keeps_them(blobs):
    seen: list[Stability] = []
    total = n_fits(SMALL, blobs.columns_.encoded)

    def stop(progress: Progress) -> None:
        assert progress.total == total
        if len(seen) >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assess(blobs, SMALL, callback=stop, share=seen.append)
    drawn = [len(partial.bootstraps.draws) for partial in seen]
    assert drawn == list(range(1, len(drawn) + 1))
    assert not seen[-1].complete


def test_the_same_seed_judges_alike_whatever_the_threads_do(blobs, judged):
    handed = MAPDP(prior=list(blobs.prior_), random_state=0).fit_encoded(blobs.columns_.encoded)
    again = assess(handed, SMALL)
    assert [s.is_own for s in again.settings] == [s.is_own for s in judged.settings]
    assert again.restarts.objectives.tolist() == judged.restarts.objectives.tolist()
    for a, b in zip(again.bootstraps.draws, judged.bootstraps.draws, strict=True):
        assert (a.labels == b.labels).all()


@pytest.mark.parametrize("seed", range(12))
def test_small_tables_of_every_sort_can_be_judged(seed):
    random = np.random.default_rng(seed)
    n = int(random.choice([2, 3, 8, 40]))
    encoded, _ = random_table(random, n, random_families(random), missing=0.3, fill=seed % 2 == 0)
    model = MAPDP(random_state=0, patience=2).fit_encoded(encoded)
    judged = assess(model, Protocol(3, 4, 1), patients=random.integers(0, n, n))
    reference = copula_reference(model, 3)
    assert np.isfinite(reference.draws).all()
    assert len(judged.bootstraps.bands) == model.n_clusters_
    assert traffic_light(model.labels_, judged, reference).colour != "green"


def test_restarts_at_the_best_and_near_it_are_told_apart():
    labels = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]])
    objectives = np.array([10.0, 10.0009, 10.0011, 13.1])  # of nats: one thousandth, and three
    found = Restarts(objectives, labels, 10.0)
    assert (found.n_best, found.share, found.improved_by) == (2, 0.5, 0.0)
    assert found.optima.tolist() == [0, 2]
    assert found.agreement[0, 1] == ari(labels[0], labels[2])
    assert Restarts(np.append(objectives[:3], 12.9), labels, 10.0).optima.tolist() == [0, 2, 3]
    assert Restarts(objectives, labels, 12.0).improved_by == 2.0
