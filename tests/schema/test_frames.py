"""Tables of other libraries, and names that are numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core import MAPDP, infer_schema
from core.schema.frames import as_frame


def test_arrow_and_polars_tables_and_whole_names_give_the_same_model():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"0": random.normal(size=60), "1": random.choice(["a", "b", "c"], 60)})
    model = MAPDP(n_init=1, random_state=0).fit(frame)
    tables = [pa.Table.from_pandas(frame), frame.set_axis([0, 1], axis=1)]
    try:
        import polars

        tables.append(polars.from_pandas(frame))
    except ImportError:
        pass
    for table in tables:
        twin = MAPDP(n_init=1, random_state=0).fit(table)
        np.testing.assert_array_equal(twin.labels_, model.labels_)
        assert list(twin.feature_names_in_) == ["0", "1"]
        assert twin.n_features_in_ == 2
        np.testing.assert_array_equal(twin.predict(table), model.predict(frame))
        assert infer_schema(table) == infer_schema(frame)
    assert as_frame(frame) is frame
    with pytest.raises(TypeError):
        as_frame([[1, 2]])
