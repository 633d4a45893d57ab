"""Long work in a thread of its own: its progress, a stop, and what came of it."""

from __future__ import annotations

import logging
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Any

from ..models.progress import Progress
from .turns import Turns

#: Jobs that run at once in this process; further ones wait for their turn.
AT_ONCE = 2
#: Seconds after which a job lets those that wait go first, so that one visitor's long work slows
#: another's, but never to a halt.
TURN = 1.0
UNEXPECTED = "This did not work out. Your table and settings are still there: try again."


class Stopped(BaseException):
    """Raised inside a job that was asked to stop."""


_turns = Turns(AT_ONCE, TURN)


def at_work() -> AbstractContextManager[None]:
    """Around what a page works out itself while somebody waits for it: jobs that are last wait."""
    return _turns.beside(threading.get_ident())


class Job:
    """One piece of work, running in a thread from the moment it is made.

    ``about`` is everything that the result depends on; what ``work(job)`` returns is the result.
    The job itself is the callback for fits; a ValueError's message becomes ``failure``. One that
    ``is_last`` lets all others go first, and what ``at_work`` is around: nobody waits for it. It
    begins ``after`` so many seconds.
    """

    def __init__(
        self,
        about: Hashable,
        work: Callable[[Job], Any],
        is_last: bool = False,
        after: float = 0.0,
    ) -> None:
        self.about, self.is_last = about, is_last
        #: The latest report.
        self.progress: Progress | None = None
        #: What was shared so far; what came of it, None until it is there.
        self.partial: Any = None
        self.result: Any = None
        #: One sentence, empty if nothing went wrong.
        self.failure = ""
        #: Whether it does not go on, since other jobs are running.
        self.waiting = False
        self._asked_to_stop = threading.Event()
        self._began, self._ended = time.monotonic(), None
        self._thread = threading.Thread(
            target=self._run, args=(work, after), name="job", daemon=True
        )
        self._thread.start()

    def __call__(self, progress: Progress) -> None:
        """Take note of a step; ends the work here if it was asked to stop."""
        self.progress = progress
        if self.is_asked_to_stop:
            raise Stopped
        self._in_turn(_turns.step)

    def share(self, partial: Any) -> None:
        """Show what there is so far: an object that is not changed afterwards."""
        self.partial = partial

    def stop(self) -> None:
        """Ask the work to end at its next step; returns at once."""
        self._asked_to_stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; tells whether it came in time."""
        self._thread.join(seconds)
        return not self.running

    @property
    def running(self) -> bool:
        """Neither done, nor failed, nor stopped yet; waiting for a turn counts as running."""
        return self._ended is None

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether it will end at its next step."""
        return self._asked_to_stop.is_set()

    @property
    def stopped(self) -> bool:
        """Whether it was asked to stop before there was a result."""
        return self.is_asked_to_stop and self.result is None

    @property
    def seconds(self) -> float:
        """Since its start, its waits for a turn left out; up to its end, if it has ended."""
        return (self._ended or time.monotonic()) - self._began

    def _in_turn(self, turn: Callable[[Job, Callable[[], None]], None]) -> None:
        """Do what may have to wait for a turn; the wait is no part of ``seconds``."""
        asked = time.monotonic()
        try:
            turn(self, self._wait)
        finally:
            if self.waiting:
                self._began += time.monotonic() - asked
                self.waiting = False

    def _wait(self) -> None:
        self.waiting = True
        if self.is_asked_to_stop:
            raise Stopped

    def _run(self, work: Callable[[Job], Any], after: float) -> None:
        try:
            if self._asked_to_stop.wait(after):
                return
            self._in_turn(_turns.take_last if self.is_last else _turns.take)
            self.result = work(self)
        except Stopped:
            pass
        except ValueError as error:
            self.failure = str(error)
        except Exception as error:
            # The message and the values in it may come from the table: neither is logged.
            places = "".join(traceback.format_tb(error.__traceback__))
            logging.getLogger("mapdp_studio").error("%s\n%s", type(error).__name__, places)
            self.failure = UNEXPECTED
        finally:
            _turns.leave(self)
            self._ended = time.monotonic()


class Jobs:
    """The jobs of one visitor, one for each name: starting another stops the one before.

    They all stop when this is let go, so a closed tab leaves nothing running.
    """

    def __init__(self) -> None:
        self._newest: dict[str, Job] = {}
        weakref.finalize(self, _stop_all, self._newest)

    def start(
        self,
        name: str,
        about: Hashable,
        work: Callable[[Job], Any],
        is_last: bool = False,
        after: float = 0.0,
    ) -> Job:
        """Begin a job under a name, in place of any before it; arguments as of ``Job``."""
        self.stop(name)
        job = self._newest[name] = Job(about, work, is_last, after)
        return job

    def get(self, name: str, about: Hashable) -> Job | None:
        """The newest job of a name, if it is about that."""
        job = self._newest.get(name)
        return job if job is not None and job.about == about else None

    def stop(self, name: str) -> None:
        """Stop and forget the job of a name, if there is one."""
        job = self._newest.pop(name, None)
        if job is not None:
            job.stop()

    def clear(self) -> None:
        """Stop and forget all."""
        _stop_all(self._newest)
        self._newest.clear()


def _stop_all(jobs: dict[str, Job]) -> None:
    for job in jobs.values():
        job.stop()
