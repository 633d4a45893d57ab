"""Forms of the steps that change cells or make columns of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from mapdp_studio.core.prepare.cell_reading import in_words, word
from mapdp_studio.core.prepare.cells import (
    THOUSANDS,
    FillBlanks,
    MergeLevels,
    NumberFromText,
    OrderLevels,
)
from mapdp_studio.core.prepare.columns import (
    WAYS,
    Combine,
    CutRanges,
    DivideBy,
    Logarithm,
    ShareOfTotal,
)
from mapdp_studio.core.prepare.names import RenameColumns
from mapdp_studio.core.prepare.number_signs import likely_signs
from mapdp_studio.core.prepare.step import PrepareError, Step
from mapdp_studio.core.reading.numbers import COMMA, POINT
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages.parts.data.step_draft import Draft

#: Cells that are looked at, and shown as examples.
_MOST_CELLS, _EXAMPLES = 2_000, 10
#: Letters of names in the name of a new column.
_MOST_LETTERS = 50
#: Signs that go with how a column is read.
_SIGNS = {POINT: (".", ","), COMMA: (",", ".")}
_GROUPING = {"": "nothing", ",": "comma", ".": "point", " ": "blank", "'": "apostrophe"}


def renamed(draft: Draft) -> Step | None:
    told = dict(draft.told("names", ()))
    column = st.selectbox(
        "Column",
        list(draft.frame.columns),
        index=None if not told else list(draft.frame.columns).index(next(iter(told))),
        key=f"{draft.key}-renamed",
    )
    if column is None:
        return None
    name = st.text_input("New name", told.get(column, column), key=f"{draft.key}-{column}")
    others = {old: new for old, new in told.items() if old != column}
    pairs = {**others, column: name.strip()}
    return RenameColumns(tuple(pairs.items())) if name.strip() != column else None


def blanks(draft: Draft) -> Step | None:
    columns = draft.columns("In these columns", "columns")
    value = draft.told("value", "")
    typed = st.text_input(
        "a blank means", str(value), key=f"{draft.key}-value", placeholder="no, 0, or a word"
    ).strip()
    return FillBlanks(columns, _as_number(typed)) if columns and typed else None


def _as_number(text: str) -> str | float | int:
    """A typed value: a number where it reads as one."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def number(draft: Draft) -> Step | None:
    columns = draft.columns("Columns of numbers with notes, units or signs", "columns", "text")
    if not columns:
        return None
    cells = _different_words(draft.frame, columns)
    reading = draft.schema[columns[0]].reading if columns[0] in draft.schema else None
    told = _SIGNS.get(reading, draft.signs)
    likely = likely_signs(cells, told)
    left, right = st.columns(2)
    with left:
        decimal = draft.one_of("Decimal sign", "decimal", [".", ","], likely[0])
    with right:
        grouping = [sign for sign in THOUSANDS if sign != decimal]
        thousands = draft.one_of(
            "Digits grouped by",
            "thousands",
            grouping,
            likely[1],
            format_func=lambda sign: _GROUPING[sign],
        )
    step = NumberFromText(columns, decimal, thousands)
    st.caption(escaped(_examples(step, cells)))
    return step


def _different_words(frame: pd.DataFrame, columns: tuple[str, ...]) -> list[str]:
    """Different cells of some columns as they are written, not all of very many."""
    cells = pd.concat([in_words(frame[name]) for name in columns]).dropna()
    return [str(cell) for cell in cells.drop_duplicates()[:_MOST_CELLS]]


def _examples(step: NumberFromText, cells: Sequence[str]) -> str:
    """What becomes of ten cells, the longest of different lengths: they have most signs."""
    shown = sorted({len(cell): cell for cell in reversed(cells)}.values(), key=len)[-_EXAMPLES:]
    shown += [cell for cell in cells if cell not in shown][: _EXAMPLES - len(shown)]
    try:
        read = replace(step, columns=("cells",)).apply(pd.DataFrame({"cells": [*shown, "0"]}))
    except PrepareError:
        return ""
    numbers = ["empty" if pd.isna(n) else f"{n:.12g}" for n in read["cells"]]
    told = [f"'{cell}' becomes {number}" for cell, number in zip(shown, numbers, strict=False)]
    return f"{'; '.join(told)}."


def merged(draft: Draft) -> Step | None:
    columns = draft.columns("Columns", "columns")
    if not columns:
        return None
    told = dict(draft.told("pairs", ()))
    levels = list(dict.fromkeys(level for name in columns for level in draft.levels(name)))
    cells = pd.concat([in_words(draft.frame[name]) for name in columns]).value_counts()
    counts = {level: int(cells.get(word(level), 0)) for level in levels}
    key = f"{draft.key}-{'-'.join(columns)}"
    chosen, rare, right = st.columns([3, 2, 2])
    together = chosen.multiselect("Make one of", levels, format_func=word, key=f"{key}-together")
    fewest = rare.number_input("and rarer than (rows)", 1, value=None, key=f"{key}-rare")
    into = right.text_input("called", key=f"{key}-into").strip()
    together += [level for level in levels if fewest is not None and counts[level] < fewest]
    named = dict.fromkeys(together, into) if into else {}
    st.caption("Or write below what each level becomes: two that become the same are one.")
    edited = st.data_editor(
        pd.DataFrame(
            {
                "Level": [word(level) for level in levels],
                "Rows": list(counts.values()),
                "Becomes": [word((told | named).get(level, level)) for level in levels],
            }
        ),
        key=key,
        hide_index=True,
        disabled=["Level", "Rows"],
    )
    are_numbers = all(isinstance(level, int | float) for level in levels)
    becomes = {level: str(new) for level, new in zip(levels, edited["Becomes"], strict=True)}
    pairs = tuple(
        (level, _as_number(new) if are_numbers else new.strip())
        for level, new in becomes.items()
        if new.strip() and new != word(level)
    )
    return MergeLevels(columns, pairs) if pairs else None


def ordered(draft: Draft) -> Step | None:
    columns = draft.columns("Columns on the same scale", "columns")
    if not columns:
        return None
    levels = list(dict.fromkeys(level for name in columns for level in draft.levels(name)))
    are_numbers = all(isinstance(level, int | float) for level in levels)
    first = draft.told("levels", tuple(levels) if are_numbers else ())
    told = [level for level in first if level in levels]
    chosen = st.multiselect(
        "Levels from the lowest to the highest, in the order in which you choose them",
        levels,
        told,
        format_func=word,
        key=f"{draft.key}-{'-'.join(columns)}-levels",
    )
    if st.toggle("The other way round", key=f"{draft.key}-reversed"):
        chosen = chosen[::-1]
    return OrderLevels(columns, tuple(chosen)) if len(chosen) > 1 else None


def cut(draft: Draft) -> Step | None:
    column = draft.column("Column", "column", "number")
    if column is None:
        return None
    thirds = draft.frame[column].quantile([1 / 3, 2 / 3]).tolist()
    edges = draft.told("edges", tuple(dict.fromkeys(float(f"{edge:.3g}") for edge in thirds)))
    left, right = st.columns(2)
    with left:
        typed = st.text_input(
            "A range begins at each of these numbers",
            "; ".join(f"{edge:g}" for edge in edges),
            key=f"{draft.key}-{column}-edges",
            help="18; 65 (or 18, 65) makes below 18, 18 to 65, 65 and more.",
        )
    with right:
        into = draft.text("Called", "into", column)
    try:
        numbers = tuple(float(part.replace(",", ".")) for part in typed_list(typed))
    except ValueError:
        raise PrepareError(f"'{typed}' is no list of numbers: write them as 18; 65.") from None
    return CutRanges(column, numbers, into) if numbers else None


def logarithm(draft: Draft) -> Step | None:
    columns = draft.columns("Columns", "columns", "number")
    plus = draft.told("plus", 0)
    added = st.checkbox("Add 1 first (where there are zeros)", plus == 1, key=f"{draft.key}-plus")
    return Logarithm(columns, 1 if added else 0) if columns else None


def share(draft: Draft) -> Step | None:
    columns = draft.columns("Parts of a total", "columns", "number")
    return ShareOfTotal(columns) if len(columns) > 1 else None


def divided(draft: Draft) -> Step | None:
    left, right = st.columns([3, 2])
    with left:
        columns = draft.columns("Amounts", "columns", "number")
    with right:
        by = draft.column("divided by", "by", "number")
    return DivideBy(columns, by) if columns and by is not None else None


def combined(draft: Draft) -> Step | None:
    places = st.columns([2, 4, 3])
    with places[0]:
        how = draft.one_of("Make the", "how", list(WAYS))
    with places[1]:
        columns = draft.columns("of", "columns", "number")
    with places[2]:
        into = draft.text("Called", "into", f"{how} of {_short_list(columns)}")
    return Combine(columns, how, into) if len(columns) > 1 else None


def _short_list(names: Sequence[str]) -> str:
    """Names as part of another one: all of them, or the first where they are too long together."""
    every = " and ".join(names)
    return every if len(every) <= _MOST_LETTERS else listed(names, 1)


def typed_list(text: str) -> list[str]:
    """Several values typed into one line, separated by semicolons, or else by commas."""
    parts = text.split(";" if ";" in text else ",")
    return [part.strip() for part in parts if part.strip()]
