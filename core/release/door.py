"""The door: of a table only what was named beforehand leaves; what nobody named stays inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: Where it is said of a line that something of it stays inside.
REMARK = "remark"


@dataclass(frozen=True)
class Allowed:
    """The columns of a table that may leave, and when.

    Parameters
    ----------
    always : tuple of str
        Names, what was decided, and directions: of no patient.
    where : mapping of str to tuple of str
        By a condition that is judged line by line, the columns that leave where it holds.
    roughly : tuple of str
        Of those, the ones that leave with one digit after the point where it does not.
    by_group : bool
        Whether the titles of the groups are columns, too.
    """

    always: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    roughly: tuple[str, ...] = ()
    by_group: bool = False


def only_named(table: pd.DataFrame, allowed: Allowed, titles: Sequence[str] = ()) -> pd.DataFrame:
    """The columns of a table that were named, ``titles`` being those of the groups."""
    named = {*allowed.always, *(titles if allowed.by_group else ())}
    named.update(*allowed.where.values())
    return table[[name for name in table if name in named]]


def let_out(
    table: pd.DataFrame, allowed: Allowed, may: Mapping[str, Sequence[bool]], why: Sequence[str]
) -> pd.DataFrame:
    """What of a table may leave whose lines are judged one by one.

    Parameters
    ----------
    table : DataFrame, L lines
    allowed : Allowed
    may : mapping of str to sequence of L bool
        Of each line, which conditions hold; one that nobody judged does not.
    why : sequence of L str
        The remark of a line of which something stays inside.

    Returns
    -------
    DataFrame, L lines
        The columns named, in their order in the table; None in a cell that stays inside.
    """
    told, stays = only_named(table, allowed).copy(), np.zeros(len(table), dtype=bool)
    for condition, names in allowed.where.items():
        away = ~np.asarray(may.get(condition, stays & False), dtype=bool)
        for name in told.columns.intersection(names):
            about = told.loc[away, name].round(1) if name in allowed.roughly else None
            told[name] = told[name].astype(object)
            told.loc[away, name] = about
        stays |= away
    if REMARK in told:
        told.loc[stays, REMARK] = np.asarray(why, dtype=object)[stays]
    return told
