"""A project saved on one page is opened in a fresh visit: the same result on the same page."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import app
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.data import project
from mapdp_studio.pages.parts.shared.loading import example_digest, read_example
from tests.pages.test_session import page, studio  # noqa: F401

pytestmark = pytest.mark.usefixtures("ready")

OPEN_AND_SHOW = f"""
import runpy
import streamlit as st
from mapdp_studio.pages import frame
from mapdp_studio.pages.parts.data.project import open_project

with frame():
    open_project(st.session_state["content"])
    runpy.run_path({str(Path(app.__file__).parent / "pages" / "compare.py")!r})
"""


def opened(content: bytes, state: dict | None = None) -> AppTest:
    """A fresh visit that opens a project."""

    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages import frame
        from mapdp_studio.pages.parts.data.project import open_project

        with frame():
            open_project(st.session_state["content"])

    at = AppTest.from_function(script, default_timeout=60)
    at.session_state["content"] = content
    for key, value in (state or {}).items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    return at


def test_a_project_is_the_same_page_in_another_visit(studio, monkeypatch):  # noqa: F811
    handed_out = []
    monkeypatch.setattr(project, "download", lambda *given, **looks: handed_out.append(given))
    at = page("compare", studio)
    at.select_slider(key="n0").set_value(10.0)
    at.slider(key="k").set_value(5)
    at.run()
    studio.marked = np.array([2, 5])
    task = studio.work.tasks()["MAPDP"]
    studio.naming[task] = Naming(((0, 1),), {0: "tall"})
    studio.study.lock_in(studio.table.frame, studio.schema, Plan())
    before = studio.results.get(task)
    at.session_state["page_drawn"] = "compare"
    at.run()
    _, make, name, _ = handed_out[-1]
    content = make()
    assert name == "t.mapdp"

    shown = AppTest.from_string(OPEN_AND_SHOW, default_timeout=60)
    shown.session_state["content"] = content
    shown.run()
    assert not shown.exception
    other = shown.session_state["studio"]
    assert shown.session_state["page_asked"] == "compare"
    assert other.settings == studio.settings
    assert other.study.lock == studio.study.lock
    assert (shown.select_slider(key="n0").value, shown.slider(key="k").value) == (10.0, 5)
    assert shown.select_slider(key="lambda").value == at.select_slider(key="lambda").value
    (again,) = other.results._kept["fit of MAPDP"]
    np.testing.assert_array_equal(other.results.get(again).labels_, before.labels_)
    assert "tall" in other.naming[again].apply(before.labels_).titles
    np.testing.assert_array_equal(other.marked, [2, 5])


def test_a_damaged_project_leaves_the_table_in_place(studio):  # noqa: F811
    content = save_project(studio.work)
    at = opened(content[:-30], {"studio": studio})
    assert at.session_state["studio"].table is studio.table
    assert "damaged" in studio.failure


def test_a_project_without_its_table_opens_beside_it(studio):  # noqa: F811
    content = save_project(studio.work, with_table=False)
    fresh = opened(content).session_state["studio"]
    assert fresh.table is None
    assert "load 't.csv' (60 rows, 4 columns) first" in fresh.failure
    other = Session()
    other.take(studio.table, studio.schema.with_column("kind", role="ignore"))
    assert opened(content, {"studio": other}).session_state["studio"].schema == studio.schema


@pytest.mark.parametrize("example", [("iris",), ("5.2", 300)], ids=["table", "scenario"])
def test_an_example_comes_back_as_the_example(example):
    studio = Session()  # noqa: F811
    frame, schema = read_example(*example)
    studio.take(Table(frame, "Example", example_digest(*example)), schema)
    studio.rename({frame.columns[0]: "first"})
    at = opened(save_project(studio.work))
    table = at.session_state["studio"].table
    assert (table.example, len(table.frame)) == (example[0], len(frame))
    assert table.digest == studio.table.digest
    assert load_project(save_project(studio.work)).table.frame.columns[0] == "first"


def test_the_command_opens_a_project(tmp_path, monkeypatch, studio):  # noqa: F811
    path = tmp_path / "mine.mapdp"
    path.write_bytes(save_project(studio.work))
    called = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda **told: called.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["mapdp-studio", str(path), "--server.port", "8600"])
    with pytest.raises(SystemExit, match="0"):
        app.main()
    assert called[0][1:2] + called[0][3:] == ["run", "--server.port", "8600", "--", str(path)]

    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.data.project import open_once

        open_once(st.session_state["path"])

    def stopped(content: bytes) -> None:
        monkeypatch.setattr(project, "open_project", in_full)
        st.stop()

    in_full = project.open_project
    monkeypatch.setattr(project, "open_project", stopped)
    at = AppTest.from_function(script, default_timeout=60)
    at.session_state["path"], at.session_state["tab_key"] = str(path), "x"
    at.run()  # a click meanwhile ends the run, and the next one opens it
    assert at.session_state["studio"].table is None
    at.run()
    assert at.session_state["studio"].table.name == "t.csv"
    at.session_state["studio"] = Session()
    at.run()  # forgotten: it is not opened again
    assert at.session_state["studio"].table is None
    at.session_state["path"] = str(tmp_path / "mine.csv")
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n3,5\n4,4\n")
    at.session_state["tab_opened"] = False
    at.run()
    assert at.session_state["studio"].table.name == "mine.csv"
    assert at.session_state["studio"].asks_table
