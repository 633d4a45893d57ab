"""Columns that a time to an event gives away: they, too, are known only afterwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from .facts import Facts
from .spec import ColumnSpec
from .watch_words import names_watch, says_watch
from .watched import (
    FEWEST_TIMES,
    MOST_CODES,
    ROWS,
    Watched,
    as_time,
    same_times,
    times_and_statuses,
)

_MOST_COLUMNS = 150
_MOST_NAMES = 20
_FEWEST = 5  # rows with, and without, a cell that is there only where something came
_AGREE = 0.98  # share of the rows, or persons, of whom something is to hold
_EXPECTED, _OF_THEM = 6, 0.05  # rows that would be above the time by chance; of them, at most
_FEWER = 2  # the same where its name says a time, too
_LEAST_ORDERED = 10  # persons of whom one row has the later time


def kept_out(specs: Mapping[str, ColumnSpec], names: Collection[str]) -> dict[str, ColumnSpec]:
    """The columns as they would be with some of them kept out."""
    return {
        name: spec.changed(role="validator") if name in names and spec.role == "cluster" else spec
        for name, spec in specs.items()
    }


def find_late(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    pairs: Sequence[Watched],
) -> set[str]:
    """Other columns to cluster on that only the end of the watch can have told.

    A time that says of itself that somebody was watched; one never above the time watched, where
    chance would put many, or the same in many rows; what is there just where something came; and
    what is the time watched added to another column, such as the age at the end. One leads to the
    next.
    """
    alone = {n for n, spec in specs.items() if spec.role == "cluster" and says_watch(n)}
    alone = {n for n in alone if as_time(frame[n], facts[n]) is not None}
    known = times_and_statuses(pairs) | alone
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    left = {n for n, spec in specs.items() if spec.role == "cluster" and n not in known}
    if not known or len(left) > _MOST_COLUMNS:
        return alone
    numbers = {
        n: some[n].to_numpy(np.float64, na_value=np.nan)
        for n in specs
        if some[n].dtype.kind in "iufb"
    }
    found: set[str] = set()
    while fresh := {n for n in left if _is_told(n, known | found, some, numbers, facts)}:
        found |= fresh
        left -= fresh
    times = [n for n in known if n in numbers and facts[n].n_distinct >= FEWEST_TIMES]
    found |= {n for n in left for time in times if _is_sum(n, time, numbers)}
    ids = [n for n, spec in specs.items() if spec.role == "id" and some[n].duplicated().any()]
    kinds = {n for n in left for t in known if t in numbers and _orders(some, n, t, ids)}
    found |= alone | kinds
    return found | _in_series(found, left)


def _in_series(found: Collection[str], left: Collection[str]) -> set[str]:
    """Further columns of a numbered series of which most are late: "etime5" after "etime4"."""
    stems: dict[str, set[str]] = {}
    for name in {*found, *left}:
        if name[-1:].isdigit():
            stems.setdefault(name.rstrip("0123456789"), set()).add(name)
    series = [names for names in stems.values() if len(names) > 2]
    return {n for names in series if 2 * len(names & set(found)) > len(names) for n in names}


def _is_told(
    name: str,
    late: Collection[str],
    frame: pd.DataFrame,
    numbers: Mapping[str, np.ndarray],
    facts: Mapping[str, Facts],
) -> bool:
    """Whether what is known to be late gives a column away."""
    times = [n for n in late if n in numbers and facts[n].n_distinct >= FEWEST_TIMES]
    own = numbers.get(name)
    may_be_time = own is not None and facts[name].n_distinct >= FEWEST_TIMES
    if (
        may_be_time
        and np.nanmin(own) >= 0
        and any(
            _is_within(own, numbers[t], _FEWER if names_watch(name) else _EXPECTED) for t in times
        )
    ):
        return True
    few = [n for n in late if facts[n].n_distinct <= MOST_CODES]
    if any(_tells(frame[name], frame[status]) for status in few):
        return True
    if any(_is_of_both(frame[name], frame[a], frame[b]) for a, b in combinations(few, 2)):
        return True
    return any(_is_there_with(frame[name], frame[other]) for other in late)


def _is_within(own: np.ndarray, time: np.ndarray, least: int) -> bool:
    """Whether a column is the same time in many rows, or never above it by less than chance."""
    both = np.isfinite(own) & np.isfinite(time)
    if both.sum() < 2 * _EXPECTED:
        return False
    a, b = own[both], time[both]
    if same_times(a, b):
        return True
    chance = 1 - np.searchsorted(np.sort(a), b, side="right").mean() / len(a)
    above = int((a > b).sum())
    expected = chance * len(a)
    return expected >= least and above <= _OF_THEM * expected


def _is_sum(name: str, time: str, numbers: Mapping[str, np.ndarray]) -> bool:
    """Whether a column is the time added to another one, of which it is no summand."""
    own = numbers.get(name)
    if own is None:
        return False
    before = own - numbers[time]
    there = np.isfinite(before)
    if there.sum() < 2 * _EXPECTED or np.unique(before[there]).size < FEWEST_TIMES:
        return False
    least = 1e-6 * max(float(np.nanmax(np.abs(own))), 1.0)
    for other, values in numbers.items():
        both = there & np.isfinite(values)
        if other in (name, time) or both.sum() < 2 * _EXPECTED:
            continue
        if (np.abs(values[both] - before[both]) <= least).mean() >= _AGREE:
            return True
    return False


def _tells(column: pd.Series, status: pd.Series) -> bool:
    """Whether a category of few names, such as a cause of death, tells a status."""
    both = column.notna() & status.notna()
    if not 2 < column.nunique() <= _MOST_NAMES or status.nunique() < 2:
        return False
    table = pd.crosstab(column[both], status[both]).to_numpy()
    rare = table.sum() - table.sum(axis=0).max()
    wrong = table.sum() - table.max(axis=1).sum()
    return bool(rare >= _FEWEST and wrong <= _OF_THEM * rare)


def _is_of_both(column: pd.Series, one: pd.Series, other: pd.Series) -> bool:
    """Whether two statuses tell a third, as "relapsed or dead", which neither does alone."""
    if column.nunique() != 2:
        return False
    there = column.notna() & one.notna() & other.notna()
    both = one[there].astype(str) + " " + other[there].astype(str)
    table = pd.crosstab(both, column[there]).to_numpy()
    rare = table.sum(axis=0).min() if table.shape[1] == 2 else 0
    wrong = table.sum() - table.max(axis=1).sum()
    return bool(rare >= _FEWEST and wrong <= _OF_THEM * rare)


def _orders(frame: pd.DataFrame, name: str, time: str, ids: Sequence[str]) -> bool:
    """Whether two rows of a person are of two events: one kind never comes before the other."""
    if not ids or frame[name].nunique() != 2 or frame[time].nunique() < FEWEST_TIMES:
        return False
    for one in ids:
        wide = frame.pivot_table(time, one, name, "min", observed=True).dropna()
        if wide.shape[1] == 2:
            apart = wide.iloc[:, 1] - wide.iloc[:, 0]
            n = max((apart > 0).sum(), (apart < 0).sum())
            if n >= _LEAST_ORDERED and n >= _AGREE * (apart != 0).sum():
                return True
    return False


def _is_there_with(column: pd.Series, late: pd.Series) -> bool:
    """Whether a column is there only where a late one is, or where it has one of its codes.

    Or the other way round: a yes or no says where the late one is there.
    """
    there, of_late = column.notna().to_numpy(), late.notna().to_numpy()
    least = _FEWER if names_watch(str(column.name)) else _EXPECTED
    if least <= there.sum() < len(there):
        sides = [of_late] if _is_apart(of_late) else []
        if 2 <= late.nunique() <= MOST_CODES:
            sides += [(late == code).to_numpy(bool) for code in late.dropna().unique()]
        if any(_is_part(there, side, least) for side in sides if _is_apart(side)):
            return True
    if _is_apart(of_late) and column.nunique() == 2:
        says = (column == column.dropna().unique()[0]).to_numpy(bool)
        return max((says == of_late).mean(), (says != of_late).mean()) >= _AGREE
    return False


def _is_part(there: np.ndarray, side: np.ndarray, least: int) -> bool:
    """Whether rows, (n,) of bool, are among others where chance would put many elsewhere."""
    expected = there.sum() * (1 - side.mean())
    return bool(expected >= least and (there & ~side).sum() <= _OF_THEM * expected)


def _is_apart(side: np.ndarray) -> bool:
    return bool(_FEWEST <= side.sum() <= len(side) - _FEWEST)
