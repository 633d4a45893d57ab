"""Memory that visitors needed goes back to the computer once they have left.

What is free in Python is not yet free for others: pyarrow keeps some of it, and the C library. Only
that of Linux has a call to change this; how much it may keep, ``app.py`` says before any thread.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

import pyarrow as pa


def give_back() -> None:
    """Find what nobody holds any more, and return what is free to the computer."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
