"""Which cells are missing together, in which groups, and what dropping rows would lose."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.profiling.missingness import (
    missing_by_group,
    missingness,
    without_incomplete_rows,
)
from tests.tables.four_groups import FRAME, GROUP, SCHEMA


def silent(progress) -> None:
    pass


def test_holes_are_counted_together(model):
    found = missingness(model.columns_.encoded)
    assert found.n_missing == int(FRAME[["height", "weight", "kind"]].isna().sum().sum())
    assert found.n_complete == int(FRAME.notna().all(axis=1).sum())
    assert found.together.loc["height", "weight"] == pytest.approx(1.0)
    assert found.patterns["n"].sum() == 100
    assert found.patterns["columns"][0] == ()
    shares = missing_by_group(model.columns_.encoded, GROUP)
    expected = FRAME["kind"].isna().groupby(GROUP).mean()
    np.testing.assert_allclose(shares.loc["kind"], expected)


def test_dropping_incomplete_rows_says_what_is_lost(model):
    found = without_incomplete_rows(
        FRAME, SCHEMA, model.labels_, "MAPDP", {"concentration": 0.3, "random_state": 0}, silent
    )
    complete = np.flatnonzero(FRAME.notna().all(axis=1))
    np.testing.assert_array_equal(found.rows, complete)
    assert found.ari == pytest.approx(1.0)
    missing = FRAME.assign(
        weight=FRAME["weight"].where(GROUP == 0), kind=FRAME["kind"].where(GROUP > 0)
    )
    with pytest.raises(ValueError, match="0 of 100 rows are complete"):
        without_incomplete_rows(missing, SCHEMA, model.labels_, "MAPDP", {}, silent)
