"""Stability, the copula reference and the light: on groups that are there, and where none are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from core import MAPDP
from core.clinical.traffic_light import traffic_light
from core.models.progress import Progress
from core.partitions.co_assignment import co_assignment
from core.schema.encoded import Encoded, Unit
from core.statistics.bootstraps import Bootstraps, Draw, draw_patients
from core.statistics.consensus import consensus
from core.statistics.copula import CopulaReference, copula_reference, rank_one_share
from core.statistics.gaussian_copula import GaussianCopula, correlations
from core.statistics.refits import Refits
from core.statistics.stability import Protocol, Restarts, Stability, assess, n_fits
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


# ---- stability


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


def test_rows_of_a_patient_are_drawn_together():
    patients = np.repeat(["p1", "p2", "p3", "p4"], 3)
    for _, rows in draw_patients(12, patients, 20, 0):
        assert np.isin(np.flatnonzero(np.isin(patients, patients[rows])), rows).all()
    shares = [rows.size / 500 for _, rows in draw_patients(500, None, 20, 0)]
    assert np.mean(shares) == pytest.approx(1 - np.exp(-1), abs=0.01)


def test_jaccard_is_hennig_s_on_the_drawn_patients():
    reference = np.repeat([0, 1], [30, 20])
    labels = np.where(np.arange(50) < 24, 0, 1).astype(np.int32)
    labels[::5] = -1
    drawn = labels >= 0
    found = Bootstraps(reference, (Draw(labels, None),)).jaccard[0]
    for k in (0, 1):
        group = drawn & (reference == k)
        overlaps = [(group & (labels == c)).sum() / (group | (labels == c)).sum() for c in (0, 1)]
        assert found[k] == pytest.approx(max(overlaps))


def test_co_assignment_counts_draws_that_hold_both():
    draws = [np.array([0, 0, 1]), np.array([0, 1, -1]), np.array([-1, 0, 0])]
    shared = co_assignment(draws)
    assert shared[0].tolist() == [1.0, 0.5, 0.0]
    assert shared[1, 2] == 0.5


def test_the_consensus_is_the_partition_nearest_to_the_draws():
    truth = np.repeat([0, 1], 10)
    draws = Bootstraps(np.zeros(20, dtype=int), (Draw(truth.astype(np.int32), None),) * 3)
    found = consensus(draws, [np.zeros(20, dtype=int)])
    assert (found.labels == truth).all()
    assert found.distance == pytest.approx(0.0, abs=1e-12)
    assert found.own_distance == pytest.approx(np.log(2))


def test_one_failure_ends_all_fits():
    started = []

    def work(item: int, callback) -> int:
        started.append(item)
        if item == 1:
            raise ValueError("no")
        return item

    with pytest.raises(ValueError, match="no"):
        list(Refits(100).map(work, range(100), ""))
    assert len(started) < 100


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


# ---- the copula


def mixed_table(n: int = 800) -> Encoded:
    """Six columns of every sort behind one factor, and one that has nothing to do with it."""
    random = np.random.default_rng(3)
    severity = random.normal(size=n)
    noisy = severity[:, None] * 0.8 + 0.6 * random.normal(size=(n, 6))
    values = np.column_stack(
        [
            np.exp(noisy[:, 0]),
            noisy[:, 1] > 1.0,
            np.digitize(noisy[:, 2], [-1, 0, 1]),
            np.floor(np.exp(noisy[:, 3])),
            np.array([2, 0, 1])[np.digitize(noisy[:, 4], [-0.5, 0.5])],
            -noisy[:, 5],
            random.normal(size=n),
        ]
    ).astype(np.float64)
    values[random.random(values.shape) < 0.1] = np.nan
    families = ["normal", "bernoulli", "binomial", "poisson", "categorical", "normal", "normal"]
    units = tuple(
        Unit(f"x{j}", family, (f"x{j}",), {"levels": (0, 1, 2), "trials": 3})
        for j, family in enumerate(families)
    )
    return Encoded(values, units)


def test_a_copula_keeps_margins_holes_and_rank_correlations():
    encoded = mixed_table()
    copula = GaussianCopula.of(encoded)
    tables = [copula.draw(np.random.default_rng(b)).values for b in range(20)]
    for table in tables:
        assert (np.isnan(table) == np.isnan(encoded.values)).all()
        for own, drawn in zip(encoded.values.T, table.T, strict=True):
            assert np.array_equal(np.sort(own), np.sort(drawn), equal_nan=True)
    level = np.array([1.0, 2.0, 0.0])  # of the category, along the factor
    orderly = [
        np.column_stack([t[:, :4], level[np.nan_to_num(t[:, 4]).astype(int)], t[:, 5:]])
        for t in (encoded.values, *tables)
    ]
    own, *drawn = (stats.spearmanr(t, nan_policy="omit").statistic for t in orderly)
    assert np.mean(drawn, axis=0) == pytest.approx(own, abs=0.04)


def test_correlations_over_the_rows_that_have_both():
    random = np.random.default_rng(5)
    values = random.normal(size=(50, 3)) @ random.normal(size=(3, 3))
    values[random.random(values.shape) < 0.2] = np.nan
    both = ~np.isnan(values[:, :2]).any(axis=1)
    expected = np.corrcoef(values[both, 0], values[both, 1])[0, 1]
    assert correlations(values)[0, 1] == pytest.approx(expected)
    constant = np.column_stack([values[:, 0], np.ones(50), np.full(50, np.nan)])
    assert correlations(constant)[0].tolist() == [1.0, 0.0, 0.0]


def test_a_gain_no_larger_than_the_reference_s_is_not_rejected():
    random = np.random.default_rng(1)
    severity = random.normal(size=(200, 1)) + 0.5 * random.normal(size=(200, 8))
    found = copula_reference(MAPDP(random_state=0).fit(severity), 19)
    assert found.p > 0.05
    group = random.integers(3, size=200)
    crossing = 2.0 * np.eye(3)[group][:, np.arange(9) % 3] + random.normal(size=(200, 9))
    model = MAPDP(random_state=0).fit(crossing)
    found = copula_reference(model, 19)
    assert found.p == pytest.approx(0.05)
    assert "0 of 19" in found.sentence
    assert rank_one_share(model.columns_.encoded, model.labels_) < 0.7


def test_groups_along_one_line_have_rank_one():
    severity = np.linspace(-2, 2, 300)[:, None] * np.array([1.0, -1.0, 0.5])
    labels = np.repeat([0, 1, 2], 100)
    encoded = Encoded.from_array(severity, "normal")
    assert rank_one_share(encoded, labels) == pytest.approx(1.0)
    assert rank_one_share(encoded, np.repeat([0, 1], 150)) is None


# ---- the light


def known(jaccard: float = 1.0, share: float = 1.0, agreement: float = 1.0) -> Stability:
    """A whole stability with these outcomes, on groups of 50 and 40."""
    reference = np.repeat([0, 1], [50, 40])
    other = reference.copy()
    other[: round(50 * (1 - jaccard))] = 2
    bootstraps = Bootstraps(reference, (Draw(other.astype(np.int32), 1.0),))
    objectives = np.where(np.arange(10) < 10 * share, 0.0, 1.0)
    labels = np.tile(reference, (10, 1))
    if agreement < 1.0:
        labels[9] = np.random.default_rng(0).permutation(reference)
    restarts = Restarts(objectives, labels, 0.0)
    return Stability(reference, SMALL, restarts, bootstraps, (), consensus(bootstraps, [reference]))


def reference_of(p: float, n: int = 99) -> CopulaReference:
    above = round(p * (n + 1)) - 1
    return CopulaReference(1.0, np.where(np.arange(n) < above, 2.0, 0.0), np.ones(n, dtype=int))


@pytest.mark.parametrize(
    ("stability", "p", "colour"),
    [
        (known(), 0.01, "green"),
        (known(), 0.05, "green"),
        (known(), 0.06, "amber"),
        (known(jaccard=0.7), 0.01, "amber"),
        (known(share=0.1), 0.01, "amber"),
        (known(agreement=0.0), 0.01, "amber"),
        (known(jaccard=0.5), 0.01, "red"),
        (known(jaccard=0.7), 0.5, "red"),
        (known(share=0.1), 0.5, "red"),
    ],
)
def test_the_light(stability, p, colour):
    light = traffic_light(stability.labels, stability, reference_of(p))
    assert (light.colour, light.provisional) == (colour, False)
    assert len(light.clauses) == 4
    assert all(clause.sentence for clause in light.clauses)


def test_what_is_not_known_is_never_green():
    for stability, reference in [
        (None, None),
        (known(), None),
        (known(), reference_of(0.05, 19)),
        (known(), reference_of(0.1, 9)),
        (replace(known(), consensus=None), reference_of(0.01)),
    ]:
        light = traffic_light(known().labels, stability, reference)
        assert light.provisional
        assert light.colour == "amber"
        assert ("Not checked yet" in light.headline) == (stability is None)


def test_without_two_groups_there_is_nothing_to_judge():
    for sizes, words in [([30], "one cluster"), ([29, 1], "nearly all"), ([4] * 5, "fewer")]:
        light = traffic_light(np.repeat(np.arange(len(sizes)), sizes), known(), None)
        assert (light.colour, light.provisional) == ("grey", False)
        assert light.headline == "No groups found"
        assert words in light.clauses[0].sentence
