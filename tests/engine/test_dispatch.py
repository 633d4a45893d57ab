"""Kernels are found when they are first called, and no others are."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from mapdp_studio.core.engine import dispatch
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES
from tests.random_tables import random_table

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Nothing is compiled.")


@pytest.fixture
def nothing_found():
    """No kernel has been called yet."""
    kept = dispatch._ADDRESSES.copy()
    dispatch._ADDRESSES[:] = 0
    yield
    dispatch._ADDRESSES[:] = kept


def _partition(name):
    columns = Columns.pack(*random_table(np.random.default_rng(0), 20, [name]))
    return Partition(columns, 1.0, np.arange(20) % 2)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_table_has_the_kernels_of_its_own_families_compiled(name, nothing_found):
    partition = _partition(name)
    partition.sweep(np.arange(20))
    assert np.isfinite(partition.objective())
    assert np.flatnonzero(dispatch._ADDRESSES.any(axis=0)).tolist() == [dispatch.CODES[name]]


def test_a_kernel_that_cannot_be_compiled_ends_the_call(nothing_found, monkeypatch):
    def broken(kind, code):
        raise MemoryError("No room.")

    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda trouble: told.append(trouble.exc_value))
    monkeypatch.setattr(dispatch, "_kernel", broken)
    with pytest.raises(RuntimeError, match="A kernel could not be compiled"):
        _partition(next(iter(FAMILIES)))
    assert isinstance(told[0], MemoryError)
