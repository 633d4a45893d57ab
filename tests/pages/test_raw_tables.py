"""Raw tables as they are found: read, guessed, asked about, drawn and written as a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.exports.script import from_file, script
from mapdp_studio.core.reading.options import ReadOptions
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, Table
from tests.pages.test_analyst_pages import page

SHARED = Path(__file__).parents[2].parent / "shared"
RAW = [*sorted(SHARED.glob("raw-tables/*.csv")), *sorted(SHARED.glob("data/*/*.csv"))][:20]


@pytest.mark.skipif(not RAW, reason=f"There are no raw tables in {SHARED}.")
@pytest.mark.parametrize("path", RAW, ids=lambda path: path.stem)
def test_a_raw_table_is_read_asked_about_drawn_and_written_as_a_script(path, monkeypatch):
    frame = read_table(path)
    schema = infer_schema(frame)
    studio = Session()
    studio.take(Table(frame, path.name, path.stem), schema)
    asked = " ".join(line.value for line in page("data", studio).markdown)
    for question in schema.questions:
        assert escaped(question.text) in asked
        for answer in question.answers[::-1]:
            answer(schema).encode(frame)
        schema = question.answers[0](schema)
    options = ReadOptions(**frame.attrs["read_options"])
    text = script(from_file(path.name, options), "MAPDP", {}, schema=schema)
    monkeypatch.chdir(path.parent)
    made: dict = {}
    exec(text.split("model = ")[0], made)
    assert made["frame"].equals(frame)
    clustered = [schema[name] for name in schema.names("cluster")]
    assert [made["schema"][spec.name] for spec in clustered] == clustered
