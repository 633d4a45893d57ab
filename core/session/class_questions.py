"""What a class is asked and answers: in the server's memory, without names, for some hours."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock

#: Questions that stand at a time, and visitors whose answers to one are kept: somebody hostile may
#: send thousands.
MOST_QUESTIONS, MOST_ANSWERS = 100, 1000
#: Seconds after which a question that was asked with a code is gone.
LIFETIME = 3 * 3600.0
#: Of a code: none that a hall takes for another, or for a digit.
LETTERS, LENGTH = "ABCDEFGHJKLMNPQRSTUVWXYZ", 4


@dataclass
class Question:
    """A question, and who has answered what."""

    text: str
    choices: tuple[str, ...]
    #: By the clock of its store.
    asked: float
    is_open: bool = True
    #: Place of the choice, by the token of a visitor's browser.
    answers: dict[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> list[int]:
        """How many have given each answer."""
        given = list(self.answers.values())
        return [given.count(choice) for choice in range(len(self.choices))]


class ClassQuestions:
    """All questions of a server by their codes, and those that always stand by their names.

    Parameters
    ----------
    standing : iterable of str
        Names of questions with one answer that neither end nor expire, such as whether a challenge
        is solved.
    now : callable
        A clock, in seconds.
    """

    def __init__(
        self, standing: Iterable[str] = (), now: Callable[[], float] = time.monotonic
    ) -> None:
        self._now, self._changing = now, Lock()
        self._standing = {name: Question(name, ("solved",), now()) for name in standing}
        self._asked: dict[str, Question] = {}

    def ask(self, text: str, choices: Sequence[str], code: str = "") -> str:
        """Ask something new, under a code that was given out before where it still stands.

        Where too many stand, that with the fewest answers makes room, of these the oldest: what a
        class is answering stays.
        """
        with self._changing:
            self._let_go()
            if code not in self._asked:
                code = self._free_code()
                if len(self._asked) >= MOST_QUESTIONS:
                    asked = self._asked
                    del asked[min(asked, key=lambda c: (len(asked[c].answers), asked[c].asked))]
            self._asked[code] = Question(text, tuple(choices), self._now())
            return code

    def find(self, code: str) -> Question | None:
        """What is asked under a code, however it is typed."""
        with self._changing:
            self._let_go()
            return self._asked.get(code.strip().upper())

    def standing(self, name: str) -> Question:
        """What always stands, by its name."""
        return self._standing[name]

    def answer(self, code: str, visitor: str, choice: int) -> bool:
        """Take a visitor's answer, in the place of an earlier one; whether it was taken.

        Of what always stands, the name is its code.
        """
        question = self._standing.get(code) or self.find(code)
        if question is None or not question.is_open or choice not in range(len(question.choices)):
            return False
        with self._changing:
            if visitor not in question.answers and len(question.answers) >= MOST_ANSWERS:
                return False
            question.answers[visitor] = choice
            return True

    def close(self, code: str) -> None:
        """Take no more answers."""
        question = self.find(code)
        if question is not None:
            question.is_open = False

    def clear_standing(self) -> None:
        """Forget the answers to the questions that always stand."""
        with self._changing:
            for question in self._standing.values():
                question.answers.clear()

    def _let_go(self) -> None:
        oldest = self._now() - LIFETIME
        for code in [code for code, one in self._asked.items() if one.asked < oldest]:
            del self._asked[code]

    def _free_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            if code not in self._asked:
                return code
