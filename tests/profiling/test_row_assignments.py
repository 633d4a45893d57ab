"""Where rows stand, those of the table and those of another."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.row_assignments import row_assignments
from mapdp_studio.core.schema.rows import aligned, match_columns
from tests.tables.four_groups import FRAME, GROUP


def silent(progress) -> None:
    pass


def test_standings_are_the_assignments_block_by_block(model, monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.profiling.row_assignments.BLOCK", 7)
    judged = JudgedPartition.of(model, model.labels_)
    stand, whole = row_assignments(judged, silent), assignments(model)
    np.testing.assert_array_equal(stand.labels, model.labels_)
    np.testing.assert_array_equal(stand.second, whole.second)
    np.testing.assert_allclose(stand.log_density, whole.log_density)
    np.testing.assert_allclose(stand.none_of_these, whole.probabilities[:, -1])
    assert stand.placed_using(0) == "placed using 1 of 3 columns"


def test_columns_that_do_not_match_are_named_and_scored_without(model):
    other = FRAME.drop(columns="weight").rename(columns={"height": "Height "})
    other = other.assign(kind=other["kind"].mask(GROUP == 3, "new"), note="=1")
    match = match_columns(other, model.schema_)
    assert match.renamed == {"Height ": "height"}
    assert match.absent == ("weight",)
    assert match.unused == ("note",)
    assert match.unknown == {"kind": ("new",)}
    stand = row_assignments(model, silent, aligned(other, match))
    seen = FRAME["height"].notna() | (FRAME["kind"].notna() & (GROUP != 3))
    assert (stand.labels == model.labels_)[seen].mean() > 0.95
    far = pd.DataFrame({"height": [900.0], "weight": [-300.0], "kind": ["a"]})
    assert row_assignments(model, silent, far).none_of_these[0] > 0.99
