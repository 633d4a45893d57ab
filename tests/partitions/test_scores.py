"""Scores against Murphy's worked example and brute force; labels matched between partitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mapdp_studio.core.partitions import scores
from mapdp_studio.core.partitions.labels import by_size

# M12 figure 25.1: three clusters of 6, 6 and 5 objects of the classes A, B and C.
CLUSTERS = np.repeat([0, 1, 2], [6, 6, 5])
CLASSES = np.array(list("AAAAAB" + "ABBBBC" + "AACCC"))


def test_murphys_example():
    assert scores.contingency(CLASSES, CLUSTERS).tolist() == [[5, 1, 2], [1, 4, 0], [0, 1, 3]]
    assert scores.purity(CLASSES, CLUSTERS) == pytest.approx(12 / 17)
    assert scores.rand(CLASSES, CLUSTERS) == pytest.approx((20 + 72) / 136)


def test_rand_counts_pairs():
    truth, labels = np.random.default_rng(0).integers(4, size=(2, 40))
    agree = [
        (truth[i] == truth[j]) == (labels[i] == labels[j]) for i, j in combinations(range(40), 2)
    ]
    assert scores.rand(truth, labels) == pytest.approx(np.mean(agree))


def test_information_scores_from_entropies():
    truth, labels = np.random.default_rng(1).integers(5, size=(2, 60))

    def entropy(*partitions):
        counts = np.unique(np.column_stack(partitions), axis=0, return_counts=True)[1] / 60
        return -np.sum(counts * np.log(counts))

    shared = entropy(truth) + entropy(labels) - entropy(truth, labels)
    lost = 2 * entropy(truth, labels) - entropy(truth) - entropy(labels)
    assert scores.variation_of_information(truth, labels) == pytest.approx(lost)
    assert scores.nmi(truth, labels) == pytest.approx(
        2 * shared / (entropy(truth) + entropy(labels))
    )


def test_equal_partitions_score_best_whatever_their_names():
    perfect = scores.scores(CLASSES, np.unique(CLASSES, return_inverse=True)[1] + 3)
    assert perfect.pop("variation_of_information") == pytest.approx(0)
    assert all(value == pytest.approx(1) for value in perfect.values())


@pytest.mark.parametrize("hole", [None, np.nan])
def test_rows_without_truth_are_left_out(hole):
    truth = np.append(CLASSES.astype(object), [hole] * 3)
    labels = np.append(CLUSTERS, [7, 8, 9])
    assert scores.scores(truth, labels) == scores.scores(CLASSES, CLUSTERS)
    assert all(np.isnan(v) for v in scores.scores([hole] * 20, labels).values())


def test_different_lengths_are_refused():
    with pytest.raises(ValueError, match="one for each row"):
        scores.nmi([0, 1], [0, 1, 1])


def test_matching_takes_the_most_rows_in_common():
    reference = np.repeat([0, 1, 2], [50, 30, 20])
    shuffled = np.array([2, 0, 1])[reference]
    shuffled[[0, 90]] = 0
    matched = scores.match_labels(reference, shuffled)
    assert np.mean(matched == reference) == 0.98


def test_clusters_without_a_partner_get_fresh_labels():
    reference = np.zeros(10, dtype=int)
    labels = np.repeat([0, 1, 2], [2, 5, 3])
    assert scores.match_labels(reference, labels).tolist() == [2] * 2 + [0] * 5 + [1] * 3
    assert scores.match_labels(labels, reference).tolist() == [1] * 10
    assert np.array_equal(by_size(scores.match_labels(labels, reference))[0], reference)
