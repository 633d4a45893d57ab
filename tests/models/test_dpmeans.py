"""DP-means, in a kernel and for several data sets, against slow twins; the encoding of tables."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import DPMeans, HardHDP, KernelDPMeans, infer_schema
from mapdp_studio.core.models.dpmeans import dp_states, farthest_first, space_of
from mapdp_studio.core.models.numeric import numeric_encoding
from mapdp_studio.core.models.similarity.graph import kernel_space
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


@pytest.mark.parametrize("seed", range(30))
def test_same_labels_as_the_slow_twin(seed):
    table = _blobs(seed)
    penalty = np.random.default_rng(seed).choice([0.5, 2.0, 8.0, 50.0]) * table.shape[1]
    labels, centers, trace = dp_means(table, penalty)
    states = list(dp_states(space_of(table), penalty))
    assert np.array_equal(states[-1].labels, labels)
    assert np.allclose(states[-1].centers, centers)
    assert np.allclose([state.objective for state in states[1:]], trace)


@pytest.mark.parametrize("seed", [1, 2, 4, 5, 7])
def test_objective_is_error_plus_penalties_and_that_of_one_data_set_of_the_hard_hdp(seed):
    table = _blobs(seed, n=700)
    order, shuffled = np.lexsort(table.T[::-1]), {"shuffle": True, "n_init": 3, "random_state": 0}
    model, other = (DPMeans(penalty=4.0, **how).fit(table) for how in ({}, shuffled))
    assert other.objective_ == pytest.approx(
        np.square(table - other.cluster_centers_[other.labels_]).sum() + 4.0 * other.n_clusters_
    )
    error = np.square(table - model.cluster_centers_[model.labels_]).sum()
    assert model.objective_ == pytest.approx(error + 4.0 * model.n_clusters_)
    assert np.all(np.diff(model.objective_trace_) <= 1e-9 * model.objective_)
    assert model.converged_
    assert np.array_equal(model.predict(table), model.labels_)
    other = HardHDP(1.5, 2.5).fit(table[order])  # in which order DP-means visits them
    assert np.array_equal(other.labels_, by_size(model.labels_[order])[0])
    assert other.objective_ == pytest.approx(model.objective_)


def test_farthest_first_penalties():
    table, counts = np.array([[0.0], [1.0], [4.0], [15.0]]), np.array([8.0, 1.0, 1.0, 1.0])
    # From the mean 5 the farthest is 15 (100), then 0 (25), then 4 (1), then 1 (1).
    assert [farthest_first(space_of(table), k) for k in (1, 2, 3)] == pytest.approx([100, 25, 1])
    assert DPMeans(n_clusters_hint=2).fit(table).penalty_ == pytest.approx(25)
    # A row at the penalty stays, one beyond it founds a cluster that is open to the next ones.
    two, four = np.array([[-2.0], [2.0]]), np.array([[0.0], [10.0], [11.0], [0.5]])
    assert [DPMeans(penalty=p).fit(two).n_clusters_ for p in (4.0, 3.9)] == [1, 2]
    assert list(dp_states(space_of(four), 9.0))[1].labels.tolist() == [0, 1, 1, 0]
    # By weight the mean is 20 / 11; the farthest is 15, then 0, then 4.
    mean = 20 / 11
    expected = [(15 - mean) ** 2, 8 * mean**2, (4 - mean) ** 2]
    for k, penalty in enumerate(expected, start=1):
        assert farthest_first(space_of(table, counts), k) == pytest.approx(penalty)
        space = kernel_space(table @ table.T, counts)
        assert farthest_first(space, k) == pytest.approx(penalty)


def test_a_mixed_table_is_encoded():
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
    encoding = numeric_encoding(Encoded(values, units))
    colours = ("colour = red", "colour = green", "colour = blue")
    assert encoding.names == ("height", "constant", "smoker", *colours, "visits")
    numbers = encoding.apply(values)
    assert np.allclose(numbers[:, 0], np.array([-2.0, 0.0, 0.0, 2.0]) / np.std([1, 3, 5]))
    assert np.array_equal(numbers[:, 1], np.zeros(4))
    assert numbers[:, 2].tolist() == [0, 1, 1, 1]
    assert numbers[:, 3:6].tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert numbers[2, 6] == pytest.approx(0)


@pytest.mark.parametrize("seed", range(6))
def test_a_kernel_is_the_inner_products_of_its_features_whatever_the_weights(seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(40, 3)) + 3.0 * random.integers(3, size=40)[:, None]
    kernel = np.exp(-np.square(points[:, None] - points[None]).sum(axis=2) / 4.0)
    values, vectors = np.linalg.eigh(kernel)
    features, weights = vectors * np.sqrt(np.maximum(values, 0.0)), random.gamma(2.0, size=40)
    states = list(dp_states(kernel_space(kernel, weights), 0.5))
    plain = list(dp_states(space_of(features, weights), 0.5))
    assert len(states) == len(plain) > 2
    for one, other in zip(states, plain, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert one.objective == pytest.approx(other.objective)
    centers = [
        np.average(features[one.labels == k], axis=0, weights=weights[one.labels == k])
        for k in range(one.labels.max() + 1)
    ]
    error = weights @ np.square(features - np.array(centers)[one.labels]).sum(axis=1)
    assert one.objective == pytest.approx(error + 0.5 * len(centers))


@pytest.mark.parametrize("kernel", ["linear", "diffusion"])
def test_three_clouds_are_three_clusters_on_every_kernel(kernel):
    truth = np.repeat([0, 1, 2], 70)
    three = np.random.default_rng(0).normal(size=(210, 2)) + 7.0 * np.eye(3)[truth][:, :2]
    model = KernelDPMeans(kernel=kernel).fit(three)
    assert model.n_clusters_ == 3
    assert ari(truth, model.labels_) > 0.8
    with pytest.raises(ValueError, match="no rule for rows of weight 0"):
        model.fit(three, sample_weight=np.arange(210))


def _sites(seed, n_groups=4, n=30, p=2):
    random = np.random.default_rng(seed)
    means = random.uniform(-5.0, 5.0, size=(6, p))
    rows, truth = [], []
    for _ in range(n_groups):
        truth.append(random.choice(6, 3, replace=False)[random.integers(3, size=n)])
        rows.append(means[truth[-1]] + random.normal(scale=0.7, size=(n, p)))
    order = random.permutation(n * n_groups)
    groups = np.repeat(np.arange(n_groups), n)
    return np.concatenate(rows)[order], groups[order], np.concatenate(truth)[order]


def _slow_hdp(rows, groups, local, above):
    """One row, one distance and one local cluster at a time; J after every round."""
    labels, centers = [0] * len(rows), [rows.mean(axis=0)]
    trace = [_hdp_objective(rows, groups, labels, local, above, centers)]
    while True:
        before = list(labels)
        used = {(int(j), int(k)) for j, k in zip(groups, labels, strict=True)}
        for i, row in enumerate(rows):
            costs = [
                np.sum((row - center) ** 2) + (0.0 if (groups[i], k) in used else local)
                for k, center in enumerate(centers)
            ]
            labels[i] = int(np.argmin(costs))
            if min(costs) > local + above:
                centers.append(row)
                labels[i] = len(centers) - 1
            used.add((groups[i], labels[i]))
        labels, centers = _clean(rows, labels)
        for j, k in sorted(set(zip(groups.tolist(), labels, strict=True))):
            members = [i for i in range(len(rows)) if groups[i] == j and labels[i] == k]
            costs = [np.sum((rows[members] - center) ** 2) for center in centers]
            mean = rows[members].mean(axis=0)
            best = int(np.argmin(costs))
            best = best if costs[best] < costs[k] - 1e-12 else k
            if costs[best] > above + np.sum((rows[members] - mean) ** 2) + 1e-12:
                centers.append(mean)
                best = len(centers) - 1
            for i in members:
                labels[i] = -1 - best  # moved: not to be met again in this round
        labels, centers = _clean(rows, [-1 - k for k in labels])
        trace.append(_hdp_objective(rows, groups, labels, local, above, centers))
        if labels == before:
            return np.array(labels), trace


def _clean(rows, labels):
    labels = np.unique(labels, return_inverse=True)[1].tolist()
    here = np.array(labels)
    return labels, [rows[here == k].mean(axis=0) for k in range(max(labels) + 1)]


def _hdp_objective(rows, groups, labels, local, above, centers):
    error = sum(np.sum((row - centers[k]) ** 2) for row, k in zip(rows, labels, strict=True))
    n_local = len(set(zip(groups.tolist(), list(labels), strict=True)))
    return error + local * n_local + above * len(set(labels))


@pytest.mark.parametrize("seed", range(10))
def test_hard_hdp_is_the_slow_twin_s_and_j_never_rises(seed):
    rows, groups, _ = _sites(seed)
    random = np.random.default_rng(seed)
    local, above = random.choice([0.3, 2.0, 8.0]), random.choice([0.5, 5.0, 30.0])
    labels, trace = _slow_hdp(rows, groups, local, above)
    states = list(dp_states(space_of(rows), above, groups=groups, local_penalty=local))
    assert ari(states[-1].labels, labels) == 1.0 or set(labels) == {0}
    found = np.array([state.objective for state in states])
    assert np.allclose(found, trace)
    assert np.all(np.diff(found) <= 1e-9 * found[0])
    assert states[-1].converged


def test_clusters_are_shared_by_name_and_local_ones_are_numbered_in_each():
    rows, groups, truth = _sites(3, n_groups=5, n=40)
    names = np.array(["Oslo", "Rome", "Lima", "Cairo", None])[groups]
    model = HardHDP(5.0, 20.0).fit(rows, groups=names)
    assert model.group_names_.tolist() == ["Cairo", "Lima", "Oslo", "Rome", "missing"]
    assert ari(truth, model.labels_) > 0.9
    assert model.penalties_ == (5.0, 20.0)
    for j in range(5):
        pairs = set(zip(model.labels_[groups == j], model.local_labels_[groups == j], strict=True))
        assert sorted(local for _, local in pairs) == list(range(len(pairs)))
    with pytest.raises(ValueError, match="groups has shape"):
        HardHDP().fit(rows, groups=names[:3])


@pytest.mark.parametrize("hint", [2, 6])
def test_penalties_that_are_not_given_are_farthest_first_s(hint):
    rows, groups, _ = _sites(3)
    each = [farthest_first(space_of(rows[groups == j]), hint) for j in range(4)]
    both = farthest_first(space_of(rows), hint)
    local = min(np.mean(each), both) / 2
    for given, expected in (
        ({}, (local, both - local)),
        ({"local_penalty": 0.25}, (0.25, both - 0.25)),
        ({"global_penalty": 2.0}, (local, 2.0)),
    ):
        model = HardHDP(**given, n_clusters_hint=hint).fit(rows, groups=groups)
        assert model.penalties_ == pytest.approx(expected)


def test_hard_hdp_takes_its_data_sets_from_a_column_and_refuses_weights():
    rows, groups, _ = _sites(0)
    frame = pd.DataFrame(rows, columns=list("ab")).assign(site=groups, times=2.0)
    frame.loc[0, "times"] = 1.0
    schema = infer_schema(frame).with_column("site", role="group")
    schema = schema.with_column("times", role="ignore")
    assert HardHDP().fit(frame, schema).group_names_.tolist() == list("0123")
    schema = schema.with_column("times", role="weight")
    with pytest.raises(ValueError, match="HardHDP counts every row once"):
        HardHDP().fit(frame, schema)
