"""Tables of other libraries, and names that are numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.schema.frames import as_frame, backend_of, given_back


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_what_is_filled_or_drawn_is_a_table_of_the_library_it_came_from(library):
    pytest.importorskip(library)
    frame = pd.DataFrame({"size": [1.0, 1.2, None, 8.0, 8.2] * 9, "kind": list("aabbb") * 9})
    given = given_back(frame, library)
    assert backend_of(given) == library
    assert (backend_of(frame), backend_of(frame.to_numpy())) == ("", "")
    model = MAPDP(random_state=0, patience=0).fit(given)
    for table in (model.impute(given), model.impute(), model.sample(3, random_state=0)[0]):
        assert type(table) is type(given)
    filled = as_frame(model.impute(given))
    pd.testing.assert_frame_equal(filled, model.impute(frame))
    assert isinstance(model.impute(frame), pd.DataFrame)
    assert isinstance(MAPDP(patience=0).fit(frame).sample()[0], pd.DataFrame)


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
