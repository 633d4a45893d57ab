"""What a class is asked and answers: one answer a visitor, caps, an end."""

from __future__ import annotations

import pytest

from core.session.class_questions import (
    LIFETIME,
    MOST_ANSWERS,
    MOST_QUESTIONS,
    ClassQuestions,
)


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def asked(clock) -> ClassQuestions:
    return ClassQuestions(["circles"], clock)


def test_a_visitor_has_one_answer_until_it_is_revealed(asked):
    code = asked.ask("Which?", ["left", "right"])
    assert asked.answer(code.lower(), "anna", 0)
    assert asked.answer(code, "ben", 1)
    assert asked.answer(code, "anna", 1)
    assert asked.find(code).counts == [0, 2]
    asked.close(code)
    assert not asked.answer(code, "anna", 0)
    assert not asked.answer("ABCD" if code != "ABCD" else "ABCE", "anna", 0)
    assert asked.find(code).counts == [0, 2]
    assert asked.ask("And now?", ["yes", "no"], code) == code
    assert not asked.answer(code, "anna", 2)
    assert not asked.answer(code, "anna", -1)
    assert asked.find(code).counts == [0, 0]


def test_thousands_fill_neither_a_question_nor_the_store(asked, clock):
    kept = asked.ask("Which?", ["left", "right"])
    for visitor in range(MOST_ANSWERS + 500):
        asked.answer(kept, str(visitor), 0)
        asked.answer("circles", str(visitor), 0)
    assert asked.find(kept).counts == [MOST_ANSWERS, 0]
    assert asked.answer(kept, "0", 1)
    assert len(asked.standing("circles").answers) == MOST_ANSWERS
    for _ in range(MOST_QUESTIONS + 50):
        clock.seconds += 1.0
        last = asked.ask("Spam", ["x"])
    assert len(asked._asked) == MOST_QUESTIONS
    assert asked.find(kept) is not None
    assert asked.find(last) is not None


def test_a_code_expires_and_what_stands_does_not(asked, clock):
    code = asked.ask("Which?", ["left", "right"])
    asked.answer("circles", "anna", 0)
    clock.seconds = LIFETIME - 1.0
    assert asked.find(code) is not None
    clock.seconds = LIFETIME + 1.0
    assert asked.find(code) is None
    assert not asked.answer(code, "anna", 0)
    assert asked.find("circles") is None, "No phone reaches it by a code."
    assert asked.standing("circles").counts == [1]
