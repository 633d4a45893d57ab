"""Turns: places, the line before them, steps of long work, and what never comes to a step."""

from __future__ import annotations

import threading

import pytest

from core.session.turns import Turns


class GaveUp(Exception):
    pass


def patient() -> None:
    pass


def impatient() -> None:
    raise GaveUp


def test_a_place_that_is_left_goes_to_the_first_in_the_line():
    turns, order = Turns(1, 60.0), []
    turns.take("first", patient)

    def come(one: str) -> None:
        turns.take(one, patient)
        order.append(one)
        turns.give(one)

    threads = []
    for one in "abc":
        came = threading.Event()
        threads.append(threading.Thread(target=come, args=(one,)))
        threads[-1].start()
        while len(turns._line) < len(threads):
            came.wait(0.001)
    assert not order
    turns.give("first")
    for thread in threads:
        thread.join(60)
    assert order == ["a", "b", "c"]


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
