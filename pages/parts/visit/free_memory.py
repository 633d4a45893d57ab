"""Memory that visitors needed goes back to the computer once they have left.

What is free in Python is not yet free for others: the C library keeps it, in an arena for each of
many threads. Twenty visitors left 380 MB so. Only glibc does this, and only it has these calls.
"""

from __future__ import annotations

import ctypes
from functools import cache

#: glibc's parameter of ``mallopt`` for how many arenas there may be.
_M_ARENA_MAX = -8
ARENAS = 2


@cache
def _glibc() -> ctypes.CDLL | None:
    """The C library of this process, if it is glibc."""
    try:
        library = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def keep_few_arenas() -> None:
    """Let threads share their free memory; before many of them run."""
    if _glibc() is not None:
        _glibc().mallopt(_M_ARENA_MAX, ARENAS)


def give_back() -> None:
    """Return what is free to the computer."""
    if _glibc() is not None:
        _glibc().malloc_trim(0)
