"""Whoever does the work: this process, a pool of others, or the workers of a cluster.

Anything with ``submit(function, *arguments)`` that answers with a future will do: an executor of
``concurrent.futures``, joblib's loky, a client of ``dask.distributed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, as_completed
from typing import Any


def run_all(
    executor: Any,
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    told: Callable[[], None] = lambda: None,
) -> Iterator[Any]:
    """Yield what the function answers for every task, in the order of the tasks.

    Parameters
    ----------
    executor : Executor or None
        None runs the tasks here, one after the other.
    told : callable
        Called whenever a task is done; what it raises ends the work, and what waits is dropped.

    Raises
    ------
    RuntimeError
        A worker died, and its executor does not replace it.
    """
    if executor is None:
        for task in tasks:
            yield function(*task)
            told()
        return
    futures = [executor_of(executor).submit(function, *task) for task in tasks]
    try:
        for _ in as_completed(futures):
            told()
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


def executor_of(executor: Any) -> Executor:
    """An executor; of a dask client, one that runs a task again when its worker dies."""
    if hasattr(executor, "get_executor"):
        return executor.get_executor(pure=False)
    if hasattr(executor, "submit"):
        return executor
    raise TypeError(
        f"executor is a {type(executor).__name__}, which has no 'submit': give a pool of"
        " concurrent.futures, a dask client, or None."
    )
