"""Read tables that are not delimited text: Parquet, JSON and xlsx, with guards against bombs."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .arrow_frame import to_frame, unique_names
from .no_tables import refuse_zip_of_other_files
from .read_options import MAX_CELLS, ReadOptions, TableError, check_size

_MAX_UNPACKED = 2 * 1024**3


def read_parquet(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Read a Parquet file, its metadata first: a small file can expand to a huge table.

    Raises
    ------
    TableError
    """
    source = pa.BufferReader(pa.py_buffer(data))
    try:
        file = pq.ParquetFile(source)
        check_size(file.metadata.num_rows, file.metadata.num_columns, name)
        flat = [field.name for field in file.schema_arrow if _is_flat(field.type)]
        # Text is read as codes: a long text repeated a million times stays one text until checked.
        text = [f.name for f in file.schema_arrow if pa.types.is_string(f.type) and f.name in flat]
        table = pq.ParquetFile(source, read_dictionary=text).read(columns=flat)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{name} cannot be read as Parquet, damaged or not complete: save it again."
        ) from None
    size = sum(map(_decoded_bytes, table.columns))
    if size > _MAX_UNPACKED:
        raise TableError(
            f"{name} unpacks to {size / 1024**3:,.0f} GB of text: keep the columns you need."
        )
    notes = [
        f"Column '{field.name}' holds {field.type} rather than single values and is left out."
        for field in file.schema_arrow
        if not _is_flat(field.type)
    ]
    names, changed = unique_names(table.column_names)
    table = table.rename_columns(names)
    return to_frame(table, options.na_tokens), [*changed, *notes]


def _is_flat(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return not (
        pa.types.is_nested(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def _decoded_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of a column of coded text once every cell has its own copy."""
    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    total = 0
    for chunk in column.chunks:
        if len(chunk.dictionary):
            lengths = pc.binary_length(chunk.dictionary.cast(pa.large_string()))
            total += pc.sum(lengths.cast(pa.int64()).take(chunk.indices)).as_py() or 0
    return total


def looks_like_json(data: memoryview, extension: str) -> bool:
    """Whether the content is JSON by its name, or by a first line that is an object or a list."""
    if extension in (".json", ".jsonl", ".ndjson"):
        return True
    start = bytes(data[:65536]).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b'{"') or (start[:1] == b"[" and start[1:].lstrip()[:1] == b"{")


def read_json(data: memoryview, options: ReadOptions, name: str) -> tuple[pd.DataFrame, list[str]]:
    """Read JSON lines or a list of records.

    Raises
    ------
    TableError
    """
    try:
        text = str(data, options.encoding)
    except (UnicodeError, LookupError):
        raise TableError(
            f"{name} cannot be read as {options.encoding}: choose another encoding."
        ) from None
    text = text.lstrip("\ufeff \r\n\t")
    return _from_records(_records(text, name), options, name)


def _records(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """Every record with the place it stands at."""
    if text.startswith("["):
        try:
            records = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{name} is not valid JSON ({error}): save it again.") from None
        yield from ((f"record {place}", record) for place, record in enumerate(records, start=1))
        return
    for place, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            try:
                yield f"line {place}", json.loads(line)
            except (ValueError, RecursionError):
                raise _no_json_table(name, f"line {place}") from None


def _from_records(
    records: Iterable[tuple[str, Any]], options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    columns: dict[Any, list[Any]] = {}
    rows = 0
    for place, record in records:
        if not isinstance(record, dict):
            raise _no_json_table(name, place)
        for key, value in record.items():
            if key not in columns:
                columns[key] = [None] * rows
            columns[key].append(value)
        rows += 1
        for values in columns.values():
            if len(values) < rows:
                values.append(None)
        if rows % 1000 == 0:
            check_size(rows, len(columns), name)
    if rows == 1 and all(isinstance(values[0], (dict, list)) for values in columns.values()):
        raise _no_json_table(name, "its only record")
    check_size(rows, len(columns), name)
    names, notes = unique_names(list(columns))
    arrays = [_array(values) for values in columns.values()]
    return to_frame(pa.table(arrays, names=names), options.na_tokens), notes


def _no_json_table(name: str, place: str) -> TableError:
    return TableError(
        f"{name} is JSON but no table, as {place} shows: write one object a line, or a list of "
        'objects (in pandas, to_json(orient="records")).'
    )


def _array(values: list[Any]) -> pa.Array:
    """Make an Arrow array of Python values; values of several types become text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pa.array(values, pa.float64() if float in kinds else None)
    if len(kinds) <= 1 and not kinds & {dict, list}:
        try:
            return pa.array(values)
        except pa.ArrowException:
            pass
    return pa.array([None if value is None else _as_text(value) for value in values], pa.string())


def _as_text(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def read_xlsx(data: memoryview, options: ReadOptions, name: str) -> tuple[pd.DataFrame, list[str]]:
    """Read one sheet of a workbook, row by row so that a huge sheet is refused early.

    Raises
    ------
    TableError
    """
    try:
        import openpyxl
    except ImportError:
        raise TableError(
            f'{name} is an xlsx workbook: install the extra with pip install "mapdp-studio[xlsx]", '
            "or save the sheet as CSV."
        ) from None
    _check_archive(data, name)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = [sheet.title for sheet in book.worksheets]
        title = options.sheet if options.sheet is not None else (sheets or [None])[0]
        if title not in sheets:
            raise TableError(
                f"{name} has no sheet '{title}': choose one of {', '.join(sheets) or 'none'}."
            )
        rows = _sheet_rows(book[title], name)
    except TableError:
        raise
    except Exception:  # the parser of a damaged workbook may fail in any way
        raise TableError(
            f"{name} is a workbook that cannot be read: save it again, or save the sheet as CSV."
        ) from None
    notes = []
    if len(sheets) > 1 and options.sheet is None:
        notes.append(f"The workbook has {len(sheets)} sheets; this is its first, '{title}'.")
    return _from_rows(rows, options, name, notes)


def _check_archive(data: memoryview, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {member.filename: member.file_size for member in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError):
        raise TableError(
            f"{name} cannot be read as a workbook, damaged or not complete: save it again."
        ) from None
    refuse_zip_of_other_files(members, name)
    if sum(members.values()) > _MAX_UNPACKED // 2:
        raise TableError(
            f"{name} unpacks to {sum(members.values()) / 1024**3:,.0f} GB: save the sheet as CSV."
        )


def _sheet_rows(sheet: Any, name: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    cells = 0
    for row in sheet.iter_rows(values_only=True):
        filled = max((place for place, cell in enumerate(row, 1) if cell is not None), default=0)
        if filled:
            rows.append(row[:filled])
            cells += filled
            if cells > MAX_CELLS:
                check_size(MAX_CELLS, 2, name)
    return rows


def _from_rows(
    rows: list[tuple[Any, ...]], options: ReadOptions, name: str, notes: list[str]
) -> tuple[pd.DataFrame, list[str]]:
    if not rows:
        raise TableError(f"{name} has an empty sheet: choose another sheet or file.")
    width = max(map(len, rows))
    check_size(len(rows), width, name)
    header = list(rows.pop(0)) if options.has_header else []
    names, changed = unique_names(header + [None] * (width - len(header)))
    columns = [
        _array([row[place] if place < len(row) else None for row in rows]) for place in range(width)
    ]
    return to_frame(pa.table(columns, names=names), options.na_tokens), [*changed, *notes]
