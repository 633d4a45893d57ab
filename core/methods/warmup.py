"""The first fit of the five methods, so that no page waits for the compiler later."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from ..engine import sweeps
from ..engine.columns import Columns, default_priors
from ..engine.partition import NO_UNIFORMS, Partition, new_clusters
from ..engine.product import add_row, log_marginals, refresh, score_table
from ..engine.sweeps import Clusters
from ..engine.tiles import NO_TILE
from ..schema.encoded import Encoded
from . import METHODS
from .kmeans import K_MEANS

#: A kernel has one signature whatever the table, so a small table of any kind will do.
ROWS = np.repeat([[0.0, 0.0], [1.0, 2.0]], 6, axis=0) + np.linspace(0.0, 0.1, 12)[:, None]


def is_compiled() -> bool:
    """Whether an earlier start has left every kernel in the disk cache."""
    return _mark().exists()


def warm_up() -> None:
    """Compile every kernel, or load it from the disk cache."""
    for method in METHODS.first.values():
        estimator = method.estimator(**method.quick)
        estimator.fit(ROWS)
        if hasattr(estimator, "predict"):
            estimator.predict(ROWS)
    _mark().touch()


def compilers() -> list[subprocess.Popen]:
    """Start compiling into the disk cache, each half in a process of its own.

    The compiler runs on one core and holds Python's lock for seconds at a time: side by side and
    elsewhere it takes little more than half as long, and leaves this process free.
    """
    root = Path(__file__).parents[__name__.count(".")]
    command = [sys.executable, "-m", __name__]
    return [subprocess.Popen([*command, half], cwd=root) for half in _HALVES]


def _compile_sweep() -> None:
    """The costliest kernel; first what the other half will need of it, once it gets there."""
    columns, clusters = _empty()
    refresh(columns.table, clusters.state, 0, 0, clusters.work)
    add_row(columns.table, clusters.state, 0, 0, 1.0, clusters.work)
    labels, no_rows = np.zeros(len(ROWS), dtype=np.int64), np.empty(0, dtype=np.int64)
    slack = np.zeros(len(ROWS))
    sweeps.sweep(columns.table, clusters, labels, no_rows, 0, NO_UNIFORMS, 0.0, slack, NO_TILE)


def _compile_clusters() -> None:
    """What needs no sweep; first what does without the kernels that both halves share."""
    columns, clusters = _empty()
    K_MEANS.estimator(**K_MEANS.quick).fit(ROWS)
    scores, outside = np.empty((len(ROWS), 8)), np.full(len(ROWS), -1)
    score_table(columns.table, clusters.state, 0, outside, scores, clusters.work)
    log_marginals(columns.table, clusters.state, 0, 1, clusters.cost, clusters.work)
    partition = Partition(columns, 1.0, np.repeat([0, 1, 2], 4))
    partition.own_terms()
    partition.merge(most=1)


def _empty() -> tuple[Columns, Clusters]:
    """A table, and room for clusters that says nothing."""
    columns = _columns()
    clusters = new_clusters(columns, 8)
    clusters.state[:] = 1.0
    return columns, clusters


def _columns() -> Columns:
    encoded = Encoded.from_array(ROWS, "normal")
    return Columns.pack(encoded, default_priors(encoded, 1.0))


#: Of about the same length; one that comes second to a kernel finds it on disk.
_HALVES: dict[str, Callable[[], None]] = {"sweep": _compile_sweep, "clusters": _compile_clusters}


def _mark() -> Path:
    return Path(numba.config.CACHE_DIR) / "compiled"


if __name__ == "__main__":
    _HALVES[sys.argv[1]]()
