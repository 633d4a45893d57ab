"""Files that visitors hand over: read one at a time, while there is room for their tables."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

import pandas as pd

from mapdp_studio.core import read_table
from mapdp_studio.core.reading.options import ReadOptions
from mapdp_studio.core.session.room import Room, memory
from mapdp_studio.core.session.turns import Turns
from mapdp_studio.pages.parts.shared.turns import in_turn

#: What the tables of all visitors may take together, as a share of the memory: the rest is for
#: reading one, for fits, and for everything else.
SHARE = 0.5
#: Reading takes several times what its table does in the end, so no two files are read at once.
_turns = Turns(places=1, seconds=60.0)


@cache
def room() -> Room:
    """That of the whole server."""
    return Room(int(SHARE * memory()))


def alone() -> AbstractContextManager[None]:
    """Around the reading of a file: wait until no other one is read."""
    return in_turn(_turns)


def read_upload(name: str, content: bytes, options: ReadOptions | None = None) -> pd.DataFrame:
    """Read a visitor's file.

    Raises
    ------
    TableError
        It is no table, or there is no room for it beside those of others.
    """
    with alone():
        room().check(name)
        frame = read_table(content, options=options, name=name)
        room().hold(frame, name, len(content))
    return frame
