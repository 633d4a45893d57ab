"""Memory that visitors needed goes back to the computer once they have left.

What is free in Python is not yet free for others: the C library keeps it. Only that of Linux has
calls to change this.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

# Numbers of the C library's settings (malloc.h).
_ARENA_MAX, _TRIM_THRESHOLD, _MMAP_THRESHOLD = -8, -1, -3


def keep_little_free() -> None:
    """Limit what the C library keeps, before there are threads.

    By itself it keeps a store for each of many threads, and at the end of each all that is free
    until it is twice as much as the largest array ever let go; what is free there, ``give_back``
    reaches in the first store alone. Less than 16 MiB costs time: the arrays of a large table would
    be fetched from the computer again and again.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(_ARENA_MAX, 2)
        library.mallopt(_MMAP_THRESHOLD, 4 * 2**20)
        library.mallopt(_TRIM_THRESHOLD, 16 * 2**20)


def give_back() -> None:
    """Find what nobody holds any more, and return what is free to the computer."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
