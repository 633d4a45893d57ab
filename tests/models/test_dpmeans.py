"""DP-means against its slow twin, its objective, and the encoding it shares with K-means."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import DPMeans, KMeansBIC
from mapdp_studio.core.models.dpmeans import dp_means_states, farthest_first_penalty
from mapdp_studio.core.models.numeric import numeric_encoding
from mapdp_studio.core.partitions.labels import by_size
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.reference import dp_means


def _blobs(seed: int, n: int = 120) -> np.ndarray:
    random = np.random.default_rng(seed)
    centers = random.normal(scale=4.0, size=(random.integers(1, 6), random.integers(1, 5)))
    table = centers[random.integers(len(centers), size=n)]
    table = table + random.normal(size=table.shape) + random.normal(scale=100.0)
    return table[random.integers(n, size=n)] if seed % 3 == 0 else table


@pytest.mark.parametrize("seed", range(50))
def test_same_labels_as_the_slow_twin(seed):
    table = _blobs(seed)
    penalty = np.random.default_rng(seed).choice([0.05, 1.0, 8.0, 50.0]) * table.shape[1]
    labels, centers, trace = dp_means(table, penalty)
    states = list(dp_means_states(table, penalty))
    assert np.array_equal(states[-1].labels, labels)
    assert np.allclose(states[-1].centers, centers)
    assert np.allclose([state.objective for state in states[1:]], trace)


@pytest.mark.parametrize("seed", range(10))
def test_objective_is_error_plus_penalties_and_never_rises(seed):
    table = _blobs(seed, n=700)
    model = DPMeans(penalty=4.0, shuffle=True, n_init=2, random_state=seed).fit(table)
    error = np.square(table - model.cluster_centers_[model.labels_]).sum()
    assert model.objective_ == pytest.approx(error + 4.0 * model.n_clusters_)
    assert model.objective_trace_[-1] == model.objective_
    assert np.all(np.diff(model.objective_trace_) <= 1e-9 * model.objective_)
    assert model.converged_
    assert np.array_equal(model.predict(table), model.labels_)
    assert np.array_equal(by_size(model.labels_)[0], model.labels_)


def test_a_newborn_cluster_is_open_to_the_rest_of_its_pass():
    table = np.array([[0.0], [10.0], [11.0], [0.5]])
    first = list(dp_means_states(table, 9.0))[1]
    # 0 founds a cluster at distance 28.9 from the mean 5.375, 10 another, and the rest join them;
    # the mean's own cluster is left empty and goes.
    assert first.labels.tolist() == [0, 1, 1, 0]
    assert np.allclose(first.centers, [[0.25], [10.5]])


def test_penalty_is_compared_with_squared_distance():
    table = np.array([[-2.0], [2.0]])
    assert DPMeans(penalty=4.0).fit(table).n_clusters_ == 1
    assert DPMeans(penalty=3.9).fit(table).n_clusters_ == 2


def test_farthest_first_penalty():
    table = np.array([[0.0], [1.0], [4.0], [15.0]])
    # From the mean 5 the farthest is 15 (100), then 0 (25), then 4 (1), then 1 (1).
    rows = table
    assert [farthest_first_penalty(rows, k) for k in (1, 2, 3)] == pytest.approx([100, 25, 1])
    assert DPMeans(n_clusters_hint=2).fit(table).penalty_ == pytest.approx(25)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        DPMeans(penalty=1.0),
        DPMeans(n_clusters_hint=6),
        KMeansBIC(k_max=9, n_init=1, random_state=0),
    ],
)
def test_the_order_of_rows_is_nothing_to_the_answer(model, holes):
    table = _blobs(7, n=60)
    table[::9] = np.nan if holes else table[::9]
    labels, objective = model.fit(table).labels_, model.objective_
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(table))
        assert model.fit(table[order]).objective_ == objective
        assert ari(model.labels_, labels[order]) == 1.0


def _mixed() -> Encoded:
    values = np.array(
        [
            [1.0, 5.0, 0.0, 2.0, 1.0],
            [3.0, 5.0, 1.0, np.nan, 0.0],
            [np.nan, 5.0, 1.0, 0.0, np.nan],
            [5.0, np.nan, np.nan, 2.0, 4.0],
        ]
    )
    units = (
        Unit("pair", "gaussian", ("height", "constant")),
        Unit("smoker", "bernoulli", ("smoker",), {"levels": ("no", "yes")}),
        Unit("colour", "categorical", ("colour",), {"levels": ("red", "green", "blue")}),
        Unit("visits", "poisson", ("visits",)),
    )
    return Encoded(values, units)


def test_a_mixed_table_is_encoded_as_it_says():
    encoded = _mixed()
    encoding = numeric_encoding(encoded)
    colours = ("colour = red", "colour = green", "colour = blue")
    assert encoding.names == ("height", "constant", "smoker", *colours, "visits")
    numbers = encoding.apply(encoded.values)
    height = np.array([-2.0, 0.0, 0.0, 2.0]) / np.std([1, 3, 5])
    assert np.allclose(numbers[:, 0], height)
    assert np.array_equal(numbers[:, 1], np.zeros(4))
    assert numbers[:, 2].tolist() == [0, 1, 1, 1]
    assert numbers[:, 3:6].tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert numbers[2, 6] == pytest.approx(0)
    for words in ("3 numeric columns", "1 yes/no", "1 category column as 3 0/1", "5 missing cells"):
        assert words in encoding.sentence


def test_an_array_goes_in_as_it_is_with_its_holes_filled():
    table = np.array([[1.0, 200.0], [3.0, np.nan], [5.0, 300.0], [np.nan, 100.0]])
    filled = np.where(np.isnan(table), np.nanmean(table, axis=0), table)
    model = DPMeans(penalty=2000.0).fit(table)
    labels, centers, _ = dp_means(filled, 2000.0)
    assert np.array_equal(model.labels_, by_size(labels)[0])
    assert np.allclose(np.sort(model.cluster_centers_, axis=0), np.sort(centers, axis=0))
    assert "2 missing cells filled with the column's mean" in model.result_.details["encoding"]
