"""Words and numbers as sentences write them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.wording import escaped, in_digits, listed, percent


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
        (26, 527, "4.9 %"),
        (2, 527, "0.38 %"),
        (0, 0, "0 %"),
        (0.05, 1.0, "5.0 %"),
        (0.0038, 1.0, "0.38 %"),
        (0.0, 1.0, "0 %"),
    ],
)
def test_shares_have_the_digits_they_deserve(part, whole, said):
    assert percent(part, whole) == said


def test_no_group_is_said_to_survive_a_doubt():
    # That it stays as the evidence counts less is what was computed.
    root = Path(__file__).parents[1]
    files = [root / "README.md", *root.glob(".docs/*.md")]
    files += [path for room in ("core", "pages") for path in (root / room).rglob("*.py")]
    said = re.compile(r"surviv\w*(?: \w+){0,3} doubt|beyond doubt|reasonabl[ey](?: \w+)? doubt")
    for path in files:
        text = re.sub(r"[\s\"'#]+", " ", path.read_text())
        assert not said.search(text), path
