"""Read a sheet of a workbook: .xlsx, .xlsb, .xls or .ods, by calamine."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import asdict, replace
from datetime import date, datetime, time, timedelta
from typing import Any

import pandas as pd
import pyarrow as pa

from ..extras import needs
from ..wording import counted, listed
from .arrow_frame import array_of, to_frame
from .packed import refuse_zip_of_other_files
from .read_options import MAX_CELLS, ReadOptions, TableError, check_size
from .text import describe, layout_of, no_rows

#: Bytes of all files of a workbook, unpacked.
MOST_UNPACKED = 1024**3
#: A file of more bytes than this must not unpack to more than so many times its size: the XML of
#: real sheets shrinks to a tenth or a thirtieth.
LARGE, MOST_TIMES = 20 * 1024**2, 100
#: A cell of a sheet with something in it.
_CELL = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^>]*(?<!/)>(?!</c>|<v */>)')
_CHUNK = 1024**2


def read_workbook(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Read one sheet of a workbook, refused before it is decoded where it is huge.

    Raises
    ------
    TableError
    """
    needs("python_calamine", f"{name} is a workbook, to read which needs", TableError)
    from python_calamine import CalamineWorkbook

    if data[:2] == b"PK":
        _check_archive(data, name)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = book.sheet_names
        title = options.sheet if options.sheet is not None else (sheets or [None])[0]
        if title not in sheets:
            raise TableError(
                f"{name} has no sheet '{title}': choose one of {', '.join(sheets) or 'none'}."
            )
        sheet = book.get_sheet_by_name(title)
        rows = sheet.to_python(skip_empty_area=False)
        merged = sheet.merged_cell_ranges or []
    except TableError:
        raise
    except Exception:  # the parser of a damaged workbook may fail in any way
        raise TableError(
            f"{name} is a workbook that cannot be read: save it again, or save the sheet as CSV."
        ) from None
    notes = []
    if len(sheets) > 1 and options.sheet is None:
        notes.append(f"The workbook has {len(sheets)} sheets; this is its first, '{title}'.")
    filled = _fill_merged(rows, merged)
    frame, more = _from_rows(rows, options, name)
    if filled:
        notes.append(f"{counted(filled, 'merged cell')} count for all the rows they span.")
    return frame, [*notes, *more]


def _check_archive(data: memoryview, name: str) -> None:
    """Refuse what is no workbook, or unpacks to far more than a table."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {member.filename: member for member in archive.infolist()}
            refuse_zip_of_other_files(members, name)
            _check_sizes(members.values(), name)
            for member in members:
                if member.startswith("xl/worksheets/") and member.endswith(".xml"):
                    with archive.open(member) as sheet:
                        _check_extent(sheet, name)
    except TableError:
        raise
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, RuntimeError, zipfile.zlib.error):
        raise TableError(
            f"{name} cannot be read as a workbook, damaged or not complete: save it again."
        ) from None


def _check_sizes(members: Any, name: str) -> None:
    size = sum(member.file_size for member in members)
    if size > MOST_UNPACKED:
        raise TableError(f"{name} unpacks to {size / 1024**3:,.1f} GB: save the sheet as CSV.")
    for member in members:
        times = member.file_size / max(member.compress_size, 1)
        if member.file_size > LARGE and times > MOST_TIMES:
            raise TableError(
                f"{name} unpacks to {times:,.0f} times its size, as no sheet of a table does: save "
                "the sheet as CSV."
            )


def _check_extent(sheet: Any, name: str) -> None:
    """Refuse cells so far apart that the rectangle around them, which is decoded, is huge."""
    rest, widest, last = b"", b"A", 1
    while chunk := sheet.read(_CHUNK):
        cells = _CELL.findall(rest + chunk)
        widest = max([widest, *{column for column, _ in cells}], key=lambda c: (len(c), c))
        last = max([last, *(int(row) for _, row in cells[-1:])])
        rest = (rest + chunk)[-64:]
    width = 0
    for letter in widest:
        width = 26 * width + letter - 64
    if width * last > MAX_CELLS:
        raise TableError(
            f"{name} has cells far below or to the right, {width * last:,} with the empty ones: "
            "delete what stands beside the table, or save it as CSV."
        )


def _fill_merged(rows: list[list[Any]], merged: list[Any]) -> int:
    """Give every row that a merged cell spans its value; the number of such cells."""
    filled = 0
    for (top, left), (bottom, right) in merged:
        if bottom > top and top < len(rows) and left < len(rows[top]):
            filled += 1
            for row in rows[top : bottom + 1]:
                row[left : right + 1] = [rows[top][left]] * len(row[left : right + 1])
    return filled


def _from_rows(
    rows: list[list[Any]], options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    numbered = [(j, row) for j, row in enumerate(rows, 1) if any(cell != "" for cell in row)]
    if not numbered:
        raise TableError(f"{name} has an empty sheet: choose another sheet or file.")
    kept, beside = _main_block([row for _, row in numbered])
    numbered = [(j, [row[place] for place in kept]) for j, row in numbered]
    check_size(len(numbered), len(kept), name)
    start = [(j, [_as_text(cell) for cell in row]) for j, row in numbered[:500]]
    layout = layout_of(start, options)
    names, labels, notes = describe(start, layout)
    if layout.data >= len(numbered):
        raise no_rows(name)
    values = [row for _, row in numbered[layout.data :]]
    columns = [array_of([_value(row[place]) for row in values]) for place in range(len(kept))]
    frame = to_frame(pa.table(columns, names=names), options)
    names_line = 0 if layout.names is None else start[layout.names][0]
    used = replace(options, names_line=names_line, data_line=numbered[layout.data][0])
    frame.attrs["used"] = asdict(used)
    if labels:
        frame.attrs["columns"] = {n: {"label": text} for n, text in labels.items()}
    if beside:
        notes.append(f"What stands beside the table is left out: {listed(beside, 4, '“”')}.")
    return frame, notes


def _main_block(rows: list[list[Any]]) -> tuple[list[int], list[str]]:
    """Columns of the table, and what stands in those left out.

    Behind a column without any cell may stand a note or a small table: it is left out where it
    fills fewer than half as many rows.
    """
    width = max(map(len, rows))
    counts = [sum(row[place] != "" for row in rows if place < len(row)) for place in range(width)]
    places = [place for place in range(width) if counts[place]]
    first = places[0]
    gap = next((place for place in range(first, places[-1]) if not counts[place]), width)
    here = [place for place in places if place < gap]
    beyond = [place for place in places if place > gap]
    if beyond and 2 * max(counts[p] for p in beyond) < max(counts[p] for p in here):
        cells = [_as_text(row[p]) for row in rows for p in beyond if row[p] != ""]
        return here, cells
    return list(range(first, places[-1] + 1)), []


def _as_text(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def _value(cell: Any) -> Any:
    """A cell as the other readers give it: whole numbers, and days with a clock time."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime.combine(cell, time())
    return str(cell) if isinstance(cell, timedelta) else cell
