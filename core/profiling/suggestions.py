"""Steps that a table seems to need before it is grouped, the most consequential first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..prepare.cells import FillBlanks, MergeLevels
from ..prepare.columns import TimeBetween, likely_form, read_days, this_year
from ..prepare.rows import DropRepeated, FilterRows, OneRowPer
from ..prepare.step import PrepareError, Step, is_day, is_number
from ..reading.dates import are_dates
from ..schema.cells import factorize, is_textual
from ..schema.frames import as_frame
from ..schema.schema import Schema
from ..schema.words import affirms, says, words
from ..wording import could_be_year, counted, cut, listed

MOST, _LETTERS, _NAMED = 5, 41, 3


@dataclass(frozen=True)
class Suggestion:
    """What could be done, and why."""

    step: Step
    why: str


def suggestions(frame: pd.DataFrame, schema: Schema) -> tuple[Suggestion, ...]:
    """Look for what a table seems to need, at most five things; nothing is done.

    Examples
    --------
    >>> import pandas as pd
    >>> from mapdp_studio.core import infer_schema
    >>> from mapdp_studio.core.profiling.suggestions import suggestions
    >>> frame = pd.DataFrame({"lift": [1.0, None, None] * 9, "rooms": [2, 3, 4] * 9})
    >>> [suggestion.why for suggestion in suggestions(frame, infer_schema(frame))]
    ['1 column holds 1 or nothing (lift): does a blank in it mean no?']
    """
    table = pd.DataFrame(as_frame(frame))
    roles = {name: schema[name].role if name in schema else "ignore" for name in table}
    columns = {name: _Column(name, table[name], role) for name, role in roles.items()}
    found = [suggestion for rule in _RULES for suggestion in rule(columns)]
    return tuple(found[:MOST])


class _Column:
    def __init__(self, name: str, cells: pd.Series, role: str) -> None:
        self.name, self.cells, self.role = name, cells, role
        #: Place of every cell among the distinct ones, shape (N,), -1 where empty; and those.
        self.codes, self.levels = factorize(cells)
        self.counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))
        self.is_text = is_textual(cells.dtype)
        #: The distinct cells where they are numbers; else none.
        self.numbers = self.levels.astype(np.float64) if is_number(cells) else np.empty(0)
        self.is_whole = bool(np.all(np.floor(self.numbers) == self.numbers))

    @property
    def n(self) -> int:
        """Distinct cells."""
        return len(self.levels)

    @property
    def are_dates(self) -> bool:
        """Whether the cells are dates, or text that reads as such."""
        words = [str(level) for level in self.levels[:100]] if self.is_text else []
        return is_day(self.cells) or (self.is_text and are_dates(words))

    @property
    def is_when(self) -> bool:
        """Whether the cells are dates, years, or numbers of a column whose name says when."""
        if not self.numbers.size:
            return self.are_dates
        years = could_be_year(self.numbers.min()) and could_be_year(self.numbers.max())
        return (years and self.is_whole) or says("when", self.name)

    def is_fact_of(self, unit: "_Column") -> bool:
        """Whether all rows of nearly every unit say the same, blank ones aside."""
        codes = pd.Series(self.codes).where(self.codes >= 0)
        return bool((codes.groupby(unit.codes).nunique() <= 1).mean() >= _LEAST_SAME)


_Columns = dict[str, _Column]


def _short(name: str) -> str:
    return cut(name, _LETTERS)


OCCASIONS = ("redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance")
_FEWEST_UNITS, _MOST_TIMES = 10, 6
#: Share of the rows whose unit recurs, and of a panel's unit-time pairs that are rows, at least.
_LEAST_TOGETHER, _LEAST_FILLED = 0.5, 0.6
#: Units that are more than the groups of a table are, where no time tells their rows apart.
_MANY_UNITS = 30
#: Share of the rows whose unit and time recur, at most; of units that say one thing, at least.
_MOST_SHARED, _LEAST_SAME = 0.002, 0.998
#: Rows of one unit and one time that chance would make, at least.
_LEAST_EXPECTED = 5


def rows_of_units(columns: _Columns) -> Iterator[Suggestion]:
    """A unit that has a row at each of several times: a patient seen often, a country by year."""
    unit, time = next(iter(columns.values())), None
    if {*columns} & {*OCCASIONS}:
        # One row an event or a repeated form: a form that was filled in once is blank elsewhere.
        if not 2 <= unit.n < unit.counts.sum():
            return
    else:
        times = [c for c in columns.values() if c.n > 1 and c.is_when][:_MOST_TIMES]
        found = []
        for unit in filter(_may_be_unit, columns.values()):
            time = next((time for time in times if _tells_apart(unit, time)), None)
            if _is_panel(unit, time) if time is not None else _recurs(columns, unit):
                found.append((unit, time))
        if not found:
            return
        unit, time = max(found, key=lambda pair: (pair[1] is not None, pair[0].n))
    if summaries := _summaries(columns, unit, time):
        form = "" if time is None or time.numbers.size else likely_form(time.cells.dropna()[:300])
        rows = f"{unit.counts.sum():,} rows belong to {counted(unit.n, 'value')} of '{unit.name}'"
        order = "" if time is None else time.name
        step = OneRowPer(unit.name, order, form, summaries)
        yield Suggestion(step, f"{rows}: make one row of each?")


def _may_be_unit(column: _Column) -> bool:
    """Whether there are enough values, most of them in several rows, of text or whole numbers."""
    counts = column.counts
    most = counts[counts > 1].sum() >= _LEAST_TOGETHER * counts.sum()
    if len(counts) < _FEWEST_UNITS or not most or says("when", column.name) or column.is_when:
        return False
    return column.is_whole if column.numbers.size else column.is_text


def _is_panel(unit: _Column, time: _Column) -> bool:
    """Whether it is named as a unit, or all units have all times."""
    name, n_times = unit.name, time.n
    is_named = says("identifier", name) or says("perhaps_identifier", name) or unit.role == "id"
    return is_named or (n_times > 2 and unit.codes.size >= _LEAST_FILLED * unit.n * n_times)


def _recurs(columns: _Columns, unit: _Column) -> bool:
    """Whether it names a person or the like whose rows share facts, where no key has each row."""
    if unit.n < _MANY_UNITS or not all(says("unit", word) for word in words(unit.name)):
        return False
    others = [column for column in columns.values() if column is not unit]
    keys = [c for c in others if c.n == c.codes.size and says("identifier", c.name)]
    if not all(key.numbers.size and np.all(np.diff(key.numbers) == 1) for key in keys):
        return False
    return any(c.is_fact_of(unit) for c in others if 2 <= c.n <= unit.n / 2)


def _tells_apart(unit: _Column, time: _Column) -> bool:
    """Whether each unit has each time once, though rows drawn at random would share many."""
    observed = (unit.codes >= 0) & (time.codes >= 0)
    of, when, n = unit.codes[observed], time.codes[observed], int(observed.sum())
    if unit is time or 2 * n <= observed.size or 2 * time.n > n:
        return False
    shared = n - pd.unique(of * time.n + when).size
    per_unit = np.bincount(of)
    by_chance = (np.bincount(when) / n) ** 2
    expected = (per_unit * (per_unit - 1) / 2).sum() * by_chance.sum()
    return bool(shared <= _MOST_SHARED * n and expected >= _LEAST_EXPECTED + 10 * shared)


def _summaries(
    columns: _Columns, unit: _Column, time: _Column | None
) -> tuple[tuple[str, str], ...]:
    """What is kept of each column: facts once, numbers on average, words as they were last."""
    found = []
    for name, column in columns.items():
        is_key = column.role == "id" and column.n == column.codes.size
        if column not in (unit, time) and name not in OCCASIONS and column.n and not is_key:
            how = "mean" if column.numbers.size else "last"
            found.append((name, "first" if column.is_fact_of(unit) else how))
    return tuple(found)


#: Share of the rows that are no rows of the table, at most, and that repeat others by mistake.
_MOST_NOTES, _MOST_REPEATED = 0.05, 0.25
#: Fewer columns say too little to tell rows apart; columns left out in turn, at most.
_FEWEST_COLUMNS, _MOST_LEFT_OUT = 5, 40


def rows_of_notes(columns: _Columns) -> Iterator[Suggestion]:
    """Rows with one filled cell or none, below a table whose other rows are full of cells."""
    filled = np.array([column.codes >= 0 for column in columns.values()])
    is_note = filled.sum(axis=0) <= 1
    n = int(is_note.sum())
    if len(columns) < _FEWEST_COLUMNS or not 0 < n <= _MOST_NOTES * is_note.size:
        return
    full = np.flatnonzero((filled != is_note).all(axis=1))
    if full.size:
        have, them = ("1 row has", "it") if n == 1 else (f"{n:,} rows have", "them")
        why = f"{have} one filled cell at most, such as a note below the table: leave {them} out?"
        yield Suggestion(FilterRows([*columns][full[0]], "is not empty"), why)


def repeated_rows(columns: _Columns) -> Iterator[Suggestion]:
    """Rows that stand twice, unless rows of this table are alike by chance."""
    every = list(columns.values())
    for some in (every, [column for column in every if column.role != "id"]):
        n, repeated = _repeated(some)
        if repeated:
            is_whole = len(some) == len(every)
            rows = "row of the table repeats" if repeated == 1 else f"of {n:,} rows repeat"
            but = "" if is_whole else " in all but what tells rows apart"
            why = f"{repeated:,} {rows} another one{but}: keep one of each?"
            names = () if is_whole else tuple(column.name for column in some)
            yield Suggestion(DropRepeated(names), why)
            return


def _repeated(columns: Sequence[_Column]) -> tuple[int, int]:
    """Rows that are not empty in some columns, and of them those that repeat others by mistake."""
    if len(columns) < _FEWEST_COLUMNS:
        return 0, 0
    filled = np.any([column.codes >= 0 for column in columns], axis=0)
    n, random = int(filled.sum()), np.random.default_rng(0)
    # A row is the sum of a random number for each of its cells.
    keys = [random.integers(0, 2**63, c.n + 1, dtype=np.uint64) for c in columns]
    marks = [key[column.codes][filled] for key, column in zip(keys, columns, strict=True)]
    total = np.sum(marks, axis=0, dtype=np.uint64)
    distinct = pd.unique(total).size
    repeated = n - distinct
    most_detailed = max(column.n for column in columns)
    if not 0 < repeated <= _MOST_REPEATED * n or most_detailed < max(20, 0.1 * distinct):
        return n, 0
    left_out = marks[:: max(len(marks) // _MOST_LEFT_OUT, 1)]
    near = [n - pd.unique(total - mark).size - repeated for mark in left_out]
    return n, repeated if sum(near) - max(near) <= repeated else 0


#: What ticks a box; columns that answer one question, and share of blanks, at least.
_MARKS = {"1", "x", "xx", "\u2713", "\u2714", "\u2717", "*", "+", "checked", "ticked", "selected"}
_FEWEST_BOXES, _LEAST_BLANK = 3, 0.02


def blanks_that_mean_no(columns: _Columns) -> Iterator[Suggestion]:
    """Columns that hold one value or nothing: ticks, or the words of the answers ticked."""
    held = {
        name: f"{c.levels[0]:g}" if isinstance(c.levels[0], float) else str(c.levels[0]).strip()
        for name, c in columns.items()
        if c.n == 1 and c.codes.size > 1 and (c.codes < 0).mean() >= _LEAST_BLANK
    }
    worded = {name for name in held if columns[name].is_text}
    many = len({held[name] for name in worded}) >= _FEWEST_BOXES
    found = tuple(
        name
        for name, value in held.items()
        if value.lower() in _MARKS
        or affirms(value)
        or (name in worded and (many or {*words(value)} <= {*words(name)}))
    )
    if found:
        hold, them = ("column holds", "it") if len(found) == 1 else ("columns hold", "them")
        values = {held[name] for name in found}
        one = values.pop() if len(values) == 1 else "one value"
        names = listed(map(_short, found), _NAMED)
        why = f"{len(found):,} {hold} {one} or nothing ({names}): does a blank in {them} mean no?"
        yield Suggestion(FillBlanks(found), why)


_MOST_LEVELS = 300


def spellings(columns: _Columns) -> Iterator[Suggestion]:
    """Levels that differ in capital letters and blanks only, in all columns of the same ones."""
    found = {
        name: pairs
        for name, column in columns.items()
        if column.is_text and column.role not in ("id", "weight") and column.n <= _MOST_LEVELS
        if (pairs := _same_words(column))
    }
    if not found:
        return
    first, pairs = next(iter(found.items()))
    names = tuple(name for name, own in found.items() if own == pairs)
    old, new = next(iter(pairs.items()))
    where = f"'{_short(first)}'"
    where += f" and {counted(len(names) - 1, 'column')} more" * (len(names) > 1)
    n = len(pairs) - 1
    more = f", as {'does' if n == 1 else 'do'} {n:,} more" * (n > 0)
    why = f"'{old}' and '{new}' in {where} differ in spelling only{more}: make them one?"
    yield Suggestion(MergeLevels(names, tuple(pairs.items())), why)


def _same_words(column: _Column) -> dict[str, str]:
    of: dict[str, list[tuple[int, str]]] = {}
    for level, count in zip(map(str, column.levels), column.counts, strict=True):
        if len(level.strip()) > 1:
            of.setdefault(" ".join(level.casefold().split()), []).append((int(count), level))
    return {t: max(same)[1] for same in of.values() for _, t in same if t != max(same)[1]}


#: Rows of which the dates are read, and the share of them that has two in order, at least.
_ROWS, _LEAST_IN_ORDER, _LEAST_OBSERVED = 2000, 0.95, 0.3
#: Times that are told in days, and not in years.
_MOST_DAYS = 200


def dates(columns: _Columns) -> Iterator[Suggestion]:
    """The time between two dates of which one comes before the other, or until the last of one."""
    days, forms = {}, {}
    for name, column in columns.items():
        if column.role != "cluster" and column.are_dates:
            forms[name] = likely_form(column.cells.dropna().iloc[:300])
            some = column.cells.iloc[:: max(column.codes.size // _ROWS, 1)].reset_index(drop=True)
            try:
                days[name] = read_days(some.to_frame(name), name, forms[name], this_year())
            except PrepareError:
                continue
    table = pd.DataFrame(days).dropna(axis=1, how="all")
    starts = [*table.median().sort_values().index] if table.shape[1] else []
    for start in starts:
        n_observed, end, on_day = table[start].notna().sum(), "", ""
        if len(starts) == 1:
            last, reach = table[start].max(), table[start].max() - table[start].min()
            n_observed *= reach.days > 0
            on_day = last.date().isoformat()
            held, time = f"'{_short(start)}' holds dates", "until the last of them"
        else:
            end = max((n for n in starts if n != start), key=lambda n: _in_order(table, start, n))
            reach = (table[end] - table[start]).median()
            n_observed = min(n_observed, _in_order(table, start, end))
            held = f"{len(starts)} columns hold dates"
            time = f"from '{_short(start)}' to '{_short(end)}'"
        unit = "days" if reach.days < _MOST_DAYS else "years"
        into = f"{unit} from {start} to {end or on_day}"
        if n_observed >= _LEAST_OBSERVED * len(table) and into not in columns:
            step = TimeBetween(start, forms[start], end, forms.get(end, ""), on_day, unit, into)
            yield Suggestion(step, f"{held}, which are left out: take the time {time}?")
            return


def _in_order(table: pd.DataFrame, start: str, end: str) -> int:
    """Rows in which one date comes before another; 0 where they do not do so as a rule."""
    observed = int((table[start].notna() & table[end].notna()).sum())
    before = int((table[start] < table[end]).sum())
    return before if before >= _LEAST_IN_ORDER * max(observed, 1) else 0


_RULES = (rows_of_units, rows_of_notes, repeated_rows, blanks_that_mean_no, spellings, dates)
