"""The only place that sets numba's options and says where its kernels are kept.

numba's disk cache looks at one file only, so an edit in ``core/special.py`` would leave a stale
``core/sweeps.py`` behind. Kernels are therefore kept in a folder named after a hash of every file
of ``core`` that holds compiled code, and of the families whose order numbers the engine's choices,
outside the package, which may be read-only. Each kernel is told so by itself: numba's own settings
stay as they are for whatever else the process compiles.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"jit import" in source or path.parent.name == "families" or path == Path(__file__):
            digest.update(source)
    return digest.hexdigest()[:16]


def _cache_directory() -> Path:
    """A folder for what is compiled; a new one, lost at the next start, where no other will do."""
    name = f"numba-{_source_hash()}"
    for root in _roots():
        try:
            root.mkdir(parents=True, exist_ok=True)
            root.chmod(0o700)  # refused where it is somebody else's
            (root / name).mkdir(mode=0o700, exist_ok=True)
        except OSError:
            continue
        if os.access(root / name, os.W_OK) and _is_ours(root) and _is_ours(root / name):
            return root / name
    return Path(tempfile.mkdtemp(prefix="mapdp-studio-"))


def _roots() -> Iterator[Path]:
    if kept := os.environ.get("XDG_CACHE_HOME"):
        yield Path(kept) / "mapdp-studio"
    else:
        with contextlib.suppress(RuntimeError):  # an account without a home
            yield Path.home() / ".cache" / "mapdp-studio"
    yield Path(tempfile.gettempdir()) / f"mapdp-studio-{_user()}"


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "kernels"


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can have put anything there: what is read back is executed."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.lstat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not others_write


#: Where kernels are kept; a folder that whoever started the process has named comes first.
FOLDER = Path(numba.config.CACHE_DIR or _cache_directory())


class _InFolder:
    """Places a kernel in ``FOLDER``: what numba asks of its locators."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file, self._line = py_file, py_func.__code__.co_firstlineno
        beside = str(Path(py_file).resolve().parent)
        self._folder = FOLDER / hashlib.sha256(beside.encode()).hexdigest()[:16]

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _InFolder:
        """The one of a function."""
        found = cls(py_func, py_file)
        found.ensure_cache_path()
        return found

    def ensure_cache_path(self) -> None:
        """Make the folder; where that cannot be, keeping a kernel will say so."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Where its files lie."""
        return str(self._folder)

    def get_source_stamp(self) -> bytes:
        """What changes with the function's own file; ``FOLDER`` does with all others."""
        return hashlib.sha256(Path(self._py_file).read_bytes()).digest()

    def get_disambiguator(self) -> str:
        """Tells functions of one name in one file apart."""
        return str(self._line)


class _Files(CompileResultCacheImpl):
    """Reads and writes a kernel as numba does, in our folder."""

    _locator_classes: ClassVar = [_InFolder]


class _Kept(FunctionCache):
    """A kernel on disk; where what was kept is damaged, it is thrown away and compiled anew."""

    _impl_class = _Files

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # The folder is named after all code, that which a function closes over included, of which
        # numba would take the identity in this process.
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling what is damaged may raise anything
            _LOG.warning(
                "A kept kernel (%s) cannot be read (%s): it is compiled anew.",
                self._py_func.__qualname__,
                type(error).__name__,
            )
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except (OSError, EOFError, pickle.PickleError) as error:
            _LOG.warning(
                "A kernel (%s) cannot be kept on disk (%s), so that the next start compiles it"
                " again: see to %s.",
                self._py_func.__qualname__,
                error,
                FOLDER,
            )


_LOG = logging.getLogger("mapdp_studio")


def _keep(compiled: Any) -> Any:
    # With NUMBA_DISABLE_JIT the function comes back as it was, and there is nothing to keep.
    if not numba.config.DISABLE_JIT:
        compiled._cache = _Kept(compiled.py_func)
    return compiled


#: Options of everything compiled here. ``nogil`` lets sessions, which are threads, run side by
#: side. No full ``fastmath`` (it breaks the NaN that marks a missing cell), no ``parallel`` (its
#: threading layer aborts the process when two threads enter).
_COMPILED = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
#: The engine counts no references: its kernels write into arrays that their caller holds and make
#: none of their own, and counting them in every inner call, atomically, took two thirds of a sweep.
#: A product may be added in one step, rounded once; NaN keeps its meaning.
_ENGINE = {**_COMPILED, "_nrt": False, "fastmath": {"contract"}}
#: What only kernels call needs no wrapper for Python, which shortens a first start.
_INSIDE = {**_ENGINE, "no_cpython_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of arrays and scalars, once for one signature, and keep it on disk.

    A kernel that hands a literal such as 0 to another kernel has that one, and all it calls,
    compiled once more for the literal: write ``np.int64(0)``.
    """
    return _keep(numba.njit(**_ENGINE)(function))


def allocating_kernel(function: Callable[..., Any]) -> Any:
    """Compile like ``kernel`` a function that makes and returns arrays."""
    return _keep(numba.njit(**_COMPILED)(function))


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; they keep its code on disk with theirs."""
    return numba.njit(**_INSIDE)(function)


def by_pointer(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call through a pointer, and keep it on disk."""
    return _keep(numba.njit(**_INSIDE)(function))


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function into its callers, so that their loops vectorise around it."""
    return numba.njit(forceinline=True, **_INSIDE)(function)


def spliced(function: Callable[..., Any]) -> Any:
    """Compile a function as lines of its callers, with no code of its own.

    LLVM makes code of an ``inner`` function, and of all that it calls, once by itself and once more
    in every caller: for a large one that one or two call, half a second of a first start each time.
    """
    return numba.njit(inline="always", **_ENGINE)(function)
