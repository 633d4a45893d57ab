"""Turn an Arrow table into a tidy pandas frame: unique names, clean text, numbers as numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc


def unique_names(names: Sequence[object]) -> tuple[list[str], list[str]]:
    """Names that are neither empty nor repeated, and a note on every change.

    Returns
    -------
    names : list of str
        "column 3" for an empty third name, "age (2)" for a second "age".
    notes : list of str
    """
    stripped = ["" if name is None else " ".join(_whole(str(name)).split()) for name in names]
    taken = set(stripped)
    seen: set[str] = set()
    result, notes = [], []
    for place, name in enumerate(stripped, start=1):
        if not name:
            new = _free(f"column {place}", taken)
            notes.append(f"Column {place} has no name and is called '{new}' here.")
        elif name in seen:
            new = _free(name, taken)
            notes.append(f"Column {place} repeats the name '{name}' and is called '{new}' here.")
        else:
            new = name
        seen.add(new)
        taken.add(new)
        result.append(new)
    return result, notes


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


def to_frame(
    table: pa.Table,
    na_tokens: Sequence[str],
    decimal: str = ".",
    thousands: str | None = None,
) -> pd.DataFrame:
    """Tidy every column of a table whose names are unique already.

    Text loses its surrounding blanks, cells that are an NA token become missing, and text columns
    of numbers alone become numbers. The table's memory is released column by column.
    """
    names = table.column_names
    columns = [_tidy(column, na_tokens, decimal, thousands) for column in table.columns]
    del table
    tidy = pa.table(columns, names=names)
    del columns
    frame = tidy.to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get,
        date_as_object=False,
        split_blocks=True,
        self_destruct=True,
    )
    frame.columns = names
    return frame


def is_text(kind: pa.DataType) -> bool:
    """Whether cells are text, in whichever way Arrow lays it out."""
    of = pa.types
    return of.is_string(kind) or of.is_large_string(kind) or of.is_string_view(kind)


def _tidy(
    column: pa.ChunkedArray, na_tokens: Sequence[str], decimal: str, thousands: str | None
) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_text(column.type):
        return _plain(column)
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    column = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(column, pa.array(list(na_tokens), column.type))
    column = pc.if_else(missing, pa.scalar(None, column.type), column)
    return _numbers(column, decimal, thousands)


def _numbers(column: pa.ChunkedArray, decimal: str, thousands: str | None) -> pa.ChunkedArray:
    """Turn a column into numbers where all its text reads as such; else leave it."""
    point = re.escape(decimal)
    whole = r"\d+"
    if thousands:
        whole = rf"(\d{{1,3}}({re.escape(thousands)}\d{{3}})+|\d+)"
    pattern = rf"^[+-]?({whole}({point}\d*)?|{point}\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf(inity)?)$"
    # The first cells settle it for nearly every column of words, at no cost.
    for part in (column.slice(0, 100), column):
        if (
            column.null_count == len(column)
            or not pc.all(pc.match_substring_regex(part, pattern), skip_nulls=True).as_py()
        ):
            return column
    if thousands:
        column = pc.replace_substring(column, thousands, "")
    if decimal != ".":
        column = pc.replace_substring(column, decimal, ".")
    numbers = pc.cast(pc.utf8_ltrim(column, "+"), pa.float64())
    try:
        return pc.cast(numbers, pa.int64())
    except pa.ArrowInvalid:
        return numbers


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Types that pandas would hold as Python objects, as plain ones."""
    if pa.types.is_null(column.type) or pa.types.is_decimal(column.type):
        return column.cast(pa.float64())
    return column.cast(pa.string()) if pa.types.is_time(column.type) else column


def array_of(values: list[Any]) -> pa.Array:
    """Make an Arrow array of Python values.

    Values of several types become text, and so do numbers that no column of numbers holds.
    """
    kinds = {type(value) for value in values if value is not None}
    of_numbers = kinds == {int, float}
    if of_numbers or (len(kinds) <= 1 and not kinds & {dict, list}):
        try:
            return pa.array(values, pa.float64() if of_numbers else None)
        except (pa.ArrowException, OverflowError, UnicodeError):
            pass
    return pa.array([None if value is None else _as_text(value) for value in values], pa.string())


def _as_text(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return _whole(str(value))


def _whole(text: str) -> str:
    """Text in which half a character, as JSON can hold it, is a replacement mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
