"""Which cells are missing together, in which groups, and what dropping rows would lose."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.missing import (
    fill_table,
    missing_by_group,
    missingness,
    without_incomplete_rows,
)
from tests.tables.four_groups import FRAME, GROUP, SCHEMA

TABLE = pd.DataFrame(
    {
        "full": [1.0, 2.0, 3.0, 4.0],
        "half": [np.nan, 1.0, np.nan, 2.0],
        "word": ["a", None, "b", "a"],
    }
)


def _holes(encoded) -> pd.DataFrame:
    return pd.DataFrame(encoded.is_missing, columns=list(encoded.columns))


def silent(progress) -> None:
    pass


def test_holes_are_counted_together(model):
    found = missingness(_holes(model.columns_.encoded))
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


def test_holes_are_shared_out_and_rows_with_the_same_holes_lie_together():
    missing = missingness(TABLE.isna())
    assert missing.shares == {"half": 0.5, "word": 0.25}
    assert missing.n_complete == 1
    assert missing.pattern.tolist() == [[True, False], [True, False], [False, True], [False, False]]


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
