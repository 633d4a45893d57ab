"""Memory that visitors needed goes back to the computer once they have left.

What is free in Python is not yet free for others: the C library keeps it. Only that of Linux has a
call to change this; how much it may keep, ``app.py`` says before there are threads.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress


def give_back() -> None:
    """Find what nobody holds any more, and return what is free to the computer."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
