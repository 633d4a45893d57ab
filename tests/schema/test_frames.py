"""Tables of other libraries and names that are numbers; other rows of a table."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, SchemaError, infer_schema
from mapdp_studio.core.schema.frames import as_frame
from mapdp_studio.core.schema.rows import MOST, copies, with_copies


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_a_table_of_another_library_gives_the_same(library):
    module = pytest.importorskip(library)
    frame = pd.DataFrame({"0": [1.0, 1.2, None, 8.0, 8.2] * 9, "1": list("aabbb") * 9})
    given = pa.Table.from_pandas(frame, preserve_index=False)
    given = module.from_arrow(given) if library == "polars" else given
    model, twin = (MAPDP(random_state=0, patience=0).fit(table) for table in (given, frame))
    pd.testing.assert_frame_equal(model.impute(given), twin.impute(frame))
    by_number = frame.set_axis([0, 1], axis=1)
    for table in (given, by_number):
        np.testing.assert_array_equal(twin.predict(table), twin.labels_)
        assert infer_schema(table) == infer_schema(frame)
    assert list(MAPDP(patience=0).fit(by_number).feature_names_in_) == ["0", "1"]
    assert as_frame(frame) is frame
    with pytest.raises(TypeError):
        as_frame([[1, 2]])


FRAME = pd.DataFrame({"a": [1.5, 2.5, 3.5], "times": [2, 0, 3]})
PLAIN = Schema([ColumnSpec("a", "normal"), ColumnSpec("times", "poisson")])
WEIGHED = PLAIN.with_column("times", role="weight")


def test_every_row_stands_as_often_as_it_counts_and_then_counts_once():
    assert copies(FRAME, WEIGHED).tolist() == [0, 0, 2, 2, 2]
    np.testing.assert_allclose(WEIGHED.encode(FRAME).weights, [0.8, 0.0, 1.2])
    long = with_copies(FRAME, WEIGHED)
    assert long["a"].tolist() == [1.5, 1.5, 3.5, 3.5, 3.5]
    assert WEIGHED.encode(long).weights is None
    pd.testing.assert_frame_equal(with_copies(long, WEIGHED), long)
    assert with_copies(FRAME, PLAIN) is FRAME
    for times, sentence in (
        ([1, 0.5, 1], "'times' counts row 2 0.5 times"),
        ([MOST, 1, 1], "1,000,002 rows"),
    ):
        with pytest.raises(SchemaError, match=sentence):
            with_copies(FRAME.assign(times=np.array(times)), WEIGHED)
