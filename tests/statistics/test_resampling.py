"""Groups sought again: on groups that are there, on small tables of every sort, side by side."""

import time
from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core import MAPDP, GroupStability, Progress
from mapdp_studio.core.clinical.verdict import traffic_light
from mapdp_studio.core.models.progress import THREADS, Refits
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.statistics.chance import FULL, chance
from mapdp_studio.core.statistics.nulls import GroupSearch
from mapdp_studio.core.statistics.resampling import (
    Bootstraps,
    Protocol,
    Restarts,
    assess,
    draw_patients,
    n_fits,
)
from tests.random_tables import random_families, random_table

SMALL = Protocol(restarts=4, bootstraps=6, fits=1, orders=3)


@pytest.fixture(scope="module")
def blobs() -> MAPDP:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 40, 8])
    values = 6.0 * np.eye(3)[truth] + random.normal(size=(truth.size, 3))
    return MAPDP(random_state=0).fit(values)


@pytest.fixture(scope="module")
def judged(blobs) -> GroupStability:
    return assess(blobs, SMALL)


def test_firm_groups_come_back(judged, blobs):
    assert judged.complete
    assert judged.bootstraps.mean_jaccard[:2] == pytest.approx((1.0, 1.0), abs=0.05)
    assert judged.bootstraps.mean_jaccard[2] is None
    assert judged.bootstraps.bands == ("highly stable", "highly stable", "not assessable")
    assert (judged.restarts.share, judged.restarts.optima.size) == (1.0, 1)
    assert judged.settings.query("is_own")["n_clusters"].tolist() == [3, 3]
    assert len(judged.orders.draws) == 3
    rows = judged.rows
    assert rows.columns.tolist() == ["other rows", "other starts", "other orders", "second"]
    assert (rows[["other rows", "other starts"]] > 0.5).mean().min() > 0.95


def test_partial_results_grow_and_a_stop_keeps_them(blobs):
    seen: list[GroupStability] = []
    protocol = replace(SMALL, orders=0)

    def stop(progress: Progress) -> None:
        assert progress.total == n_fits(protocol, blobs.columns_.encoded)
        if len(seen) >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assess(blobs, protocol, callback=stop, share=seen.append)
    drawn = [len(partial.bootstraps.draws) for partial in seen]
    assert drawn == list(range(1, len(drawn) + 1))
    assert not seen[-1].complete


@pytest.mark.parametrize("seed", range(6))
def test_small_tables_of_every_sort_can_be_judged(seed):
    random = np.random.default_rng(seed)
    n = int(random.choice([2, 3, 8, 40]))
    encoded, _ = random_table(random, n, random_families(random), missing=0.3, fill=seed % 2 == 0)
    model = MAPDP(random_state=0, patience=2).fit_encoded(encoded)
    judged = assess(model, Protocol(3, 4, 1), patients=random.integers(0, n, n))
    assert (np.diff(judged.restarts.objectives) >= 0.0).all()
    reference = chance(GroupSearch.of(model), n_tables=FULL)
    assert reference.is_settled
    assert all(np.isfinite(values).all() for values in reference.differences.values())
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
    improved = [Restarts(objectives, labels, 10.0 + by).improved_by for by in (2.0, 5e-4)]
    assert improved == [2.0, 0.0]


def test_rows_of_a_patient_are_drawn_together():
    patients = np.repeat(["p1", "p2", "p3", "p4"], 3)
    for _, rows in draw_patients(12, patients, 20, 0):
        assert np.isin(np.flatnonzero(np.isin(patients, patients[rows])), rows).all()
    alone = draw_patients(3, np.array(["p1", None, None]), 20, 0)
    assert any({1, 2} - {*rows} == {2} for _, rows in alone), "nobody shares a missing id"
    shares = [rows.size / 500 for _, rows in draw_patients(500, None, 20, 0)]
    assert np.mean(shares) == pytest.approx(1 - np.exp(-1), abs=0.01)


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (85, "highly stable"),
        (84, "stable"),
        (75, "stable"),
        (74, "doubtful"),
        (60, "doubtful"),
        (59, "not to be trusted"),
    ],
)
def test_bands_begin_where_hennig_says_on_the_rows_drawn_of_groups_of_ten(kept, words):
    reference = np.repeat([0, 1, 2, 3], [110, 100, 10, 9])
    labels = reference.astype(np.int32)
    labels[kept:100] = 4 + np.arange(100 - kept)  # the others are each on their own
    labels[100:110] = -1
    found = Bootstraps(reference, (labels,))
    assert found.mean_jaccard[0] == pytest.approx(kept / 100)
    assert found.bands == (words, "highly stable", "highly stable", "not assessable")


@pytest.mark.parametrize("n_cells", [1, 1_000_000])
def test_a_callback_is_told_how_many_fits_are_done(n_cells):
    reported = []

    def work(item: int, callback) -> int:
        callback(Progress(1, 2, 0.0, 1))
        return item

    assert list(Refits(9, n_cells, reported.append).map(work, range(9), "")) == [*range(9)]
    assert [progress.total for progress in reported] == [9] * 9
    assert max(progress.done for progress in reported) >= 9 - THREADS


def test_one_failure_ends_all_fits():
    started, finished = [], []

    def work(item: int, callback) -> int:
        started.append(item)
        if item == 1:
            raise ValueError("no")
        until = time.monotonic() + 20.0
        while item and time.monotonic() < until:  # ends as soon as the failure is known
            callback(Progress(1, 2, 0.0, 1))
        finished.append(item)
        return item

    with pytest.raises(ValueError, match="no"):
        list(Refits(100, 1_000_000).map(work, range(100), ""))
    assert len(started) <= 2 + THREADS
    assert finished == [0]
