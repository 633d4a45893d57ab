"""How often two rows are together."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.partitions.co_assignment import co_assignment, distances
from mapdp_studio.core.partitions.scores import variation_of_information


def test_co_assignment_counts_draws_that_hold_both():
    draws = [np.array([0, 0, 1]), np.array([0, 1, -1]), np.array([-1, 0, 0])]
    shared = co_assignment(draws)
    assert shared[0].tolist() == [1.0, 0.5, 0.0]
    assert shared[1, 2] == 0.5


def test_distances_of_many_are_those_of_pairs(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.partitions.co_assignment.MOST_TABLES", 7)
    random = np.random.default_rng(0)
    draws = [random.integers(0, k, 50) for k in (1, 2, 3, 5, 5, 9)]
    draws = [np.unique(labels, return_inverse=True)[1] for labels in draws]
    expected = [[variation_of_information(one, two) for two in draws] for one in draws]
    np.testing.assert_allclose(distances(draws), expected, atol=1e-12)
