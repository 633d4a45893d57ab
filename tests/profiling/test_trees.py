"""Trees of rows: what is shown of them, and the groups where they are cut."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.plots.trees import tree_figure
from mapdp_studio.core.profiling import trees
from mapdp_studio.core.profiling.trees import RowTree


@pytest.fixture
def tree() -> RowTree:
    points = np.random.default_rng(0).normal(size=(40, 2))
    return RowTree.of_rows(linkage(points, "average"), "distance")


def test_a_cut_is_scipy_s_and_leaves_as_many_groups_as_are_asked_for(tree):
    for n in range(1, 41):
        height = tree.height_for(n)
        labels = tree.labels(height)
        assert tree.n_groups(height) == labels.max() + 1 == n
        assert ari(labels, fcluster(tree.linkage, height, "distance")) == 1.0
    assert [tree.n_groups(height) for height in tree.linkage[:, 2]] == [*range(39, 0, -1)]


def test_the_path_s_tree_is_cut_into_the_path_s_groups(model):
    path = model.merge_path_
    tree = RowTree.of_path(path)
    assert tree.linkage[-1, 3] == tree.n_leaves
    for n in range(1, tree.n_leaves + 1):
        found = tree.labels(tree.height_for(n))
        if found.max() + 1 == n:  # merges that lower E come together
            np.testing.assert_array_equal(found, path.labels_at(n))
    assert tree.labels(0.0).max() + 1 == tree.n_groups(0.0)


@pytest.mark.parametrize("most", [40, 7, 2])
def test_the_crown_holds_every_row_once_and_no_branches_cross(tree, monkeypatch, most):
    monkeypatch.setattr(trees, "MOST_LEAVES", most)
    shown = tree.shown
    assert len(shown.leaves) == tree.most_groups == most
    under = list(tree.rows_under.values())
    assert sorted(np.concatenate(under).tolist()) == list(range(40))
    lowest = tree.height_for(most)
    assert tree.n_groups(lowest) == most
    assert all(np.unique(tree.labels(lowest)[rows]).size == 1 for rows in under)
    assert [join.n_clusters for join in shown.joins] == list(range(most - 1, 0, -1))
    for join in shown.joins:
        assert join.left[0] < join.right[0]
        assert join.height >= max(join.left[1], join.right[1])
        inside = range(round(join.left[0]), round(join.right[0]) + 1)
        height = tree.height_for(join.n_clusters)
        labels = tree.labels(height)
        assert len({labels[under[place][0]] for place in inside}) == 1


@pytest.mark.parametrize("is_log", [False, True])
def test_the_line_stands_at_its_height_and_what_is_below_has_its_group_s_colour(tree, is_log):
    tree = RowTree.of_rows(tree.linkage, "height", is_log)
    height = tree.height_for(3)
    under = list(tree.rows_under.values())
    labels = tree.labels(height)
    figure = tree_figure(tree, [1] * 40, [labels[rows[0]] for rows in under], height)
    (line,) = figure.layout.shapes
    assert line.y0 == line.y1 == tree.on_axis(height)
    assert tree.off_axis(line.y0) == pytest.approx(height)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    thick = [trace.line.color for trace in lines if trace.line.width == 3]
    assert len(thick) == 37
    assert len(set(thick)) == len({*labels} - {k for k in range(3) if np.sum(labels == k) == 1})
