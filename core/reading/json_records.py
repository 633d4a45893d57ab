"""Read JSON: one record a line, or a list of records."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from .columns import array_of, to_frame, unique_names
from .encodings import as_utf8
from .options import MAX_COLUMNS, ReadOptions, TableError, check_size


def looks_like_json(data: memoryview, extension: str) -> bool:
    """Whether the content is JSON by its name, or by a first line that is an object or a list."""
    if extension in (".json", ".jsonl", ".ndjson"):
        return True
    start = bytes(data[:65536]).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b'{"') or (start[:1] == b"[" and start[1:].lstrip()[:1] == b"{")


def read_json(data: memoryview, options: ReadOptions, name: str) -> pd.DataFrame:
    """Read JSON lines, a list of records, or columns by name."""
    text = str(as_utf8(data, options.encoding, name), "utf-8").lstrip("\ufeff \r\n\t")
    columns: dict[str, list[Any]] = {}
    rows = 0
    for rows, (place, record) in enumerate(_records(text, name), start=1):
        if not isinstance(record, dict):
            raise _no_table(name, place)
        for key, value in record.items():
            column = columns.setdefault(key, [])
            column += [None] * (rows - 1 - len(column)) + [value]
        if len(columns) > MAX_COLUMNS or rows % 1000 == 0:
            check_size(rows, len(columns), name)
    if rows == 1 and all(isinstance(column[0], dict | list) for column in columns.values()):
        raise _no_table(name, "its only record")
    check_size(rows, len(columns), name)
    names, notes = unique_names(list(columns))
    arrays = [array_of(column + [None] * (rows - len(column))) for column in columns.values()]
    return to_frame(pa.table(arrays, names=names), options, notes)


def _records(text: str, name: str) -> Iterator[tuple[str, Any]]:
    found = None
    try:
        found = json.loads(text)
        found = _of_columns(found) if isinstance(found, dict) else found
    except (ValueError, RecursionError) as error:
        if text.startswith("["):
            raise TableError(f"{name} is not valid JSON ({error}): save it again.") from None
    if isinstance(found, list):
        yield from ((f"record {place}", record) for place, record in enumerate(found, start=1))
        return
    for place, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            try:
                yield f"line {place}", json.loads(line)
            except (ValueError, RecursionError):
                raise _no_table(name, f"line {place}") from None


def _of_columns(found: dict[str, Any]) -> list[Any] | None:
    """Records of columns by name, as pandas writes them, or of an object with one list of them."""
    columns = [*found.values()]
    if len(columns) == 1 and isinstance(columns[0], list) and columns[0]:
        return columns[0] if all(isinstance(record, dict) for record in columns[0]) else None
    cells = [dict(enumerate(c)) if isinstance(c, list) else c for c in columns]
    if len(cells) < 2 or not all(isinstance(column, dict) for column in cells):
        return None
    if len({frozenset(column) for column in cells}) != 1 or len(cells[0]) < 2:
        return None
    return [{name: c[row] for name, c in zip(found, cells, strict=True)} for row in cells[0]]


def _no_table(name: str, place: str) -> TableError:
    return TableError(
        f"{name} is JSON but no table, as {place} shows: write one object a line, or a list of "
        'objects (in pandas, to_json(orient="records")).'
    )
