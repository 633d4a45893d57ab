"""Work outside the pages' own threads: its progress, a stop, what there is so far, the result."""

import logging
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from ..models.progress import Progress

#: Workers by the kind of work, so that what is short never waits behind what is long: work on small
#: tables, fits of long ones, results of those, and checks, which repeat a fit many times.
WORKERS = {"short": 4, "fits": 2, "results": 2, "checks": 2}
UNEXPECTED = "This did not work out. Your table and settings are still there: try again."


class Stopped(BaseException):
    """Raised inside a job that was asked to stop."""


_pools = {kind: ThreadPoolExecutor(n, f"job {kind}") for kind, n in WORKERS.items()}
_all_jobs: "weakref.WeakSet[Job]" = weakref.WeakSet()


class Job:
    """One piece of work in a pool, a key of ``WORKERS``; the job itself is the callback for fits.

    ``key`` is everything that the result depends on. The work is given the job; what it returns is
    the result, and a ValueError's message becomes ``failure``.
    """

    def __init__(self, key: Hashable, work: "Callable[[Job], Any]", pool: str = "fits") -> None:
        self.key = key
        #: The latest report; what was shared so far; what came of it. None before each.
        self.progress: Progress | None = None
        self.partial: Any = None
        self.result: Any = None
        #: One sentence, empty if nothing went wrong.
        self.failure = ""
        self._asked_to_stop = threading.Event()
        #: In monotonic seconds.
        self.created = time.monotonic()
        _all_jobs.add(self)
        self.future = _pools[pool].submit(self._run, work)

    def __call__(self, progress: Progress) -> None:
        """Record a step; ends the work here if it was asked to stop."""
        self.progress = progress
        if self._asked_to_stop.is_set():
            raise Stopped

    def share(self, partial: Any) -> None:
        """Show what there is so far: an object that is not changed afterwards."""
        self.partial = partial

    def stop(self) -> None:
        """Ask the work to end at its next step, or not to begin; returns at once."""
        self._asked_to_stop.set()
        self.future.cancel()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether it came in time."""
        with suppress(TimeoutError, CancelledError):
            self.future.exception(seconds)
        return self.future.done()

    @property
    def running(self) -> bool:
        """Neither done, nor failed, nor stopped yet; waiting for a worker counts as running."""
        return not self.future.done()

    def _run(self, work: "Callable[[Job], Any]") -> None:
        try:
            if not self._asked_to_stop.is_set():
                self.result = work(self)
        except Stopped:
            pass
        except ValueError as error:
            self.failure = str(error)
        except Exception as error:
            log_place(error)
            self.failure = UNEXPECTED


class Jobs:
    """The jobs of one visit, one for each name; they all stop when this is let go."""

    def __init__(self) -> None:
        self._newest: dict[str, Job] = {}
        weakref.finalize(self, stop_all, self._newest.values())

    def start(
        self, name: str, key: Hashable, work: Callable[[Job], Any], pool: str = "fits"
    ) -> Job:
        """Begin a job under a name, in place of any before it; arguments as of ``Job``."""
        self.stop(name)
        job = self._newest[name] = Job(key, work, pool)
        return job

    def get(self, name: str, key: Hashable) -> Job | None:
        """The newest job of a name, if it has that key."""
        job = self._newest.get(name)
        return job if job is not None and job.key == key else None

    def find(self, name: str, key: Hashable, work: Callable[[Job], Any], pool: str = "fits") -> Job:
        """The newest job of a name if it has that key, else a new one."""
        return self.get(name, key) or self.start(name, key, work, pool)

    def stop(self, name: str) -> None:
        """Stop and forget the job of a name, if there is one."""
        if name in self._newest:
            self._newest.pop(name).stop()

    def clear(self) -> None:
        """Stop and forget all."""
        stop_all(self._newest.values())
        self._newest.clear()


def stop_all(jobs: Iterable[Job] = _all_jobs) -> None:
    """Ask jobs to end, by default all of the server, which waits for its workers before it ends."""
    for job in list(jobs):
        job.stop()


def log_place(error: Exception) -> None:
    """Log where an error happened; its message and the values in it may come from the table."""
    places = "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger("mapdp_studio").error("%s\n%s", type(error).__name__, places)
