"""Many independent fits: side by side, counted, and stopped together."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from .estimator import Callback
from .progress import Progress

#: Fits at a time; the kernels let other threads run.
THREADS = 2

Item = TypeVar("Item")
Result = TypeVar("Result")


class Ended(BaseException):
    """Raised in fits whose results nobody waits for any more."""


class Refits:
    """Runs fits, and tells a callback how many of all are done.

    One thread at a time tells it of every step of every fit; what it raises ends all of them. The
    fits run on the threads of an executor, left running afterwards, or on ``THREADS`` of their own.
    Any other executor (a pool of processes, joblib's loky) is handed each fit whole, which must be
    a function that pickles, and tells of it when it is done. The results are the same.
    """

    def __init__(self, total: int, callback: Callback | None = None, executor: Any = None) -> None:
        if executor is not None and not hasattr(executor, "submit"):
            raise TypeError(
                f"executor is a {type(executor).__name__}, which has no 'submit': give a pool of"
                " concurrent.futures, or None."
            )
        self.total = total
        self.done = 0
        self._executor = executor
        self._callback = callback or (lambda progress: None)
        self._lock = threading.Lock()

    def map(
        self, work: Callable[[Item, Callback], Result], items: Iterable[Item], phase: str
    ) -> Iterator[Result]:
        """Results of ``work(item, callback)`` in the order of the items, as they come.

        The work is one fit, which passes the callback on. Fits that nobody waits for any more,
        since the iteration was closed, end at their next step.
        """
        ended = threading.Event()

        def tell(progress: Progress) -> None:
            if ended.is_set():
                raise Ended
            with self._lock:
                self._callback(replace(progress, done=self.done, total=self.total, phase=phase))

        def counted(item: Item, callback: Callback) -> Result:
            # When it ends, not when its turn comes: those behind a slow one are done as well.
            result = work(item, callback)
            with self._lock:
                self.done += 1
            return result

        pool = ThreadPoolExecutor(THREADS) if self._executor is None else self._executor
        with pool if self._executor is None else nullcontext():
            is_near = isinstance(pool, ThreadPoolExecutor)
            fit, callback = (counted, tell) if is_near else (work, _nobody)
            waiting = deque(pool.submit(fit, item, callback) for item in items)
            try:
                while waiting:
                    result = waiting.popleft().result()
                    if not is_near:
                        self.done += 1
                        tell(Progress(self.done, self.total, np.inf, 0))
                    yield result
            except BaseException:
                ended.set()
                wait([future for future in waiting if not future.cancel()])
                raise


def _nobody(progress: Progress) -> None:
    """Told of the steps of a fit elsewhere."""
