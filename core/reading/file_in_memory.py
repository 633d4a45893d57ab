"""A file in memory under a path, for libraries that want a path: no table is left on a disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def file_in_memory(content: bytes | memoryview = b"", ending: str = "") -> Iterator[str]:
    """A path of a file that holds ``content``, gone afterwards.

    Where the system has such files (Linux) it is on no disk and goes with its process, even with
    one that is killed; elsewhere it is a temporary one of that ``ending``.
    """
    if hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd"):
        with open(os.memfd_create("table"), "wb", buffering=0) as file:
            file.write(content)
            yield f"/proc/self/fd/{file.fileno()}"
        return
    descriptor, path = tempfile.mkstemp(suffix=ending)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        yield path
    finally:
        os.unlink(path)
