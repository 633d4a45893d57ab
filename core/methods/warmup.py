"""A first fit of the five methods at start, so that no page waits for the compiler."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from ..engine.calls import compile_all
from ..jit import FOLDER, forget_kernels
from . import METHODS
from .settings import Settings

#: Kernels have one signature whatever the table, so a small table will do.
ROWS = np.repeat([[0.0, 0.0], [1.0, 2.0]], 6, axis=0) + np.linspace(0.0, 0.1, 12)[:, None]
#: Of the shortest fits, as few starts are asked for on a table of very many cells.
SHORTEST = Settings(n_clusters=2, bic=False)
#: Exists when an earlier start has filled the disk cache.
_MARK = FOLDER / "compiled"


def is_compiled() -> bool:
    """Whether an earlier start has compiled what every table needs."""
    return _MARK.exists()


def warm_up() -> None:
    """Compile what every table needs, or load it from the disk cache unless that is damaged."""
    try:
        _fit_each()
    except Exception:  # a damaged file may raise anything
        forget_kernels()
        _fit_each()
    _MARK.touch()


def _fit_each() -> None:
    for method in METHODS.first.values():
        estimator = method.estimator(**method.arguments(SHORTEST, 10**9))
        estimator.fit(ROWS)
        if hasattr(estimator, "predict"):
            estimator.predict(ROWS)


def compiler() -> subprocess.Popen:
    """Warm up in another process, as the compiler holds Python's lock for seconds at a time."""
    root = Path(__file__).parents[__name__.count(".")]
    return subprocess.Popen([sys.executable, "-m", __name__], cwd=root)


if __name__ == "__main__":
    warm_up()
    compile_all()
