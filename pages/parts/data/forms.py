"""The form of every step of Prepare: a control for each annotated field; three ask for more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema, TableError
from mapdp_studio.core.prepare import Join, MergeLevels, OneRowPer
from mapdp_studio.core.prepare.columns import likely_form
from mapdp_studio.core.prepare.rows import SHARE, SLOPE, SUMMARIES, TESTS
from mapdp_studio.core.prepare.step import Asked, PrepareError, Step, in_words, is_day, word
from mapdp_studio.core.reading.dates import DATE_FORMS
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.loading import read_upload

#: Levels offered in a list; others can be typed. More of them have no shares.
_MOST_LEVELS, _MOST_SHARES = 200, 12
#: Of more distinct numbers than this a range is asked for, and no list.
_FEW_VALUES = 12
_TABLES = ["csv", "tsv", "txt", "parquet", "feather", "json", "xlsx", "sav", "dta", "sas7bdat"]


@dataclass(frozen=True)
class Draft:
    """The step that is being made."""

    kind: type[Step]
    frame: pd.DataFrame
    #: What the form begins with; None for an empty one.
    step: Step | None
    key: str
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

    def levels(self, *names: str) -> list[Any]:
        """Plain values of columns: numbers in order, whole ones as such, else by frequency."""
        found: dict[Any, None] = {}
        for name in names:
            values = self.frame[name].value_counts().head(_MOST_LEVELS).index.tolist()
            if all(isinstance(value, int | float) for value in values):
                whole = (isinstance(v, float) and v.is_integer() for v in sorted(values))
                values = [int(v) if w else v for v, w in zip(sorted(values), whole, strict=True)]
            found |= dict.fromkeys(values)
        return list(found)

    def fill(self) -> None:
        """Draw a control for each field, side by side; one waits for those that it depends on."""
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name, asked in self.kind.asked().items():
                waits = asked.kind not in _AT_ONCE and None in self.values.values()
                self.values[name] = None if waits else _CONTROLS[asked.kind](self, name, asked)


def form(draft: Draft) -> Step | None:
    """Draw the form of a step; None until enough is chosen."""
    if draft.kind is Join:
        return _joined(draft)
    draft.fill()
    values = draft.values
    if draft.kind in _REST:
        return _REST[draft.kind](draft)
    if None in values.values():
        return None
    if draft.step is not None:  # what nobody chooses stays as it was
        kept = {f.name for f in fields(draft.kind) if f.init} - {*values}  # type: ignore[arg-type]
        values |= {name: getattr(draft.step, name) for name in kept}
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


def _column(draft: Draft, name: str, asked: Asked) -> str | None:
    begun = draft.begun(name)
    options = [None] * bool(asked.without) + draft.names(asked.of, (begun,))
    chosen = st.selectbox(
        asked.label,
        options,
        index=options.index(begun) if begun in options else 0 if asked.without else None,
        key=f"{draft.key}-{name}",
        format_func=lambda option: asked.without if option is None else option,
        placeholder="Choose a column",
        filter_mode="contains",
    )
    return "" if chosen is None and asked.without else chosen


def _columns(draft: Draft, name: str, asked: Asked) -> tuple[str, ...] | None:
    begun = [column for column in draft.begun(name) or () if column in draft.frame]
    offered, key = draft.names(asked.of, begun), f"{draft.key}-{name}"
    chosen = st.multiselect(asked.label, offered, begun, key=key, placeholder="Choose columns")
    return tuple(chosen) if len(chosen) >= asked.least else None


def _choice(draft: Draft, name: str, asked: Asked, offered: Sequence[Any] = ()) -> Any:
    options, begun, shown = list(offered or asked.options), draft.begun(name), asked.options
    place, key = options.index(begun) if begun in options else 0, f"{draft.key}-{name}-{begun}"
    return st.selectbox(asked.label, options, place, key=key, format_func=lambda one: shown[one])


def _test(draft: Draft, name: str, asked: Asked) -> str:
    cells = draft.frame[draft.values["column"]]
    is_ordered = pd.api.types.is_numeric_dtype(cells) or is_day(cells)
    offered = [key for key, test in TESTS.items() if is_ordered or not test.is_ordered]
    if is_day(cells):
        offered = [key for key in offered if TESTS[key].told is not None]
    if is_ordered and cells.nunique() > _FEW_VALUES:  # a list of all of them helps nobody
        offered.sort(key=lambda key: not TESTS[key].is_ordered)
    return _choice(draft, name, asked, offered)


def _text(draft: Draft, name: str, asked: Asked) -> str:
    begun = draft.begun(name)
    return st.text_input(asked.label, begun or "", key=f"{draft.key}-{name}-{begun}").strip()


def _typed(draft: Draft, name: str, asked: Asked) -> str | float | None:
    key, hint = f"{draft.key}-{name}", "no, 0, or a word"
    typed = st.text_input(asked.label, str(draft.begun(name)), key=key, placeholder=hint).strip()
    return as_number(typed) if typed else None


def _number(draft: Draft, name: str, asked: Asked) -> float | None:
    begun, key = draft.begun(name), f"{draft.key}-{name}"
    value = None if begun is None else float(begun)
    typed = st.number_input(asked.label, value=value, key=key, format="%g")
    is_whole = get_type_hints(draft.kind)[name] is int and typed is not None
    return int(typed) if is_whole and typed.is_integer() else typed


def _ends(draft: Draft, name: str, asked: Asked) -> tuple[float, ...] | None:
    begun = "; ".join(f"{end:g}" for end in draft.begun(name))
    told = "18; 65 (or 18, 65) makes below 18, 18 to 65, 65 and more."
    typed = st.text_input(asked.label, begun, key=f"{draft.key}-{name}-{begun}", help=told)
    try:
        return tuple(float(end.replace(",", ".")) for end in typed_list(typed)) or None
    except ValueError:
        raise PrepareError(f"'{typed}' is no list of numbers: write them as 18; 65.") from None


def _names(draft: Draft, name: str, asked: Asked) -> tuple[tuple[str, str], ...] | None:
    begun, columns = dict(draft.begun(name) or ()), list(draft.frame.columns)
    first = columns.index(next(iter(begun))) if begun else None
    column = st.selectbox("Column", columns, first, key=f"{draft.key}-{name}")
    if column is None:
        return None
    new = st.text_input(asked.label, begun.get(column, column), key=f"{draft.key}-{column}").strip()
    return tuple({**begun, column: new}.items()) if new != column else None


def _parts(draft: Draft, name: str, asked: Asked) -> tuple[str, ...]:
    begun = list(draft.begun(name))
    key = f"{draft.key}-{name}-{begun}"
    return tuple(st.multiselect(asked.label, begun, begun, key=key, accept_new_options=True))


def _levels(draft: Draft, name: str, asked: Asked) -> tuple[Any, ...] | None:
    columns = draft.values["columns"]
    levels = draft.levels(*columns)
    are_numbers = all(isinstance(level, int | float) for level in levels)
    begun = draft.begun(name) or (levels if are_numbers else ())
    key, shown = f"{draft.key}-{name}-{columns}", [level for level in begun if level in levels]
    chosen = st.multiselect(asked.label, levels, shown, format_func=word, key=key)
    if st.toggle("The other way round", key=f"{draft.key}-reversed"):
        chosen = chosen[::-1]
    return tuple(chosen) if len(chosen) > 1 else None


def _dates(draft: Draft, name: str, asked: Asked) -> str:
    """How the dates of a column are written; nothing is asked of numbers and of no column."""
    column = draft.values[asked.of]
    if not column or (
        draft.kind is OneRowPer and pd.api.types.is_numeric_dtype(draft.frame[column])
    ):
        return ""
    begun = likely_form(draft.frame[column]) if draft.step is None else draft.begun(name)
    forms = list(DATE_FORMS | {begun: DATE_FORMS.get(begun, begun)})
    key, place = f"{draft.key}-{name}-{column}", forms.index(begun)
    shown = {form: DATE_FORMS.get(form, form) for form in forms}
    return st.selectbox(asked.label, forms, place, format_func=shown.get, key=key)


def _day(draft: Draft, name: str, asked: Asked) -> str:
    if draft.values[asked.of]:
        return ""
    begun = draft.begun(name) or "2020-12-31"
    return st.text_input(asked.label, begun, key=f"{draft.key}-{name}").strip()


def _test_values(draft: Draft, name: str, asked: Asked) -> tuple[Any, ...] | None:
    """What the test holds the cells against, the same under every test."""
    column, told = draft.values["column"], list(draft.begun(name))
    number, key = TESTS[draft.values["test"]].told, f"{draft.key}-{column}-value"
    if number is None:
        levels = list(dict.fromkeys([*draft.levels(column), *told]))
        return tuple(st.multiselect("one of", levels, told, key=key, format_func=word)) or None
    labels = ("from", "to") if number == 2 else (asked.label,) * number
    begun = [*told, None, None]
    values = [
        _value(draft.frame[column].dropna(), label, begun[place], f"{key}-{place}")
        for place, label in enumerate(labels)
    ]
    return None if None in values else tuple(values)


def _value(known: pd.Series, label: str, told: Any, key: str) -> str | float | None:
    if is_day(known):
        first = None if told is None else pd.Timestamp(told)
        days = [*known, *([] if first is None else [first])]
        ends = {"min_value": min(days), "max_value": max(days)} if days else {}
        day = st.date_input(label, value=first, key=key, **ends)
        return None if day is None else str(day)
    begun = None if told is None else float(told)
    span = f"{known.min():,.10g} to {known.max():,.10g}" if len(known) else None
    return st.number_input(label, value=begun, key=key, format="%g", placeholder=span)


#: Kinds that are asked for though others before them are not filled in yet.
_AT_ONCE = ("column", "columns", "choice", "typed")
#: What asks for a field, by the kind in its annotation; None until it is filled in.
_CONTROLS: dict[str, Callable[[Draft, str, Asked], Any]] = {
    "number": _number,
    "column": _column,
    "columns": _columns,
    "choice": _choice,
    "test": _test,
    "test values": _test_values,
    "new name": _text,
    "typed": _typed,
    "ends": _ends,
    "names": _names,
    "parts": _parts,
    "levels": _levels,
    "dates": _dates,
    "day": _day,
}


def _merged(draft: Draft) -> Step | None:
    columns = draft.values["columns"]
    if columns is None:
        return None
    told, levels = dict(draft.begun("pairs") or ()), draft.levels(*columns)
    cells = pd.concat([in_words(draft.frame[name]) for name in columns]).value_counts()
    counts = {level: int(cells.get(word(level), 0)) for level in levels}
    key = f"{draft.key}-{'-'.join(columns)}"
    chosen, rare, right = st.columns([3, 2, 2])
    together = chosen.multiselect("Make one of", levels, format_func=word, key=f"{key}-together")
    fewest = rare.number_input("and rarer than (rows)", 1, value=None, key=f"{key}-rare")
    into = right.text_input("called", key=f"{key}-into").strip()
    together += [level for level in levels if fewest is not None and counts[level] < fewest]
    told |= dict.fromkeys(together, into) if into else {}
    st.caption("Or write below what each level becomes: two that become the same are one.")
    lines = [(word(level), n, word(told.get(level, level))) for level, n in counts.items()]
    table = pd.DataFrame(lines, columns=["Level", "Rows", "Becomes"])
    edited = st.data_editor(table, key=key, hide_index=True, disabled=["Level", "Rows"])
    are_numbers = all(isinstance(level, int | float) for level in levels)
    becomes = dict(zip(levels, edited["Becomes"].astype(str).str.strip(), strict=True))
    pairs = tuple(
        (level, as_number(new) if are_numbers else new)
        for level, new in becomes.items()
        if new and new != word(level)
    )
    return MergeLevels(columns, pairs) if pairs else None


def _unit_rows(draft: Draft) -> Step | None:
    """What is kept of every column: a list of columns for each summary, and shares of levels."""
    unit, order, form = (draft.values[name] for name in ("unit", "order", "order_format"))
    if unit is None:
        return None
    names = [name for name in draft.frame.columns if name not in (unit, order)]
    numbers = {name for name in names if name in draft.names("number")}
    when = "last" if order else "first"
    if draft.step is None:
        label = f"Begin with every column: numbers on average, words as they were {when}"
        ids = draft.schema.names("id")
        told = {(n, "mean" if n in numbers else when) for n in names if n not in ids}
    else:
        label = "Begin with the columns as this step has them"
        told = {(name, how) for name, how, *level in draft.step.summaries if not level}
    keeps = st.toggle(label, draft.step is not None, key=f"{draft.key}-keeps")
    places, chosen = st.columns(3), set()
    hows = [how for how in SUMMARIES if how != SHARE and (how != SLOPE or order)]
    for place, how in enumerate(hows):
        offered = [n for n in names if n in numbers or not SUMMARIES[how].is_of_numbers]
        picked = places[place % len(places)].multiselect(
            SUMMARIES[how].asks,
            offered,
            [name for name in offered if keeps and (name, how) in told],
            key=f"{draft.key}-{how}-{bool(order)}-{keeps}",
            placeholder="Choose columns",
        )
        chosen |= {(name, how) for name in picked}
    summaries = [(name, how) for name in names for how in hows if (name, how) in chosen]
    summaries += _shares(draft, [name for name in names if name not in numbers])
    key = f"{draft.key}-rows"
    count = st.checkbox("Add the number of rows", bool(draft.begun("rows")), key=key)
    rows = f"rows per {unit}" if count else ""
    return OneRowPer(unit, order, form or "", tuple(summaries), rows) if summaries or rows else None


def _shares(draft: Draft, words: Sequence[str]) -> list[tuple[str, str, Any]]:
    told = [(n, level) for n, how, *rest in draft.begun("summaries") for level in rest]
    offered = [name for name in words if draft.frame[name].nunique() <= _MOST_SHARES]
    if not offered:
        return []
    first = [name for name in dict.fromkeys(n for n, _ in told) if name in offered]
    label, key = SUMMARIES[SHARE].asks, f"{draft.key}-share-columns"
    chosen = []
    for name in st.multiselect(label, offered, first, key=key, placeholder="Choose columns"):
        levels = draft.levels(name)
        known = [level for n, level in told if n == name and level in levels]
        st.caption(f"Of {escaped(name)}, the share of")
        key = f"{draft.key}-share-{name}"
        picked = st.multiselect("these levels", levels, known, key=key, format_func=word)
        chosen += [(name, SHARE, level) for level in picked]
    return chosen


#: Steps that ask for more than their fields can say.
_REST: dict[type[Step], Callable[[Draft], Step | None]] = {
    MergeLevels: _merged,
    OneRowPer: _unit_rows,
}


def _joined(draft: Draft) -> Step | None:
    told, name, other = draft.step, draft.begun("other_name"), draft.begun("other")
    file = st.file_uploader("The second table", type=_TABLES, key=f"{draft.key}-file")
    if file is not None:
        name, content = file.name, file.getvalue()
        results = session().results
        try:
            with st.spinner("Reading the second table"):
                other = results.latest(
                    "second table", file.file_id, lambda: read_upload(name, content)
                )
        except TableError as error:
            raise PrepareError(str(error)) from None
    if other is None:
        return None
    shared = next((column for column in draft.frame if column in other), None)
    begun = (shared, shared) if told is None else (told.own_key, told.other_key)
    keys = []
    places = st.columns(3)
    for place, label, columns, first in (
        (places[0], "Rows belong together where", list(draft.frame.columns), begun[0]),
        (places[1], "equals, in the second table,", list(other.columns), begun[1]),
    ):
        at = columns.index(first) if first in columns else 0
        keys.append(place.selectbox(label, columns, at, key=f"{draft.key}-{label}-{name}"))
    offered = [column for column in other.columns if column != keys[1]]
    taken = [column for column in offered if told is None or column in told.columns]
    key = f"{draft.key}-take-{name}-{keys[1]}"
    chosen = places[2].multiselect("Take", offered, taken, key=key)
    return Join(name, *keys, tuple(chosen), other=other) if chosen else None
