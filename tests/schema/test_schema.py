"""The schema: what it refuses, what it turns a table into, and that it comes back from JSON."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.schema.encode import decode_column
from mapdp_studio.core.schema.schema import Block, ColumnSpec, Schema, SchemaError

NAN = np.nan


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
        (["no", "yes", None], "bernoulli", {}, [0, 1, NAN]),
        (["present", "absent", "absent"], "bernoulli", {}, [1, 0, 0]),
        ([2, 1, 2], "bernoulli", {"levels": (2, 1)}, [0, 1, 0]),
        ([True, False, True], "bernoulli", {}, [1, 0, 1]),
        ([1, 4, NAN, 2], "binomial", {}, [0, 3, NAN, 1]),
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
    ([2, 5, -3], "poisson", {}, "negative value (-3 in row 3); a count cannot be negative"),
    ([2, 1.5], "poisson", {}, "fractional value (1.5 in row 2)"),
    ([2, 1.5], "geometric", {}, "name 1.5 as a missing code"),
    ([2, -1], "binomial", {}, "negative value (-1 in row 2)"),
    ([2, 1.5], "binomial", {}, "fractional value (1.5 in row 2)"),
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
    ([NAN, NAN], "categorical", {}, "no values at all"),
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


def test_rows_are_counted_from_one_whatever_the_index():
    frame = pd.DataFrame({"c": [1, 2, -3]}, index=[50, 60, 70])
    with pytest.raises(SchemaError, match="-3 in row 3"):
        Schema([ColumnSpec("c", "poisson")]).encode(frame)


def test_new_rows_may_hold_unknown_levels_and_single_values():
    levels = {"levels": ["a", "b"], "new_rows": True}
    np.testing.assert_array_equal(encode(["c", "b"], "categorical", **levels), [NAN, 1])
    np.testing.assert_array_equal(encode([NAN, NAN], "normal", new_rows=True), [NAN, NAN])
    np.testing.assert_array_equal(encode([7, 7], "normal", new_rows=True), [7, 7])
    assert encode([7.0], "normal") == [7]


@pytest.fixture
def schema() -> Schema:
    return Schema(
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


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "weight": [60.0, 70.0, 80.0],
            "colour": ["red", "blue", "red"],
            "time": [1, 2, 3],
            "height": [160.0, 170.0, NAN],
            "visits": [0, 2, 1],
        }
    )


def test_the_schema_is_an_ordered_immutable_mapping(schema):
    assert list(schema)[:2] == ["id", "height"]
    assert len(schema) == 7
    assert "height" in schema
    assert schema["id"].reason == "tells rows apart"
    changed = schema.with_column("visits", family="poisson", role="cluster")
    assert (changed["visits"].family, schema["visits"].family) == ("poisson", "normal")
    assert changed != schema
    assert changed.with_column("visits", family="normal") == schema
    assert len({schema, changed, changed.with_column("visits", family="normal")}) == 2


def test_a_block_stands_where_its_first_column_stands(schema, frame):
    encoded = schema.with_block("size", columns=["weight", "height"], family="gaussian").encode(
        frame
    )
    assert [unit.name for unit in encoded.units] == ["size", "visits", "colour", "time"]
    assert encoded.names == ("weight", "height", "visits", "colour", "time")
    assert encoded.units[0].options == {"transforms": ("log", None)}
    np.testing.assert_allclose(encoded.values[:, 0], np.log([60, 70, 80]))
    np.testing.assert_array_equal(encoded.values[:, 1], [160, 170, NAN])
    assert encoded.values.flags.c_contiguous
    assert schema.with_block("size", ["height"], "spherical").without_block("size") == schema


def test_options_that_a_new_family_cannot_read_are_dropped(schema):
    assert schema.with_column("weight", family="poisson")["weight"].transform is None
    rating = schema.with_column("colour", family="binomial")["colour"]
    assert (rating.levels, rating.starts_at) == (("red", "blue"), None)
    numbered = schema.with_column("colour", family="binomial", trials=3, offset=2)["colour"]
    assert (numbered.levels, numbered.starts_at) == ((2, 3, 4, 5), 2)
    event = schema.with_column(
        "time", family="time_to_event", role="validator", event="status", event_codes=[2]
    )["time"]
    assert (event.event, event.event_codes) == ("status", (2,))


@pytest.mark.parametrize(
    ("spec", "options", "decoded"),
    [
        (ColumnSpec("c", "binomial", levels=(1, 2, 3)), {"trials": 2, "offset": 1}, [1, 3.5]),
        (ColumnSpec("c", "binomial", trials=3), {"trials": 3}, [0, 2.5]),
        (
            ColumnSpec("c", "binomial", levels=(0, 0.5, 1)),
            {"levels": (0, 0.5, 1), "trials": 2},
            [0, 1],
        ),
    ],
)
def test_steps_in_whole_numbers_are_numbers_to_a_likelihood_and_others_are_levels(
    spec, options, decoded
):
    assert Schema([spec]).units[0].options == options
    np.testing.assert_array_equal(decode_column(np.array([0.0, 2.5]), spec), decoded)


def test_one_label_at_a_time(schema):
    both = schema.with_column("colour", role="label").with_column("status", role="label")
    assert both.label_column == "status"
    assert both["colour"].role == "ignore"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: s["wieght"], "no column 'wieght'"),
        (lambda s: s.with_column("wieght", role="id"), "no column 'wieght'"),
        (lambda s: s.with_column("height", family="gamma"), "'gamma' is no family"),
        (lambda s: s.with_column("height", family="gaussian"), "family of blocks"),
        (lambda s: s.with_column("height", role="target"), "'target' is no role"),
        (lambda s: s.with_column("height", levles=[1]), "'levles' is no option"),
        (lambda s: s.with_column("height", transform="square"), "'square' is no transform"),
        (lambda s: s.with_column("height", levels=[1, 2]), "takes no levels"),
        (lambda s: s.with_column("height", family="binomial", trials=0), "at least 1"),
        (lambda s: s.with_column("colour", levels=["red", "red"]), "only once"),
        (lambda s: s.with_column("id", role="cluster"), "has no family"),
        (lambda s: s.with_column("time", family="time_to_event"), "is an outcome"),
        (
            lambda s: s.with_column(
                "time", family="time_to_event", role="validator", event="death"
            ),
            "no column 'death'",
        ),
        (lambda s: s.with_block("b", ["height", "girth"], "gaussian"), "no column 'girth'"),
        (lambda s: s.with_block("time", ["height"], "gaussian"), "is a column already"),
        (lambda s: s.with_block("b", ["height"], "normal"), "no family of blocks"),
        (lambda s: s.without_block("b"), "no block 'b'"),
        (
            lambda s: s.with_block("b", ["height"], "gaussian").with_column("height", role="id"),
            "belongs to block 'b'",
        ),
        (
            lambda s: s.with_block("b", ["height"], "gaussian").with_block(
                "c", ["height", "time"], "gaussian"
            ),
            "belongs to block 'b' already",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(schema, change, says):
    with pytest.raises(SchemaError, match=says) as caught:
        change(schema)
    assert str(caught.value).endswith(".")


def test_a_table_without_the_columns(schema, frame):
    with pytest.raises(SchemaError, match="lacks the columns 'height', 'visits'"):
        schema.encode(frame.drop(columns=["height", "visits"]))
    with pytest.raises(SchemaError, match="No column is left"):
        Schema([ColumnSpec("height", "normal", "ignore")]).encode(frame)
    with pytest.raises(SchemaError, match="no rows"):
        schema.encode(frame.head(0))
    with pytest.raises(SchemaError, match="two columns 'time'"):
        schema.encode(frame[["time", *frame.columns]])


def test_the_completed_schema_encodes_new_rows_as_the_first_ones(frame):
    schema = Schema([ColumnSpec("colour", "categorical"), ColumnSpec("visits", "binomial")])
    completed = schema.completed(frame)
    assert completed["colour"].levels == ("blue", "red")
    assert completed["visits"].levels == (0, 1, 2)
    row = completed.encode(frame.tail(1), allow_new_levels=True)
    np.testing.assert_array_equal(row.values, [[1, 1]])


def test_a_schema_comes_back_from_json(schema):
    full = (
        schema.with_column("height", missing_codes=[np.inf, np.int64(-9), "n/k"])
        .with_column("visits", family="binomial", trials=4, offset=1)
        .with_column("time", family="time_to_event", role="validator", event="status")
        .with_block("size", ["height", "weight"], "gaussian")
    )
    data = json.loads(json.dumps(full.to_dict(), allow_nan=False))
    assert Schema.from_dict(data) == full
    assert Schema.from_dict(data)["id"].reason == "tells rows apart"
    assert Schema.from_dict(data).blocks == {
        "size": Block("size", "gaussian", ("height", "weight"))
    }


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "names no version"),
        ({"version": 99, "columns": []}, "newer version"),
        ({"version": 1}, "damaged"),
        ({"version": 1, "columns": [{"nam": "a"}]}, "damaged"),
        ({"version": 1, "columns": [{"name": "a", "family": "gamma"}]}, "'gamma' is no family"),
        (
            {"version": 1, "columns": [{"name": "a", "family": "binomial", "offset": "x"}]},
            "not None",
        ),
    ],
)
def test_a_damaged_saved_schema_is_refused(data, says):
    with pytest.raises(SchemaError, match=says):
        Schema.from_dict(data)


def test_a_block_of_the_public_names_is_the_schema_s():
    columns = [core.ColumnSpec("x", "normal"), core.ColumnSpec("y", "normal")]
    schema = core.Schema(columns, [core.Block("b", "gaussian", ("x", "y"))])
    assert schema.blocks["b"].columns == ("x", "y")


def test_a_schema_is_a_table_to_read():
    frame = pd.DataFrame({"pain": ["none", "mild", "severe"] * 9, "<b>": np.arange(27) / 7})
    schema = infer_schema(frame).with_columns({"<b>": {"transform": None}, "pain": "control"})
    table = schema.to_frame().set_index("column")
    assert table.loc["pain", "role"] == "control"
    assert table.loc["pain", "options"] == "levels: none < mild < severe"
    assert "&lt;b&gt;" in schema._repr_html_()
    assert "<b>" not in schema._repr_html_()
    with pytest.raises(SchemaError, match="'poison' is no family"):
        schema.with_columns({"pain": "poison"})


def test_a_fit_takes_some_columns_from_a_mapping():
    frame = pd.DataFrame({"visits": [0, 3, 1, 2, 5] * 9, "size": np.arange(45.0) % 7})
    assert infer_schema(frame)["visits"].family != "geometric"
    model = MAPDP(random_state=0, patience=0).fit(frame, {"visits": "geometric"})
    assert model.schema_["visits"].family == "geometric"
    assert model.schema_["size"] == infer_schema(frame).completed(frame)["size"]
    named = MAPDP(random_state=0, patience=0).fit(frame, schema={"visits": "geometric"})
    assert named.schema_ == model.schema_
