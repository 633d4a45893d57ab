"""The guess of every column's type, on made-up columns and on twelve real tables."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.schema.schema import SchemaError
from tests.written_columns import WRITTEN, read_columns

DATA = Path(__file__).parents[2].parent / "shared" / "data"
RAW = DATA.parent / "raw-tables"
RNG = np.random.default_rng(0)
N = 300


def guess(values, name="c", **others):
    return infer_schema(pd.DataFrame({name: values, **others}))[name]


def some(*values):
    return RNG.choice(np.array(values, dtype=object), N)


@pytest.mark.parametrize(
    ("values", "family", "options"),
    [
        (RNG.normal(size=N), "normal", {"transform": None}),
        (np.exp(RNG.normal(size=N)), "normal", {"transform": "log"}),
        (RNG.integers(20, 90, N), "normal", {}),
        (RNG.integers(18, 26, N), "normal", {}),
        (np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(0, 2, N)), "bernoulli", {}),
        (some("Yes", "No", None), "bernoulli", {"levels": ("No", "Yes")}),
        (some("female", "male"), "bernoulli", {"levels": ("female", "male")}),
        (some("tested_positive", "tested_negative"), "bernoulli", {}),
        (some(1, 2), "bernoulli", {"levels": (1, 2)}),
        (RNG.random(N) < 0.5, "bernoulli", {"levels": (False, True)}),
        (RNG.integers(0, 5, N), "binomial", {"trials": 4, "offset": 0}),
        (np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(1, 5, N)), "binomial", {"offset": 1}),
        (RNG.integers(2007, 2010, N), "binomial", {"offset": 2007, "trials": 2}),
        (some(0.0, 0.5, 1.0), "binomial", {"levels": (0, 0.5, 1)}),
        (some("med", "low", "vhigh", "high"), "binomial", {"trials": 3}),
        (some("5more", "2", "4", "3"), "binomial", {"levels": ("2", "3", "4", "5more")}),
        (some("65+", "0-17", "18-64"), "binomial", {"levels": ("0-17", "18-64", "65+")}),
        (some("II", "I", "IV", "III"), "binomial", {"levels": ("I", "II", "III", "IV")}),
        (RNG.geometric(0.2, N) - 1, "geometric", {}),
        (RNG.poisson(3.0, N), "poisson", {}),
        (RNG.poisson(0.7, N), "binomial", {}),
        (some("oak", "elm", "ash"), "categorical", {"levels": ("ash", "elm", "oak")}),
        (RNG.choice([0, 1, 2], N, p=[0.5, 0.05, 0.45]), "categorical", {"levels": (0, 1, 2)}),
    ],
)
def test_family(values, family, options):
    spec = guess(values)
    assert (spec.family, spec.role) == (family, "cluster"), spec.reason
    assert {option: getattr(spec, option) for option in options} == options
    assert spec.reason.endswith(".")


@pytest.mark.parametrize(
    ("values", "role", "reason"),
    [
        ([np.nan] * N, "ignore", "No values"),
        ([3.0] * N, "ignore", "same value"),
        (pd.date_range("2020-01-01", periods=N), "ignore", "Dates"),
        ([f"{day:02d}/03/2020" for day in RNG.integers(1, 29, N)], "ignore", "Dates"),
        (20200100 + RNG.integers(1, 29, N), "ignore", "dates"),
        ([f"a long remark, number {i}, on how this one felt" for i in range(N)], "ignore", "free"),
        (RNG.choice([f"w{i}" for i in range(400)], 4 * N)[:900], "ignore", "too many"),
        (np.arange(N), "id", "numbers the rows"),
        ([f"S{i}" for i in range(N)], "id", "tells rows apart"),
    ],
)
def test_columns_that_describe_nothing_are_set_aside(values, role, reason):
    spec = guess(values)
    assert (spec.role, spec.family) == (role, None)
    assert reason in spec.reason


def test_identifiers_that_repeat_are_known_by_name():
    numbers = RNG.integers(0, 200, N) + 100_000
    assert guess(numbers, "patient_id").role == "id"
    assert guess(numbers, "patientId").reason.startswith("Named like an identifier")
    assert guess(numbers, "humidity").role == "cluster"


def test_words_and_sentinels_among_numbers_are_proposed_as_missing():
    values = [str(number) for number in RNG.normal(50, 9, N).round(2)]
    values[4] = values[9] = "unknown"
    spec = guess(values)
    assert (spec.family, spec.missing_codes) == ("normal", ("unknown",))
    assert "'unknown' in 2 rows" in spec.reason
    spec = guess(np.where(RNG.random(N) < 0.1, -999, RNG.integers(1, 5, N)))
    assert (spec.family, spec.offset, spec.missing_codes) == ("binomial", 1, (-999,))
    zeros = guess(np.where(RNG.random(N) < 0.1, 0, RNG.integers(44, 199, N)))
    assert zeros.missing_codes == ()
    assert "stands apart" in zeros.reason


def test_the_answer_does_not_change_with_more_rows():
    values = RNG.integers(0, 5, 100_000)
    assert guess(values[:50]) == guess(values)


def test_outcomes_are_suggested_by_name():
    few = RNG.integers(0, 2, N)
    frame = {"time": RNG.integers(1, 4000, N), "status": some(0, 1, 2), "trt": few, "x": few}
    schema = infer_schema(pd.DataFrame(frame))
    assert (schema["time"].family, schema["time"].event) == ("time_to_event", "status")
    assert [schema[name].role for name in frame] == ["validator", "validator", "control", "cluster"]
    assert schema.label_column is None
    alone = infer_schema(pd.DataFrame({"status": few, "x": few, "diagnosis": few}))
    assert alone.label_column == "diagnosis"
    assert infer_schema(pd.DataFrame({"status": few, "x": few})).label_column == "status"
    assert infer_schema(pd.DataFrame(frame), label="x").label_column == "x"


def test_what_is_no_table_for_a_schema_is_refused():
    with pytest.raises(SchemaError, match=r"name 0\.5 is not text"):
        infer_schema(pd.DataFrame({0.5: [1, 2]}))
    with pytest.raises(SchemaError, match="two columns 'a'"):
        infer_schema(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(SchemaError, match="no column 'b'"):
        infer_schema(pd.DataFrame({"a": [1, 2]}), label="b")


def test_odd_columns_go_through():
    frame = pd.DataFrame(
        {
            "lists": [[1], [2], [1]],
            "mixed": [1, "two", 3.5],
            "infinite": [1.0, np.inf, 2.0],
            "duration": pd.to_timedelta([1, 2, 3], unit="h"),
            "complex": [1j, 2j, 3j],
            "\U0001f600 <b>": [1.5, 2.5, 3.5],
            "boolean": pd.array([True, None, False], dtype="boolean"),
        }
    )
    many = pd.concat([frame] * 20, ignore_index=True)
    for rows in (many, frame, frame.head(2), frame.head(1), frame.head(0)):
        assert len(infer_schema(rows)) == frame.shape[1]


def test_numbers_near_the_end_of_floating_point_go_through_without_a_warning():
    r = np.random.default_rng(3)
    for size in (1e-320, 1e160, 1e307):
        frame = pd.DataFrame(size * r.normal(size=(9, 4)), columns=list("abcd"))
        assert len(infer_schema(frame)) == 4


def _is_right(spec, word: str, n_distinct: int) -> bool:
    """Whether a guess agrees with a word of schema.json, which may end as in "ordinal(1-5)"."""
    if spec.role != "cluster" and not spec.reason.startswith("The same fact as"):
        return False
    kind = word.partition("(")[0]
    if word == "continuous(log)":
        return spec.family == "normal" and spec.transform == "log"
    if word == "count(0-5)":  # a count with a ceiling is a rating as well
        return spec.family in ("poisson", "geometric", "negative_binomial", "binomial")
    # With two levels in the data, yes/no, category and rating are one and the same likelihood.
    two = {"bernoulli"} if n_distinct == 2 else set()
    right = {
        "binary": {"bernoulli"},
        "continuous": {"normal"},
        "categorical": {"categorical"} | two,
        "ordinal": {"binomial"} | two,
        "count": {"poisson", "geometric", "negative_binomial"},
    }
    return spec.family in right[kind]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"The twelve tables are not at {DATA}.")
def test_twelve_real_tables():
    misses, total = [], 0
    for folder in sorted(DATA.iterdir()):
        facts = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
        frame = read_table(folder / f"{folder.name}.csv")
        schema = infer_schema(frame)
        assert np.isfinite(np.nanmax(schema.encode(frame).values)), folder.name
        assert schema.label_column == facts["class_column"], folder.name
        assert schema.names("id") == tuple(facts["id_columns"]), folder.name
        assert all(
            schema[name].role in ("validator", "control") for name in facts["outcome_columns"]
        ), folder.name
        for name, word in facts["columns"].items():
            total += 1
            if not _is_right(schema[name], word, frame[name].nunique()):
                misses.append(f"{folder.name} {name}: {word}, guessed {schema[name].family}")
    assert total == 191
    assert len(misses) <= 0.02 * total, misses


@pytest.mark.skipif(not RAW.is_dir(), reason=f"The raw tables are not at {RAW}.")
def test_raw_tables():
    check = [sys.executable, str(RAW / "check.py")]
    said = subprocess.run(check, capture_output=True, text=True, check=True).stdout
    right, total = map(int, re.search(r"(\d+) of (\d+) columns", said).groups())
    assert right >= 0.97 * total, said


def test_random_columns_as_people_write_them():
    columns = [column for seed in range(16) for column in read_columns(seed)]
    assert {column.kind for column in columns} == set(WRITTEN)
    assert [(c.kind, c.reason) for c in columns if not (c.right and c.kept)] == []


def test_a_word_for_not_known_beside_a_scale_or_yes_and_no_is_missing():
    scale = guess([*some("niedrig", "mittel", "hoch"), *["unbekannt"] * 5])
    assert (scale.levels, scale.missing_codes) == (("niedrig", "mittel", "hoch"), ("unbekannt",))
    assert "undo it" in scale.reason
    assert guess([*some("yes", "no"), "unknown"]).missing_codes == ("unknown",)
    assert guess([*some("beer", "wine"), *["none"] * 9]).missing_codes == ()
    assert guess([*some("red", "blue", "green"), "unknown"]).family == "categorical"


def test_amounts_with_a_decimal_comma_are_no_bands():
    prices = [f"{7 + k % 6}.{100 + 7 * k},{k:02d} \u20ac" for k in range(90)]
    assert guess(prices).reading == "decimal comma"
    assert guess([f"({k},{k + 10}]" for k in (0, 10, 20)] * 9).family == "binomial"


def test_what_was_not_measured_is_missing_beside_yes_and_no():
    spec = guess([*some("normal", "abnormal"), *["not done"] * 9])
    assert (spec.levels, spec.missing_codes) == (("normal", "abnormal"), ("not done",))
    assert guess([*some("yes", "no"), *["Refused"] * 4]).missing_codes == ("Refused",)


def test_an_ordered_category_is_a_rating_in_that_order():
    order = ["never", "rarely", "often"]
    cells = pd.Categorical(np.resize(["often", "never", "rarely"], 60), order, ordered=True)
    spec = infer_schema(pd.DataFrame({"use": cells, "y": np.arange(60.0)}))["use"]
    assert (spec.family, spec.levels) == ("binomial", tuple(order))
    assert "Declared to be in order: never < rarely < often" in spec.reason


@pytest.mark.parametrize(
    ("name", "levels", "family"),
    [
        ("WorkStatusID", [1, 2, 3, 4, 5], "categorical"),
        ("team_id", [0, 1, 2, 3, 9], "categorical"),
        ("dial code", [1, 44, 49, 386], "categorical"),
        ("SeverityID", [1, 2, 3, 4, 5], "binomial"),
        ("paid", [1, 2, 3, 4, 5], "binomial"),
    ],
)
def test_few_numbers_under_a_name_that_ends_with_id_or_code_are_codes(name, levels, family):
    cells = np.repeat(levels, [40, 30, 20, 15, 12][: len(levels)])
    spec = infer_schema(pd.DataFrame({name: cells, "y": np.arange(len(cells)) % 37.0}))[name]
    assert (spec.role, spec.family) == ("cluster", family)
