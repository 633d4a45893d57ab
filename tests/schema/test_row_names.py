"""The names of the rows stand before the first column, without a header."""

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema


def births():
    random = np.random.default_rng(0)
    low = np.repeat([0, 1], 60)
    names = np.sort(random.choice(np.arange(4, 400), 120, replace=False))
    frame = pd.DataFrame({"column 1": names, "low": low, "age": random.integers(15, 45, 120)})
    return frame.assign(weight=random.normal(60, 9, 120).round(1))


def test_row_names_are_set_aside_and_tell_no_column_that_the_rows_are_sorted_by():
    schema = infer_schema(births())
    assert schema["column 1"].role == "id"
    assert not any(q.about == "repeat" for q in schema.questions)


def test_a_first_column_among_others_without_headers_or_with_values_that_recur_is_none():
    bare = births().rename(columns={"low": "column 2", "age": "column 3", "weight": "column 4"})
    assert infer_schema(bare)["column 1"].role == "cluster"
    recurring = births().assign(**{"column 1": births()["column 1"] // 2})
    assert infer_schema(recurring)["column 1"].role == "cluster"
