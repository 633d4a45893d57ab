"""The merge path: E of every coarser partition, and labels that follow it."""

import numpy as np
import pytest

from mapdp_studio.core import MAPDP, CollapsedGibbs, KMeansBIC
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.inference.merge_path import merge_costs, merge_path
from tests.random_tables import FILLED, plain_columns, random_families, random_table
from tests.reference import partition_objective


def _partition(seed, fill=False, n=18):
    random = np.random.default_rng(seed)
    families = [FILLED, "poisson"] if fill else random_families(random)
    encoded, priors = random_table(random, n, families, fill=fill)
    return Partition(Columns.pack(encoded, priors), 0.8, np.sort(np.arange(n) % 5))


@pytest.mark.parametrize("seed", range(4))
def test_every_step_has_the_exact_objective_of_its_labels(seed):
    partition = _partition(seed)
    path = merge_path(partition)
    plain = plain_columns(partition.columns)
    for k, objective in zip(range(5, 0, -1), path.objectives, strict=True):
        labels = path.labels_at(k)
        assert np.all(np.diff(np.bincount(labels)) <= 0)
        assert labels.max() == k - 1
        assert objective == pytest.approx(partition_objective(plain, labels, 0.8), rel=1e-9)
        direct = Partition(partition.columns, 0.8, labels).objective()
        assert objective == pytest.approx(direct, rel=1e-9)
    assert np.all(path.kept < path.dropped)
    assert np.array_equal(partition.labels, np.sort(np.arange(18) % 5))


def test_costs_of_merging_by_hand():
    partition = _partition(3)
    plain, labels = plain_columns(partition.columns), partition.labels
    costs = merge_costs(partition)
    rest = partition_objective(plain, labels, 0.8)
    for k in range(5):
        for other in range(5):
            merged = partition_objective(plain, np.where(labels == k, other, labels), 0.8)
            assert costs[k, other] == pytest.approx(merged - rest, abs=1e-8)
    assert merge_path(partition).gains[0] == pytest.approx(-costs[~np.eye(5, dtype=bool)].min())


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_filled_cells_are_set_anew_after_each_merge(seed):
    partition = _partition(seed, fill=True)
    partition.settle()
    path = merge_path(partition)
    one = Partition(partition.columns, 0.8)
    assert path.objectives[-1] == pytest.approx(one.settle(), abs=1e-3)


@pytest.mark.parametrize("estimator", [MAPDP, CollapsedGibbs])
def test_a_fit_has_its_path(estimator):
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 2)) + 9.0 * random.integers(4, size=(60, 1))
    model = estimator(prior="empirical", random_state=0).fit(rows)
    path = model.merge_path_
    assert model.merge_path_.objectives[0] == pytest.approx(model.objective_)
    assert np.all(path.kept < path.dropped)
    assert np.array_equal(model.result_.labels_at(model.n_clusters_), model.labels_)
    assert np.all(model.labels_at(1) == 0)
    with pytest.raises(ValueError, match="from 1 to"):
        model.labels_at(model.n_clusters_ + 1)


def test_an_algorithm_without_objective_says_so():
    result = KMeansBIC(k_max=2, n_init=1, random_state=0).fit(np.arange(8.0)[:, None]).result_
    with pytest.raises(AttributeError, match="KMeansBIC has no merge path"):
        _ = result.merge_path_
