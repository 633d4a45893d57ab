"""The door: of a table only what was named beforehand leaves; what nobody named stays inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: Significant digits of a number that leaves, and of a p-value.
DIGITS, P_DIGITS = 4, 3
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
    roughly : mapping of str to str
        Of those, the ones that leave with one digit after the point where a second condition does
        not hold.
    by_group : bool
        Whether the titles of the groups are columns, too.
    p_values : tuple of str
        Those that are p-values.
    like : str
        A regular expression of further names that leave, such as those of round times.
    """

    always: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    roughly: Mapping[str, str] = field(default_factory=dict)
    by_group: bool = False
    p_values: tuple[str, ...] = ()
    like: str = ""


def only_named(table: pd.DataFrame, allowed: Allowed, titles: Sequence[str] = ()) -> pd.DataFrame:
    """The columns of a table that were named, ``titles`` being those of the groups.

    No number leaves with more digits than a report prints: of a mean of whole numbers the further
    ones tell its sum, of a p-value how skewed they are.
    """
    table = table[names_of(table, allowed, titles)]
    return table.assign(
        **{
            name: in_significant(table[name], P_DIGITS if name in allowed.p_values else DIGITS)
            for name in table.select_dtypes("floating")
        }
    )


def names_of(table: pd.DataFrame, allowed: Allowed, titles: Sequence[str] = ()) -> list[str]:
    """The names of those columns."""
    named = {*allowed.always, *(titles if allowed.by_group else ())}
    named.update(*allowed.where.values())
    return [name for name in table if name in named or _is_like(name, allowed.like)]


def _is_like(name: object, pattern: str) -> bool:
    return bool(pattern) and re.fullmatch(pattern, str(name)) is not None


def in_significant(values: Iterable[float], digits: int) -> np.ndarray:
    """Numbers with so many significant digits, large ones to the unit; what is no number stays."""
    return np.array([_rounded(value, digits) for value in values], dtype=np.float64)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}" if abs(value) < 10.0**digits else f"{value:.0f}")


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
    away = {
        condition: ~np.asarray(may.get(condition, stays), dtype=bool)
        for condition in (*allowed.where, *allowed.roughly.values())
    }
    for name, condition in allowed.roughly.items():
        if name in told:
            told.loc[away[condition], name] = told.loc[away[condition], name].round(1)
    for condition, names in allowed.where.items():
        for name in told.columns.intersection(names):
            told[name] = told[name].astype(object)
            told.loc[away[condition], name] = None
        stays = stays | away[condition]
    if REMARK in told:
        told.loc[stays, REMARK] = np.asarray(why, dtype=object)[stays]
    return told
