"""The only place that sets numba's options and its cache directory.

numba's disk cache looks at one file only, so an edit in ``core/special.py`` would leave a stale
``core/sweeps.py`` behind. The cache therefore lives in a folder named after a hash of every file
of ``core`` that holds compiled code, and of the families whose order numbers the engine's choices,
outside the package, which may be read-only.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba


def _source_hash() -> str:
    # What is kept refers to modules by name: `core.sweeps` in the app, `mapdp_studio.core.sweeps`
    # where the installed package is imported.
    digest = hashlib.sha256(f"{numba.__version__} {__name__}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"jit import" in source or path.parent.name == "families" or path == Path(__file__):
            digest.update(source)
    return digest.hexdigest()[:16]


def _cache_directory() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    for root in (Path(home), Path(tempfile.gettempdir())):
        folder = root / "mapdp-studio" / f"numba-{_source_hash()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="mapdp-studio-"))


if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(_cache_directory())


#: Options of everything compiled here. ``nogil`` lets sessions, which are threads, run side by
#: side. No ``fastmath`` (it breaks the NaN that marks a missing cell), no ``parallel`` (its
#: threading layer aborts the process when two threads enter).
_COMPILED = {"nogil": True, "error_model": "numpy"}
#: The engine counts no references: its kernels write into arrays that their caller holds and make
#: none of their own, and counting them in every inner call, atomically, took two thirds of a sweep.
_ENGINE = {**_COMPILED, "_nrt": False}
#: What only kernels call needs no wrapper for Python, which shortens a first start.
_INSIDE = {**_ENGINE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of arrays and scalars, once for one signature, and keep it on disk.

    A kernel that hands a literal such as 0 to another kernel has that one, and all it calls,
    compiled once more for the literal: write ``np.int64(0)``.
    """
    return numba.njit(cache=True, **_ENGINE)(function)


def allocating_kernel(function: Callable[..., Any]) -> Any:
    """Compile like ``kernel`` a function that makes and returns arrays."""
    return numba.njit(cache=True, **_COMPILED)(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; they keep its code on disk with theirs."""
    return numba.njit(**_INSIDE)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function into its callers, so that their loops vectorise around it."""
    return numba.njit(forceinline=True, **_INSIDE)(function)
