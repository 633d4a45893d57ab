"""Files that are no table, or an odd one, on Data: one sentence says what is amiss with them."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session

ROWS = range(40)


def table(header: str, *lines: str) -> bytes:
    return "\n".join([header, *lines]).encode()


REFUSED = {
    "empty": (b"", "is empty"),
    "header alone": (b"a,b,c\n", "holds a header but no rows"),
    "one row": (table("a,b", "1,2"), "holds one row: groups need at least two"),
    "binary": (bytes(range(256)) * 40, "is a binary file"),
    "too many columns": (
        table(",".join(f"c{j}" for j in range(5001)), ",".join("1" * 5001), ",".join("2" * 5001)),
        "5,001 columns, more than the 5,000",
    ),
}
ACCEPTED = {
    "one column": (table("a", *(f"{i * 1.37}" for i in ROWS)), "measurement"),
    "all missing": (table("a,b", *(f"{i * 1.5}," for i in ROWS)), "No values at all"),
    "constant": (table("a,b", *(f"{i * 1.5},7" for i in ROWS)), "The same value"),
    "names": (
        table("a,a,,b", *(f"{i * 1.5},{i * 2.5},{i % 4},{i % 3}" for i in ROWS)),
        "Column 2 repeats the name 'a' and is called 'a (2)' here.",
    ),
    "infinity": (
        table("a,b", *(f"{i * 1.5},{i * 2.5}" for i in ROWS), "inf,3"),
        "Column 'a' has an infinite value in row 41",
    ),
    "text in numbers": (
        table("a,b", *(f"{i * 1.5},{i * 2.5}" for i in ROWS), "oops,3"),
        "'oops' in 1 row taken as missing",
    ),
    "300 categories": (
        table("a,b", *(f"word{i % 300},{i * 0.7}" for i in range(600))),
        "300 distinct values in 600 rows, too many for a category",
    ),
    "utf-16": ("größe,b\n1.5,2\n2.5,3\n3.5,2\n".encode("utf-16"), "größe"),
    "semicolons": (b"a;b\n1,5;2\n2,5;3\n4,25;5\n", "1.5 to 4.25"),
}


def _data(name: str, content: bytes) -> None:
    """The page Data after a file was given to it."""
    import runpy

    from mapdp_studio.pages.parts.shared.loading import load_file

    load_file(name, content)
    runpy.run_path("pages/data.py", run_name="__main__")


def _said(name: str, content: bytes) -> str:
    """All that the page says; "good.csv" was there before."""
    good = read_table(b"height,visits\n" + b"1.5,3\n2.25,4\n3.75,3\n")
    studio = Session()
    studio.take(Table(good, "good.csv", "good"), infer_schema(good))
    at = AppTest.from_function(_data, args=(name, content))
    at.session_state["studio"] = studio
    at.run(timeout=30)
    assert not at.exception
    kinds = ("markdown", "caption", "warning", "error")
    words = [element.value for kind in kinds for element in at.get(kind)]
    cells = [str(element.value.to_dict()) for element in at.dataframe]
    return "\n".join([studio.table.name, *words, *cells])


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_no_table_is_refused_and_the_table_before_stays(case):
    content, sentence = REFUSED[case]
    said = _said("odd.csv", content)
    assert said.startswith("good.csv")
    assert escaped(sentence) in said


@pytest.mark.parametrize("case", ACCEPTED)
def test_an_odd_table_is_taken_with_a_word_on_what_is_odd(case):
    content, sentence = ACCEPTED[case]
    said = _said("odd.csv", content)
    assert said.startswith("odd.csv")
    assert sentence in said or escaped(sentence) in said
