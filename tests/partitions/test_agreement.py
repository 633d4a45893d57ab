"""What several partitions agree on."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.partitions.agreement import agreement
from mapdp_studio.core.partitions.scores import ari

RANDOM = np.random.default_rng(4)


def test_the_consensus_is_nearer_to_the_truth_than_what_it_is_made_of():
    truth = RANDOM.integers(0, 4, 600)
    partitions = []
    for _ in range(5):
        wrong = RANDOM.random(600) < 0.2
        partitions.append(np.where(wrong, RANDOM.integers(0, 6, 600), truth))
    found = agreement(partitions)
    assert ari(truth, found.labels) > max(ari(truth, one) for one in partitions) + 0.05
    assert found.support.max() == 5
    alone = agreement([truth])
    assert ari(truth, alone.labels) == 1.0
