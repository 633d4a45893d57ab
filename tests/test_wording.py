"""Words and numbers as sentences write them."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from mapdp_studio.core.wording import Notation, escaped, in_digits, listed, percent, times

ROOT = Path(__file__).parents[1]


def test_nothing_of_a_name_is_left_to_markdown():
    name = "![x](http://a/b.png) <b> `c` $d$ :red[e] **f** ~g~ # h\n| i"
    said = escaped(name)
    assert said.replace("\\", "").replace("\N{WORD JOINER}", "") == name.replace("\n", " ")
    for mark in "![]()<>`$:*~#|":
        assert said.count(mark) == said.count(f"\\{mark}")


@pytest.mark.parametrize("name", ["see http://a.example/b", "WWW.a.example", "who@a.example"])
def test_an_address_in_a_name_is_no_link(name):
    # What Streamlit's markdown takes for an address (micromark-extension-gfm-autolink-literal).
    link = re.compile(r"https?://[-.\w]+|www\.[-.\w]+|[-.\w+]+@[-\w]+\.[-\w]+", re.IGNORECASE)
    assert link.search(name)
    assert not link.search(escaped(name).replace("\\", ""))


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.6, "1,235"), (0.04567, "0.0457"), (12.0, "12"), (0.0, "0"), (1e-7, "1.00e-07")],
)
def test_numbers_have_three_digits(value, text):
    assert in_digits(value) == text


LATITUDES = (41.4 + np.random.default_rng(0).normal(0.0, 0.02, 500)).round(5)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (np.arange(1940.0, 1996.0), 1962.0, "1962"),
        (np.arange(1000.0, 9000.0), 1962.0, "1,962"),
        (np.arange(1900.0, 2400.0), 1962.0, "1,962"),
        (LATITUDES, 41.38721, "41.387"),
        (LATITUDES, 41.40013, "41.400"),
        (np.array([0.0, 1.0, 2.0, 7.0]), 23 / 7, "3.3"),
        (np.array([0.0, 1.0, 2.0, 7.0]), 0.041, "0.04"),
        (np.arange(0.0, 90_000.0, 7.0), 57_169.476, "57,169"),
        (np.array([0.25, 0.5, 12.75]), 3.4567, "3.46"),
        (np.exp(np.log(np.array([0.02, 1.5, 1e6]))), 1.5, "1.5"),
        (np.array([-1.3, 0.2, 1.1]) / 3.0, -2e-17, "0.00"),
        (np.array([1e-12, 2e-12, 3e-12]), 2e-12, "2.00e-12"),
        (np.array([5.0, np.nan]), np.nan, "-"),
    ],
)
def test_numbers_have_the_digits_of_their_column(column, value, text):
    assert Notation.of(column).write(value) == text


@pytest.mark.parametrize(
    ("names", "text"),
    [("", ""), ("a", "'a'"), ("abc", "'a', 'b', 'c'"), ("abcde", "'a', 'b', 'c' and 2 more")],
)
def test_names_that_are_too_many_are_counted(names, text):
    assert listed(iter(names), 3, quotes="''") == text


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (264, 527, "50 %"),
        (2, 527, "0.38 %"),
        (0, 0, "0 %"),
        (0.05, 1.0, "5.0 %"),
        (0.0038, 1.0, "0.38 %"),
        (0.0996, 1.0, "10 %"),
        (0.00996, 1.0, "1.0 %"),
    ],
)
def test_shares_have_the_digits_they_deserve(part, whole, said):
    assert percent(part, whole) == said


def test_what_is_told_to_be_installed_can_be():
    sources = [
        ROOT / "README.md",
        *(p for d in ("core", "pages") for p in (ROOT / d).rglob("*.py")),
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    # The package is on no index: only a folder can be installed.
    assert re.findall(r"pip install [^\n&]*mapdp[^\n]*", text) == []
    named = {*re.findall(r"install\('(\w+)'\)", text), *re.findall(r'-e "\.\[(\w+)\]"', text)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"app"} <= named <= {*project["optional-dependencies"]}


def test_once_is_not_one_times():
    assert [times(1), times(2), times(1_204)] == ["once", "2 times", "1,204 times"]
