"""Whoever does the work: this process, a pool of others, or the workers of a cluster.

Anything with ``submit(function, *arguments)`` that answers with a future will do: an executor of
``concurrent.futures``, joblib's loky, a client of ``dask.distributed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, as_completed
from typing import Any

from ..models.side_by_side import executor_of

#: Given how much is done, of how much.
Counted = Callable[[int, int], None]


def run_all(
    executor: Any,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    progress: Counted = lambda done, total: None,
) -> Iterator[Any]:
    """Yield what the function answers for every task, in the order of the tasks.

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
    futures = [executor_of(executor).submit(function, *task) for task in tasks]
    try:
        for done, _ in enumerate(as_completed(futures), start=1):
            progress(done, len(tasks))
        for future in futures:
            yield future.result()
    except BrokenExecutor as error:
        raise RuntimeError(
            "A worker process died, perhaps for want of memory: give it fewer workers or smaller"
            " row groups, and run the same once more; it goes on where it was."
        ) from error
    finally:
        for future in futures:
            future.cancel()
