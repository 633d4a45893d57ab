"""Part of a table under a schema that still fits it."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core import MAPDP
from mapdp_studio.core.schema.rows import subtable
from tests.tables.four_groups import FRAME, GROUP, SCHEMA


def test_a_part_sets_aside_what_tells_its_rows_nothing():
    schema = SCHEMA.with_block("size", ["height", "weight"], "gaussian")
    rows = np.flatnonzero(GROUP == 1)
    frame = FRAME.assign(weight=FRAME["weight"].where(GROUP != 1, 60.0))
    part, kept = subtable(frame, schema, rows)
    assert len(part) == 30
    assert kept["kind"].role == kept["weight"].role == "ignore"
    assert kept.blocks["size"].columns == ("height",)
    MAPDP(random_state=0).fit(part, kept)
