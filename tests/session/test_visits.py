"""How long visits are kept: open, closed, cut off, moved by a reload; with a clock of our own."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mapdp_studio.core.session import visits as module
from mapdp_studio.core.session.visits import KEPT, KEPT_CUT, LEAVING, WORKED, Visits

A_NIGHT = 9 * 3600.0


@dataclass(eq=False)
class Had:
    """What a visitor has done."""

    n_bytes: int = 1000
    is_at_work: bool = True

    def stop_work(self) -> None:
        self.is_at_work = False


class Server:
    """Sessions that can be opened and cut, and a clock that can be put forward."""

    def __init__(self) -> None:
        self.now, self.open = 5000.0, set()
        self.visits = Visits(self.open.__contains__, lambda: self.now)

    def opens(self, session_id: str, key: str = "", had: Had | None = None) -> None:
        self.open.add(session_id)
        self.visits.note_session(session_id)
        if key:
            self.visits.note(key, had or Had(), session_id)
        assert self.visits.let_go() == []

    def cuts(self, session_id: str) -> None:
        self.open.discard(session_id)

    def after(self, seconds: float) -> list[str]:
        self.now += seconds
        let_go = self.visits.let_go()
        self.visits.stop_work()
        return let_go


@pytest.fixture
def server() -> Server:
    return Server()


def test_a_line_that_is_cut_for_a_night_loses_nothing(server):
    server.opens("a", "tab", had := Had())
    server.cuts("a")
    assert server.after(75.0) == server.after(A_NIGHT) == []
    assert server.visits.get("tab").studio is had
    server.opens("a", "tab", had)
    server.cuts("a")
    assert server.after(A_NIGHT) == []  # counted from the last cut
    assert server.after(KEPT_CUT) == ["a"]
    assert server.visits.get("tab") is None
    assert server.visits.ended("tab").why == "hours"
    assert server.after(1.0) == []  # told once


def test_a_page_that_is_left_is_let_go_after_a_minute(server):
    server.opens("a", "tab")
    server.visits.goodbye("a")
    assert server.after(0.5) == []  # the server learns a little later that it is closed
    server.cuts("a")
    assert server.after(KEPT - 1.0) == []
    assert server.after(2.0) == ["a"]
    assert server.visits.get("tab") is None
    assert server.visits.ended("tab").why == "closed"


def test_the_work_of_a_closed_tab_ends_and_that_of_a_cut_line_or_a_reload_does_not(server):
    closed, cut, reloaded = Had(), Had(), Had()
    for name, had in (("a", closed), ("b", cut), ("c", reloaded)):
        server.opens(name, f"tab {name}", had)
    server.visits.goodbye("a")
    server.visits.goodbye("c")
    server.after(0.5)
    for name in "abc":
        server.cuts(name)
    server.opens("d", "tab c", reloaded)
    server.after(WORKED - 1.0)
    assert closed.is_at_work
    server.after(2.0)
    assert [had.is_at_work for had in (closed, cut, reloaded)] == [False, True, True]


def test_a_page_that_was_left_and_is_open_again_counts_as_open(server):
    server.opens("a", "tab")
    server.visits.goodbye("a")
    server.after(LEAVING + 1.0)
    server.cuts("a")
    assert server.after(A_NIGHT) == []


def test_a_tab_that_never_told_its_key_cannot_come_back_by_it(server):
    server.opens("a")
    server.cuts("a")
    assert server.after(KEPT + 1.0) == ["a"]


def test_a_reload_takes_the_visit_along_and_the_old_session_ends(server):
    server.opens("a", "tab", had := Had())
    server.visits.goodbye("a")
    server.cuts("a")
    server.opens("b", "tab", had)
    assert server.after(KEPT + 1.0) == ["a"]
    assert server.visits.get("tab").session_id == "b"
    server.cuts("b")
    assert server.after(A_NIGHT) == []


def test_what_is_forgotten_is_not_found_again(server):
    server.opens("a", "tab")
    server.visits.forget("tab")
    assert server.visits.get("tab") is None
    assert server.visits.ended("tab").why == "forgotten"
    server.visits.forget("unknown")


def test_without_room_those_cut_longest_ago_go_first_and_open_ones_never(server, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 2500)
    for name in "abcde":
        server.opens(name, f"tab {name}")
    for name in "bca":
        server.cuts(name)
        server.after(10.0)
    assert {name for name in "abc" if server.visits.get(f"tab {name}")} == {"c", "a"}
    assert server.visits.ended("tab b").why == "room"
    monkeypatch.setattr(module, "MOST_CUT", 1)
    assert server.after(1.0) == ["c"]
    monkeypatch.setattr(module, "MOST_BYTES", 1)
    assert server.after(A_NIGHT) == []  # the one cut last is kept in any case


def test_why_visits_ended_is_remembered_of_so_many_tabs(server, monkeypatch):
    monkeypatch.setattr(module, "MOST_ENDED", 2)
    for name in "abc":
        server.opens(name, f"tab {name}")
        server.cuts(name)
        server.after(KEPT_CUT + 1.0)
    assert server.visits.ended("tab a") is None
    assert server.visits.ended("tab c").why == "hours"
