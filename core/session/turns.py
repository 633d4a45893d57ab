"""Turns: a few may run at once, the others wait in the order in which they came."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable

#: Seconds between two looks of those that wait at whether they are still wanted.
BETWEEN_LOOKS = 0.1
#: Turns after which something that never comes to a step keeps nobody waiting any more.
OVERDUE = 5


class Turns:
    """So many places, and who has one.

    ``seconds`` is how long a turn lasts while others wait: whoever comes to a step later than that
    lets them go first, so that long work slows down what is quick, but never to a halt.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self.places, self.seconds = places, seconds
        self._began: dict[Hashable, float] = {}
        self._line: deque[Hashable] = deque()
        self._changed = threading.Condition()

    def take(self, one: Hashable, wait: Callable[[], None]) -> None:
        """Wait for a place; ``wait`` is called now and then until there is one, and may raise."""
        with self._changed:
            self._line.append(one)
            try:
                while self._line[0] is not one or self._taken() >= self.places:
                    wait()
                    self._changed.wait(BETWEEN_LOOKS)
                self._began[one] = time.monotonic()
            finally:
                self._line.remove(one)
                self._changed.notify_all()

    def give(self, one: Hashable) -> None:
        """Leave the place, if it has one."""
        with self._changed:
            self._began.pop(one, None)
            self._changed.notify_all()

    def step(self, one: Hashable, wait: Callable[[], None]) -> None:
        """Go on where its turn is not over or nobody waits; else wait behind the others."""
        began = self._began.get(one)
        if began is not None and self._line and time.monotonic() - began > self.seconds:
            self.give(one)
            self.take(one, wait)

    def _taken(self) -> int:
        latest = time.monotonic() - OVERDUE * self.seconds
        return sum(began > latest for began in self._began.values())
