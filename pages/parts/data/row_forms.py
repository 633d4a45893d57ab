"""Forms of the steps that take rows away, make one of several, or add a second table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.prepare.cell_reading import word
from mapdp_studio.core.prepare.joining import Join
from mapdp_studio.core.prepare.rows import DROP, KEEP, TESTS, DropRepeated, FilterRows
from mapdp_studio.core.prepare.step import PrepareError, Step
from mapdp_studio.core.prepare.units import OF_NUMBERS, SHARE, SLOPE, OneRowPer
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.data.date_forms import date_format
from mapdp_studio.pages.parts.data.step_draft import Draft
from mapdp_studio.pages.parts.shared.loading import read_upload

is_day = pd.api.types.is_datetime64_any_dtype
#: Of more distinct numbers than this a range is asked for, and no list.
_FEW_VALUES = 12
_TABLES = ["csv", "tsv", "txt", "parquet", "feather", "json", "xlsx", "sav", "dta", "sas7bdat"]


def filtered(draft: Draft) -> Step | None:
    places = st.columns([2, 3, 3, 4])
    with places[0]:
        what = draft.one_of("Rows", "what", [KEEP, DROP], format_func=str.capitalize)
    with places[1]:
        column = draft.column("whose", "column")
    if column is None:
        return None
    cells = draft.frame[column]
    is_ordered = column in draft.names("number") or is_day(cells)
    offered = [name for name, test in TESTS.items() if is_ordered or not test.is_ordered]
    if is_day(cells):
        offered = [name for name in offered if TESTS[name].told is not None]
    if is_ordered and cells.nunique() > _FEW_VALUES:  # a list of all of them helps nobody
        offered.sort(key=lambda name: not TESTS[name].is_ordered)
    with places[2]:
        test = draft.one_of("cell", "test", offered, format_func=lambda name: TESTS[name].says)
    with places[3]:
        values = _values_of_test(draft, column, test)
    return None if values is None else FilterRows(column, test, values, what)


def _values_of_test(draft: Draft, column: str, test: str) -> tuple[Any, ...] | None:
    told = list(draft.told("values", ()))
    number = TESTS[test].told
    if number is None:
        levels = draft.levels(column)
        levels += [value for value in told if value not in levels]
        chosen = st.multiselect(
            "one of", levels, told, key=f"{draft.key}-{column}-values", format_func=word
        )
        return tuple(chosen) or None
    labels = ("from", "to") if number == 2 else ("value",) * number
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


def repeated(draft: Draft) -> Step:
    st.caption("Of rows that are alike in these columns the first stays; none named: in all.")
    return DropRepeated(draft.columns("Alike in", "columns"))


_NONE = "the order of the rows"
#: A column of more levels than this has no shares.
_MOST_SHARES = 12


def unit_rows(draft: Draft) -> Step | None:
    places = st.columns(3)
    with places[0]:
        unit = draft.column("One row for each", "unit")
    if unit is None:
        return None
    others = [name for name in draft.frame.columns if name != unit]
    with places[1]:
        orders = [_NONE, *others]
        told = draft.told("order", "") or _NONE
        order = st.selectbox(
            "Its rows follow each other by",
            orders,
            index=orders.index(told) if told in orders else 0,
            key=f"{draft.key}-order",
            help="A date or the number of a visit: for first, last and slope.",
        )
    form = ""
    if order != _NONE and order not in draft.names("number"):
        with places[2]:
            form = date_format(draft, "order_format", order)
    order = "" if order == _NONE else order
    summaries = _summaries(draft, [name for name in others if name != order], bool(order))
    count = st.checkbox(
        "Add the number of rows", bool(draft.told("rows", "")), key=f"{draft.key}-rows"
    )
    rows = f"rows per {unit}" if count else ""
    if not summaries and not rows:
        return None
    return OneRowPer(unit, order, form, summaries, rows)


#: What is kept of the rows of a unit, as the form asks for it.
_ASKED = {
    "mean": "Mean of",
    "last": "Last value of",
    "first": "First value of",
    "min": "Minimum of",
    "max": "Maximum of",
    "sum": "Sum of",
    "count": "Number of filled cells of",
    "values": "Number of different values of",
    SLOPE: "Slope of",
}


def _summaries(draft: Draft, names: Sequence[str], is_ordered: bool) -> tuple[Any, ...]:
    """What is kept of every column: a list of columns for each summary, and shares of levels."""
    told = {(name, how) for name, how, *level in draft.told("summaries", ()) if not level}
    when = "last" if is_ordered else "first"
    every = f"every column: numbers on average, words as they were {when}"
    label = f"Begin with {every if draft.step is None else 'the columns as this step has them'}"
    keeps = st.toggle(label, draft.step is not None, key=f"{draft.key}-keeps")
    numbers = {name for name in names if name in draft.names("number")}
    if draft.step is None:
        ids = draft.schema.names("id")
        told = {(n, "mean" if n in numbers else when) for n in names if n not in ids}
    places, chosen = st.columns(3), set()
    hows = [how for how in _ASKED if how != SLOPE or is_ordered]
    for place, how in enumerate(hows):
        offered = [name for name in names if name in numbers or how not in OF_NUMBERS]
        picked = places[place % len(places)].multiselect(
            _ASKED[how],
            offered,
            [name for name in offered if keeps and (name, how) in told],
            key=f"{draft.key}-{how}-{is_ordered}-{keeps}",
            placeholder="Choose columns",
        )
        chosen |= {(name, how) for name in picked}
    summaries = [(name, how) for name in names for how in hows if (name, how) in chosen]
    return (*summaries, *_shares(draft, [name for name in names if name not in numbers]))


def _shares(draft: Draft, words: Sequence[str]) -> list[tuple[str, str, Any]]:
    """Levels whose share of the unit's rows is a column."""
    told = [(n, level) for n, how, *rest in draft.told("summaries", ()) for level in rest]
    offered = [name for name in words if draft.frame[name].nunique() <= _MOST_SHARES]
    if not offered:
        return []
    first = [name for name in dict.fromkeys(n for n, _ in told) if name in offered]
    columns = st.multiselect(
        "Share of the rows with some level of",
        offered,
        first,
        key=f"{draft.key}-share-columns",
        placeholder="Choose columns",
    )
    chosen = []
    for name in columns:
        levels = draft.levels(name)
        known = [level for n, level in told if n == name and level in levels]
        st.caption(f"Of {escaped(name)}, the share of")
        picked = st.multiselect(
            "these levels", levels, known, key=f"{draft.key}-share-{name}", format_func=word
        )
        chosen += [(name, SHARE, level) for level in picked]
    return chosen


def joined(draft: Draft) -> Step | None:
    told, name, other = draft.step, draft.told("other_name", ""), draft.told("other", None)
    file = st.file_uploader("The second table", type=_TABLES, key=f"{draft.key}-file")
    if file is not None:
        try:
            with st.spinner("Reading the second table"):
                other = session().results.latest(
                    "second table",
                    file.file_id,
                    lambda: read_upload(file.name, file.getvalue()),
                )
        except TableError as error:
            raise PrepareError(str(error)) from None
        name = file.name
    if other is None:
        return None
    shared = next((column for column in draft.frame if column in other), None)
    places = st.columns(3)
    own, theirs = list(draft.frame.columns), list(other.columns)
    with places[0]:
        first = told.own_key if told is not None else shared
        own_key = st.selectbox(
            "Rows belong together where",
            own,
            index=own.index(first) if first in own else 0,
            key=f"{draft.key}-own",
        )
    with places[1]:
        first = told.other_key if told is not None else shared
        other_key = st.selectbox(
            "equals, in the second table,",
            theirs,
            index=theirs.index(first) if first in theirs else 0,
            key=f"{draft.key}-other-{name}",
        )
    offered = [column for column in theirs if column != other_key]
    with places[2]:
        taken = draft.told("columns", tuple(offered))
        chosen = st.multiselect(
            "Take",
            offered,
            [column for column in taken if column in offered],
            key=f"{draft.key}-take-{name}-{other_key}",
        )
    return Join(name, own_key, other_key, tuple(chosen), other=other) if chosen else None
