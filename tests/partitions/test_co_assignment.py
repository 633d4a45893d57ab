"""How often two rows are together."""

from __future__ import annotations

import numpy as np

from core.partitions.co_assignment import co_assignment


def test_co_assignment_counts_draws_that_hold_both():
    draws = [np.array([0, 0, 1]), np.array([0, 1, -1]), np.array([-1, 0, 0])]
    shared = co_assignment(draws)
    assert shared[0].tolist() == [1.0, 0.5, 0.0]
    assert shared[1, 2] == 0.5
