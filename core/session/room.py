"""Room for tables: what those of all visitors together may take of a computer's memory."""

from __future__ import annotations

import itertools
import os
import weakref
from contextlib import suppress
from pathlib import Path

import pandas as pd

from ..reading.options import TableError

#: Where Linux says what a container may take: of the newer kind, and of the older.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
#: Taken for the memory of a computer that does not tell.
_UNTOLD = 8 * 1024**3


class Room:
    """So many bytes, and the tables that take some of them until nobody has them any more."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._held: dict[int, int] = {}
        self._keys = itertools.count()

    @property
    def held(self) -> int:
        """Bytes that are taken."""
        return sum(list(self._held.values()))

    def check(self, name: str, size: int = 0) -> None:
        """Refuse what there is no room for.

        Raises
        ------
        TableError
        """
        if self.held + size > self.most:
            takes = f"takes {size / 1024**2:,.0f} MB of memory" if size else "cannot be read now"
            raise TableError(
                f"'{name}' {takes}, and the tables that are open take {self.held / 1024**3:,.1f} of"
                f" the {self.most / 1024**3:,.1f} GB there are for all of them: try again later, or"
                " with fewer rows."
            )

    def hold(self, frame: pd.DataFrame, name: str, more: int = 0) -> None:
        """Count a table, and ``more`` bytes that are kept with it, for as long as it is there.

        Raises
        ------
        TableError
            There is no room for it.
        """
        size = int(frame.memory_usage(deep=True).sum()) + more
        self.check(name, size)
        key = next(self._keys)
        self._held[key] = size
        weakref.finalize(frame, self._held.pop, key, None)


def memory() -> int:
    """Bytes of memory of this computer, or of the container that this runs in."""
    found = []
    with suppress(AttributeError, ValueError, OSError):  # Windows has no such call
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _LIMITS:
        with suppress(OSError, ValueError):  # "max" is no limit
            found.append(int(Path(path).read_text()))
    return min(found, default=_UNTOLD)
