"""The first fit of every method, so that no page waits for the compiler later."""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np

from . import METHODS


def is_compiled() -> bool:
    """Whether an earlier start has left every kernel in the disk cache."""
    return _mark().exists()


def warm_up() -> None:
    """Compile every kernel, or load it from the disk cache.

    A kernel has one signature whatever the table, so a small table of any kind will do.
    """
    rows = np.repeat([[0.0, 0.0], [1.0, 2.0]], 6, axis=0) + np.linspace(0.0, 0.1, 12)[:, None]
    for method in METHODS.values():
        estimator = method.estimator(**method.quick)
        estimator.fit(rows)
        if hasattr(estimator, "predict"):
            estimator.predict(rows)
    _mark().touch()


def _mark() -> Path:
    return Path(numba.config.CACHE_DIR) / "compiled"


if __name__ == "__main__":
    warm_up()
