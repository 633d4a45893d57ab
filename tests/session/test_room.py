"""Tables take room while somebody has them, and no more than there is."""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import TableError
from mapdp_studio.core.session.room import Room, memory


def test_a_table_takes_room_until_nobody_has_it():
    room = Room(3_000_000)
    first = pd.DataFrame({"x": np.zeros(200_000)})
    room.hold(first, "first.csv", 100_000)
    assert 1_700_000 <= room.held < 1_701_000
    with pytest.raises(TableError, match=r"'second.csv' takes 2 MB .* 0\.0 of the 0\.0 GB"):
        room.hold(first.copy(), "second.csv")
    room.check("second.csv")
    del first
    gc.collect()
    assert room.held == 0


def test_a_full_room_is_told_before_anything_is_read():
    room = Room(1_000_000)
    kept = pd.DataFrame({"x": np.zeros(100_000)})
    room.hold(kept, "kept.csv")
    room.most = 500_000
    with pytest.raises(TableError, match=r"'next\.csv' cannot be read now"):
        room.check("next.csv")


def test_the_computer_tells_its_memory():
    assert 2**28 < memory() < 2**50
