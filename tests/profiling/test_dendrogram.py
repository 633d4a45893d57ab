"""The tree of merges, and the groups where it is cut."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.dendrogram import Dendrogram, groups_at


def test_the_path_s_groups_are_those_of_its_labels(model):
    path = model.merge_path_
    for k in range(1, 5):
        groups = Naming(merged=groups_at(path, k)).apply(model.labels_)
        np.testing.assert_array_equal(groups.labels, path.labels_at(k))


def test_branches_of_the_tree_never_run_downwards_or_cross(model):
    tree = Dendrogram.of(model.merge_path_)
    assert sorted(tree.leaves) == [0, 1, 2, 3]
    for join in tree.joins:
        assert join.height >= max(join.left[1], join.right[1])
        assert join.left[0] < join.right[0]
    assert [join.n_clusters for join in tree.joins] == [3, 2, 1]
