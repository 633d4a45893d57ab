"""Read a sheet of a workbook: .xlsx, .xlsb, .xls or .ods, by calamine."""

import io
import pickle
import subprocess
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ..optional import require
from ..wording import counted, listed
from .columns import array_of, as_text, to_frame
from .layout import find_foot, find_start
from .numbers import EXACT
from .options import MAX_CELLS, ReadOptions, TableError, check_size, no_rows

#: One of these is in every workbook of Excel, and in those of other makers.
OF_WORKBOOKS = {"xl/workbook.xml", "xl/workbook.bin", "mimetype"}
MOST_UNPACKED = 1024**3
#: A file of more bytes unpacks to at most so many times its size; real sheets' XML to 10 to 30.
LARGE, MOST_TIMES = 20 * 1024**2, 100
_DECODE = Path(__file__).with_name("decode_workbook.py")


def read_workbook(data: memoryview, options: ReadOptions, name: str) -> pd.DataFrame:
    """Read one sheet of a workbook, refused before it is decoded where it is huge."""
    require("python_calamine", f"{name} is a workbook, to read which needs", TableError)
    if data[:2] == b"PK":
        _check_archive(data, name)
    found = _decoded(data, options, name)
    notes = []
    if len(found["sheets"]) > 1 and options.sheet is None:
        n, first = len(found["sheets"]), found["title"]
        notes.append(f"The workbook has {n} sheets; this is '{first}'.")
    rows = [["" if isinstance(c, str) and not c.strip() else c for c in r] for r in found["rows"]]
    filled, parts = _fill_merged(rows, found["merged"])
    frame = _from_rows(rows, options, name)
    if filled:
        count = "counts" if filled == 1 else "count"
        notes.append(f"{counted(filled, 'merged cell')} {count} for all rows spanned.")
    if parts:
        notes.append(f"Lines between the rows are left out: {listed(parts, 4, '“”')}.")
    frame.attrs["notes"] = [*notes, *frame.attrs["notes"]]
    return frame


def _decoded(data: memoryview, options: ReadOptions, name: str) -> dict[str, Any]:
    command = [sys.executable, "-I", str(_DECODE), options.sheet or "", str(MAX_CELLS)]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode != 0:
        raise TableError(
            f"{name} is a workbook that cannot be read, damaged or with cells far apart: save it "
            "again, or save the sheet as CSV."
        )
    found = pickle.loads(done.stdout)
    if "cells" not in found:
        sheets = ", ".join(found["sheets"]) or "none"
        raise TableError(f"{name} has no sheet '{found['title']}': choose one of {sheets}.")
    if "rows" not in found:
        raise TableError(
            f"{name} has cells far below or to the right, {found['cells']:,} with the empty ones: "
            "delete what stands beside the table, or save it as CSV."
        )
    return found


def _check_archive(data: memoryview, name: str) -> None:
    """Refuse what is no workbook, or unpacks to far more than a table."""
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError):
        what = f"{name} cannot be read as a workbook, damaged or not complete"
        raise TableError(f"{what}: save it again.") from None
    if not OF_WORKBOOKS & {member.filename for member in members}:
        raise TableError(f"{name} is a zip archive, not a table: unpack it and load the table.")
    size = sum(member.file_size for member in members)
    if size > MOST_UNPACKED:
        raise TableError(f"{name} unpacks to {size / 1024**3:,.1f} GB: save the sheet as CSV.")
    large = (member for member in members if member.file_size > LARGE)
    times = max((m.file_size / max(m.compress_size, 1) for m in large), default=0)
    if times > MOST_TIMES:
        raise TableError(
            f"{name} unpacks to {times:,.0f} times its size, as no sheet of a table does: save "
            "the sheet as CSV."
        )


def _fill_merged(rows: list[list[Any]], merged: list[Any]) -> tuple[int, list[str]]:
    """Repeat what merged cells hold in each; how many were, and titles between rows, left out."""
    filled, parts = 0, []
    for (top, left), (bottom, right) in merged:
        is_title = right - left + 1 > len(rows[0]) / 2
        is_line = is_title and top == bottom < len(rows)
        is_line = is_line and [c for c in rows[top] if c != ""] == [rows[top][left]]
        if is_line and any(2 * sum(c != "" for c in row) > len(row) for row in rows[:top]):
            parts.append(as_text(rows[top][left]))
            rows[top] = [""] * len(rows[top])
        if bottom > top and not is_title and top < len(rows) and left < len(rows[top]):
            filled += 1
            for row in rows[top : bottom + 1]:
                row[left : right + 1] = [rows[top][left]] * len(row[left : right + 1])
    return filled, parts


def _from_rows(rows: list[list[Any]], options: ReadOptions, name: str) -> pd.DataFrame:
    numbered = [(j, row) for j, row in enumerate(rows, 1) if any(cell != "" for cell in row)]
    if not numbered:
        raise TableError(f"{name} has an empty sheet: choose another sheet or file.")
    kept, others = _main_block([row for _, row in numbered])
    numbered = [(j, [row[place] for place in kept]) for j, row in numbered]
    check_size(len(numbered), len(kept), name)
    first = [(j, [as_text(cell).strip() for cell in row]) for j, row in numbered[:500]]
    start = find_start(first, options, name)
    values = dict(numbered[start.data :])
    if not values:
        raise no_rows(name)
    below = range(max(values), min(values), -1)
    records = ([as_text(cell).strip() for cell in values.get(j, [""] * len(kept))] for j in below)
    n, foot = find_foot(records, [row for _, row in first[start.data :]], start.names)
    values = {j: row for j, row in values.items() if j <= max(values) - n}
    columns = [array_of([_value(row[j]) for row in values.values()]) for j in range(len(kept))]
    notes = start.notes
    if empty := max(values) - min(values) + 1 - len(values):
        notes.append(f"{counted(empty, 'row')} without any cell left out.")
    notes += foot
    if others:
        notes.append(f"What stands beside the table is left out: {listed(others, 4, '“”')}.")
    return start.with_attrs(to_frame(pa.table(columns, names=start.names), options, notes))


def _main_block(rows: list[list[Any]]) -> tuple[list[int], list[str]]:
    """The table's columns; cells behind an empty one, where these fill fewer than half as many."""
    width = max(map(len, rows))
    wide = [row for row in rows if sum(cell != "" for cell in row) > 1] or rows  # no titles
    counts = [sum(row[place] != "" for row in wide if place < len(row)) for place in range(width)]
    places = [place for place in range(width) if counts[place]]
    gap = next((place for place in range(places[0], places[-1]) if not counts[place]), width)
    beyond = [place for place in places if place > gap]
    if beyond and 2 * max(counts[p] for p in beyond) < max(counts[:gap]):
        here = [place for place in places if place < gap]
        return here, [as_text(row[p]) for row in rows for p in beyond if row[p] != ""]
    return list(range(places[0], places[-1] + 1)), []


def _value(cell: Any) -> Any:
    """A cell as the other readers give it: whole numbers, and days with a clock time."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT:
        return int(cell)
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime.combine(cell, time())
    if isinstance(cell, timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return cell
