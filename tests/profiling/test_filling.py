"""Missing cells filled, and no others."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core.profiling.filling import fill_table
from mapdp_studio.core.profiling.judged import JudgedPartition
from tests.tables.four_groups import FRAME, GROUP


def test_only_holes_are_filled(model):
    judged = JudgedPartition.of(model, model.labels_)
    found = fill_table(judged, FRAME, "mode")
    for name in ("id", "height", "weight", "kind"):
        known = FRAME[name].notna()
        pd.testing.assert_series_equal(
            found.table.loc[known, name], FRAME.loc[known, name], check_dtype=False
        )
        assert found.table[name].notna().all()
    # Within a group, heights are spread by 2.
    assert found.cells("height")["spread"].between(1.0, 5.0).all()
    expected = 150.0 + 15.0 * GROUP[::5]
    assert np.abs(found.cells("height")["value"].to_numpy() - expected).max() < 3.0
    assert found.by_column().loc["height", "n_filled"] == 20
