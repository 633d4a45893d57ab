"""One population is one group, and independent columns make no blocks, once E chose the model."""

from __future__ import annotations

import pytest

from tests.benchmarks.one_population import (
    blocks_made,
    groups_said,
    independent_columns,
    one_population,
)


@pytest.mark.parametrize("design", ["normal", "factor"])
def test_one_population_is_one_group(design):
    assert groups_said(one_population(design, 300, 0))["chosen by E"] == 1


def test_independent_columns_of_many_kinds_make_no_block():
    frame = independent_columns(0, 100)
    assert not blocks_made(frame)
    twin = frame.assign(twin=frame["normal0"] + frame["normal1"].round())
    assert blocks_made(twin)  # as one that depends on two others does
