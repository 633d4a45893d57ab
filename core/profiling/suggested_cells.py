"""Cells that could say more: ticks, words that differ in spelling only, dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from ..prepare.asked import PrepareError
from ..prepare.cells import FillBlanks, MergeLevels
from ..prepare.dates import TimeBetween, likely_form, read_days, this_year
from ..reading.dates import are_dates
from ..schema.words import affirms, words
from ..wording import counted
from .suggestion import Look, Suggestion, listed_names, short

#: Levels of a column of words that is looked at, at most.
_MOST_LEVELS = 300
#: Rows of which the dates are read.
_ROWS = 2000
#: Share of the rows in which one date comes before another, at least.
_LEAST_IN_ORDER = 0.95
#: Times that are told in days, and not in years.
_MOST_DAYS = 200


def blanks_that_mean_no(look: Look) -> Iterator[Suggestion]:
    """Columns that hold one value or nothing: ticks, or the words of the answers ticked."""
    n = len(look.frame)
    single = [
        name
        for name in look.names
        if len(look.levels(name)) == 1 and 0.02 * n <= n - look.counts(name)[0] and n > 1
    ]
    found = boxes({name: look.levels(name)[0] for name in single})
    if found:
        hold = "column holds" if len(found) == 1 else "columns hold"
        values = list(dict.fromkeys(_told(look.levels(name)[0]) for name in found))
        held = f"{values[0]} or nothing" if len(values) == 1 else "one value or nothing"
        why = (
            f"{len(found):,} {hold} {held} ({listed_names(found)}): does a blank in "
            f"{'it' if len(found) == 1 else 'them'} mean no?"
        )
        yield Suggestion(FillBlanks(found), why)


def _told(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def spellings(look: Look) -> Iterator[Suggestion]:
    """Levels that differ in capital letters and blanks only."""
    found = {}
    for name in look.names:
        if not look.is_text(name) or look.role(name) in ("id", "weight"):
            continue
        levels = look.levels(name)
        if 0 < len(levels) <= _MOST_LEVELS and (merged := _merged(levels, look.counts(name))):
            found[name] = merged
    found = _side_by_side(look, found)
    if not found:
        return
    pairs = _all_pairs(found)
    one, two = next(iter(pairs.items()))
    do = "does" if len(pairs) == 2 else "do"
    more = f", as {do} {len(pairs) - 1:,} more" * (len(pairs) > 1)
    why = f"'{one}' and '{two}' in {_where(found)} differ in spelling only{more}: make them one?"
    yield Suggestion(MergeLevels(tuple(found), tuple(pairs.items())), why)


def _merged(levels: np.ndarray, counts: np.ndarray) -> dict[str, str]:
    """Rarer spellings, each with the most frequent one."""
    of: dict[str, list[tuple[int, str]]] = {}
    for level, count in zip(levels, counts, strict=True):
        text = str(level)
        if len(text.strip()) > 1:
            of.setdefault(" ".join(text.casefold().split()), []).append((int(count), text))
    merged = {}
    for spelled in of.values():
        best = max(spelled)[1]
        merged |= {text: best for _, text in spelled if text != best}
    return merged


def _side_by_side(look: Look, found: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The first columns whose levels can be merged in one step: what goes in one stays in none."""
    chosen: dict[str, dict[str, str]] = {}
    for name, pairs in found.items():
        stay = {str(level) for level in look.levels(name)} - {*pairs}
        if not any(
            stay & {*others}
            or ({str(level) for level in look.levels(other)} - {*others}) & {*pairs}
            or any(others.get(old, new) != new for old, new in pairs.items())
            for other, others in chosen.items()
        ):
            chosen[name] = dict(pairs)
    return chosen


def _where(found: Mapping[str, Mapping[str, str]]) -> str:
    """The first of some columns, and how many more there are."""
    first, *others = found
    return f"'{short(first)}'" + f" and {counted(len(others), 'column')} more" * bool(others)


def _all_pairs(found: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {old: new for pairs in found.values() for old, new in pairs.items()}


def dates(look: Look) -> Iterator[Suggestion]:
    """Two dates of which one comes before the other in nearly all rows."""
    some = look.frame.iloc[:: max(len(look.frame) // _ROWS, 1)].reset_index(drop=True)
    days, forms = {}, {}
    for name in look.names:
        if look.role(name) == "cluster" or not _are_dates(look, name):
            continue
        forms[name] = likely_form(look.frame[name].dropna().iloc[:300])
        try:
            days[name] = read_days(some, name, forms[name], this_year())
        except PrepareError:
            continue
    table = pd.DataFrame(days).dropna(axis=1, how="all")
    if table.shape[1] == 1:
        yield from _until_the_last(look, str(table.columns[0]), forms)
    if table.shape[1] < 2:
        return
    for start in table.median().sort_values().index.astype(str):
        later = {name: _in_order(table[start], table[name]) for name in table if name != start}
        end = str(max(later, key=lambda name: later[name]))
        typical = (table[end] - table[start]).median()
        unit = "days" if typical.days < _MOST_DAYS else "years"
        into = f"{unit} from {start} to {end}"
        if later[end] < 0.3 * len(some) or into in look.names:
            continue
        turned = int((table[end] < table[start]).sum())
        but = f" ({counted(turned, 'row')} the other way round)" * (turned > 0)
        why = (
            f"{table.shape[1]} columns hold dates, which are left out: take the time from "
            f"'{short(start)}' to '{short(end)}'{but}?"
        )
        step = TimeBetween(start, forms[start], end, forms[end], unit=unit, into=into)
        yield Suggestion(step, why)
        return


def _until_the_last(look: Look, name: str, forms: Mapping[str, str]) -> Iterator[Suggestion]:
    """The only date of a table: how long before the last one each row was."""
    days = read_days(look.frame, name, forms[name], this_year())
    last, first = days.max(), days.min()
    if days.notna().sum() < 0.3 * len(days) or last == first:
        return
    unit = "days" if (last - first).days < _MOST_DAYS else "years"
    on_day = last.date().isoformat()
    into = f"{unit} from {name} to {on_day}"
    if into not in look.names:
        why = (
            f"'{short(name)}' holds dates, which are left out: take the time until the last of "
            "them?"
        )
        step = TimeBetween(name, forms[name], unit=unit, on_day=on_day, into=into)
        yield Suggestion(step, why)


def _are_dates(look: Look, name: str) -> bool:
    if pd.api.types.is_datetime64_any_dtype(look.frame[name]):
        return True
    return look.is_text(name) and are_dates([str(level) for level in look.levels(name)[:100]])


def _in_order(start: pd.Series, end: pd.Series) -> int:
    """Rows in which one date comes before another; 0 where they do not do so as a rule."""
    known = start.notna() & end.notna()
    before = int((start < end)[known].sum())
    return before if before >= _LEAST_IN_ORDER * max(int(known.sum()), 1) else 0


#: What is written where a box is ticked, and columns of one word each that are answers to one
#: question, at least.
_MARKS = {"1", "x", "xx", "\u2713", "\u2714", "\u2717", "*", "+", "checked", "ticked", "selected"}
_FEWEST_BOXES = 3


def boxes(values: Mapping[str, object]) -> tuple[str, ...]:
    """Those that are checkboxes of some columns that hold one value or nothing.

    The value is a mark (1, x, yes), or the column's name says it, as of "Pie: Apple" the word
    Apple; or several columns of one word each stand in the table, as where every answer to a
    question has its own column.

    Parameters
    ----------
    values : mapping of str to object
        The only value of each column.
    """
    worded = {name for name, value in values.items() if isinstance(value, str)}
    many = len({values[name] for name in worded}) >= _FEWEST_BOXES
    return tuple(
        name for name, value in values.items() if _is_mark(value, name) or (many and name in worded)
    )


def _is_mark(value: object, name: str) -> bool:
    """Whether the only value of a column says yes, or what the column's name says."""
    text = f"{value:g}" if isinstance(value, float) else str(value).strip()
    said = words(text) if isinstance(value, str) else []
    return text.lower() in _MARKS or affirms(text) or (bool(said) and set(said) <= set(words(name)))
