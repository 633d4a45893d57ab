"""Tables fill as the Chinese restaurant says."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.teaching.restaurant import seat
from tests.expected_clusters import expected_clusters


def test_tables_fill_as_the_restaurant_says():
    evenings = [seat(300, 3.0, seed) for seed in range(300)]
    counts = np.array([evening.n_tables[-1] for evening in evenings])
    error = counts.std() / np.sqrt(counts.size)
    assert abs(counts.mean() - expected_clusters(3.0, 300)) < 4 * error
    assert counts.std() == pytest.approx(evenings[0].deviation[-1], rel=0.15)
    # The chance that two rows share a table is 1 / (1 + N_0).
    together = np.mean([evening.labels[3] == evening.labels[200] for evening in evenings])
    assert abs(together - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 300)
    assert evenings[0].numbers[:12].tolist() == list(range(1, 13))
