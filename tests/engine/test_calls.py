"""A table has the kernels of its own families compiled when it is packed, and no others are."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from mapdp_studio.core.engine import calls
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.tiles import new_tile
from mapdp_studio.core.families import FAMILIES
from tests.random_tables import random_table

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Nothing is compiled.")


def _columns(name):
    return Columns.pack(*random_table(np.random.default_rng(0), 20, [name]))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_table_has_the_kernels_of_its_own_families_compiled(name, monkeypatch):
    asked, function_of = set(), calls.function_of
    monkeypatch.setattr(
        calls,
        "function_of",
        lambda code, kind: asked.add((code, kind)) or function_of(code, kind),
    )
    columns = _columns(name)
    kinds = (calls.ADD, calls.MERGE, calls.REFRESH, calls.LOG_MARGINAL, calls.SCORE)
    assert asked == {(calls.CODES[name], kind) for kind in kinds}
    assert not columns.table.calls[:, [calls.FILL, calls.SCORE_MANY]].any()
    new_tile(columns.table, 4)
    for kind in (*kinds, calls.SCORE_MANY):
        assert (columns.table.calls[:, kind] == function_of(calls.CODES[name], kind)).all()
    partition = Partition(columns, 1.0, np.arange(20) % 2)
    partition.sweep(np.arange(20))
    assert np.isfinite(partition.objective())
