"""Trees of rows, and views, as the pages show them."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from mapdp_studio.core import MAPDP, Progress, infer_schema
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.plots.trees import tree_figure
from mapdp_studio.core.profiling import trees
from mapdp_studio.core.profiling.trees import RowTree
from mapdp_studio.core.profiling.view_results import ViewsFound, find_views
from tests.several_groupings import as_written, three_groupings


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
    under = tree.rows_under
    assert len(under) == tree.most_groups == most
    assert sorted(np.concatenate(under).tolist()) == list(range(40))
    lowest = tree.height_for(most)
    assert tree.n_groups(lowest) == most
    assert all(np.unique(tree.labels(lowest)[rows]).size == 1 for rows in under)
    assert sorted(tree.n_groups(y[1]) for _, y in tree.joins) == list(range(1, most))
    for x, y in tree.joins:
        assert x[0] == x[1] < x[2] == x[3]
        assert y[1] == y[2] >= max(y[0], y[3])
        inside = range(round(x[0]), round(x[3]) + 1)
        labels = tree.labels(tree.height_for(tree.n_groups(y[1])))
        assert len({labels[under[place][0]] for place in inside}) == 1


@pytest.mark.parametrize("is_log", [False, True])
def test_the_line_stands_at_its_height_and_what_is_below_has_its_group_s_colour(tree, is_log):
    tree = RowTree.of_rows(tree.linkage, "height", is_log)
    height = tree.height_for(3)
    labels = tree.labels(height)
    colours = [labels[rows[0]] for rows in tree.rows_under]
    figure = tree_figure(tree, [1] * 40, colours, height)
    assert figure.layout.xaxis.showticklabels
    assert not tree_figure(tree, [1] * 41, [*colours, 0], height).layout.xaxis.showticklabels
    (line,) = figure.layout.shapes
    assert line.y0 == line.y1 == tree.on_axis(height)
    assert tree.off_axis(line.y0) == pytest.approx(height)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    thick = [trace.line.color for trace in lines if trace.line.width == 3]
    assert len(thick) == 37
    assert len(set(thick)) == len({*labels} - {k for k in range(3) if np.sum(labels == k) == 1})


@pytest.fixture(scope="module")
def table():
    encoded, of_column, truths = three_groupings(4, n=100, widths=(4, 3), n_noise=2)
    frame = as_written(encoded)
    return frame, infer_schema(frame), of_column, truths


@pytest.fixture(scope="module")
def found(table) -> ViewsFound:
    frame, schema, _, _ = table
    steps: list[Progress] = []
    views = find_views(frame, schema, Settings(), "digest", steps.append)
    progress = [step.done / step.total for step in steps]
    assert progress == sorted(progress)
    assert 0.9 < progress[-1] <= 1.0
    return views


def test_both_groupings_are_shown_with_their_columns(table, found):
    frame, _, of_column, truths = table
    assert len(found.telling) == 2
    for grouping, truth in enumerate(truths):
        view = max(found.telling, key=lambda v: ari(v.model.labels_, truth))
        assert ari(view.model.labels_, truth) > 0.75
        places = [j for j, name in enumerate(frame) if name in view.columns]
        assert np.isin(np.flatnonzero(of_column == grouping), places).all()
    told = [name for view in found.telling for name in view.columns]
    assert sorted([*told, *found.silent]) == sorted(frame)


def test_a_view_opens_as_it_is_shown(table, found):
    frame, _, _, _ = table
    for view in found.telling:
        again = MAPDP(**dict(view.task.arguments)).fit(frame, view.schema)
        assert np.array_equal(again.labels_, view.model.labels_)
        assert [card.size for card in view.cards] == np.bincount(again.labels_).tolist()


def test_sentences_say_what_was_found(found):
    n = len(found.silent)
    assert found.sentence.startswith("2 groupings of the same rows")
    assert (f"{n} column" in found.sentence) == bool(n)
    assert found.gain > 0
    assert f"by {found.gain:,.0f} log units" in found.against_one


def test_a_row_by_itself_is_no_grouping():
    noise = pd.DataFrame(np.random.default_rng(9).normal(size=(80, 3))).add_prefix("c")
    found = find_views(noise, infer_schema(noise), Settings(), "noise", lambda step: None)
    assert [card.size for card in found.views[0].cards] == [79, 1]
    assert found.sentence.startswith("No column tells groups")
