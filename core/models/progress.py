"""Progress of long fits, and jobs of several: one after the other, or in parallel."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

#: Fits at a time; the kernels let other threads run. Of tables of so few cells one after the other:
#: what these take is Python's own time, for which threads wait for each other.
THREADS, FEW_CELLS = 2, 10_000

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress:
    """What a long fit reports between its steps.

    Parameters
    ----------
    done : float
        Steps finished, one that is a fit of its own in part.
    total : float
        Steps expected; may grow.
    objective : float
        The algorithm's own objective so far, lower is better (nats for the models).
    n_clusters : int
        Clusters in the current state.
    phase : str
        A few words such as ``"restart 3 of 10"``.
    """

    done: float
    total: float
    objective: float
    n_clusters: int
    phase: str = ""


Callback = Callable[[Progress], None]


class Stages:
    """Progress of a job of several fits, reported to a callback, whose exceptions end it."""

    def __init__(self, callback: Callback | None, total: int) -> None:
        self.total = total
        self.done = 0
        self.phase = ""
        self._share = 0.0
        self._callback = callback or (lambda progress: None)

    def begin(self, phase: str) -> Callback:
        """Name the fit that comes next, the one before being over; returns its callback."""
        self.done += self.phase != ""
        self.phase, self._share = phase, 0.0
        return self.report

    def report(self, progress: Progress) -> None:
        """Pass on a step of the current fit; of several runs the one that is farthest counts."""
        share = progress.done / progress.total if progress.total else 0.0
        self._share = max(self._share, min(share, 0.99))
        done = self.done + self._share
        self._callback(replace(progress, done=done, total=self.total, phase=self.phase))


class Ended(BaseException):
    """Raised in fits whose results are no longer waited for."""


class Refits:
    """Runs ``total`` fits of a table, and reports to a callback, whose exceptions end them."""

    def __init__(self, total: int, n_cells: int, callback: Callback | None = None) -> None:
        self.total = total
        self._is_small = n_cells <= FEW_CELLS
        self.done = 0
        self._callback = callback or (lambda progress: None)
        self._lock = threading.Lock()

    def map(
        self, work: Callable[[Item, Callback], Result], items: Iterable[Item], phase: str
    ) -> Iterator[Result]:
        """Results in the order of the items, as they come; closing the iteration ends the rest."""
        ended = threading.Event()

        def report(progress: Progress) -> None:
            if ended.is_set():
                raise Ended
            with self._lock:
                self._callback(replace(progress, done=self.done, total=self.total, phase=phase))

        def counted(item: Item) -> Result:
            # When it ends, not when its turn comes: one behind a slow one is done as well.
            result = work(item, report)
            with self._lock:
                self.done += 1
            return result

        if self._is_small:
            yield from map(counted, items)
            return
        with ThreadPoolExecutor(THREADS) as pool:
            items = iter(items)
            # No more than run at once are begun, for all may end before the last is needed.
            waiting = deque(pool.submit(counted, item) for item in islice(items, THREADS))
            try:
                while waiting:
                    yield waiting.popleft().result()
                    waiting.extend(pool.submit(counted, item) for item in islice(items, 1))
            except BaseException:
                ended.set()
                for future in waiting:
                    future.cancel()
                raise
