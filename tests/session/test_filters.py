"""Rows that meet conditions, and a row by its identifier."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.session.filters import Condition, find_rows, matching
from tests.tables.four_groups import FRAME


def test_rows_meet_all_conditions_and_missing_cells_none():
    conditions = [Condition("height", 160.0, 500.0), Condition("kind", values=("b", "c"))]
    expected = FRAME["height"].ge(160.0) & FRAME["kind"].isin(["b", "c"])
    np.testing.assert_array_equal(matching(FRAME, conditions), expected)


@pytest.mark.parametrize(("text", "rows"), [(" p7 ", [7]), ("8", [7]), ("0", []), ("x", [])])
def test_a_row_is_found_by_id_or_number(text, rows):
    assert find_rows(FRAME, ["id"], text).tolist() == rows
