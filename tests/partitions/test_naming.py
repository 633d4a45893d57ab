"""Merged and named groups: whose colour and name a merged one keeps."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.partitions.naming import SHADES, Naming
from mapdp_studio.core.plots.template import PALETTE


def test_a_merged_group_keeps_the_colour_and_name_of_its_largest_part():
    labels = np.repeat([0, 1, 2], [5, 4, 3])
    naming = Naming().renamed(1, "  mild   ones ").merging((1,), (2,))
    groups = naming.apply(labels)
    assert groups.titles == ("mild ones", "Group 2")  # cluster 1 is another thing than group 1
    assert groups.plain_titles == ("Group 1", "Group 2")
    assert groups.colours == (1, 0)
    assert groups.parts == ((1, 2), (0,))
    assert groups.sizes.tolist() == [7, 5]
    assert naming.taking_apart(1).apply(labels).n_groups == 3
    apart = naming.renamed(1, " ").taking_apart(1)
    assert apart.apply(labels).titles == ("Cluster 1", "Cluster 2", "Cluster 3")
    assert Naming.from_dict(naming.to_dict()) == naming


def test_groups_do_not_look_alike_while_another_colour_is_free():
    assert len(PALETTE) == SHADES
    labels = np.repeat(np.arange(33), np.arange(40, 7, -1))
    two = Naming((tuple(range(10)), tuple(range(10, 33)))).apply(labels)
    assert two.leaders == (10, 0)
    assert two.colours == (10, 1)
    assert {*Naming().apply(labels).colours} == {*range(33)}


def test_merges_bring_a_partition_nearest_to_a_coarser_one():
    fitted = np.repeat([0, 1, 2, 3], [6, 5, 4, 2])
    coarser = np.array([0] * 6 + [1] * 4 + [0] + [0] * 3 + [1] + [2] * 2)
    assert Naming.towards(fitted, coarser).merged == ((0, 2),)
    assert Naming.towards(fitted, fitted).merged == ()


def test_one_name_given_twice_still_tells_two_groups_apart():
    titles = Naming(names={0: "same", 1: "same"}).apply(np.array([0, 0, 1])).titles
    assert len(set(titles)) == 2


def test_merges_of_clusters_that_are_not_there_change_nothing():
    groups = Naming(merged=((0, 7), (8, 9))).apply(np.array([0, 0, 1]))
    assert groups.parts == ((0,), (1,))


@pytest.mark.parametrize("merged", [[[0, 1], [1, 2]], [[]], [[float("inf")]], [[-1]], [["a"]]])
def test_merges_made_by_hand_that_cannot_be_are_refused(merged):
    with pytest.raises(ValueError, match="cluster"):
        Naming.from_dict({"merged": merged, "names": {}})
