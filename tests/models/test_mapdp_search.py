"""MAP-DP: its slow twin, every partition of tiny tables, its priors; the search of large tables."""

import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import MagicMock, Mock

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from mapdp_studio.core import MAPDP
from mapdp_studio.core.engine.packed import PackedTable, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES, GaussianPrior
from mapdp_studio.core.models import search as search_module
from mapdp_studio.core.models.descent import (
    SPLIT_KINDS,
    SPLIT_SAMPLE,
    SPLIT_SWEEPS,
    Descent,
    Points,
)
from mapdp_studio.core.models.priors import SCALES, choose_prior
from mapdp_studio.core.models.search import BOTH_BELOW, BOTH_CELLS, PATIENT, Search, extend_sample
from mapdp_studio.core.partitions.labels import by_size
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import (
    above_the_lowest,
    as_frame,
    plain_columns,
    random_families,
    random_table,
)
from tests.reference import published_map_dp

KINDS = {
    "normal columns": lambda random: ["normal"] * 3,
    "gaussian block": lambda random: ["gaussian"],
    "mixed": random_families,
}


@pytest.mark.parametrize("kind", KINDS)
def test_published_algorithm_gives_the_labels_of_its_slow_twin(kind):
    compared = several = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        n_0 = float(np.exp(random.uniform(-1, 2)))
        encoded, priors = random_table(random, 18, KINDS[kind](random), fill=True)
        plain = plain_columns(PackedTable.pack(encoded, priors))
        labels, trace, tied = published_map_dp(plain, n_0)
        if tied:
            continue
        model = MAPDP(n_0, prior=list(priors), refine=False, shuffle=False).fit(*as_frame(encoded))
        assert np.array_equal(model.labels_, by_size(labels)[0])
        assert model.objective_trace_ == pytest.approx(trace, rel=1e-9)
        compared += 1
        several += model.n_clusters_ > 1
    assert compared >= 7
    assert several >= 4


def test_search_finds_the_lowest_of_all_partitions():
    """The last two have rows alike that are best each alone; 300 are tried in the benchmark."""
    above = np.array([above_the_lowest(seed) for seed in (*range(40), 148, 222)])
    assert np.abs(above).max() < 1e-8


def _mixed(seed=0, n=40):
    return as_frame(random_table(np.random.default_rng(seed), n, list(FAMILIES), fill=True)[0])


def _state(model):
    return model.labels_.tolist(), model.objective_, model.objective_trace_.tolist()


@pytest.mark.parametrize("refine", [True, False])
def test_callback_stops_at_once_and_leaves_nothing_broken(refine):
    frame, schema = _mixed()
    model, seen = MAPDP(refine=refine, n_init=2, patience=5, random_state=0), []
    expected = _state(clone(model).fit(frame, schema))

    def callback(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(frame, schema, callback=callback)
    assert len(seen) == 3
    assert all(0 <= progress.done <= progress.total for progress in seen)
    assert not hasattr(model, "labels_")
    for same in (0, np.random.default_rng(0)):
        model.random_state = same
        assert _state(model.fit(frame, schema)) == expected


@pytest.mark.parametrize("judged_at_once", [False, True])
def test_eight_threads_change_nothing(judged_at_once):
    tables = [_mixed(seed) for seed in range(8)]
    if judged_at_once:  # long tables without filled cells
        tables = [(make_blobs(3_000, 4, centers=6, random_state=1)[0],)] * 8
    models = [MAPDP(prior="empirical", patience=5, random_state=seed) for seed in range(8)]
    alone = [_state(clone(model).fit(*table)) for model, table in zip(models, tables, strict=True)]
    ready = threading.Barrier(8)

    def fit(model, table):
        ready.wait()
        return _state(model.fit(*table))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fit, models, tables)) == alone


WIDE = GaussianPrior.default(np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "cell", "sentence"),
    [
        ({"prior": []}, 0.0, "prior"),
        ({"likelihood": "cauchy"}, 0.0, "likelihood"),
        ({"likelihood": "poisson"}, -1.0, "'x1' has .* in row 2"),
        ({"likelihood": "binomial"}, 0.5, "'x1' has .* in row 2"),
        ({"likelihood": "gaussian", "prior": WIDE}, 0.0, "3 dimensions where the block has 2"),
    ],
)
def test_what_cannot_be_is_named(arguments, cell, sentence):
    values = np.array([[1.0, 0.0], [1.0, cell], [np.nan, 1.0]])
    with pytest.raises(ValueError, match=sentence):
        MAPDP(**arguments).fit(values)


@pytest.mark.parametrize(
    ("objectives", "scale"), [((9, 8, 7, 6, 5, 4, 5), 5.0), ((9, 10, 8, 7), 0.02), ((9, 9, 9), 0.1)]
)
def test_the_grid_is_walked_both_ways_while_e_falls(objectives, scale):
    """Of every family; what is chosen has the default priors at that scale."""
    encoded, _ = random_table(np.random.default_rng(0), 60, list(FAMILIES), fill=True)
    left = iter(objectives)

    def trial(packed, start):
        return np.zeros(60, dtype=np.int64), float(next(left))

    choice = choose_prior("scale-grid", encoded, trial, np.random.default_rng(0))
    assert (choice.scale, next(left, None)) == (scale, None)
    expected = default_priors(encoded, scale)
    assert [prior.to_dict() for prior in choice.packed.priors] == [p.to_dict() for p in expected]


def test_a_scale_chosen_on_a_sample_is_that_of_lowest_e_on_all_rows():
    """On this table the grid of a sample stops one scale short."""
    random = np.random.default_rng(9)
    n, k, d = 21_000, int(random.integers(3, 30)), int(random.integers(2, 6))
    middle, spread = random.normal(0, 6, (k, d)), random.uniform(0.2, 3, (k, d))
    group = random.choice(k, n, p=random.dirichlet(np.full(k, 0.5)))
    model = MAPDP(random_state=0).fit(middle[group] + spread[group] * random.normal(size=(n, d)))
    encoded = model.columns_.encoded
    objectives = {
        scale: Partition(
            PackedTable.pack(encoded, default_priors(encoded, scale)), 3.0, model.labels_
        ).objective()
        for scale in SCALES
    }
    assert model.objective_ == pytest.approx(min(objectives.values()), abs=1e-6)
    assert model.prior_scale_ == min(objectives, key=objectives.__getitem__)
    assert (np.diff(model.result_.objective_trace) < 1e-6).all()


def blobs(n: int, k: int, spread: float, d: int) -> tuple[PackedTable, np.ndarray]:
    X, truth = make_blobs(n, d, centers=k, random_state=0, cluster_std=spread)
    encoded = Encoded.from_array(X, "normal")
    return PackedTable.pack(encoded, default_priors(encoded, 0.1)), truth


def searched(packed: PackedTable, patience: int = 0, start: np.ndarray | None = None) -> float:
    """E that a search reaches."""
    random = np.random.default_rng(1)
    return Search(packed, 3.0, random, lambda progress: None).run(patience, start).objective


@pytest.mark.parametrize(("n", "d"), [(BOTH_BELOW + 1, 3), (2_500, 1 + BOTH_CELLS // 2_500)])
def test_too_many_clusters_of_a_large_table_become_those_there_are(n, d, monkeypatch):
    monkeypatch.setattr(Search, "_from_sample", None)
    monkeypatch.setattr(Search, "_perturbed", None)
    packed, truth = blobs(n, 12, 0.5, d)
    at_truth = Partition(packed, 3.0, truth)
    at_truth.sweep(np.arange(truth.size))
    assert searched(packed) == pytest.approx(at_truth.objective(), abs=1e-6)


@pytest.mark.parametrize("good_is_first", [True, False])
def test_the_lower_of_two_searches_wins(good_is_first, monkeypatch):
    packed, truth = blobs(2_500, 4, 1.0, 3)
    good, poor = (Partition(packed, 3.0, labels) for labels in (truth, truth[::-1]))
    first, second = (good, poor) if good_is_first else (poor, good)
    monkeypatch.setattr(Search, "_from_sample", lambda *a: first)
    monkeypatch.setattr(Search, "_from_many", lambda *a: second)
    monkeypatch.setattr(Descent, "run", lambda self, is_swept=False: None)
    assert searched(packed) == good.objective() < poor.objective()


def from_two(packed: PackedTable, patience: int) -> float:
    """E of a search that begins at two clusters of the first rows."""
    start = np.full(packed.n_rows, -1)
    start[:2_000] = packed.encoded.values[:2_000, 0] > 0.0
    return searched(packed, patience, start)


def test_overlapping_clusters_of_a_large_table_are_looked_at_again(monkeypatch):
    packed, _ = blobs(BOTH_BELOW + 1, 10, 8.0, 10)
    found = from_two(packed, PATIENT)
    monkeypatch.setattr(search_module, "WORTH", np.inf)  # the same draws, and nothing made of them
    assert found < from_two(packed, PATIENT) - 500.0


def test_clusters_of_a_large_table_that_lie_apart_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(Search, "_pieces", None)
    assert np.isfinite(from_two(blobs(BOTH_BELOW + 1, 5, 0.5, 5)[0], PATIENT))


@pytest.mark.parametrize("kind", SPLIT_KINDS)
@pytest.mark.parametrize("k", [1, 2])
def test_rows_held_out_refuse_most_halves_of_one_cluster(kind, k, monkeypatch):
    packed, _ = blobs(4_000, k, 1.0, 10)
    real, swept, n_whole = Descent._sweep_part, [], 0

    def watched(self, rows, *how):
        swept.append(rows.size)
        return real(self, rows, *how)

    monkeypatch.setattr(Descent, "_sweep_part", watched)
    sweep, sweeps = Descent._visited, Mock()
    monkeypatch.setattr(Descent, "_visited", lambda *of: (sweeps(), sweep(*of))[1])
    for seed in range(8):
        swept.clear()
        partition, random = Partition(packed, 3.0), np.random.default_rng(seed)
        descent = Descent(partition, Points(packed, random), random, lambda step: 0.0)
        assert descent.split(0, kind) == (k == 2)
        n_whole += max(swept) > SPLIT_SAMPLE  # the split got as far as all rows
    assert n_whole <= 1 if k == 1 else n_whole == 8
    if (k, kind) == (1, "2-means"):  # whose gains shrink too fast to be waited for
        assert sweeps.call_count < 8 * (SPLIT_SWEEPS + 1)


def test_what_falls_back_to_an_end_is_not_searched_on(monkeypatch):
    packed, _ = blobs(300, 4, 2.0, 3)
    forgetful, found, sweep = MagicMock(), [], Partition.sweep
    forgetful.__contains__.return_value = False
    for ends in (set(), forgetful):
        sweeps = Mock(side_effect=sweep)
        monkeypatch.setattr(Partition, "sweep", lambda *of, n=sweeps, **how: n(*of, **how))
        search = Search(packed, 3.0, np.random.default_rng(0), lambda progress: None)
        search.points.ends = ends
        found.append((search.run(45).objective, sweeps.call_count))
    (objective, n_sweeps), (again, n_more) = found
    assert objective == pytest.approx(again)
    assert n_sweeps < 0.9 * n_more


@pytest.mark.parametrize("n", [200, 4_000])
def test_a_split_is_made_where_e_falls_by_more_than_is_asked(n):
    packed, _ = blobs(n, 2, 1.0, 10)

    def split(least_gain: float) -> tuple[bool, float]:
        partition, random = Partition(packed, 50.0), np.random.default_rng(0)
        before = partition.objective()
        descent = Descent(partition, Points(packed, random), random, lambda step: 0.0)
        return descent.split(0, "2-means", least_gain), before - partition.objective()

    gain = split(-np.inf)[1]
    assert split(gain - 1e-6)[0]
    assert not split(gain + 1e-6)[0]


def test_rows_outside_a_sample_choose_among_its_clusters():
    packed, truth = blobs(3_000, 4, 0.5, 3)
    rows = np.arange(0, 3_000, 3)
    sample = Partition(packed.subset(rows), 3.0, truth[rows])
    found = extend_sample(packed, sample, rows, np.random.default_rng(0))
    assert np.array_equal(found.labels, truth)


def test_a_restart_that_ends_where_others_did_is_perturbed_less(monkeypatch):
    perturbed, made = Search._perturbed, []
    monkeypatch.setattr(Search, "_perturbed", lambda *of: made.append(1) or perturbed(*of))
    X, _ = make_blobs(150, 2, centers=3, random_state=0, cluster_std=0.5)
    numbers = []
    for n_init in (1, 2, 3):
        made.clear()
        MAPDP(n_init=n_init, patience=30, random_state=0).fit(X)
        numbers.append(len(made))
    first, second, third = np.diff([0, *numbers])
    assert (second, third) == (15, 10)
    assert first >= 30
