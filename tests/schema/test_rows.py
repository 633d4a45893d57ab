"""Other rows of a table: every row written out by its weight, and a part of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, SchemaError
from mapdp_studio.core.schema.rows import MOST, copies, subtable, with_copies
from tests.tables.four_groups import FRAME as GROUPED
from tests.tables.four_groups import GROUP
from tests.tables.four_groups import SCHEMA as OF_GROUPED

FRAME = pd.DataFrame({"a": [1.5, 2.5, 3.5], "times": [2, 0, 3]})
PLAIN = Schema([ColumnSpec("a", "normal"), ColumnSpec("times", "poisson")])
SCHEMA = PLAIN.with_column("times", role="weight")


def test_every_row_stands_as_often_as_it_counts_and_then_counts_once():
    assert copies(FRAME, SCHEMA).tolist() == [0, 0, 2, 2, 2]
    long = with_copies(FRAME, SCHEMA)
    assert long["a"].tolist() == [1.5, 1.5, 3.5, 3.5, 3.5]
    assert SCHEMA.encode(long).weights is None
    pd.testing.assert_frame_equal(with_copies(long, SCHEMA), long)


def test_without_a_column_of_weights_the_table_is_itself():
    assert copies(FRAME, PLAIN).tolist() == [0, 1, 2]
    assert with_copies(FRAME, PLAIN) is FRAME


@pytest.mark.parametrize(
    ("times", "sentence"),
    [([1, 0.5, 1], "'times' counts row 2 0.5 times"), ([MOST, 1, 1], "1,000,002 rows")],
)
def test_weights_that_are_no_numbers_of_rows_are_refused(times, sentence):
    with pytest.raises(SchemaError, match=sentence):
        with_copies(FRAME.assign(times=np.array(times)), SCHEMA)


def test_a_part_sets_aside_what_tells_its_rows_nothing():
    schema = OF_GROUPED.with_block("size", ["height", "weight"], "gaussian")
    rows = np.flatnonzero(GROUP == 1)
    frame = GROUPED.assign(weight=GROUPED["weight"].where(GROUP != 1, 60.0))
    part, kept = subtable(frame, schema, rows)
    assert len(part) == 30
    assert kept["kind"].role == kept["weight"].role == "ignore"
    assert kept.blocks["size"].columns == ("height",)
    MAPDP(random_state=0).fit(part, kept)
