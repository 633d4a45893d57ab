"""Many fits beside each other."""

from __future__ import annotations

import pytest

from core.statistics.refits import Refits


def test_one_failure_ends_all_fits():
    started = []

    def work(item: int, callback) -> int:
        started.append(item)
        if item == 1:
            raise ValueError("no")
        return item

    with pytest.raises(ValueError, match="no"):
        list(Refits(100).map(work, range(100), ""))
    assert len(started) < 100
