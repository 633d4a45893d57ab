"""Rows that a table has too many of: repeated ones, notes below it, several of one unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from ..prepare.dates import likely_form
from ..prepare.rows import DropRepeated, FilterRows
from ..prepare.units import OneRowPer
from ..reading.dates import are_dates
from ..schema.words import may_name_identifier, names_identifier, says
from ..wording import could_be_year, counted
from .suggestion import Look, Suggestion

#: Share of the rows that repeat others by mistake, at most.
_MOST_REPEATED = 0.25
#: Fewer columns say too little to tell rows apart.
_FEWEST_COLUMNS = 5
#: Columns left out in turn, at most.
_MOST_LEFT_OUT = 40


def repeated_rows(look: Look) -> Iterator[Suggestion]:
    """Rows that stand twice, unless rows of this table are alike by chance.

    By chance more rows would agree in all columns but one than in all of them, whichever is left
    out: the one that says most, such as a number of the row, aside.
    """
    repeat = _repeat(look, look.names)
    if repeat is not None:
        yield repeat
        return
    telling = [name for name in look.names if look.role(name) != "id"]
    if len(telling) < len(look.names) and (repeat := _repeat(look, telling)) is not None:
        yield repeat


def _repeat(look: Look, names: Sequence[str]) -> Suggestion | None:
    """The rows that are alike in some columns, if they repeat others by mistake."""
    if len(names) < _FEWEST_COLUMNS:
        return None
    filled = np.any([look.codes(name) >= 0 for name in names], axis=0)
    n = int(filled.sum())
    random = np.random.default_rng(0)
    marks = {}
    for name in names:
        keys = random.integers(0, 2**63, len(look.levels(name)) + 1, dtype=np.uint64)
        marks[name] = keys[look.codes(name)][filled]
    total = np.sum(list(marks.values()), axis=0, dtype=np.uint64)
    distinct = pd.unique(total).size
    repeated = n - distinct
    most_detailed = max(len(look.levels(name)) for name in names)
    if not 0 < repeated <= _MOST_REPEATED * n or most_detailed < max(20, 0.1 * distinct):
        return None
    left_out = names[:: max(len(names) // _MOST_LEFT_OUT, 1)]
    near = [n - pd.unique(total - marks[name]).size - repeated for name in left_out]
    if sum(near) - max(near) > repeated:
        return None
    is_whole = len(names) == len(look.names)
    rows = "row of the table repeats" if repeated == 1 else f"of {n:,} rows repeat"
    but = "" if is_whole else " in all but what tells rows apart"
    why = f"{repeated:,} {rows} another one{but}: keep one of each?"
    return Suggestion(DropRepeated(() if is_whole else tuple(names)), why)


#: Share of the rows that are no rows of the table, at most.
_MOST_NOTES = 0.05


def rows_of_notes(look: Look) -> Iterator[Suggestion]:
    """Rows with one filled cell or none, below a table whose other rows are full of cells."""
    filled = np.array([look.codes(name) >= 0 for name in look.names])
    is_note = filled.sum(axis=0) <= 1
    n = int(is_note.sum())
    if len(look.names) < _FEWEST_COLUMNS or not 0 < n <= _MOST_NOTES * is_note.size:
        return
    full = [
        name for name, there in zip(look.names, filled, strict=True) if (there != is_note).all()
    ]
    if full:
        have, them = ("1 row has", "it") if n == 1 else (f"{n:,} rows have", "them")
        why = f"{have} one filled cell at most, such as a note below the table: leave {them} out?"
        yield Suggestion(FilterRows(full[0], "is not empty"), why)


#: Columns in which an export of REDCap says which of several rows of a record one is.
OCCASIONS = ("redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance")
_FEWEST_UNITS = 10
#: Share of the rows whose unit has other rows, at least.
_LEAST_TOGETHER = 0.5
#: Units that are more than the groups of a table are, where no time tells their rows apart.
_MANY_UNITS = 30
#: Columns of times that are looked at.
_MOST_TIMES = 6
#: Share of the rows that may have the time of another row of their unit.
_MOST_SHARED = 0.002
#: Rows of one unit and one time that chance would make, at least.
_LEAST_EXPECTED = 5
#: Share of the rows of a unit that say what its first one does, where that is its own fact.
_LEAST_SAME = 0.998
#: Share of all pairs of a unit and a time that are rows, in a panel.
_LEAST_FILLED = 0.6


def rows_of_units(look: Look) -> Iterator[Suggestion]:
    """A unit that has several rows: a patient seen often, a country of many years."""
    if any(name in look.names for name in OCCASIONS):
        yield from _rows_of_records(look)
        return
    times = [name for name in look.names if len(look.levels(name)) > 1 and _is_when(look, name)]
    times = times[:_MOST_TIMES]
    found = []
    for name in filter(partial(_may_be_unit, look), look.names):
        panel = next((time for time in times if _tells_apart(look, name, time)), "")
        if _is_unit(look, name, panel):
            found.append((name, panel))
    if not found:
        return
    unit, panel = max(found, key=lambda pair: (bool(pair[1]), len(look.levels(pair[0]))))
    n = int((look.codes(unit) >= 0).sum())
    why = (
        f"{n:,} rows belong to {counted(len(look.levels(unit)), 'value')} of '{unit}': make one "
        f"row of each?"
    )
    order = panel or next((time for time in times if not _is_fact(look, unit, time)), "")
    yield Suggestion(_one_row_per(look, unit, order), why)


def _rows_of_records(look: Look) -> Iterator[Suggestion]:
    """The first column of an export of REDCap, of which every event and repeated form is a row.

    A form that was filled in once is blank in all other rows, so what is there is the fact.
    """
    unit = look.names[0]
    codes = look.codes(unit)
    n, n_units = int((codes >= 0).sum()), len(look.levels(unit))
    if not 2 <= n_units < n:
        return
    summaries = []
    for name in look.names[1:]:
        if name in OCCASIONS or not len(look.levels(name)):
            continue
        once = look.frame.groupby(unit)[name].nunique().max() <= 1
        how = "first" if once else "mean" if look.is_number(name) else "last"
        summaries.append((name, how))
    if summaries:
        why = (
            f"{n:,} rows belong to {counted(n_units, 'record')}, one row an event or a repeated "
            f"form: make one row of each '{unit}'?"
        )
        yield Suggestion(OneRowPer(unit, "", "", tuple(summaries)), why)


def _may_be_unit(look: Look, name: str) -> bool:
    """Whether there are enough values, most of them in several rows, of text or whole numbers."""
    counts = look.counts(name)
    most = counts[counts > 1].sum() >= _LEAST_TOGETHER * counts.sum()
    if len(counts) < _FEWEST_UNITS or not most or says("when", name):
        return False
    if look.is_number(name):
        values = look.values(name)
        is_whole = bool(np.all(np.floor(values) == values, where=~np.isnan(values)))
        return is_whole and not _is_when(look, name)
    return look.is_text(name) and not _is_when(look, name)


def _is_unit(look: Look, name: str, panel: str) -> bool:
    """Whether it is named so, and its rows are told apart or share facts; or all have all times."""
    is_named = names_identifier(name) or may_name_identifier(name) or look.role(name) == "id"
    if is_named and panel:
        return True
    is_one = says("unit", name)
    if is_one and len(look.levels(name)) >= _MANY_UNITS and not _has_row_names(look):
        return _has_facts(look, name)
    if not panel or len(look.levels(panel)) < 3:
        return False
    cells = len(look.levels(name)) * len(look.levels(panel))
    return len(look.frame) >= _LEAST_FILLED * cells


def _is_when(look: Look, name: str) -> bool:
    """Whether the cells are dates, years, or numbers of a column whose name says when."""
    if pd.api.types.is_datetime64_any_dtype(look.frame[name]):
        return True
    levels = look.levels(name)
    if look.is_text(name):
        return are_dates([str(level) for level in levels[:50]])
    if not look.is_number(name) or not len(levels):
        return False
    values = look.values(name)
    years = could_be_year(np.nanmin(values)) and could_be_year(np.nanmax(values))
    is_whole = bool(np.all(np.floor(values) == values, where=~np.isnan(values)))
    return (years and is_whole) or says("when", name)


def _tells_apart(look: Look, unit: str, time: str) -> bool:
    """Whether each unit has each time once, though rows drawn at random would share many."""
    of, when = look.codes(unit), look.codes(time)
    known = (of >= 0) & (when >= 0)
    n = int(known.sum())
    if unit == time or 2 * n <= known.size or 2 * len(look.levels(time)) > n:
        return False
    shared = n - pd.unique(of[known] * len(look.levels(time)) + when[known]).size
    per_unit = np.bincount(of[known])
    by_chance = (np.bincount(when[known]) / n) ** 2
    expected = (per_unit * (per_unit - 1) / 2).sum() * by_chance.sum()
    return bool(shared <= _MOST_SHARED * n and expected >= _LEAST_EXPECTED + 10 * shared)


def _has_row_names(look: Look) -> bool:
    """Whether a column named like an identifier tells all rows apart, and does not number them."""
    n = len(look.frame)
    telling = (m for m in look.names if names_identifier(m) and len(look.levels(m)) == n)
    return not all(map(partial(_numbers_rows, look), telling))


def _numbers_rows(look: Look, name: str) -> bool:
    """Whether the cells count the rows, as a program does that writes a table."""
    steps = np.diff(look.values(name)) if look.is_number(name) else np.zeros(1)
    return bool(np.all(steps == 1))


def _has_facts(look: Look, unit: str) -> bool:
    """Whether another column says one thing of each unit, and no more than some units share."""
    n_units = len(look.levels(unit))
    of_two = [n for n in look.names if n != unit and 2 <= len(look.levels(n)) <= n_units / 2]
    return any(_is_fact(look, unit, name) for name in of_two)


def _is_fact(look: Look, unit: str, name: str) -> bool:
    """Whether all rows of a unit say the same."""
    of, said = look.codes(unit), look.codes(name)
    known = of >= 0
    first = np.empty(len(look.levels(unit)), dtype=said.dtype)
    first[of[known][::-1]] = said[known][::-1]
    return bool((first[of[known]] == said[known]).mean() >= _LEAST_SAME)


def _one_row_per(look: Look, unit: str, order: str) -> OneRowPer:
    """The step: facts once, numbers on average, words as they were last."""
    n = len(look.frame)
    summaries = []
    for name in look.names:
        if name in (unit, order) or (look.role(name) == "id" and len(look.levels(name)) == n):
            continue
        if _is_fact(look, unit, name):
            summaries.append((name, "first"))
        else:
            summaries.append((name, "mean" if look.is_number(name) else "last"))
    form = ""
    if order and not look.is_number(order):
        form = likely_form(look.frame[order].dropna().iloc[:300])
    return OneRowPer(unit, order, form, tuple(summaries))
