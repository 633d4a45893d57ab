"""Partitions: scores by example and brute force, labels matched, a consensus, names by hand."""

import numpy as np
import pytest

from mapdp_studio.core.partitions import scores
from mapdp_studio.core.partitions.consensus import consensus_labels, distances
from mapdp_studio.core.partitions.naming import SHADES, Naming
from mapdp_studio.core.partitions.scores import Contingency, ari
from mapdp_studio.core.plain import from_plain, to_plain
from mapdp_studio.core.plots.template import PALETTE

# M12 figure 25.1: three clusters of 6, 6 and 5 objects of the classes A, B and C.
CLUSTERS = np.repeat([0, 1, 2], [6, 6, 5])
CLASSES = np.array(list("AAAAAB" + "ABBBBC" + "AACCC"))
CODES = np.unique(CLASSES, return_inverse=True)[1]


def entropy(*partitions):
    rows = np.column_stack(partitions)
    counts = np.unique(rows, axis=0, return_counts=True)[1] / len(rows)
    return -np.sum(counts * np.log(counts))


def lost(one, two):
    """Variation of information."""
    return 2 * entropy(one, two) - entropy(one) - entropy(two)


MEASURES = (scores.nmi, scores.ami, scores.ari)


def test_scores_and_the_table_of_murphy_s_example():
    table = [[5, 1, 2], [1, 4, 0], [0, 1, 3]]
    assert scores.contingency(CLASSES, CLUSTERS).tolist() == table
    shared = entropy(CODES) + entropy(CLUSTERS) - entropy(CODES, CLUSTERS)
    mean = (entropy(CODES) + entropy(CLUSTERS)) / 2
    assert scores.nmi(CLASSES, CLUSTERS) == pytest.approx(shared / mean)
    assert [measure(CLASSES, CODES + 3) for measure in MEASURES] == pytest.approx([1.0] * 3)


@pytest.mark.parametrize("hole", [None, np.nan])
def test_rows_without_truth_are_left_out(hole):
    truth = np.append(CLASSES.astype(object), [hole] * 3)
    labels = np.append(CLUSTERS, [7, 8, 9])
    for measure in MEASURES:
        assert measure(truth, labels) == measure(CLASSES, CLUSTERS)
        assert np.isnan(measure([hole] * 20, labels))


@pytest.mark.parametrize(
    ("reference", "labels", "matched"),
    [
        ([0] * 5 + [1] * 3 + [2] * 2, [1] * 4 + [0] * 4 + [2] * 2, [0] * 4 + [1] * 4 + [2] * 2),
        ([0] * 10, [0] * 2 + [1] * 5 + [2] * 3, [2] * 2 + [0] * 5 + [1] * 3),
        ([0] * 2 + [1] * 5 + [2] * 3, [0] * 10, [1] * 10),
    ],
    ids=["most rows in common", "fresh labels, the largest first", "one cluster"],
)
def test_labels_are_matched(reference, labels, matched):
    assert scores.match_labels(reference, labels).tolist() == matched
    with pytest.raises(ValueError, match="one for each row"):
        scores.match_labels(reference, labels[1:])


RANDOM = np.random.default_rng(4)


def test_the_consensus_is_nearer_to_the_truth_than_what_it_is_made_of():
    truth = RANDOM.integers(0, 4, 600)
    partitions = []
    for _ in range(5):
        wrong = RANDOM.random(600) < 0.2
        partitions.append(np.where(wrong, RANDOM.integers(0, 6, 600), truth))
    found = consensus_labels(partitions)
    assert ari(truth, found) > max(ari(truth, one) for one in partitions) + 0.05
    some = consensus_labels([np.array(one) for one in ([0, 0, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3])])
    assert some.tolist() == [1, 2, 0, 0]  # most hold the last two rows together, no others
    alone = consensus_labels([truth])
    assert ari(truth, alone) == 1.0


def test_many_draws_are_compared_as_their_pairs(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.partitions.consensus.MOST_TABLES", 7)
    random = np.random.default_rng(0)
    draws = [random.integers(0, k, 50) for k in (1, 2, 3, 5, 5, 9)]
    expected = [[lost(one, two) for two in draws] for one in draws]
    np.testing.assert_allclose(distances(draws), expected, atol=1e-12)


def test_agreement_lies_on_the_diagonal():
    first = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    second = np.array([5, 5, 5, 3, 3, 3, 3, 0, 0])
    table = Contingency.of(first, second)
    assert table.second == (5, 3, 0)
    assert np.diag(table.counts).tolist() == [3, 3, 2]
    assert np.flatnonzero(table.apart).tolist() == [3]
    assert table.ari == pytest.approx(ari(first, second))


def test_a_merged_group_keeps_the_colour_and_name_of_its_largest_part():
    labels = np.repeat([0, 1, 2], [5, 4, 3])
    naming = Naming().renamed(1, "  mild   ones ").merging((1,), (2,))
    groups = naming.apply(labels)
    assert groups.titles == ("mild ones", "Group 2")  # cluster 1 is another thing than group 1
    assert groups.plain_titles == ("Group 1", "Group 2")
    assert groups.colours == (1, 0)
    assert groups.parts == ((1, 2), (0,))
    assert groups.sizes.tolist() == [7, 5]
    assert Naming().renamed(1, " ").apply(labels).titles == ("Cluster 1", "Cluster 2", "Cluster 3")
    assert from_plain(Naming, to_plain(naming)) == naming
    assert Naming(merged=((2, 0),)) == Naming(merged=((0, 2),))
    assert Naming(merged=((0, 7), (8, 9))).apply(labels).parts == ((0,), (1,), (2,))
    assert len({*Naming(names={0: "same", 1: "same"}).apply(labels).titles}) == 3


def test_groups_do_not_look_alike_while_another_colour_is_free():
    assert len(PALETTE) == SHADES
    labels = np.repeat(np.arange(33), np.arange(40, 7, -1))
    two = Naming((tuple(range(10)), tuple(range(10, 33)))).apply(labels)
    assert two.leaders == (10, 0)
    assert two.colours == (10, 1)
    assert {*Naming().apply(labels).colours} == {*range(33)}


@pytest.mark.parametrize("merged", [[[0, 1], [1, 2]], [[]], [[float("inf")]], [[-1]], [["a"]]])
def test_merges_made_by_hand_that_cannot_be_are_refused(merged):
    with pytest.raises(ValueError, match=r"cluster|'merged\.1\.1' cannot be"):
        from_plain(Naming, {"merged": merged, "names": {}})
