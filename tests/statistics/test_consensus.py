"""One partition for many."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.statistics.bootstraps import Bootstraps, Draw
from mapdp_studio.core.statistics.consensus import consensus


def test_the_consensus_is_the_partition_nearest_to_the_draws():
    truth = np.repeat([0, 1], 10)
    draws = Bootstraps(np.zeros(20, dtype=int), (Draw(truth.astype(np.int32), None),) * 3)
    found = consensus(draws, [np.zeros(20, dtype=int)])
    assert (found.labels == truth).all()
    assert found.distance == pytest.approx(0.0, abs=1e-12)
    assert found.own_distance == pytest.approx(np.log(2))
