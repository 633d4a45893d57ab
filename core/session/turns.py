"""Turns: a few may run at once, the others wait in line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

#: Seconds between two looks of those that wait at whether they are still wanted.
BETWEEN_LOOKS = 0.1
#: Seconds by which those that had a turn let those that come after them go first: what is quick
#: is done at once, and what takes long goes on all the same.
HEAD_START = 5.0
#: Seconds that what nobody waits for waits at most for all others, before it gets a turn.
LAST = 30.0
#: Turns after which something that never comes to a step keeps nobody waiting any more.
OVERDUE = 5


class Turns:
    """So many places, and who has one.

    ``seconds`` is how long a turn lasts while others wait: whoever comes to a step later than that
    stands in line again.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self.places, self.seconds = places, seconds
        #: Since when those have run that have a place, and when those came that wait for one.
        self._began: dict[Hashable, float] = {}
        self._came: dict[Hashable, float] = {}
        #: Those that come after all others, and those that are at work without a place.
        self._last: set[Hashable] = set()
        self._beside: set[Hashable] = set()
        self._changed = threading.Condition()

    def take(self, one: Hashable, wait: Callable[[], None], head_start: float = 0.0) -> None:
        """Wait for a place; ``wait`` is called now and then until there is one, and may raise.

        The others in line have a head start of so many seconds.
        """
        with self._changed:
            self._came[one] = time.monotonic() + head_start
            try:
                while not self._is_next(one):
                    wait()
                    self._changed.wait(BETWEEN_LOOKS)
                self._began[one] = time.monotonic()
            finally:
                del self._came[one]
                self._changed.notify_all()

    def give(self, one: Hashable) -> None:
        """Leave the place, if it has one."""
        with self._changed:
            self._began.pop(one, None)
            self._changed.notify_all()

    def leave(self, one: Hashable) -> None:
        """Leave the place for good."""
        with self._changed:
            self._last.discard(one)
            self.give(one)

    def take_last(self, one: Hashable, wait: Callable[[], None]) -> None:
        """Wait for a place as one that comes after all others, from now on and until it leaves.

        Where others are at work it waits for them ``LAST`` seconds at most, at every step again.
        """
        with self._changed:
            self._last.add(one)
            self.take(one, wait, LAST)

    @contextmanager
    def beside(self, one: Hashable) -> Iterator[None]:
        """Around work that needs no place, and that those who come last wait for."""
        with self._changed:
            self._beside.add(one)
        try:
            yield
        finally:
            with self._changed:
                self._beside.discard(one)
                self._changed.notify_all()

    @contextmanager
    def place(self, one: Hashable, wait: Callable[[], None]) -> Iterator[None]:
        """Around what takes a place: wait for it, and leave it in any case."""
        self.take(one, wait)
        try:
            yield
        finally:
            self.give(one)

    @contextmanager
    def aside(self, one: Hashable, wait: Callable[[], None]) -> Iterator[None]:
        """Around waiting for something else: leave the place, if it has one, and take one again."""
        had_place = one in self._began
        self.give(one)
        yield
        if had_place:
            self.take(one, wait)

    def step(self, one: Hashable, wait: Callable[[], None]) -> None:
        """Go on where its turn is not over or nobody waits; else stand in line again."""
        began = self._began.get(one)
        if began is None or time.monotonic() - began <= self.seconds:
            return
        with self._changed:
            is_last = one in self._last
            if self._came or (is_last and self._others_are_at_work):
                self.give(one)
                self.take(one, wait, LAST if is_last else HEAD_START)

    @property
    def _others_are_at_work(self) -> bool:
        """Others than those that come last."""
        return bool(self._beside or self._began.keys() - self._last)

    def _is_next(self, one: Hashable) -> bool:
        now = time.monotonic()
        latest = now - OVERDUE * self.seconds
        taken = sum(began > latest for began in self._began.values())
        held = {o for o in self._last if self._others_are_at_work and self._came.get(o, 0.0) > now}
        line = {one: came for one, came in self._came.items() if one not in held}
        return taken < self.places and one == min(line, key=line.__getitem__, default=None)
