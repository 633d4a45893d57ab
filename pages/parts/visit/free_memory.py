"""Memory that visitors needed goes back to the computer once they have left.

What is free in Python is not yet free for others: the C library keeps it, in a store for each of
several threads. Only that of Linux has calls to change this; how many stores it may have,
``app.py`` says before there are threads.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from threading import Event, Thread

# Its setting of how much may be free at the end of a store (malloc.h), in bytes: while pages are
# drawn, for less costs time, as the arrays of a large table are fetched again and again; and now,
# as much as a store looks at its end for when it is freed in one piece.
_TRIM_THRESHOLD, _DRAWING, _NOW = -1, 16 * 2**20, 2**16
#: Threads side by side of which every store serves one.
_THREADS = 8


def keep_while_drawing() -> None:
    """Let what is free at the end of a store stay while it may be needed again at once."""
    _keep_at_ends(_DRAWING)


def pass_over_what_lasts() -> None:
    """Have garbage sought among what comes from now on: what is there while nobody visits lasts.

    Python looks through everything once a quarter more has come, of some 400,000 objects: the
    garbage of many visits waited for that, and then everybody for the look.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Find what nobody holds any more, and return what is free to the computer."""
    gc.collect()
    _keep_at_ends(_NOW)
    with suppress(RuntimeError):  # no thread can be started now
        _use_all_stores()
    keep_while_drawing()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _keep_at_ends(n_bytes: int) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(_TRIM_THRESHOLD, n_bytes)


def _use_all_stores() -> None:
    """Take and free a little in every store: only then is the end of any but the first given back.

    ``malloc_trim`` gives back what is free in between, and the end of the first.
    """
    have_all_begun = Event()

    def use() -> None:
        have_all_begun.wait()  # a store that nobody uses any more would serve the next one
        bytes(2 * _NOW)

    threads = [Thread(target=use) for _ in range(_THREADS)]
    try:
        for thread in threads:
            thread.start()
    finally:
        have_all_begun.set()
    for thread in threads:
        thread.join()
