"""Steps that a table seems to need before it is grouped, the most consequential first.

Each rule looks at the whole table and yields a step with what was counted that speaks for it:
several rows of one unit, notes below the table, rows that repeat others, columns of ticks, levels
that differ in spelling only, dates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..prepare.cells import FillBlanks, MergeLevels
from ..prepare.columns import TimeBetween, likely_form, read_days, this_year
from ..prepare.rows import DropRepeated, FilterRows, OneRowPer
from ..prepare.step import PrepareError, Step
from ..reading.dates import are_dates
from ..schema.cells import factorize, is_textual
from ..schema.schema import Schema
from ..schema.words import affirms, may_name_identifier, names_identifier, says, words
from ..wording import could_be_year, counted, cut, listed

#: Suggestions that are shown; letters of a name, and names, that a sentence shows.
MOST, _LETTERS, _NAMED = 5, 41, 3


@dataclass(frozen=True)
class Suggestion:
    """What could be done, and why."""

    step: Step
    #: One sentence with what was counted.
    why: str


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
    look = _Look(pd.DataFrame(frame), schema)
    found = [suggestion for rule in _RULES for suggestion in rule(look)]
    return tuple(found[:MOST])


class _Look:
    """A table as the rules see it: its cells as codes, made once."""

    def __init__(self, frame: pd.DataFrame, schema: Schema) -> None:
        self.frame, self.schema = frame, schema
        self.names = [str(name) for name in frame.columns]

    @cached_property
    def _factors(self) -> Mapping[str, tuple[np.ndarray, np.ndarray]]:
        return {name: factorize(self.frame[name]) for name in self.names}

    def codes(self, name: str) -> np.ndarray:
        """Place of every cell among the distinct ones, shape (N,), -1 where empty."""
        return self._factors[name][0]

    def levels(self, name: str) -> np.ndarray:
        """The distinct cells, as they first came."""
        return self._factors[name][1]

    def counts(self, name: str) -> np.ndarray:
        """Rows of each of them."""
        codes = self.codes(name)
        return np.bincount(codes[codes >= 0], minlength=len(self.levels(name)))

    def is_text(self, name: str) -> bool:
        """Whether the cells are text."""
        return is_textual(self.frame[name].dtype)

    def numbers(self, name: str) -> np.ndarray:
        """The distinct cells as float64 where they are numbers, not yes and no; else none."""
        dtype = self.frame[name].dtype
        if not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
            return np.empty(0)
        return self.levels(name).astype(np.float64)

    def role(self, name: str) -> str:
        """What the schema has the column for."""
        return self.schema[name].role if name in self.schema else "ignore"

    def are_dates(self, name: str) -> bool:
        """Whether the cells are dates, or text that reads as such."""
        if pd.api.types.is_datetime64_any_dtype(self.frame[name]):
            return True
        return self.is_text(name) and are_dates([str(level) for level in self.levels(name)[:100]])

    def is_when(self, name: str) -> bool:
        """Whether the cells are dates, years, or numbers of a column whose name says when."""
        numbers = self.numbers(name)
        if not numbers.size:
            return self.are_dates(name)
        years = could_be_year(numbers.min()) and could_be_year(numbers.max())
        return (years and _are_whole(numbers)) or says("when", name)


def _are_whole(numbers: np.ndarray) -> bool:
    return bool((np.floor(numbers) == numbers).all())


def _short(name: str) -> str:
    """A name as a sentence shows it: of a whole question its begin."""
    return cut(name, _LETTERS)


#: Columns in which an export of REDCap says which of several rows of a record one is.
OCCASIONS = ("redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance")
_FEWEST_UNITS, _MOST_TIMES = 10, 6
#: Share of the rows whose unit has other rows, at least, and of all pairs of unit and time that are
#: rows in a panel whose unit is named like no unit.
_LEAST_TOGETHER, _LEAST_FILLED = 0.5, 0.6
#: Units that are more than the groups of a table are, where no time tells their rows apart.
_MANY_UNITS = 30
#: Share of the rows that may have the time of another row of their unit; of the units that say one
#: thing, where that is their own fact.
_MOST_SHARED, _LEAST_SAME = 0.002, 0.998
#: Rows of one unit and one time that chance would make, at least.
_LEAST_EXPECTED = 5


def rows_of_units(look: _Look) -> Iterator[Suggestion]:
    """A unit that has several rows: a patient seen often, a country of many years."""
    times: list[str] = []
    found: list[tuple[str, str]] = []
    if any(name in look.names for name in OCCASIONS):
        # One row an event or a repeated form: a form that was filled in once is blank elsewhere.
        unit = look.names[0]
        if 2 <= len(look.levels(unit)) < (look.codes(unit) >= 0).sum():
            found = [(unit, "")]
    else:
        times = [n for n in look.names if len(look.levels(n)) > 1 and look.is_when(n)][:_MOST_TIMES]
        for name in (name for name in look.names if _may_be_unit(look, name)):
            panel = next((time for time in times if _tells_apart(look, name, time)), "")
            if _is_unit(look, name, panel):
                found.append((name, panel))
    if not found:
        return
    unit, order = max(found, key=lambda pair: (bool(pair[1]), len(look.levels(pair[0]))))
    order = order or next((time for time in times if not _is_fact(look, unit, time)), "")
    summaries = _summaries(look, unit, order)
    if not summaries:
        return
    n, n_units = int((look.codes(unit) >= 0).sum()), len(look.levels(unit))
    why = f"{n:,} rows belong to {counted(n_units, 'value')} of '{unit}': make one row of each?"
    is_text = order and not look.numbers(order).size
    form = likely_form(look.frame[order].dropna().iloc[:300]) if is_text else ""
    yield Suggestion(OneRowPer(unit, order, form, summaries), why)


def _may_be_unit(look: _Look, name: str) -> bool:
    """Whether there are enough values, most of them in several rows, of text or whole numbers."""
    counts, numbers = look.counts(name), look.numbers(name)
    most = counts[counts > 1].sum() >= _LEAST_TOGETHER * counts.sum()
    if len(counts) < _FEWEST_UNITS or not most or says("when", name) or look.is_when(name):
        return False
    return _are_whole(numbers) if numbers.size else look.is_text(name)


def _is_unit(look: _Look, name: str, panel: str) -> bool:
    """Whether it is named so, and its rows are told apart or share facts; or all have all times."""
    is_named = names_identifier(name) or may_name_identifier(name) or look.role(name) == "id"
    n, n_units = len(look.frame), len(look.levels(name))
    if panel:
        is_full = len(look.levels(panel)) > 2 and n >= _LEAST_FILLED * n_units * len(
            look.levels(panel)
        )
        return is_named or is_full
    if not says("unit", name) or n_units < _MANY_UNITS:
        return False
    # A key of its own says that the rows are the things, unless it merely counts them.
    keys = [m for m in look.names if names_identifier(m) and len(look.levels(m)) == n]
    if not all(np.all(np.diff(look.numbers(m)) == 1) and look.numbers(m).size for m in keys):
        return False
    facts = (m for m in look.names if m != name and 2 <= len(look.levels(m)) <= n_units / 2)
    return any(_is_fact(look, name, m) for m in facts)


def _tells_apart(look: _Look, unit: str, time: str) -> bool:
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


def _is_fact(look: _Look, unit: str, name: str) -> bool:
    """Whether all rows of nearly every unit say the same, blank ones aside."""
    said = pd.Series(look.codes(name)).where(look.codes(name) >= 0)
    return bool((said.groupby(look.codes(unit)).nunique() <= 1).mean() >= _LEAST_SAME)


def _summaries(look: _Look, unit: str, order: str) -> tuple[tuple[str, str], ...]:
    """What is kept of each column: facts once, numbers on average, words as they were last."""
    n, found = len(look.frame), []
    for name in look.names:
        n_levels = len(look.levels(name))
        is_key = look.role(name) == "id" and n_levels == n
        if name not in (unit, order, *OCCASIONS) and n_levels and not is_key:
            how = "mean" if look.numbers(name).size else "last"
            found.append((name, "first" if _is_fact(look, unit, name) else how))
    return tuple(found)


#: Share of the rows that are no rows of the table, at most, and that repeat others by mistake.
_MOST_NOTES, _MOST_REPEATED = 0.05, 0.25
#: Fewer columns say too little to tell rows apart; columns left out in turn, at most.
_FEWEST_COLUMNS, _MOST_LEFT_OUT = 5, 40


def rows_of_notes(look: _Look) -> Iterator[Suggestion]:
    """Rows with one filled cell or none, below a table whose other rows are full of cells."""
    filled = np.array([look.codes(name) >= 0 for name in look.names])
    is_note = filled.sum(axis=0) <= 1
    n = int(is_note.sum())
    if len(look.names) < _FEWEST_COLUMNS or not 0 < n <= _MOST_NOTES * is_note.size:
        return
    full = np.flatnonzero((filled != is_note).all(axis=1))
    if full.size:
        have, them = ("1 row has", "it") if n == 1 else (f"{n:,} rows have", "them")
        why = f"{have} one filled cell at most, such as a note below the table: leave {them} out?"
        yield Suggestion(FilterRows(look.names[full[0]], "is not empty"), why)


def repeated_rows(look: _Look) -> Iterator[Suggestion]:
    """Rows that stand twice, unless rows of this table are alike by chance.

    By chance more rows would agree in all columns but one than in all of them, whichever is left
    out: the one that says most, such as a number of the row, aside.
    """
    for names in (look.names, [name for name in look.names if look.role(name) != "id"]):
        n, repeated = _repeated(look, names)
        if repeated:
            is_whole = len(names) == len(look.names)
            rows = "row of the table repeats" if repeated == 1 else f"of {n:,} rows repeat"
            but = "" if is_whole else " in all but what tells rows apart"
            why = f"{repeated:,} {rows} another one{but}: keep one of each?"
            yield Suggestion(DropRepeated(() if is_whole else tuple(names)), why)
            return


def _repeated(look: _Look, names: Sequence[str]) -> tuple[int, int]:
    """Rows that are not empty in some columns, and of them those that repeat others by mistake."""
    if len(names) < _FEWEST_COLUMNS:
        return 0, 0
    filled = np.any([look.codes(name) >= 0 for name in names], axis=0)
    n, random, marks = int(filled.sum()), np.random.default_rng(0), {}
    for name in names:
        keys = random.integers(0, 2**63, len(look.levels(name)) + 1, dtype=np.uint64)
        marks[name] = keys[look.codes(name)][filled]
    total = np.sum(list(marks.values()), axis=0, dtype=np.uint64)
    distinct = pd.unique(total).size
    repeated = n - distinct
    most_detailed = max(len(look.levels(name)) for name in names)
    if not 0 < repeated <= _MOST_REPEATED * n or most_detailed < max(20, 0.1 * distinct):
        return n, 0
    left_out = names[:: max(len(names) // _MOST_LEFT_OUT, 1)]
    near = [n - pd.unique(total - marks[name]).size - repeated for name in left_out]
    return n, repeated if sum(near) - max(near) <= repeated else 0


#: What is written where a box is ticked, and columns of one word each that are answers to one
#: question, at least.
_MARKS = {"1", "x", "xx", "\u2713", "\u2714", "\u2717", "*", "+", "checked", "ticked", "selected"}
_FEWEST_BOXES = 3


def blanks_that_mean_no(look: _Look) -> Iterator[Suggestion]:
    """Columns that hold one value or nothing: ticks, or the words of the answers ticked.

    The value is a mark (1, x, yes), or the column's name says it, as of "Pie: Apple" the word
    Apple; or several columns of one word each stand in the table, as where every answer to a
    question has its own column.
    """
    n = len(look.frame)
    values = {
        name: look.levels(name)[0]
        for name in look.names
        if len(look.levels(name)) == 1 and n > 1 and 0.02 * n <= n - look.counts(name)[0]
    }
    worded = {name for name, value in values.items() if isinstance(value, str)}
    many = len({values[name] for name in worded}) >= _FEWEST_BOXES
    found = tuple(
        name for name in values if _is_mark(values[name], name) or (many and name in worded)
    )
    if found:
        hold, them = ("column holds", "it") if len(found) == 1 else ("columns hold", "them")
        held = {_as_written(values[name]) for name in found}
        one = held.pop() if len(held) == 1 else "one value"
        names = listed(map(_short, found), _NAMED)
        why = f"{len(found):,} {hold} {one} or nothing ({names}): does a blank in {them} mean no?"
        yield Suggestion(FillBlanks(found), why)


def _as_written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


def _is_mark(value: object, name: str) -> bool:
    """Whether the only value of a column says yes, or what the column's name says."""
    text = _as_written(value)
    said = words(text) if isinstance(value, str) else []
    return text.lower() in _MARKS or affirms(text) or (bool(said) and set(said) <= set(words(name)))


#: Levels of a column of words that is looked at, at most.
_MOST_LEVELS = 300


def spellings(look: _Look) -> Iterator[Suggestion]:
    """Levels that differ in capital letters and blanks only, in columns that can be one step."""
    found = {}
    for name in look.names:
        if look.is_text(name) and look.role(name) not in ("id", "weight"):
            pairs = _same_words(look, name) if len(look.levels(name)) <= _MOST_LEVELS else {}
            found |= {name: pairs} if pairs else {}
    if not found:
        return
    first, pairs = next(iter(found.items()))
    # Others whose spellings are merged alike, and in which none of them stays.
    names = [
        name
        for name, own in found.items()
        if own.items() <= pairs.items() and not {*map(str, look.levels(name))} & {*pairs} - {*own}
    ]
    old, new = next(iter(pairs.items()))
    where = f"'{_short(first)}'"
    where += f" and {counted(len(names) - 1, 'column')} more" * (len(names) > 1)
    n = len(pairs) - 1
    more = f", as {'does' if n == 1 else 'do'} {n:,} more" * (n > 0)
    why = f"'{old}' and '{new}' in {where} differ in spelling only{more}: make them one?"
    yield Suggestion(MergeLevels(tuple(names), tuple(pairs.items())), why)


def _same_words(look: _Look, name: str) -> dict[str, str]:
    """Rarer spellings, each with the most frequent one."""
    of: dict[str, list[tuple[int, str]]] = {}
    for level, count in zip(look.levels(name), look.counts(name), strict=True):
        text = str(level)
        if len(text.strip()) > 1:
            of.setdefault(" ".join(text.casefold().split()), []).append((int(count), text))
    return {t: max(same)[1] for same in of.values() for _, t in same if t != max(same)[1]}


#: Rows of which the dates are read, and the share of them that has two in order, at least.
_ROWS, _LEAST_IN_ORDER, _LEAST_KNOWN = 2000, 0.95, 0.3
#: Times that are told in days, and not in years.
_MOST_DAYS = 200


def dates(look: _Look) -> Iterator[Suggestion]:
    """The time between two dates of which one comes before the other, or until the last of one."""
    some = look.frame.iloc[:: max(len(look.frame) // _ROWS, 1)].reset_index(drop=True)
    days, forms = {}, {}
    for name in look.names:
        if look.role(name) != "cluster" and look.are_dates(name):
            forms[name] = likely_form(look.frame[name].dropna().iloc[:300])
            try:
                days[name] = read_days(some, name, forms[name], this_year())
            except PrepareError:
                continue
    table = pd.DataFrame(days).dropna(axis=1, how="all")
    starts = [*table.median().sort_values().index] if table.shape[1] else []
    for start in starts:
        unit, end, on_day, but = "years", "", "", ""
        if len(starts) == 1:
            last, reach = table[start].max(), table[start].max() - table[start].min()
            is_so, on_day = reach.days > 0, last.date().isoformat()
        else:
            end = max((n for n in starts if n != start), key=lambda n: _in_order(table, start, n))
            reach = (table[end] - table[start]).median()
            is_so = _in_order(table, start, end) >= _LEAST_KNOWN * len(some)
            turned = int((table[end] < table[start]).sum())
            but = f" ({counted(turned, 'row')} the other way round)" * (turned > 0)
        unit = "days" if reach.days < _MOST_DAYS else unit
        into = f"{unit} from {start} to {end or on_day}"
        if not is_so or table[start].notna().sum() < _LEAST_KNOWN * len(some) or into in look.names:
            continue
        held = f"{len(starts)} columns hold" if end else f"'{_short(start)}' holds"
        until = "until the last of them"
        between = f"from '{_short(start)}' to '{_short(end)}'{but}"
        why = f"{held} dates, which are left out: take the time {between if end else until}?"
        form = forms.get(end, "")
        yield Suggestion(TimeBetween(start, forms[start], end, form, on_day, unit, into), why)
        return


def _in_order(table: pd.DataFrame, start: str, end: str) -> int:
    """Rows in which one date comes before another; 0 where they do not do so as a rule."""
    known = int((table[start].notna() & table[end].notna()).sum())
    before = int((table[start] < table[end]).sum())
    return before if before >= _LEAST_IN_ORDER * max(known, 1) else 0


_RULES = (rows_of_units, rows_of_notes, repeated_rows, blanks_that_mean_no, spellings, dates)
