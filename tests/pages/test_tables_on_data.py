"""Tables on Data: raw, odd or none; taken with their questions, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.exports.script import from_file, script_of
from mapdp_studio.core.reading.options import ReadOptions
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, Table
from tests.pages.conftest import page

SHARED = Path(__file__).parents[2].parent / "shared"
RAW = [*sorted(SHARED.glob("raw-tables/*.csv")), *sorted(SHARED.glob("data/*/*.csv"))][:20]
ROWS = range(40)
LINES = "\n".join(f"{i * 1.5},{i * 2.5}" for i in ROWS)
#: Files with what is said of them; the first table stays where they are refused.
FILES = {
    "empty": (b"", "good.csv", "is empty"),
    "header alone": (b"a,b,c\n", "good.csv", "holds a header but no rows"),
    "one row": (b"a,b\n1,2", "good.csv", "holds one row: groups need at least two"),
    "binary": (bytes(range(256)) * 40, "good.csv", "is a binary file"),
    "too many columns": (
        b"\n".join([b",".join(b"c%d" % j for j in range(5001)), *[b",".join([b"1"] * 5001)] * 2]),
        "good.csv",
        "5,001 columns, more than the 5,000",
    ),
    "one column": ("\n".join(["a", *(f"{i * 1.37}" for i in ROWS)]), "odd.csv", "measurement"),
    "all missing": ("\n".join(["a,b", *(f"{i * 1.5}," for i in ROWS)]), "odd.csv", "No values at"),
    "constant": ("\n".join(["a,b", *(f"{i * 1.5},7" for i in ROWS)]), "odd.csv", "The same value"),
    "names": (
        "\n".join(["a,a,,b", *(f"{i * 1.5},{i * 2.5},{i % 4},{i % 3}" for i in ROWS)]),
        "odd.csv",
        "Column 2 repeats the name 'a' and is called 'a (2)' here.",
    ),
    "infinity": (
        f"a,b\n{LINES}\ninf,3",
        "odd.csv",
        "Column 'a' has an infinite value in row 41",
    ),
    "text in numbers": (f"a,b\n{LINES}\noops,3", "odd.csv", "'oops' in 1 row taken as missing"),
    "300 categories": (
        "\n".join(["a,b", *(f"word{i % 300},{i * 0.7}" for i in range(600))]),
        "odd.csv",
        "300 distinct values in 600 rows, too many for a category",
    ),
    "utf-16": ("größe,b\n1.5,2\n2.5,3\n3.5,2\n".encode("utf-16"), "odd.csv", "größe"),
    "semicolons": (b"a;b\n1,5;2\n2,5;3\n4,25;5\n", "odd.csv", "1.5 to 4.25"),
}


def _data(name: str, content: bytes) -> None:
    """The page Data after a file was given to it."""
    import runpy

    from mapdp_studio.pages.parts.shared.loading import load_file

    load_file(name, content)
    runpy.run_path("pages/data.py", run_name="__main__")


def _taken(frame, name: str) -> Session:
    studio = Session()
    studio.take(Table(frame, name, name), infer_schema(frame))
    return studio


@pytest.mark.parametrize("case", FILES)
def test_a_file_is_taken_with_a_word_on_what_is_odd_or_refused_in_a_sentence(case):
    content, stays, sentence = FILES[case]
    content = content.encode() if isinstance(content, str) else content
    studio = _taken(read_table(b"height,visits\n1.5,3\n2.25,4\n3.75,3\n"), "good.csv")
    at = AppTest.from_function(_data, args=("odd.csv", content))
    at.session_state["studio"] = studio
    at.run(timeout=30)
    assert not at.exception
    words = [
        one.value for kind in ("markdown", "caption", "warning", "error") for one in at.get(kind)
    ]
    said = "\n".join([*words, *(str(element.value.to_dict()) for element in at.dataframe)])
    assert studio.table.name == stays
    assert sentence in said or escaped(sentence) in said


@pytest.mark.skipif(not RAW, reason=f"There are no raw tables in {SHARED}.")
@pytest.mark.parametrize("path", RAW, ids=lambda path: path.stem)
def test_a_raw_table_is_read_asked_about_drawn_and_written_as_a_script(path, monkeypatch):
    frame = read_table(path)
    studio = _taken(frame, path.name)
    schema = studio.schema
    asked = " ".join(choice.label for choice in page("data", studio).pills)
    for question in schema.questions:
        assert escaped(question.text) in asked
        for answer in question.answers[::-1]:
            answer(schema).encode(frame)
        schema = question.answers[0](schema)
    options = ReadOptions(**frame.attrs["read_options"])
    text = script_of(from_file(path.name, options), Task("", (), "MAPDP", ()), schema)
    monkeypatch.chdir(path.parent)
    made: dict = {}
    exec(text.split("model = ")[0], made)
    assert made["frame"].equals(frame)
    clustered = [schema[name] for name in schema.names("cluster")]
    assert [made["schema"][spec.name] for spec in clustered] == clustered
