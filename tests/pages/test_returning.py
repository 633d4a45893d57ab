"""Visits: adopted under the key of their tab, kept for a reload, at rest when they were left."""

from __future__ import annotations

import threading
from itertools import count

import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.visit import returning
from mapdp_studio.pages.parts.visit.returning import Presence, come, leave

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "y": [4.5, 5.5, 6.5]})
_keys = map(str, count())


@pytest.fixture
def key(monkeypatch) -> str:
    monkeypatch.setattr(returning, "WORKED", 0.01)
    return next(_keys)


def with_table(digest: str = "digest") -> Session:
    visit = Session()
    visit.take(Table(FRAME, "t.csv", digest), infer_schema(FRAME))
    return visit


def test_a_reload_and_a_copy_of_the_tab_find_the_visit(key):
    first, copy, own = Presence(), Presence(), with_table()
    assert come(first, key, own, "") is own
    assert come(copy, key, Session(), "") is own
    leave(first)
    leave(copy)
    assert come(Presence(), key, Session(), "") is own
    assert come(Presence(), f"not {key}", fresh := Session(), "") is fresh


def test_a_table_loaded_before_the_key_came_takes_the_kept_one_s_place(key):
    come(Presence(), key, with_table(), "")
    newer = with_table()
    assert come(Presence(), key, newer, "") is newer
    assert come(Presence(), key, Session(), "") is newer


@pytest.mark.parametrize("digest", ["digest", "example iris"])
def test_an_example_that_a_link_opened_takes_no_table_s_place(key, digest):
    shared, opened = with_table(digest), with_table("example 5.2")
    come(Presence(), key, shared, "")
    assert come(Presence(), key, opened, "") is shared
    assert shared.table.digest == digest
    shared.empty()
    assert come(Presence(), key, opened, "") is opened


def test_nobody_takes_up_the_visit_of_another_who_logged_in(key):
    own = with_table()
    come(Presence(), key, own, "a@example.org")
    assert come(Presence(), key, other := Session(), "b@example.org") is other


def test_a_visit_rests_when_its_last_page_was_left_and_keeps_its_table(key):
    first, second, visit = Presence(), Presence(), with_table()
    for presence in (first, second):
        come(presence, key, visit, "")
    job = visit.jobs.start("work", 1, lambda job: threading.Event().wait(0.01))
    visit.results.note("a", 1, "result")
    leave(first).join()
    assert visit.results.known("a", 1) == "result"  # the other page is open still
    leave(second).join()
    assert visit.results.known("a", 1) is None
    assert visit.jobs.get("work", 1) is None
    assert job.wait(60)
    assert come(Presence(), key, Session(), "").table is not None


def test_a_page_that_was_left_before_its_tab_told_a_key_leaves_nothing():
    assert leave(Presence()) is None
