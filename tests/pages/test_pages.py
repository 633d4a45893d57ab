"""What the pages share, without a browser: the session's rules and what reaches markdown."""

from __future__ import annotations

import pandas as pd
import pytest

from core import infer_schema
from core.wording import escaped
from pages import Session, Table

FRAME = pd.DataFrame(
    {
        "height": [150.0 + 0.75 * i for i in range(40)],
        "balance": [(7 * i) % 23 - 3 for i in range(40)],
        "visits": [i % 7 for i in range(40)],
    }
)


@pytest.fixture
def studio() -> Session:
    studio = Session()
    studio.take(Table(FRAME, "table.csv", "digest"), infer_schema(FRAME))
    return studio


def test_a_change_that_fits_is_taken(studio):
    studio.change({"visits": {"family": "categorical"}})
    assert studio.schema["visits"].family == "categorical"
    assert studio.refused == {}


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("balance", {"family": "poisson"}, "negative"),
        ("height", {"family": "poisson"}, "fractional"),
        ("height", {"family": None}, "no family"),
        ("height", {"family": "time_to_event"}, "outcome"),
    ],
)
def test_a_change_that_does_not_fit_leaves_the_column_and_says_why(studio, name, changes, reason):
    before = studio.schema
    studio.change({name: changes})
    assert studio.schema is before
    assert reason in studio.refused[name]


def test_of_several_changes_those_that_fit_are_taken(studio):
    studio.change({name: {"family": "geometric"} for name in ("visits", "balance")})
    assert studio.schema["visits"].family == "geometric"
    assert list(studio.refused) == ["balance"]
    studio.change({"balance": {"role": "ignore"}})
    assert studio.refused == {}


def test_columns_are_joined_and_taken_apart(studio):
    studio.join("size", ["height", "balance"], "gaussian")
    assert studio.schema.blocks["size"].columns == ("height", "balance")
    studio.join("height", ["visits"], "gaussian")
    assert "height" in studio.refused
    studio.take_apart("size")
    assert studio.schema.blocks == {}


def test_a_guess_that_does_not_fit_is_named_until_it_is_mended(studio):
    frame = FRAME.assign(height=[float("inf"), *FRAME["height"][1:]])
    studio.take(Table(frame, "table.csv", "other"), infer_schema(frame))
    assert "infinite" in studio.problems["height"]
    studio.change({"height": {"missing_codes": (float("inf"),)}})
    assert studio.problems == {}


def test_nothing_of_a_name_is_left_to_markdown():
    name = "![x](http://a/b.png) <b> `c` $d$ :red[e] **f** ~g~ # h\n| i"
    said = escaped(name)
    assert said.replace("\\", "") == name.replace("\n", " ")
    for mark in "![]()<>`$:*~#|":
        assert said.count(mark) == said.count(f"\\{mark}")
