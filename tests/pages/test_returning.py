"""Visits: adopted under the key of their tab, kept for a reload, let go, forgotten everywhere."""

from __future__ import annotations

import threading

import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.visit.returning import KEPT, MOST, WORKED, Presence, Visits

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "y": [4.5, 5.5, 6.5]})
NOBODY = {"is_logged_in": False}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def visits(clock) -> Visits:
    return Visits(clock)


def with_table(digest: str = "digest") -> Session:
    visit = Session()
    visit.take(Table(FRAME, "t.csv", digest), infer_schema(FRAME))
    return visit


def test_a_reload_and_a_copy_of_the_tab_find_the_visit(visits):
    first, own = Presence(), with_table()
    assert visits.come(first, "key", own, NOBODY) is own
    copy = Presence()
    assert visits.come(copy, "key", Session(), NOBODY) is own
    visits.leave(first)
    visits.leave(copy)
    assert visits.come(Presence(), "key", Session(), NOBODY) is own
    assert visits.come(Presence(), "another", fresh := Session(), NOBODY) is fresh


def test_a_line_that_was_cut_goes_on_and_a_table_loaded_before_the_key_came_stays(visits, clock):
    presence, own = Presence(), with_table()
    visits.come(presence, "key", own, NOBODY)
    visits.leave(presence)
    copy, again = Presence(), Presence()
    visits.come(copy, "key", Session(), NOBODY)
    assert visits.come(again, "key", own, NOBODY) is own
    visits.leave(again)
    clock.now += 2 * KEPT
    visits.tidy()
    assert own.table is not None  # its copy is open still
    visits.leave(copy)
    newer = with_table()
    assert visits.come(Presence(), "key", newer, NOBODY) is newer


@pytest.mark.parametrize("digest", ["digest", "example iris"])
def test_an_example_that_a_link_opened_takes_no_table_s_place(visits, digest):
    shared, opened = with_table(digest), with_table("example 5.2")
    visits.come(Presence(), "key", shared, NOBODY)
    assert visits.come(Presence(), "key", opened, NOBODY) is shared
    assert shared.table.digest == digest
    shared.empty()
    assert visits.come(Presence(), "key", opened, NOBODY) is opened


def test_nobody_takes_up_the_visit_of_another_who_logged_in(visits):
    own = with_table()
    visits.come(Presence(), "key", own, {"email": "a@example.org"})
    other = visits.come(Presence(), "key", Session(), {"email": "b@example.org"})
    assert other is not own
    assert other.table is None


def test_a_visit_that_was_left_rests_and_then_goes(visits, clock):
    presence, visit = Presence(), with_table()
    visits.come(presence, "key", visit, NOBODY)
    job = visit.jobs.start("work", 1, lambda job: threading.Event().wait(0.01))
    visit.results.note("a", 1, "result")
    clock.now += 10 * KEPT
    visits.tidy()  # its page is open
    assert visit.results.known("a", 1) == "result"
    visits.leave(presence)
    clock.now += WORKED - 1
    visits.tidy()
    assert visit.results.known("a", 1) == "result"
    clock.now += 2
    visits.tidy()
    assert visit.results.known("a", 1) is None
    assert visit.jobs.get("work", 1) is None
    assert job.wait(60)
    assert visit.table is not None
    clock.now += KEPT
    visits.tidy()
    assert visit.table is None
    assert len(visits) == 0


def test_of_those_that_left_the_last_are_kept(visits, clock):
    for number in range(MOST + 2):
        presence = Presence()
        visits.come(presence, f"{number}", with_table(), NOBODY)
        clock.now += 1
        visits.leave(presence)
    open_still = with_table()
    visits.come(Presence(), "open", open_still, NOBODY)
    visits.tidy()
    assert len(visits) == MOST + 1
    assert open_still.table is not None
    assert visits.come(Presence(), "1", Session(), NOBODY).table is None
    assert visits.come(Presence(), "2", Session(), NOBODY).table is not None
