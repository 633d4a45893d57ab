"""Two partitions of the same rows, crossed."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.partitions.contingency import Contingency
from mapdp_studio.core.partitions.scores import ari


def test_agreement_lies_on_the_diagonal():
    first = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    second = np.array([5, 5, 5, 3, 3, 3, 3, 0, 0])
    table = Contingency.of(first, second)
    assert table.second == (5, 3, 0)
    assert np.diag(table.counts).tolist() == [3, 3, 2]
    assert np.flatnonzero(table.apart).tolist() == [3]
    assert table.ari == pytest.approx(ari(first, second))
