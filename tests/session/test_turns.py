"""Turns: places, the line before them, steps of long work, and what never comes to a step."""

from __future__ import annotations

import threading

import pytest

from mapdp_studio.core.session.turns import Turns


class GaveUp(Exception):
    pass


def patient() -> None:
    pass


def impatient() -> None:
    raise GaveUp


@pytest.mark.parametrize(
    ("head_starts", "expected"),
    [([0.0, 0.0, 0.0], [0, 1, 2]), ([60.0, 0.0, 0.0], [1, 2, 0]), ([60.0, 30.0, 0.0], [2, 1, 0])],
)
def test_the_first_in_line_is_next_but_for_those_that_have_a_head_start(head_starts, expected):
    turns, order = Turns(1, 60.0), []
    turns.take("before", patient)

    def come(one: int) -> None:
        turns.take(one, patient, head_starts[one])
        order.append(one)
        turns.give(one)

    threads = [threading.Thread(target=come, args=(one,)) for one in range(3)]
    for one, thread in enumerate(threads):
        thread.start()
        while one not in turns._came:
            thread.join(0.001)
    assert not order
    turns.give("before")
    for thread in threads:
        thread.join(60)
    assert order == expected


def test_who_gives_up_leaves_the_line():
    turns = Turns(1, 60.0)
    turns.take("first", patient)
    with pytest.raises(GaveUp):
        turns.take("second", impatient)
    turns.give("first")
    turns.take("third", impatient)


def test_a_step_lets_others_go_first_once_the_turn_is_over():
    turns, seen = Turns(1, 0.1), threading.Event()
    turns.take("long", patient)
    quick = threading.Thread(
        target=lambda: (turns.take("quick", patient), seen.set(), turns.give("quick"))
    )
    quick.start()
    while not seen.is_set():
        turns.step("long", patient)
    quick.join(60)
    turns.step("nobody's", impatient)
    with pytest.raises(GaveUp):
        turns.take("other", impatient)


def test_what_never_comes_to_a_step_keeps_nobody_waiting_for_ever():
    turns = Turns(1, 0.01)
    turns.take("endless", patient)
    turns.take("next", patient)
    with pytest.raises(GaveUp):
        turns.take("after it", impatient)


def test_one_that_comes_last_waits_for_all_others_and_not_for_ever(monkeypatch):
    turns = Turns(2, 0.0)
    turns.take_last("last", patient)
    turns.take("first", patient)
    with pytest.raises(GaveUp):
        turns.step("last", impatient)
    turns.leave("first")
    with turns.beside("page"), pytest.raises(GaveUp):
        turns.take_last("last", impatient)
    turns.take_last("last", impatient)
    turns.take_last("last too", impatient)
    turns.leave("last too")
    turns.take("first", patient)
    monkeypatch.setattr("mapdp_studio.core.session.turns.LAST", 0.01)
    turns.step("last", patient)


def test_one_that_comes_last_and_waits_keeps_nobody_from_a_place():
    turns = Turns(2, 60.0)
    turns.take("first", patient)
    last = threading.Thread(target=lambda: turns.take_last("last", patient), daemon=True)
    last.start()
    while last.is_alive() and "last" not in turns._came:
        last.join(0.001)
    turns.take("late", impatient, head_start=120.0)
    turns.give("late")
    turns.give("first")
    last.join(60)
    assert not last.is_alive()
