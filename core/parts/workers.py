"""Whoever does the work: this process, a pool of others, or the workers of a cluster.

Anything with ``submit(function, *arguments)`` that answers with a future will do: an executor of
``concurrent.futures``, joblib's loky, a client of ``dask.distributed``.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from itertools import islice
from typing import Any

from ..models.side_by_side import executor_of

#: Tasks of every worker that are handed out before the oldest is done.
AHEAD = 3
#: Given how much is done, of how much.
Counted = Callable[[int, int], None]


def run_all(
    executor: Any,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    progress: Counted = lambda done, total: None,
) -> Iterator[Any]:
    """Yield what the function answers for every task, in the order of the tasks, as they come.

    Tasks are handed out a few ahead of the oldest that is not done, so that only so many answers
    wait for it.

    Parameters
    ----------
    executor : Executor or None
        None runs the tasks here, one after the other.
    progress : callable
        Given how many tasks are done, of how many, whenever one is; what it raises ends the work,
        and what waits is dropped.

    Raises
    ------
    RuntimeError
        A worker died, and its executor does not replace it.
    """
    if executor is None:
        for done, task in enumerate(tasks, start=1):
            yield function(*task)
            progress(done, len(tasks))
        return
    pool = executor_of(executor)
    asked = (pool.submit(function, *task) for task in tasks)
    waiting: deque[Future] = deque()
    try:
        for done in range(1, len(tasks) + 1):
            # Workers may have come meanwhile.
            waiting.extend(islice(asked, max(AHEAD * _n_workers(executor) - len(waiting), 0)))
            answer = waiting.popleft().result()
            progress(done, len(tasks))
            yield answer
            del answer
    except BrokenExecutor as error:
        raise RuntimeError(
            "A worker process died, perhaps for want of memory: give it fewer workers or smaller"
            " row groups, and run the same once more; it goes on where it was."
        ) from error
    finally:
        for future in waiting:
            future.cancel()


def _n_workers(executor: Any) -> int:
    """How many tasks are done at a time, as far as an executor tells; else a guess."""
    if hasattr(executor, "nthreads"):
        return max(sum(executor.nthreads().values()), 1)
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1
