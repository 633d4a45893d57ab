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


def _assert_reached(choice, everything):
    assert choice.objective >= everything.lowest - NEAR  # else the two disagree about E
    assert choice.objective <= everything.lowest + NEAR
    assert choice.suggested_objective >= everything.as_suggested - NEAR


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5])
def test_no_e_is_below_the_lowest_of_all_and_that_is_reached(seed):
    _assert_reached(*searched(seed, 5))


def test_e_of_groups_and_their_model_is_that_of_the_enumeration():
    choice, everything = searched(2, 5)
    _assert_reached(choice, everything)
    n_blocks = 0
    for p in range(0, len(everything.partitions), 3):
        model, parts = everything.best_given(p)
        state = State.of(model, everything.concentration, everything.partitions[p])
        assert state.objective == pytest.approx(everything.of_model(parts)[p, p], abs=1e-8)
        assert state.objective >= everything.lowest_of[p, p] - 1e-8
        n_blocks += len(model.blocks)
    assert n_blocks  # or the cost of a block was never compared


@pytest.mark.parametrize("seed", [1, 4, 10, 13])
def test_columns_whose_cells_are_missing_together_reach_the_lowest_e_too(seed):
    choice, everything = searched(seed, 6, n_missing=1)
    _assert_reached(choice, everything)


def test_e_of_a_block_is_that_of_the_rows_which_have_its_cells():
    _, everything = searched(2, 6, n_missing=1)
    n_blocks = 0
    for p in range(0, len(everything.partitions), 9):
        model, parts = everything.best_given(p)
        state = State.of(model, everything.concentration, everything.partitions[p])
        assert state.objective == pytest.approx(everything.of_model(parts)[p, p], abs=1e-8)
        n_blocks += len(model.blocks)
    assert n_blocks  # or a block with missing cells was never compared


@pytest.mark.parametrize("design", ["normal", "factor"])
def test_one_population_is_one_group(design):
    assert groups_said(one_population(design, 300, 0))["chosen by E"] == 1


def test_independent_columns_of_many_kinds_make_no_block():
    frame = independent_columns(0, 100)
    assert not blocks_made(frame)
    twin = frame.assign(twin=frame["normal0"] + frame["normal1"].round())
    assert blocks_made(twin)  # as one that depends on two others does
