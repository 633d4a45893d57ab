"""A server that has lost a visit: what it says, and what is taken up with the same table."""

from __future__ import annotations

import base64
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from pandas.testing import assert_frame_equal
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import choose_model, infer_schema
from mapdp_studio.core.clinical.study import Plan
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import FilterRows
from mapdp_studio.core.session.visits import Ended, Visits
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.shared.loading import example_digest, read_example
from mapdp_studio.pages.parts.visit.tab_storage import written
from tests.pages.test_session import (
    FRAME,
    PAGES,
    new_studio,
    page,
    ready,  # noqa: F401
    studio,  # noqa: F401
)

# As app.py draws a page for a visitor who comes back.
SCRIPT = f"""
import runpy
import streamlit as st
from mapdp_studio.pages import frame, session
from mapdp_studio.pages.parts.visit.session_bar import session_bar
from mapdp_studio.pages.parts.visit.tab_storage import note_decided, say_lost, take_up_decided

with frame():
    note_decided(session(), st.session_state["text"], "key", st.session_state["visits"])
    take_up_decided()
    say_lost(session())
    if st.session_state.get("on_compare"):
        runpy.run_path({str(PAGES / "compare.py")!r})
        session_bar(session(), st.container())
"""


@pytest.fixture(scope="module")
def before(ready) -> tuple[Session, str]:  # noqa: F811
    """A visit with names, a lock, and steps to undo, and what the tab has kept of it."""
    left = new_studio()
    at = page("compare", left)
    at.select_slider(key="n0").set_value(10.0).run()
    left.prepare(Recipe().with_step(FilterRows("weight", "at least", (55.0,))))
    at.run()
    left.rename({"kind": "sort"})
    at.run()
    left.change({"sort": {"role": "validator"}})
    at.run()
    left.naming[left.work.tasks()["MAPDP"]] = Naming(((0, 1),), {0: "tall"})
    at.run()
    left.study.lock_in(left.table.frame, left.schema, Plan())
    at.button(key="undo").click().run()
    return left, written(left.work)


@pytest.fixture
def decided(before) -> str:
    """What the tab has kept."""
    return before[1]


def fresh(text: str, new: Session | None = None, visits: Visits | None = None) -> AppTest:
    """The page of a server that does not have the visit any more."""
    at = AppTest.from_string(SCRIPT, default_timeout=60)
    at.session_state["studio"] = new or Session()
    at.session_state["text"] = text
    at.session_state["visits"] = visits or Visits(lambda session_id: False)
    return at.run()


def load(at: AppTest, table: Table) -> None:
    at.session_state["studio"].take(table, infer_schema(table.frame))
    at.run()
    assert not at.exception


def test_what_was_lost_and_when_is_said_and_what_was_decided_taken_up(before):
    left, decided = before
    at = fresh(decided)
    assert not at.exception
    (said,) = at.warning
    assert "The server was started anew at " in said.value
    assert f"({len(left.table.frame)} rows, 4 columns)" in said.value
    assert "the lock of" in said.value
    new = at.session_state["studio"]
    load(at, Table(FRAME.iloc[:50], "other.csv", "other"))
    assert new.study.lock is None
    assert "waits for that table" in at.caption[0].value
    load(at, Table(FRAME, "t.csv", "digest", left.table.source, left.table.options))
    assert at.success[0].value.startswith("As decided before: roles")
    assert (new.schema, new.settings, new.table.recipe) == (
        left.schema,
        left.settings,
        left.table.recipe,
    )
    assert [spec.reason for spec in new.schema.values()] == [
        spec.reason for spec in infer_schema(left.table.frame).values()
    ]
    assert new.study.lock.hash == left.study.lock.hash
    at.run()
    assert not at.success
    assert not at.warning
    # Undone and done again, step by step, as it would have been before.
    at.session_state["on_compare"] = True
    at.run()
    assert new.history.steps_back == left.history.steps_back
    at.button(key="redo").click().run()
    assert [naming.names for naming in new.naming.values()] == [{0: "tall"}]
    new.study.unlock()  # else the table stays as it was locked
    for _ in range(4):
        at.button(key="undo").click().run()
    assert not at.exception
    assert list(new.schema) == list(FRAME)
    assert_frame_equal(new.table.frame, FRAME)
    assert new.schema["kind"].role == "cluster"


def test_a_model_that_the_table_chose_is_taken_up_and_can_be_undone(studio):  # noqa: F811
    at = page("compare", studio)
    chosen = choose_model(FRAME, studio.schema).schema
    studio.take_choice(chosen)
    at.run()
    at = fresh(written(studio.work))
    load(at, Table(FRAME, "t.csv", "digest", studio.table.source, studio.table.options))
    new = at.session_state["studio"]
    assert chosen.priors
    assert (new.schema, new.schema.chosen) == (chosen, chosen.chosen)
    at.session_state["on_compare"] = True
    at.run()
    at.button(key="undo").click().run()
    assert not new.schema.priors
    at.button(key="redo").click().run()
    assert new.schema == chosen


def test_the_tab_keeps_no_cell_and_nothing_of_single_rows(decided):
    content = base64.b64decode(decided)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        assert archive.namelist() == ["project.json"]
        text = archive.read("project.json").decode()
    assert not any(patient in text for patient in FRAME["patient"])
    assert not any(repr(value) in text for value in FRAME["height"].dropna())
    assert "Decimal numbers" not in text  # a reason tells the lowest and the highest


@pytest.mark.parametrize(
    ("why", "sentence"),
    [
        ("closed", "This tab was closed at"),
        ("hours", "for more than 12 hours"),
        ("room", "others needed the memory"),
    ],
)
def test_it_is_said_why_a_visit_was_not_kept(decided, why, sentence):
    visits = Visits(lambda session_id: False)
    visits._ended["key"] = Ended(why, datetime.now(UTC) - timedelta(days=2))
    assert sentence in fresh(decided, visits=visits).warning[0].value


def test_a_slider_moved_as_the_server_ended_stands_as_the_address_says(before):
    left, decided = before
    at = AppTest.from_string(SCRIPT, default_timeout=60)
    given = {"studio": Session(), "text": decided, "visits": Visits(lambda session_id: False)}
    for key, value in (given | {"on_compare": True}).items():
        at.session_state[key] = value
    at.query_params["n0"] = "20"
    at.run()
    load(at, Table(FRAME, "t.csv", "digest", left.table.source, left.table.options))
    assert left.settings.concentration != 20.0
    assert at.session_state["studio"].settings == replace(left.settings, concentration=20.0)


@pytest.mark.parametrize("text", ["", "not base64!", base64.b64encode(b"PK\x03\x04").decode()])
def test_what_no_tab_has_written_is_passed_over(text):
    at = fresh(text)
    assert not at.exception
    assert not at.warning


def test_what_a_tab_told_is_no_news_while_the_table_is_there(before):
    left, decided = before
    at = fresh(decided, left)
    assert not at.warning
    at.session_state["studio"] = Session()  # as after "Forget my data"
    assert not at.run().warning


def test_what_was_forgotten_is_not_offered_though_the_tab_still_has_it(decided):
    visits = Visits(lambda session_id: False)
    visits.note("key", Session(), "session")
    visits.forget("key")
    at = fresh(decided, visits=visits)
    assert not at.warning
    assert not at.exception


def test_an_example_that_was_lost_comes_back_by_one_click():
    there = Session()
    frame, schema = read_example("5.2", 300)
    there.take(Table(frame, DEMOS["5.2"].title, example_digest("5.2", 300)), schema)
    there.change({frame.columns[0]: {"role": "ignore"}})
    at = fresh(written(there.work))
    at.button[0].click().run()
    new = at.session_state["studio"]
    assert (new.table.digest, new.schema) == (there.table.digest, there.schema)
    assert "As decided before" in at.success[0].value


def test_what_was_decided_can_be_dropped(decided):
    at = fresh(decided)
    at.button(key="drop_lost").click().run()
    assert not at.exception
    assert not at.warning


def test_the_end_of_what_can_be_undone_is_said(studio, monkeypatch):  # noqa: F811
    monkeypatch.setattr("mapdp_studio.core.session.history.MOST", 3)
    at = page("compare", studio)
    for value in (5.0, 7.0, 10.0, 20.0):
        at.select_slider(key="n0").set_value(value).run()
    at.button(key="undo").click().run()
    assert not at.toast
    at.button(key="undo").click().run()
    assert "this is where they begin" in at.toast[0].value
    assert at.button(key="undo").disabled
    assert "steps are kept" in at.button(key="undo").help


def test_sliders_in_an_address_are_no_link():
    at = AppTest.from_file(str(PAGES / "compare.py"), default_timeout=60)
    at.session_state["studio"] = Session()
    at.query_params["n0"] = "7"
    at.run()
    assert not at.exception
    assert not any("link" in caption.value for caption in at.caption)
