"""The form of every step of Prepare: a control for each annotated field; three ask for more."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema, TableError
from mapdp_studio.core.prepare import Join, MergeLevels, OneRowPer
from mapdp_studio.core.prepare.columns import likely_form
from mapdp_studio.core.prepare.rows import SHARE, SLOPE, SUMMARIES, TESTS
from mapdp_studio.core.prepare.step import Asked, PrepareError, Step, in_words, is_day, word
from mapdp_studio.core.reading.dates import DATE_FORMS
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.shared.loading import read_once

#: Levels offered in a list, and in one of shares; of more numbers than those a range is asked for.
_MOST_LEVELS, _FEW_VALUES = 200, 12
#: Kinds that are asked for though others before them are not filled in yet.
_AT_ONCE = ("column", "columns", "choice", "typed")
is_number = pd.api.types.is_numeric_dtype


@dataclass(frozen=True)
class Draft:
    kind: type[Step]
    frame: pd.DataFrame
    #: What the form begins with; None for an empty one.
    step: Step | None
    key: str
    schema: Schema = field(default_factory=lambda: Schema([]))
    #: The fields so far by their names, None where one is not filled in yet.
    values: dict[str, Any] = field(default_factory=dict)

    def start(self, name: str) -> Any:
        if self.step is not None:
            return getattr(self.step, name)
        return self.kind.likely(name, self.frame, self.values)

    def names(self, kind: str, start: Sequence[str] = ()) -> list[str]:
        """Columns that are "number", "text" or "any", and those that the form begins with."""
        return [
            name
            for name in self.frame.columns
            if kind == "any" or name in start or is_number(self.frame[name]) == (kind == "number")
        ]

    def levels(self, *names: str) -> list[Any]:
        """Plain values of columns: numbers in order, whole ones as such, else by frequency."""
        found: dict[Any, None] = {}
        for name in names:
            values = self.frame[name].value_counts().head(_MOST_LEVELS).index.tolist()
            if _are_numbers(values):
                whole = (isinstance(v, float) and v.is_integer() for v in sorted(values))
                values = [int(v) if w else v for v, w in zip(sorted(values), whole, strict=True)]
            found |= dict.fromkeys(values)
        return list(found)


def form(draft: Draft) -> Step | None:
    """Draw the form of a step; None until enough is chosen."""
    if draft.kind is Join:
        return _joined(draft)
    values = draft.values
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, asked in draft.kind.asked().items():
            if asked.kind in _AT_ONCE or None not in values.values():
                start = draft.start(name)
                values[name] = Field(draft, asked, start, f"{draft.key}-{name}-{start}").ask()
            else:
                values[name] = None
    if draft.kind in _REST:
        return _REST[draft.kind](draft)
    if None in values.values():
        return None
    if draft.step is not None:  # what nobody chooses stays as it was
        others = {f.name for f in fields(draft.kind) if f.init} - {*values}  # type: ignore[arg-type]
        values |= {name: getattr(draft.step, name) for name in others}
    return draft.kind(**values)


def as_number(text: str) -> str | float | int:
    """A typed value: a number where it reads as one."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def typed_list(text: str) -> list[str]:
    """Several values typed into one line, separated by semicolons, or else by commas."""
    parts = text.split(";" if ";" in text else ",")
    return [part.strip() for part in parts if part.strip()]


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) for value in values)


@dataclass(frozen=True)
class Field:
    """A field of a step; the method of its annotation's kind asks for it, None until filled in."""

    draft: Draft
    asked: Asked
    start: Any
    key: str

    def ask(self) -> Any:
        return getattr(self, self.asked.kind.replace(" ", "_"))()

    def column(self) -> str | None:
        asked, start = self.asked, self.start
        options = [None] * bool(asked.without) + self.draft.names(asked.of, (start,))
        first = options.index(start) if start in options else 0 if asked.without else None
        kwargs = {"format_func": lambda option: option or asked.without, "filter_mode": "contains"}
        kwargs["placeholder"] = "Choose a column"
        chosen = st.selectbox(asked.label, options, first, key=self.key, **kwargs)
        return "" if chosen is None and asked.without else chosen

    def columns(self) -> tuple[str, ...] | None:
        start = [column for column in self.start or () if column in self.draft.frame]
        offered, kwargs = self.draft.names(self.asked.of, start), {"placeholder": "Choose columns"}
        chosen = st.multiselect(self.asked.label, offered, start, key=self.key, **kwargs)
        return tuple(chosen) if len(chosen) >= self.asked.least else None

    def choice(self, offered: Sequence[Any] | None = None) -> Any:
        options, shown = list(offered or self.asked.options), self.asked.options
        place = options.index(self.start) if self.start in options else 0
        kwargs = {"key": self.key, "format_func": shown.__getitem__}
        return st.selectbox(self.asked.label, options, place, **kwargs)

    def test(self) -> str:
        cells = self.draft.frame[self.draft.values["column"]]
        is_ordered = is_number(cells) or is_day(cells)
        offered = [key for key, test in TESTS.items() if is_ordered or not test.is_ordered]
        if is_day(cells):
            offered = [key for key in offered if TESTS[key].n_values is not None]
        if is_ordered and cells.nunique() > _FEW_VALUES:  # a list of all of them helps nobody
            offered.sort(key=lambda key: not TESTS[key].is_ordered)
        return self.choice(offered)

    def new_name(self) -> str:
        start = "" if self.start is None else str(self.start)
        return st.text_input(self.asked.label, start, key=self.key).strip()

    def typed(self) -> str | float | None:
        typed = self.new_name()
        return as_number(typed) if typed else None

    def number(self) -> float | None:
        return _value(pd.Series(dtype=float), self.asked.label, self.start, self.key)

    def ends(self) -> tuple[float, ...] | None:
        start = "; ".join(f"{end:g}" for end in self.start)
        tip = "18; 65 (or 18, 65) makes below 18, 18 to 65, 65 and more."
        typed = st.text_input(self.asked.label, start, key=self.key, help=tip)
        try:
            return tuple(float(end.replace(",", ".")) for end in typed_list(typed)) or None
        except ValueError:
            raise PrepareError(f"'{typed}' is no list of numbers: write them as 18; 65.") from None

    def names(self) -> tuple[tuple[str, str], ...] | None:
        column = st.selectbox("Column", list(self.draft.frame.columns), None, key=self.key)
        if column is None:
            return None
        new = st.text_input(self.asked.label, column, key=f"{self.key}-{column}").strip()
        return ((column, new),) if new != column else None

    def parts(self) -> tuple[str, ...]:
        kwargs = {"key": self.key, "accept_new_options": True}
        return tuple(st.multiselect(self.asked.label, self.start, self.start, **kwargs))

    def levels(self) -> tuple[Any, ...] | None:
        columns = self.draft.values["columns"]
        levels, label, key = self.draft.levels(*columns), self.asked.label, f"{self.key}-{columns}"
        start = self.start or (levels if _are_numbers(levels) else ())
        shown = [level for level in start if level in levels]
        chosen = st.multiselect(label, levels, shown, format_func=word, key=key)
        if st.toggle("The other way round", key=f"{self.draft.key}-reversed"):
            chosen = chosen[::-1]
        return tuple(chosen) if len(chosen) > 1 else None

    def dates(self) -> str:
        """How the dates of a column are written; nothing is asked of numbers and of no column."""
        draft, start = self.draft, self.start
        column = draft.values[self.asked.of]
        if not column or (draft.kind is OneRowPer and is_number(draft.frame[column])):
            return ""
        start = likely_form(draft.frame[column]) if draft.step is None else start
        forms = DATE_FORMS | {start: DATE_FORMS.get(start, start)}
        kwargs = {"key": f"{self.key}-{column}", "format_func": forms.get}
        return st.selectbox(self.asked.label, list(forms), [*forms].index(start), **kwargs)

    def day(self) -> str:
        if self.draft.values[self.asked.of]:
            return ""
        return st.text_input(self.asked.label, self.start or "2020-12-31", key=self.key).strip()

    def test_values(self) -> tuple[Any, ...] | None:
        """What the test holds the cells against, the same under every test."""
        column, start = self.draft.values["column"], self.start
        number, key = TESTS[self.draft.values["test"]].n_values, f"{self.key}-{column}"
        if number is None:
            levels = list(dict.fromkeys([*self.draft.levels(column), *start]))
            return tuple(st.multiselect("one of", levels, start, key=key, format_func=word)) or None
        labels = ("from", "to") if number == 2 else (self.asked.label,) * number
        cells, first = self.draft.frame[column].dropna(), [*start, None, None]
        values = [_value(cells, label, first[n], f"{key}-{n}") for n, label in enumerate(labels)]
        return None if None in values else tuple(values)


def _value(cells: pd.Series, label: str, value: Any, key: str) -> str | float | None:
    if is_day(cells):
        days = [*cells, *([] if value is None else [pd.Timestamp(value)])]
        ends = {"min_value": min(days), "max_value": max(days)} if days else {}
        day = st.date_input(label, value=value and days[-1], key=key, **ends)
        return day and str(day)
    value = None if value is None else float(value)
    return st.number_input(label, value=value, key=key, format="%g")


def _merged(draft: Draft) -> Step | None:
    columns = draft.values["columns"]
    if columns is None:
        return None
    merged, levels = dict(draft.start("pairs") or ()), draft.levels(*columns)
    cells = pd.concat([in_words(draft.frame[name]) for name in columns]).value_counts()
    counts = {level: int(cells.get(word(level), 0)) for level in levels}
    key = f"{draft.key}-{'-'.join(columns)}"
    chosen, rare, right = st.columns([3, 2, 2])
    together = chosen.multiselect("Make one of", levels, format_func=word, key=f"{key}-together")
    fewest = rare.number_input("and rarer than (rows)", 1, value=None, key=f"{key}-rare")
    into = right.text_input("called", key=f"{key}-into").strip()
    together += [level for level in levels if fewest is not None and counts[level] < fewest]
    merged |= dict.fromkeys(together, into) if into else {}
    lines = [(word(level), n, word(merged.get(level, level))) for level, n in counts.items()]
    table = pd.DataFrame(lines, columns=["Level", "Rows", "Becomes"])
    edited = st.data_editor(table, key=key, hide_index=True, disabled=["Level", "Rows"])
    taken, becomes = as_number if _are_numbers(levels) else str, edited["Becomes"].astype(str)
    pairs = tuple(
        (level, taken(new))
        for level, new in zip(levels, becomes.str.strip(), strict=True)
        if new and new != word(level)
    )
    return MergeLevels(columns, pairs) if pairs else None


def _unit_rows(draft: Draft) -> Step | None:
    """What is kept of every column: a list of columns for each summary, and shares of levels."""
    unit, order, form = (draft.values[name] for name in ("unit", "order", "order_format"))
    if unit is None:
        return None
    names = [name for name in draft.frame.columns if name not in (unit, order)]
    numbers, when = {*draft.names("number")}, "last" if order else "first"
    if draft.step is None:
        label = f"Begin with every column: numbers on average, words as they were {when}"
        ids = draft.schema.names("id")
        initial = {(n, "mean" if n in numbers else when) for n in names if n not in ids}
    else:
        label = "Begin with the columns as this step has them"
        initial = {(name, how) for name, how, *level in draft.step.summaries if not level}
    keeps = st.toggle(label, draft.step is not None, key=f"{draft.key}-keeps")
    places, chosen = st.columns(3), set()
    hows = [how for how in SUMMARIES if how != SHARE and (how != SLOPE or order)]
    for place, how in enumerate(hows):
        offered = [n for n in names if n in numbers or not SUMMARIES[how].is_of_numbers]
        start = [name for name in offered if keeps and (name, how) in initial]
        key = f"{draft.key}-{how}-{bool(order)}-{keeps}"
        picked = places[place % 3].multiselect(SUMMARIES[how].asks, offered, start, key=key)
        chosen |= {(name, how) for name in picked}
    summaries = [(name, how) for name in names for how in hows if (name, how) in chosen]
    summaries += _shares(draft, [name for name in names if name not in numbers])
    key = f"{draft.key}-rows"
    count = st.checkbox("Add the number of rows", bool(draft.start("rows")), key=key)
    rows = f"rows per {unit}" if count else ""
    return OneRowPer(unit, order, form or "", tuple(summaries), rows) if summaries or rows else None


def _shares(draft: Draft, words: Sequence[str]) -> list[tuple[str, str, Any]]:
    """The levels whose shares are kept, of columns of few words."""
    initial = [(n, level) for n, how, *rest in draft.start("summaries") for level in rest]
    few = [name for name in words if draft.frame[name].nunique() <= _FEW_VALUES]
    offered = [(name, level) for name in few for level in draft.levels(name)]
    start = [one for one in initial if one in offered]
    kwargs = {"format_func": lambda one: f"{one[0]}: {word(one[1])}", "key": f"{draft.key}-shares"}
    chosen = st.multiselect(SUMMARIES[SHARE].asks, offered, start, **kwargs) if offered else []
    return [(name, SHARE, level) for name, level in chosen]


#: Steps that ask for more than their fields can say.
_REST = {MergeLevels: _merged, OneRowPer: _unit_rows}


def _joined(draft: Draft) -> Step | None:
    file = st.file_uploader("The second table", type=FILE_TYPES, key=f"{draft.key}-file")
    if file is None:
        return None
    try:
        other = read_once(session(), file)
    except TableError as error:
        raise PrepareError(str(error)) from None
    shared = next((column for column in draft.frame if column in other), None)
    places, keys = st.columns(3), []
    labels = "Rows belong together where", "equals, in the second table,"
    for place, label, table in zip(places, labels, (draft.frame, other), strict=False):
        columns, key = list(table.columns), f"{draft.key}-{label}-{file.name}"
        at = columns.index(shared) if shared in columns else 0
        keys.append(place.selectbox(label, columns, at, key=key))
    offered = [column for column in other.columns if column != keys[1]]
    key = f"{draft.key}-take-{file.name}-{keys[1]}"
    chosen = places[2].multiselect("Take", offered, offered, key=key)
    return Join(file.name, *keys, tuple(chosen), other=other) if chosen else None
