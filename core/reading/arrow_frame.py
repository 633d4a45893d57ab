"""Turn an Arrow table into a tidy pandas frame: unique names, clean text, numbers as numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..wording import counted
from .numbers import (
    ColumnReading,
    all_match,
    are_several_answers,
    first_match,
    look_at_numbers,
    to_numbers,
)
from .read_options import ReadOptions

#: Of a column in which a plus stands for "positive", a minus stands for "negative".
_PLUS = r"^\(?[+±]+\)?$|^\d\+$|^\+/-$|^(?i:pos(itive)?|reactive|detected|present)$"
_PLUS_AND_DIGIT, _SIGNED = r"^\+[1-4]$", r"^-\d|^\+[05-9]|^\+\d\d"
_DAY = r"^\d{4}-\d\d-\d\d"
#: Days as ISO 8601 writes them, with and without a clock time.
_DAYS = {
    rf"{_DAY}$": pa.date32(),
    rf"{_DAY}[ T]\d\d(?::\d\d){{1,2}}$": pa.timestamp("s"),
    rf"{_DAY}[ T]\d\d:\d\d:\d\d\.\d{{1,9}}$": pa.timestamp("ns"),
}


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


def is_text(kind: pa.DataType) -> bool:
    """Whether cells are text, in whichever way Arrow lays it out."""
    of = pa.types
    return of.is_string(kind) or of.is_large_string(kind) or of.is_string_view(kind)


def to_frame(table: pa.Table, options: ReadOptions) -> pd.DataFrame:
    """Tidy every column of a table whose names are unique already.

    Text loses its surrounding blanks, cells that are a missing token become missing, and columns of
    numbers become numbers. The table's memory is released column by column.

    Returns
    -------
    DataFrame
        ``attrs["missing"]`` counts the missing tokens of each column but the empty one, and
        ``attrs["open"]`` lists what can be read in two ways, each a dict with the ``column``, a
        ``text``, and the other ``choices``: what to write on a button, and its entry of
        ``ReadOptions.columns``.
    """
    names = table.column_names
    missing: dict[str, dict[str, int]] = {}
    open_: list[dict[str, Any]] = []
    columns = []
    for name, column in zip(names, table.columns, strict=True):
        columns.append(_tidy(column, name, options, missing, open_))
    del table
    readings = {
        name: look_at_numbers(column)
        for name, column in zip(names, columns, strict=True)
        if is_text(column.type)
    }
    signs = {r.signs[0] for r in readings.values() if r.example and r.signs and not r.is_open}
    for place, name in enumerate(names):
        if name in readings:
            columns[place] = _typed(columns[place], name, readings[name], signs, options, open_)
    tidy = pa.table(columns, names=names)
    del columns
    frame = tidy.to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get,
        date_as_object=False,
        split_blocks=True,
        self_destruct=True,
    )
    frame.columns = names
    frame.attrs.update({"missing": missing} if missing else {})
    frame.attrs.update({"open": open_} if open_ else {})
    return frame


def _tidy(
    column: pa.ChunkedArray,
    name: str,
    options: ReadOptions,
    missing: dict[str, dict[str, int]],
    open_: list[dict[str, Any]],
) -> pa.ChunkedArray:
    """A column without surrounding blanks and missing tokens; these are counted."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_text(column.type):
        return _plain(column)
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    trimmed = pc.utf8_trim_whitespace(column)
    is_token = pc.is_in(trimmed, pa.array(list(options.na_tokens), trimmed.type))
    counts = pc.value_counts(trimmed.filter(is_token)).to_pylist()
    tokens = {c["values"]: c["counts"] for c in counts if c["values"]}
    levels = {*options.of_column(name, "level")}
    if tokens.keys() & {"-", "--"} and _has_plus(trimmed):
        levels |= {"-", "--"}
    elif (dash := next((t for t in ("-", "--") if t in tokens), "")) and _is_account(column):
        is_zero = options.of_column(name, "dash") == ("0",)
        text = f"“{dash}” in '{name}' ({counted(tokens[dash], 'cell')}) stands for 0 in accounts"
        if is_zero:
            is_dash = pc.equal(trimmed, pa.scalar(dash, trimmed.type))
            trimmed = pc.if_else(is_dash, pa.scalar("0", trimmed.type), trimmed)
            del tokens[dash]
            open_.append(_open(name, f"{text} and is read so.", "It is missing", "dash", ""))
        else:
            open_.append(_open(name, f"{text}; it is read as missing.", "It is 0", "dash", "0"))
    for token in tokens.keys() & {"NA", "na"}:
        if _is_code(token, trimmed, options.na_tokens):
            cells = counted(tokens[token], "cell")
            text = f"“{token}” in '{name}' ({cells}) is a code like the others there"
            if token in levels:
                open_.append(_open(name, f"{text} and kept.", "It is missing", "level", ""))
            else:
                text = f"{text}, but read as missing."
                open_.append(_open(name, text, "It is a value", "level", token))
    if found := {token: n for token, n in tokens.items() if token not in levels}:
        missing[name] = found
    dropped = pa.array([t for t in options.na_tokens if t not in levels], trimmed.type)
    return pc.if_else(pc.is_in(trimmed, dropped), pa.scalar(None, trimmed.type), trimmed)


def _open(name: str, text: str, button: str, what: str, value: str) -> dict[str, Any]:
    return {"column": name, "text": text, "choices": {button: [name, what, value]}}


def _has_plus(trimmed: pa.ChunkedArray) -> bool:
    """Whether cells of a column say "positive", or how much so, as +1 to +4 do."""
    if first_match(trimmed, _PLUS):
        return True
    return bool(first_match(trimmed, _PLUS_AND_DIGIT)) and not first_match(trimmed, _SIGNED)


def _is_account(column: pa.ChunkedArray) -> bool:
    """Whether a dash among numbers is that of an account: they are grouped, or it is indented."""
    numbers = r"^\s*[($€£¥+-]*\s*\d"
    grouped = rf"{numbers}{{1,3}}(?:[,.' ]\d{{3}})+(?:\D|$)|^\s*\(.*\d\)\s*$|^\s*[$€£¥]"
    return bool(first_match(column, numbers)) and bool(
        first_match(column, grouped) or first_match(column, r"^\s+-+\s*$|^-+\s+$")
    )


def _is_code(token: str, trimmed: pa.ChunkedArray, tokens: Sequence[str]) -> bool:
    """Whether the other values of a column are abbreviations like a missing token."""
    others = {t for t in pc.unique(trimmed).to_pylist()[:1000] if t and t not in tokens}
    like = re.compile(r"[A-Z]{1,5}" if token.isupper() else r"[a-z]{1,5}")
    plain = {"Y", "N", "YES", "NO", "M", "F", "T", "TRUE", "FALSE"}
    if len(others) < 2 or not all(map(like.fullmatch, others)):
        return False
    lengths = {len(other) for other in others}
    is_like = len(token) in lengths or (len(others) > 2 and min(lengths) > 1)
    return is_like and not {other.upper() for other in others} <= plain


def _typed(
    column: pa.ChunkedArray,
    name: str,
    reading: ColumnReading,
    signs: set[str],
    options: ReadOptions,
    open_: list[dict[str, Any]],
) -> pa.ChunkedArray:
    """A column as numbers or days where all of its cells are; text otherwise."""
    given = options.of_column(name, "decimal")
    sign = given[0] if given else options.decimal
    if sign == "":
        return column
    if reading.is_code and not given:
        text = f"“{reading.example}” in '{name}' looks like a code: the column is kept as text."
        open_.append(_open(name, text, "Read as numbers", "decimal", (*reading.signs, ".")[0]))
        return column
    if not reading.signs:
        if reading.example:
            text = f"Some numbers of '{name}' have a point, others a comma: they are kept as text."
            open_.append({"column": name, "text": text, "choices": {}})
        return _days(column, name, open_)
    if sign is None:
        sign = reading.signs[0]
        if reading.is_open:
            sign = _likelier(reading, signs, options)
    if reading.is_open:
        open_.append(_open_number(name, reading, sign))
    if sign not in reading.signs:
        return column
    return to_numbers(column, sign) if reading.numbers is None else reading.numbers


def _likelier(reading: ColumnReading, signs: set[str], options: ReadOptions) -> str:
    """The decimal sign by which a column is read that reads in two ways; "" to keep its text."""
    mark = "," if "," in reading.example else "."
    if len(reading.signs) == 1:  # 1.2, or the answers 1 and 2
        answers = reading.signs == (",",) and "." not in reading.example
        return "" if answers and (options.delimiter == "," or signs == {"."}) else reading.signs[0]
    other = "." if mark == "," else ","
    if reading.bare and signs != {mark} and (mark, options.delimiter) != (".", ","):
        return other
    if len(signs) == 1:
        return next(iter(signs))
    return "." if mark == "." or options.delimiter == "," else ","


def _open_number(name: str, reading: ColumnReading, sign: str) -> dict[str, Any]:
    """What can be read in two ways, said with an example."""
    cell = reading.example
    if len(reading.signs) == 1:
        only = reading.signs[0]
        doubt = "may be several answers" if only == "," and "." not in cell else "is grouped"
        value = to_numbers(pa.chunked_array([[cell]]), only)[0].as_py()
        text = f"“{cell}” in '{name}' {doubt}, or not"
        if sign == "":
            return _open(name, f"{text}: kept as text.", "Read as numbers", "decimal", only)
        return _open(name, f"{text}: read as {value:,}.", "Keep as text", "decimal", "")
    value = {s: to_numbers(pa.chunked_array([[cell]]), s)[0].as_py() for s in (".", ",")}
    other_sign = "," if sign == "." else "."
    text = f"“{cell}” in '{name}' is read as {value[sign]:,}; it could be {value[other_sign]:,}."
    return _open(name, text, f"Read as {value[other_sign]:,}", "decimal", other_sign)


def _days(column: pa.ChunkedArray, name: str, open_: list[dict[str, Any]]) -> pa.ChunkedArray:
    """A column of days, or of days with a clock time, as such; a note on several answers."""
    there = column.drop_null()
    for pattern, kind in _DAYS.items():
        if len(there) and all_match(there.slice(0, 100), pattern):
            try:
                return column.cast(kind)
            except pa.ArrowInvalid:  # a 31st of April
                break
    cells = pc.unique(there.slice(0, 20_000)).to_pylist()
    if are_several_answers(cells):
        example = next(cell for cell in cells if re.search(r"[,;|]", cell))
        text = f"'{name}' holds several answers in a cell (“{example}”) and is kept as text."
        open_.append({"column": name, "text": text, "choices": {}})
    return column


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
