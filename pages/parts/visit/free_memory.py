"""Memory that visitors needed goes back to the computer once they have left.

What is free in Python is not yet free for others: the C library keeps it, in a store for each of
several threads. Only that of Linux has calls to change this; how many stores it may have,
``app.py`` says before there are threads.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from threading import Barrier, Thread

# Its setting of how much may be free at the end of a store (malloc.h), in bytes: while pages are
# drawn, for less costs time, as the arrays of a large table are fetched again and again; and now.
_TRIM_THRESHOLD, _DRAWING, _NOW = -1, 16 * 2**20, 2**16
#: Threads side by side of which every store serves one.
_THREADS = 8


def give_back() -> None:
    """Find what nobody holds any more, and return what is free to the computer."""
    gc.collect()
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(_TRIM_THRESHOLD, _NOW)
        _use_all_stores()
        library.mallopt(_TRIM_THRESHOLD, _DRAWING)
        library.malloc_trim(0)


def _use_all_stores() -> None:
    """Take and free a little in every store: only then is the end of any but the first given back.

    ``malloc_trim`` gives back what is free in between, and the end of the first.
    """
    together = Barrier(_THREADS)

    def use() -> None:
        together.wait()
        bytes(2 * _NOW)
        together.wait()  # a store that nobody uses any more would serve the next one

    threads = [Thread(target=use) for _ in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
