"""A part of the undoing benchmark: undone or done again, everything is as it was."""

from __future__ import annotations

import pytest
import streamlit as st

from tests.benchmarks.undoing import visit


@pytest.mark.parametrize("number", [0, 3, 9])
def test_what_is_undone_or_done_again_is_the_same_bit_for_bit(number):
    st.session_state.clear()
    made, gone, wrong = visit(number)
    assert made > 5
    assert gone > 5
    assert wrong == []
