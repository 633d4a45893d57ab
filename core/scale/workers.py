"""One function for every part of a table, run here or by a dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any


def run_all(
    client: Any,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    shared: Any,
    callback: Callable[[int], None],
    join: Callable[[Any, Any, Any], Any] | None = None,
) -> Any:
    """Results of ``function(*task, shared)``, in order, or joined by ``join(a, b, shared)``.

    ``client``: a dask cluster, which repeats the tasks of a lost worker, or None to run here.
    ``callback`` gets the number of finished tasks where known; what it raises ends the work.
    """
    if client is None:
        results = _in_turn(function, tasks, shared, callback)
        if join is None:
            return list(results)
        return _tree(len(tasks), results, lambda a, b: join(a, b, shared))
    from dask import delayed
    from distributed import wait

    of_all = delayed(shared)  # in the graph, so that it is never lost with a worker
    results = (delayed(function)(*task, of_all) for task in tasks)
    if join is None:
        whole = delayed(list)(list(results))
    else:
        whole = _tree(len(tasks), results, lambda a, b: delayed(join)(a, b, of_all))
    future = client.compute(whole)
    try:
        while not future.done():
            callback(0)
            with suppress(TimeoutError):
                wait(future, timeout=0.5)  # seconds, so that a stop is noticed soon
        return future.result()
    finally:
        future.cancel()


def _in_turn(function: Any, tasks: Any, shared: Any, callback: Any) -> Iterator[Any]:
    for done, task in enumerate(tasks, 1):
        yield function(*task, shared)
        callback(done)


def _tree(n: int, results: Iterator[Any], join: Callable[[Any, Any], Any]) -> Any:
    """Join n results as a tree, few held at a time: the same to the last digit on any cluster."""
    if n == 1:
        return next(results)
    half = 1 << ((n - 1).bit_length() - 1)  # the largest power of 2 that is less than n
    return join(_tree(half, results, join), _tree(n - half, results, join))
