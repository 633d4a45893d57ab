"""Undo and redo."""

from __future__ import annotations

import pytest

from mapdp_studio.core.session.history import History


def test_steps_are_undone_done_again_and_given_up():
    history = History()
    for state in ("a", "b", "b", "c"):
        history.note(state)
    assert (history.go(-1), history.go(-1), history.steps_back) == ("b", "a", 0)
    assert (history.go(1), history.steps_forward) == ("b", 1)
    history.note("d")
    assert history.steps_forward == 0
    assert history.go(-1) == "b"
    for step in (-1, 1):
        with pytest.raises(IndexError):
            History().go(step)


def test_it_knows_when_steps_were_given_up(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.session.history.MOST", 3)
    history = History()
    for state in (1, 2, 3):
        history.note(state)
    assert not history.is_cut
    history.note(4)
    assert history.is_cut
    assert history.states == [2, 3, 4]
    assert history.present == 4


def test_a_state_that_equals_the_present_one_takes_its_place_and_what_was_undone_stays():
    history = History()
    for state in (1, 2, 3):
        history.note(state)
    history.go(-1)
    history.note(2.0)  # equal, and not the same
    assert isinstance(history.present, float)
    assert history.steps_forward == 1
