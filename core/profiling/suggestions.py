"""Steps that a table seems to need before it is grouped, the most consequential first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ..prepare.cell_reading import read_days, this_year
from ..prepare.cells import FillBlanks, MergeLevels
from ..prepare.date_formats import likely_format
from ..prepare.dates import TimeBetween
from ..prepare.rows import DropRepeated, FilterRows
from ..prepare.step import PrepareError
from ..reading.dates import are_dates
from ..schema.schema import Schema
from ..schema.words import affirms, words
from ..wording import counted
from .suggested_units import rows_of_units
from .suggestion import Look, Suggestion, listed_names, short

#: Suggestions that are shown.
_MOST = 5
#: Rows in which dates are read, and share of them in which one comes before the other.
_ROWS, _LEAST_IN_ORDER = 2000, 0.95
#: Times that are told in days, and not in years.
_MOST_DAYS = 200
#: Levels of a column of words that is looked at, at most.
_MOST_LEVELS = 300
#: What is written where a box is ticked, and columns of one word each that are answers to one
#: question, at least.
_MARKS = frozenset(
    ["1", "x", "xx", "✓", "✔", "✗", "*", "+", "checked", "ticked", "selected", "marked"]
)
_FEWEST_BOXES = 3


def suggestions(frame: pd.DataFrame, schema: Schema) -> tuple[Suggestion, ...]:
    """Look for what a table seems to need; nothing is done.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    schema : Schema
        As guessed from it, or as decided.

    Returns
    -------
    tuple of Suggestion
        At most five.

    Examples
    --------
    >>> import pandas as pd
    >>> from mapdp_studio.core import infer_schema
    >>> from mapdp_studio.core.profiling.suggestions import suggestions
    >>> frame = pd.DataFrame({"lift": [1.0, None, None] * 9, "rooms": [2, 3, 4] * 9})
    >>> [suggestion.why for suggestion in suggestions(frame, infer_schema(frame))]
    ['1 column holds 1 or nothing (lift): does a blank in it mean no?']
    """
    look = Look(frame, schema)
    rules = (rows_of_units, rows_of_notes, repeated_rows, blanks_that_mean_no, spellings, dates)
    return tuple(found for rule in rules for found in rule(look))[:_MOST]


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
        forms[name] = likely_format(look.frame[name].dropna().iloc[:300])
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
