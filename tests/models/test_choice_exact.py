"""The model chosen with the groups, beside every partition and every model of tiny tables."""

from __future__ import annotations

import pytest

from core.models.choice.choose import State
from tests.benchmarks.joint_optimum import NEAR, searched


@pytest.mark.parametrize("seed", range(6))
def test_no_e_is_below_the_lowest_of_all_and_that_is_reached(seed):
    choice, everything = searched(seed, 5)
    assert choice.objective >= everything.lowest - NEAR  # else the two disagree about E
    assert choice.objective <= everything.lowest + NEAR
    assert choice.suggested_objective >= everything.as_suggested - NEAR


def test_e_of_groups_and_their_model_is_that_of_the_enumeration():
    _, everything = searched(2, 5)
    n_blocks = 0
    for p, labels in enumerate(everything.partitions):
        model, parts = everything.best_given(p)
        state = State.of(model, everything.concentration, labels)
        assert state.objective == pytest.approx(everything.of_model(parts)[p, p], abs=1e-8)
        assert state.objective >= everything.lowest_of[p, p] - 1e-8
        n_blocks += len(model.blocks)
    assert n_blocks  # or the cost of a block was never compared
