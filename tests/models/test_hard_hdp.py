"""Hard HDP against its slow twin, DP-means and separate fits, and its objective."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import DPMeans, HardHDP, infer_schema
from mapdp_studio.core.models.dpmeans import dp_means_states
from mapdp_studio.core.models.hard_hdp import hard_hdp_states
from mapdp_studio.core.partitions.scores import ari


def _sites(seed, n_groups=4, n=30, p=2):
    random = np.random.default_rng(seed)
    means = random.uniform(-5.0, 5.0, size=(6, p))
    rows, groups, truth = [], [], []
    for j in range(n_groups):
        z = random.choice(6, 3, replace=False)[random.integers(3, size=n)]
        rows.append(means[z] + random.normal(scale=0.7, size=(n, p)))
        groups += [j] * n
        truth += z.tolist()
    order = random.permutation(n * n_groups)
    return np.vstack(rows)[order], np.array(groups)[order], np.array(truth)[order]


def _slow(rows, groups, local, above):
    """One row, one distance and one local cluster at a time; J after every round."""
    labels, centers = [0] * len(rows), [rows.mean(axis=0)]
    trace = [_objective(rows, groups, labels, local, above, centers)]
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
        trace.append(_objective(rows, groups, labels, local, above, centers))
        if labels == before:
            return np.array(labels), trace


def _clean(rows, labels):
    labels = np.unique(labels, return_inverse=True)[1].tolist()
    here = np.array(labels)
    return labels, [rows[here == k].mean(axis=0) for k in range(max(labels) + 1)]


def _objective(rows, groups, labels, local, above, centers):
    error = sum(np.sum((row - centers[k]) ** 2) for row, k in zip(rows, labels, strict=True))
    n_local = len(set(zip(groups.tolist(), list(labels), strict=True)))
    return error + local * n_local + above * len(set(labels))


@pytest.mark.parametrize("seed", range(12))
def test_same_labels_as_the_slow_twin_and_j_never_rises(seed):
    rows, groups, _ = _sites(seed)
    random = np.random.default_rng(seed)
    local, above = random.choice([0.3, 2.0, 8.0]), random.choice([0.5, 5.0, 30.0])
    labels, trace = _slow(rows, groups, local, above)
    states = list(hard_hdp_states(rows, groups, local, above))
    assert ari(states[-1].labels, labels) == 1.0 or set(labels) == {0}
    found = np.array([state.objective for state in states])
    assert np.allclose(found, trace)
    assert np.all(np.diff(found) <= 1e-9 * found[0])
    assert states[-1].converged


@pytest.mark.parametrize("seed", range(4))
def test_one_data_set_is_dp_means_at_the_sum_of_the_penalties(seed):
    rows, _, _ = _sites(seed)
    rows = rows[np.lexsort(rows.T[::-1])]  # as DPMeans visits them
    *_, last = dp_means_states(rows, 3.0)
    *_, hard = hard_hdp_states(rows, np.zeros(len(rows), dtype=np.int64), 1.2, 1.8)
    assert np.array_equal(hard.labels, last.labels)
    assert hard.objective == pytest.approx(last.objective)
    assert np.array_equal(
        HardHDP(1.2, 1.8).fit(rows).labels_, DPMeans(penalty=3.0).fit(rows).labels_
    )


def test_clusters_are_shared_by_name_and_local_ones_are_numbered_in_each():
    rows, groups, truth = _sites(3, n_groups=5, n=40)
    names = np.array(["Oslo", "Rome", "Lima", "Cairo", "Perth"])[groups]
    model = HardHDP(5.0, 20.0).fit(rows, groups=names)
    assert model.group_names_.tolist() == sorted(set(names))
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
    each = [DPMeans(n_clusters_hint=hint).fit(rows[groups == j]).penalty_ for j in range(4)]
    both = DPMeans(n_clusters_hint=hint).fit(rows).penalty_
    local = min(np.mean(each), both) / 2
    model = HardHDP(n_clusters_hint=hint).fit(rows, groups=groups)
    assert model.penalties_ == pytest.approx((local, both - local))
    model = HardHDP(local_penalty=0.25, n_clusters_hint=hint).fit(rows, groups=groups)
    assert model.penalties_ == pytest.approx((0.25, both - 0.25))
    model = HardHDP(global_penalty=2.0, n_clusters_hint=hint).fit(rows, groups=groups)
    assert model.penalties_ == pytest.approx((local, 2.0))
    assert sum(HardHDP(n_clusters_hint=hint).fit(rows).penalties_) == pytest.approx(both)


def test_missing_data_sets_are_one_and_frames_work():
    rows, _, _ = _sites(0, n_groups=2, n=10)
    frame = pd.DataFrame(rows, columns=["a", "b"])
    names = [None, "x"] * 10
    model = HardHDP(1.0, 1.0).fit(frame, groups=pd.Series(names))
    assert model.group_names_.tolist() == ["missing", "x"]
    assert np.isfinite(model.objective_)


def test_a_column_of_weights_is_refused():
    frame = pd.DataFrame(_sites(0)[0], columns=list("ab")).assign(times=2.0)
    frame.loc[0, "times"] = 1.0
    schema = infer_schema(frame).with_column("times", role="weight")
    with pytest.raises(ValueError, match="HardHDP counts every row once"):
        HardHDP().fit(frame, schema)
