"""The step that is being made on Prepare, and a control for each way to annotate a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema
from mapdp_studio.core.prepare import OneRowPer
from mapdp_studio.core.prepare.asked import (
    Asked,
    Choice,
    Column,
    Columns,
    DateForm,
    Day,
    Ends,
    LevelsOf,
    Names,
    NewName,
    Parts,
    PrepareError,
    Test,
    TestValues,
    Typed,
)
from mapdp_studio.core.prepare.dates import likely_form
from mapdp_studio.core.prepare.rows import TESTS
from mapdp_studio.core.prepare.step import Step, word
from mapdp_studio.core.reading.dates import DATE_FORMS

is_day = pd.api.types.is_datetime64_any_dtype
#: Levels offered in a list; others can be typed.
_MOST_LEVELS = 200
#: Of more distinct numbers than this a range is asked for, and no list.
_FEW_VALUES = 12


@dataclass(frozen=True)
class Draft:
    """The step that is being made."""

    kind: type[Step]
    #: The table that it is applied to.
    frame: pd.DataFrame
    #: What the form begins with; None for an empty one.
    step: Step | None
    #: Of the form's controls.
    key: str
    #: What the columns are taken for.
    schema: Schema = field(default_factory=lambda: Schema([]))
    #: The fields so far by their names, None where one is not filled in yet.
    values: dict[str, Any] = field(default_factory=dict)

    def begun(self, name: str) -> Any:
        """What the form begins with in a field."""
        if self.step is not None:
            return getattr(self.step, name)
        return self.kind.likely(name, self.frame, self.values)

    def names(self, kind: str, begun: Sequence[str] = ()) -> list[str]:
        """Columns that are "number", "text" or "any", and those that the form begins with."""
        is_number = pd.api.types.is_numeric_dtype
        return [
            name
            for name in self.frame.columns
            if kind == "any" or name in begun or is_number(self.frame[name]) == (kind == "number")
        ]

    def key_of(self, name: str, begun: Any = "") -> str:
        """Key of the control of a field, another one where it begins otherwise."""
        return f"{self.key}-{name}-{begun}"

    def levels(self, name: str) -> list[Any]:
        """Values of a column as plain Python values: numbers in their order, whole ones as such,
        of others the most frequent first.
        """
        counts = self.frame[name].value_counts().head(_MOST_LEVELS)
        values = [value.item() if hasattr(value, "item") else value for value in counts.index]
        if not all(isinstance(value, int | float) for value in values):
            return values
        return [int(v) if isinstance(v, float) and v.is_integer() else v for v in sorted(values)]

    def levels_of(self, names: Sequence[str]) -> list[Any]:
        """Values of several columns."""
        return list(dict.fromkeys(level for name in names for level in self.levels(name)))


def ask(draft: Draft, asked: Mapping[str, Asked]) -> None:
    """Draw a control for each field, side by side; one waits for those that it depends on."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, how in asked.items():
            waits = type(how) not in _AT_ONCE and None in draft.values.values()
            draft.values[name] = None if waits else _CONTROLS[type(how)](draft, name, how)


def _column(draft: Draft, name: str, asked: Column) -> str | None:
    begun = draft.begun(name)
    options = [None] * bool(asked.without) + draft.names(asked.of, (begun,))
    chosen = st.selectbox(
        asked.label,
        options,
        index=options.index(begun) if begun in options else 0 if asked.without else None,
        key=draft.key_of(name),
        format_func=lambda option: asked.without if option is None else option,
        placeholder="Choose a column",
        filter_mode="contains",
        help=asked.help,
    )
    return "" if chosen is None and asked.without else chosen


def _columns(draft: Draft, name: str, asked: Columns) -> tuple[str, ...] | None:
    begun = [column for column in draft.begun(name) or () if column in draft.frame]
    chosen = st.multiselect(
        asked.label,
        draft.names(asked.of, begun),
        begun,
        key=draft.key_of(name),
        placeholder="Choose columns",
    )
    return tuple(chosen) if len(chosen) >= asked.least else None


def _choice(draft: Draft, name: str, asked: Choice) -> Any:
    return _one_of(draft, name, asked, list(asked.options))


def _one_of(draft: Draft, name: str, asked: Choice, options: list[Any]) -> Any:
    begun = draft.begun(name)
    place = options.index(begun) if begun in options else 0
    key, shown = draft.key_of(name, begun), asked.options
    return st.selectbox(asked.label, options, place, key=key, format_func=lambda one: shown[one])


def _test(draft: Draft, name: str, asked: Test) -> str:
    """One of the tests that suit the cells of the column."""
    cells = draft.frame[draft.values["column"]]
    is_ordered = pd.api.types.is_numeric_dtype(cells) or is_day(cells)
    offered = [key for key, test in TESTS.items() if is_ordered or not test.is_ordered]
    if is_day(cells):
        offered = [key for key in offered if TESTS[key].told is not None]
    if is_ordered and cells.nunique() > _FEW_VALUES:  # a list of all of them helps nobody
        offered.sort(key=lambda key: not TESTS[key].is_ordered)
    return _one_of(draft, name, asked, offered)


def _text(draft: Draft, name: str, asked: Asked) -> str:
    begun = draft.begun(name)
    return st.text_input(asked.label, begun or "", key=draft.key_of(name, begun)).strip()


def _typed(draft: Draft, name: str, asked: Typed) -> str | float | None:
    begun = str(draft.begun(name))
    typed = st.text_input(
        asked.label, begun, key=draft.key_of(name), placeholder="no, 0, or a word"
    ).strip()
    return as_number(typed) if typed else None


def as_number(text: str) -> str | float | int:
    """A typed value: a number where it reads as one."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _number(draft: Draft, name: str, asked: Asked) -> float | None:
    begun = float(draft.begun(name))
    return st.number_input(asked.label, value=begun, key=draft.key_of(name), format="%g")


def _ends(draft: Draft, name: str, asked: Ends) -> tuple[float, ...] | None:
    begun = "; ".join(f"{end:g}" for end in draft.begun(name))
    typed = st.text_input(
        asked.label,
        begun,
        key=draft.key_of(name, begun),
        help="18; 65 (or 18, 65) makes below 18, 18 to 65, 65 and more.",
    )
    try:
        return tuple(float(end.replace(",", ".")) for end in typed_list(typed)) or None
    except ValueError:
        raise PrepareError(f"'{typed}' is no list of numbers: write them as 18; 65.") from None


def _names(draft: Draft, name: str, asked: Names) -> tuple[tuple[str, str], ...] | None:
    begun, columns = dict(draft.begun(name) or ()), list(draft.frame.columns)
    first = columns.index(next(iter(begun))) if begun else None
    column = st.selectbox("Column", columns, first, key=draft.key_of(name))
    if column is None:
        return None
    new = st.text_input(asked.label, begun.get(column, column), key=draft.key_of(column)).strip()
    return tuple({**begun, column: new}.items()) if new != column else None


def _parts(draft: Draft, name: str, asked: Parts) -> tuple[str, ...]:
    begun = list(draft.begun(name))
    key = draft.key_of(name, begun)
    return tuple(st.multiselect(asked.label, begun, begun, key=key, accept_new_options=True))


def _levels_of(draft: Draft, name: str, asked: LevelsOf) -> tuple[Any, ...] | None:
    columns = draft.values["columns"]
    levels = draft.levels_of(columns)
    are_numbers = all(isinstance(level, int | float) for level in levels)
    begun = draft.begun(name) or (levels if are_numbers else ())
    chosen = st.multiselect(
        asked.label,
        levels,
        [level for level in begun if level in levels],
        format_func=word,
        key=draft.key_of(name, columns),
    )
    if st.toggle("The other way round", key=draft.key_of("reversed")):
        chosen = chosen[::-1]
    return tuple(chosen) if len(chosen) > 1 else None


def _date_form(draft: Draft, name: str, asked: DateForm) -> str:
    """How the dates of a column are written; nothing is asked of numbers and of no column."""
    column = draft.values[asked.of]
    if not column or (
        draft.kind is OneRowPer and pd.api.types.is_numeric_dtype(draft.frame[column])
    ):
        return ""
    likely = likely_form(draft.frame[column])
    begun = likely if draft.step is None else draft.begun(name)
    forms = [*DATE_FORMS, *({begun} - {*DATE_FORMS})]
    return st.selectbox(
        asked.label,
        forms,
        forms.index(begun),
        format_func=lambda form: DATE_FORMS.get(form, form),
        key=draft.key_of(name, column),
    )


def _day(draft: Draft, name: str, asked: Day) -> str:
    if draft.values[asked.instead_of]:
        return ""
    begun = draft.begun(name) or "2020-12-31"
    return st.text_input(asked.label, begun, key=draft.key_of(name)).strip()


def _test_values(draft: Draft, name: str, asked: TestValues) -> tuple[Any, ...] | None:
    column, test = draft.values["column"], draft.values["test"]
    told, number = list(draft.begun(name)), TESTS[test].told
    if number is None:
        levels = draft.levels(column)
        levels += [value for value in told if value not in levels]
        key = f"{draft.key}-{column}-values"
        chosen = st.multiselect("one of", levels, told, key=key, format_func=word)
        return tuple(chosen) or None
    labels = ("from", "to") if number == 2 else (asked.label,) * number
    values = [
        _value(draft, column, label, told[place] if place < len(told) else None, place)
        for place, label in enumerate(labels)
    ]
    return None if None in values else tuple(values)


def _value(draft: Draft, column: str, label: str, told: Any, place: int) -> str | float | None:
    """What cells are held against, the same under every test; None until it is filled in."""
    known, key = draft.frame[column].dropna(), f"{draft.key}-{column}-value-{place}"
    if is_day(known):
        first = None if told is None else pd.Timestamp(told)
        days = [*known, *([] if first is None else [first])]
        ends = {"min_value": min(days), "max_value": max(days)} if days else {}
        day = st.date_input(label, value=first, key=key, **ends)
        return None if day is None else str(day)
    return st.number_input(
        label,
        value=None if told is None else float(told),
        key=key,
        format="%g",
        placeholder=f"{known.min():,.10g} to {known.max():,.10g}" if len(known) else None,
    )


#: Controls that are drawn though others before them are not filled in yet.
_AT_ONCE = (Column, Columns, Choice, Typed)
#: What asks for a field, by how it is annotated; None until it is filled in.
_CONTROLS: dict[type[Asked], Callable[[Draft, str, Any], Any]] = {
    Asked: _number,
    Column: _column,
    Columns: _columns,
    Choice: _choice,
    Test: _test,
    TestValues: _test_values,
    NewName: _text,
    Typed: _typed,
    Ends: _ends,
    Names: _names,
    Parts: _parts,
    LevelsOf: _levels_of,
    DateForm: _date_form,
    Day: _day,
}


def typed_list(text: str) -> list[str]:
    """Several values typed into one line, separated by semicolons, or else by commas."""
    parts = text.split(";" if ";" in text else ",")
    return [part.strip() for part in parts if part.strip()]
