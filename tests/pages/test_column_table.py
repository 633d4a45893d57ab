"""Edits of Data's table of columns, also where the table is another one by the time they arrive."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.session.table import Table
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.data import column_table

FRAME = pd.DataFrame({"height": np.arange(160.0, 180.0), "weight": np.arange(60.0, 100.0, 2.0)})


@pytest.fixture
def studio(monkeypatch) -> Session:
    studio = Session()
    studio.take(
        Table(FRAME, "mine.csv", "1234"), Schema([ColumnSpec(name, "normal") for name in FRAME])
    )
    monkeypatch.setattr(column_table, "session", lambda: studio)
    return studio


@pytest.mark.parametrize("drawn", [("height", "weight"), ("id", "weight", "gone")])
def test_an_edit_is_of_the_column_that_was_drawn(studio, monkeypatch, drawn):
    rows = {row: {"Role": "ignore"} for row, name in enumerate(drawn) if name != "height"}
    monkeypatch.setattr(column_table.st, "session_state", {"drawn": {"edited_rows": rows}})
    studio.renewals += 1  # so that an editor drawn now would have another key
    column_table._take_edits("drawn", drawn)
    assert [studio.schema[name].role for name in FRAME] == ["cluster", "ignore"]
    assert not studio.refused, "nobody is told of a column that is not there"


@pytest.mark.parametrize("edit", [{"Likelihood": "count (Poisson)"}, {"Column": "size"}])
def test_an_edit_is_taken_unless_its_column_is_gone(studio, monkeypatch, edit):
    for name, is_changed in (("gone", False), ("weight", True)):
        before = studio.schema
        monkeypatch.setattr(column_table.st, "session_state", {"drawn": {"edited_rows": {0: edit}}})
        column_table._take_edits("drawn", (name,))
        assert (studio.schema != before) == is_changed
        assert not studio.refused
