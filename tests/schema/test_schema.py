"""The schema: what it refuses, what it turns a table into, and that it comes back from JSON."""

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.schema.encode import decode_column
from mapdp_studio.core.schema.schema import ColumnSpec, Schema, SchemaError

NAN = np.nan
NOT_AT_NINE = {"missing_codes": "9:00", "reading": "hours"}


def encode(values, family, new_rows=False, **options):
    """Encode one column on its own."""
    schema = Schema([ColumnSpec("c", family, **options)])
    return schema.encode(pd.DataFrame({"c": values}), allow_new_levels=new_rows).values[:, 0]


@pytest.mark.parametrize(
    ("values", "family", "options", "expected"),
    [
        ([1.5, None, 3], "normal", {}, [1.5, NAN, 3]),
        ([1, 10, 100], "normal", {"transform": "log"}, np.log([1, 10, 100])),
        ([0, 74, 80], "normal", {"missing_codes": ["0"]}, [NAN, 74, 80]),
        (["1", "unknown", "2.5"], "normal", {"missing_codes": "unknown"}, [1, NAN, 2.5]),
        ([1.0, np.inf, 2.0], "normal", {"missing_codes": [np.inf]}, [1, NAN, 2]),
        (["1:00", "9:00", "2:00"], "normal", NOT_AT_NINE, [1, NAN, 2]),
        (["no", "yes", None], "bernoulli", {}, [0, 1, NAN]),
        (["present", "absent", "absent"], "bernoulli", {}, [1, 0, 0]),
        ([2, 1, 2], "bernoulli", {"levels": (2, 1)}, [0, 1, 0]),
        ([True, False, True], "bernoulli", {}, [1, 0, 1]),
        ([1, 4, NAN, 2], "binomial", {}, [0, 3, NAN, 1]),
        ([0, 2, 3], "binomial", {}, [0, 2, 3]),
        ([7, 10, 6], "binomial", {"offset": 6, "trials": 4}, [1, 4, 0]),
        ([0, 0.5, 1, 0.5], "binomial", {"levels": [0, 0.5, 1]}, [0, 1, 2, 1]),
        (["high", "low", "med"], "binomial", {}, [2, 0, 1]),
        (["b", "a", " b "], "categorical", {}, [1, 0, 1]),
        ([2.0, NAN, 4.0], "categorical", {"levels": ["2", "4", "more"]}, [0, NAN, 1]),
        (pd.Categorical(["x", None, "y"]), "categorical", {}, [0, NAN, 1]),
        (pd.array([3, None, 0], dtype="Int64"), "poisson", {}, [3, NAN, 0]),
    ],
)
def test_values_become_the_numbers_of_their_family(values, family, options, expected):
    np.testing.assert_allclose(encode(values, family, **options), expected)


WRONG = [
    (
        pd.Series([2, 5, -3], [7, 8, 9]),
        "poisson",
        {},
        "negative value (-3 in row 3); a count cannot be negative",
    ),
    ([2, 1.5], "poisson", {}, "fractional value (1.5 in row 2)"),
    ([2, -1], "binomial", {}, "negative value (-1 in row 2)"),
    ([0, 5], "binomial", {"trials": 3}, "5 in row 2, which is not among its levels (0, 1, 2, 3)"),
    ([1, 0], "binomial", {"offset": 1, "trials": 3}, "0 in row 2, which is not among"),
    ([0, 1, 2], "bernoulli", {}, "3 distinct values (0, 1, 2)"),
    ([3, 3], "bernoulli", {}, "one value only"),
    ([1, -2.0], "exponential", {}, "negative value (-2 in row 2)"),
    ([5, 0], "normal", {"transform": "log"}, "not above 0 (0 in row 2)"),
    ([5, np.inf], "normal", {}, "infinite value in row 2"),
    (["1", "oops"], "normal", {}, "text ('oops' in row 2)"),
    (["red", "green"], "binomial", {}, "needs an order"),
    (["a", "b"], "categorical", {"levels": ["a"]}, "'b' in row 2"),
    ([NAN, NAN], "normal", {}, "no values at all"),
    ([7, 7], "normal", {}, "same value (7) in every row"),
    (pd.to_datetime(["2020-01-01", "2021-01-01"]), "normal", {}, "datetime64"),
    (np.arange(2000), "categorical", {}, "2,000 distinct values"),
]


@pytest.mark.parametrize(("values", "family", "options", "says"), WRONG)
def test_data_that_do_not_suit_get_one_sentence(values, family, options, says):
    with pytest.raises(SchemaError) as caught:
        encode(values, family, **options)
    sentence = str(caught.value)
    assert says in sentence
    assert sentence.startswith("Column 'c' ")
    assert sentence.endswith(".")


def test_new_rows_may_hold_unknown_levels_and_single_values():
    levels = {"levels": ["a", "b"], "new_rows": True}
    np.testing.assert_array_equal(encode(["c", "b"], "categorical", **levels), [NAN, 1])
    np.testing.assert_array_equal(encode([NAN, NAN], "normal", new_rows=True), [NAN, NAN])
    np.testing.assert_array_equal(encode([7, 7], "normal", new_rows=True), [7, 7])
    assert encode([7.0], "normal") == [7]


SCHEMA = Schema(
    [
        ColumnSpec("id", None, "id", "tells rows apart"),
        ColumnSpec("height", "normal"),
        ColumnSpec("visits", "normal"),
        ColumnSpec("weight", "normal", transform="log"),
        ColumnSpec("colour", "categorical", levels=("red", "blue")),
        ColumnSpec("time", "normal"),
        ColumnSpec("status", "categorical", "validator"),
    ]
)
FRAME = pd.DataFrame(
    {
        "weight": [60.0, 70.0, 80.0],
        "colour": ["red", "blue", "red"],
        "time": [1, 2, 3],
        "height": [160.0, 170.0, NAN],
        "visits": [0, 2, 1],
    }
)
BLOCK = SCHEMA.with_block("size", ["weight", "height"], "gaussian")


def test_the_schema_is_an_ordered_immutable_mapping():
    assert list(SCHEMA)[:2] == ["id", "height"]
    assert SCHEMA["id"].reason == "tells rows apart"
    changed = SCHEMA.with_column("visits", family="poisson", role="cluster")
    assert (changed["visits"].family, SCHEMA["visits"].family) == ("poisson", "normal")
    assert changed.with_column("visits", family="normal") == SCHEMA != changed
    assert len({SCHEMA, changed, changed.with_column("visits", family="normal")}) == 2
    both = SCHEMA.with_column("colour", role="label").with_column("status", role="label")
    assert (both.label_column, both["colour"].role) == ("status", "ignore")


def test_a_block_stands_where_its_first_column_stands():
    encoded = BLOCK.encode(FRAME)
    assert [unit.name for unit in encoded.units] == ["size", "visits", "colour", "time"]
    assert encoded.names == ("weight", "height", "visits", "colour", "time")
    assert encoded.units[0].options == {"transforms": ("log", None)}
    np.testing.assert_allclose(encoded.values[:, 0], np.log([60, 70, 80]))
    assert encoded.values.flags.c_contiguous
    assert BLOCK.without_block("size") == SCHEMA


def test_options_that_a_new_family_cannot_read_are_dropped():
    assert SCHEMA.with_column("weight", family="poisson")["weight"].transform is None
    rating = SCHEMA.with_column("colour", family="binomial")["colour"]
    assert (rating.levels, rating.starts_at) == (("red", "blue"), None)
    numbered = SCHEMA.with_column("colour", family="binomial", trials=3, offset=2)["colour"]
    assert (numbered.levels, numbered.starts_at) == ((2, 3, 4, 5), 2)


@pytest.mark.parametrize(
    ("levels", "options", "decoded"),
    [
        ((1, 2, 3), {"trials": 2, "offset": 1}, [1, 3.5]),
        ((0, 1, 2, 3), {"trials": 3}, [0, 2.5]),
        ((0, 0.5, 1), {"levels": (0, 0.5, 1), "trials": 2}, [0, 1]),
    ],
)
def test_steps_in_whole_numbers_are_numbers_to_a_likelihood_and_others_are_levels(
    levels, options, decoded
):
    spec = ColumnSpec("c", "binomial", levels=levels)
    assert Schema([spec]).units[0].options == options
    np.testing.assert_array_equal(decode_column(np.array([0.0, 2.5]), spec), decoded)


#: A column, what is changed about it, and what the sentence says.
REFUSED = [
    ("wieght", {"role": "id"}, "no column 'wieght'"),
    ("height", {"family": "gamma"}, "'gamma' is no family"),
    ("height", {"family": "gaussian"}, "family of blocks"),
    ("height", {"role": "target"}, "'target' is no role"),
    ("height", {"levles": [1]}, "'levles' is no option"),
    ("height", {"transform": "square"}, "'square' is no transform"),
    ("height", {"reading": "weekday"}, "'weekday' is no reading"),
    ("height", {"levels": [1, 2]}, "takes no levels"),
    ("height", {"family": "binomial", "trials": 0}, "at least 1"),
    ("colour", {"levels": ["red", "red"]}, "only once"),
    ("id", {"role": "cluster"}, "has no family"),
    ("time", {"family": "time_to_event"}, "is an outcome"),
    (
        "time",
        {"family": "time_to_event", "role": "validator", "event": "death"},
        "no column 'death'",
    ),
    ("weight", {"role": "id"}, "belongs to block 'size'"),
]


@pytest.mark.parametrize(("column", "changes", "says"), REFUSED)
def test_what_a_column_cannot_be_is_refused_in_one_sentence(column, changes, says):
    with pytest.raises(SchemaError, match=says) as caught:
        BLOCK.with_column(column, **changes)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("name", "columns", "family", "says"),
    [
        ("b", ["height", "girth"], "gaussian", "no column 'girth'"),
        ("time", ["height"], "gaussian", "is a column already"),
        ("b", ["height"], "normal", "no family of blocks"),
        ("c", ["height", "time"], "gaussian", "belongs to block 'size' already"),
    ],
)
def test_what_a_block_cannot_be_is_refused_in_one_sentence(name, columns, family, says):
    with pytest.raises(SchemaError, match=says):
        BLOCK.with_block(name, columns, family)
    with pytest.raises(SchemaError, match="no block 'b'"):
        BLOCK.without_block("b")


def test_a_table_without_the_columns():
    for schema, frame, says in (
        (SCHEMA, FRAME.drop(columns=["height", "visits"]), "lacks the columns 'height', 'visits'"),
        (Schema([ColumnSpec("height", "normal", "ignore")]), FRAME, "No column is left"),
        (SCHEMA, FRAME.head(0), "no rows"),
        (SCHEMA, FRAME[["time", *FRAME.columns]], "two columns 'time'"),
    ):
        with pytest.raises(SchemaError, match=says):
            schema.encode(frame)


def test_a_schema_comes_back_from_json():
    full = (
        BLOCK.with_column("height", missing_codes=[np.inf, np.int64(-9), "n/k"])
        .with_column("visits", family="binomial", trials=4, offset=1)
        .with_column("time", family="time_to_event", role="validator", event="status")
    )
    again = Schema.from_dict(json.loads(json.dumps(full.to_dict(), allow_nan=False)))
    assert again == full
    assert again["id"].reason == "tells rows apart"
    assert again.blocks == {"size": core.Block("size", "gaussian", ("weight", "height"))}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "names no version"),
        ({"version": 99, "columns": []}, "newer version"),
        ({"version": 1, "columns": [{"nam": "a"}]}, "damaged"),
        ({"version": 1, "columns": [{"name": "a", "family": "gamma"}]}, "'gamma' is no family"),
    ],
)
def test_a_damaged_saved_schema_is_refused(data, says):
    with pytest.raises(SchemaError, match=says):
        Schema.from_dict(data)


def test_a_fit_takes_some_columns_from_a_mapping():
    frame = pd.DataFrame({"pain": ["none", "mild", "severe"] * 9, "<b>": np.arange(27) % 6})
    schema = infer_schema(frame).with_columns({"<b>": {"transform": None}, "pain": "control"})
    assert "pain: binomial, control" in repr(schema)
    with pytest.raises(SchemaError, match="'poison' is no family"):
        schema.with_columns({"pain": "poison"})
    model = MAPDP(random_state=0, patience=0).fit(frame, {"<b>": "geometric"})
    assert model.schema_["<b>"].family == "geometric"
    assert model.schema_["pain"] == infer_schema(frame).completed(frame)["pain"]
