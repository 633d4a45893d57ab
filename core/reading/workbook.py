"""Read a sheet of an xlsx workbook: a zip archive of XML, which may unpack to far more."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pandas as pd
import pyarrow as pa

from ..extras import needs
from .arrow_frame import array_of, to_frame, unique_names
from .packed import refuse_zip_of_other_files
from .read_options import MAX_CELLS, ReadOptions, TableError, check_size

#: Bytes of all files of a workbook, unpacked.
MOST_UNPACKED = 1024**3
#: A file of more bytes than this must not unpack to more than so many times its size: the XML of
#: real sheets shrinks to a tenth or a thirtieth.
LARGE, MOST_TIMES = 20 * 1024**2, 100
#: Rows of a sheet, by the format.
LAST_ROW = 1_048_576


def read_xlsx(data: memoryview, options: ReadOptions, name: str) -> tuple[pd.DataFrame, list[str]]:
    """Read one sheet of a workbook, row by row so that a huge sheet is refused early.

    Raises
    ------
    TableError
    """
    needs("openpyxl", f"{name} is a workbook, to read which needs", TableError)
    import openpyxl

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
            members = {member.filename: member for member in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError):
        raise TableError(
            f"{name} cannot be read as a workbook, damaged or not complete: save it again."
        ) from None
    refuse_zip_of_other_files(members, name)
    size = sum(member.file_size for member in members.values())
    if size > MOST_UNPACKED:
        raise TableError(f"{name} unpacks to {size / 1024**3:,.1f} GB: save the sheet as CSV.")
    for member in members.values():
        times = member.file_size / max(member.compress_size, 1)
        if member.file_size > LARGE and times > MOST_TIMES:
            raise TableError(
                f"{name} unpacks to {times:,.0f} times its size, as no sheet of a table does: save "
                "the sheet as CSV."
            )


def _sheet_rows(sheet: Any, name: str) -> list[tuple[Any, ...]]:
    # What the sheet says of its own extent would make every row as wide as its widest, and one
    # formatted cell in the last corner is enough for 17 thousand million of them.
    sheet.reset_dimensions()
    rows: list[tuple[Any, ...]] = []
    walked = 0
    for row in sheet.iter_rows(max_row=LAST_ROW, values_only=True):
        walked += len(row)
        if walked > MAX_CELLS:
            raise TableError(
                f"{name} has rows that reach far to the right, {MAX_CELLS:,} cells and more with "
                "the empty ones: delete the columns beside the table, or save it as CSV."
            )
        filled = max((place for place, cell in enumerate(row, 1) if cell is not None), default=0)
        if filled:
            rows.append(row[:filled])
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
        array_of([row[place] if place < len(row) else None for row in rows])
        for place in range(width)
    ]
    return to_frame(pa.table(columns, names=names), options.na_tokens), [*changed, *notes]
