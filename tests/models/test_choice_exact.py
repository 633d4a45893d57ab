"""The model chosen with the groups, beside every partition and every model of tiny tables."""

from __future__ import annotations

import pytest

from mapdp_studio.core.models.choice.choose import State
from tests.benchmarks.one_population import (
    blocks_made,
    groups_said,
    independent_columns,
    one_population,
)
from tests.models.every_model import NEAR, searched


@pytest.mark.parametrize(
    ("seed", "n", "n_missing"),
    [*((seed, 5, 0) for seed in range(6)), *((seed, 6, 1) for seed in (1, 4, 10, 13))],
)
def test_no_e_is_below_the_lowest_of_all_and_that_is_reached(seed, n, n_missing):
    choice, everything = searched(seed, n, n_missing)
    assert choice.objective == pytest.approx(everything.lowest, rel=0, abs=NEAR)
    assert choice.suggested_objective >= everything.as_suggested - NEAR


@pytest.mark.parametrize(("n", "n_missing", "every"), [(5, 0, 3), (6, 1, 9)])
def test_e_of_groups_and_their_model_is_that_of_the_enumeration(n, n_missing, every):
    _, everything = searched(2, n, n_missing)
    n_blocks = 0
    for p in range(0, len(everything.partitions), every):
        model, parts = everything.best_given(p)
        state = State.of(model, everything.concentration, everything.partitions[p])
        assert state.objective == pytest.approx(everything.of_model(parts)[p, p], abs=1e-8)
        assert state.objective >= everything.lowest_of[p, p] - 1e-8
        n_blocks += len(model.blocks)
    assert n_blocks  # or the cost of a block was never compared


@pytest.mark.parametrize("design", ["normal", "factor"])
def test_one_population_is_one_group(design):
    assert groups_said(one_population(design, 300, 0))["chosen by E"] == 1


def test_independent_columns_of_many_kinds_make_no_block():
    frame = independent_columns(0, 100)
    assert not blocks_made(frame)
    twin = frame.assign(twin=frame["normal0"] + frame["normal1"].round())
    assert blocks_made(twin)  # as one that depends on two others does
