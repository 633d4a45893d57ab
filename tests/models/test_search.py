"""The search of large tables: from too many clusters, and splits judged by rows held out."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models import search as search_module
from mapdp_studio.core.models.descent import SPLIT_KINDS, SPLIT_SAMPLE, Descent, Points
from mapdp_studio.core.models.search import BOTH_BELOW, PATIENT, Search, of_all_rows
from mapdp_studio.core.schema.encoded import Encoded


def blobs(n: int, k: int, spread: float, d: int) -> tuple[Columns, np.ndarray]:
    X, truth = make_blobs(n, d, centers=k, random_state=0, cluster_std=spread)
    encoded = Encoded.from_array(X, "normal")
    return Columns.pack(encoded, default_priors(encoded, 0.1)), truth


def searched(columns: Columns, patience: int = 0, known: np.ndarray | None = None) -> float:
    """E that a search reaches."""
    random = np.random.default_rng(1)
    return Search(columns, 3.0, random, lambda progress: None).run(patience, known).objective


def test_too_many_clusters_of_a_large_table_become_those_there_are():
    columns, truth = blobs(BOTH_BELOW + 1, 12, 0.5, 3)
    at_truth = Partition(columns, 3.0, truth)
    at_truth.sweep(np.arange(truth.size))
    assert searched(columns) == pytest.approx(at_truth.objective(), abs=1e-6)


@pytest.mark.parametrize("good_is_first", [True, False])
def test_the_lower_of_two_searches_wins(good_is_first, monkeypatch):
    columns, truth = blobs(2_500, 4, 1.0, 3)
    good, poor = (Partition(columns, 3.0, labels) for labels in (truth, truth[::-1]))
    first, second = (good, poor) if good_is_first else (poor, good)
    monkeypatch.setattr(Search, "_from_sample", lambda *a: first)
    monkeypatch.setattr(Search, "_from_many", lambda *a: second)
    monkeypatch.setattr(Descent, "run", lambda self, is_swept=False: None)
    assert searched(columns) == good.objective() < poor.objective()


def from_two(columns: Columns, patience: int) -> float:
    """E of a search that begins at two clusters of the first rows."""
    known = np.full(columns.n_rows, -1)
    known[:2_000] = columns.encoded.values[:2_000, 0] > 0.0
    return searched(columns, patience, known)


def test_overlapping_clusters_of_a_large_table_are_looked_at_again(monkeypatch):
    columns, _ = blobs(30_000, 10, 8.0, 10)
    found = from_two(columns, PATIENT)
    monkeypatch.setattr(search_module, "WORTH", np.inf)  # the same draws, and nothing made of them
    assert found < from_two(columns, PATIENT) - 500.0


def test_clusters_of_a_large_table_that_lie_apart_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(Search, "_pieces", None)
    assert np.isfinite(from_two(blobs(BOTH_BELOW + 1, 5, 0.5, 5)[0], PATIENT))


@pytest.mark.parametrize("kind", SPLIT_KINDS)
@pytest.mark.parametrize("k", [1, 2])
def test_rows_held_out_refuse_most_halves_of_one_cluster(kind, k, monkeypatch):
    columns, _ = blobs(4_000, k, 1.0, 10)
    real, swept, n_whole = Descent._sweep_part, [], 0

    def watched(self, rows, most):
        swept.append(rows.size)
        return real(self, rows, most)

    monkeypatch.setattr(Descent, "_sweep_part", watched)
    for seed in range(8):
        swept.clear()
        partition, random = Partition(columns, 3.0), np.random.default_rng(seed)
        descent = Descent(partition, Points(columns, random), random, lambda step: 0.0)
        assert descent.split(0, kind) == (k == 2)
        n_whole += max(swept) > SPLIT_SAMPLE  # the split got as far as all rows
    assert n_whole <= 1 if k == 1 else n_whole == 8


@pytest.mark.parametrize("n", [200, 4_000])
def test_a_split_is_made_where_e_falls_by_more_than_is_asked(n):
    columns, _ = blobs(n, 2, 1.0, 10)

    def split(least_gain: float) -> tuple[bool, float]:
        partition, random = Partition(columns, 50.0), np.random.default_rng(0)
        before = partition.objective()
        descent = Descent(partition, Points(columns, random), random, lambda step: 0.0)
        return descent.split(0, "2-means", least_gain), before - partition.objective()

    gain = split(-np.inf)[1]
    assert split(gain - 1e-6)[0]
    assert not split(gain + 1e-6)[0]


def test_rows_outside_a_sample_choose_among_its_clusters():
    columns, truth = blobs(3_000, 4, 0.5, 3)
    rows = np.arange(0, 3_000, 3)
    sample = Partition(columns.subset(rows), 3.0, truth[rows])
    found = of_all_rows(columns, sample, rows, np.random.default_rng(0))
    assert np.array_equal(found.labels, truth)
