"""xlsx: the sheet that is asked for, and sheets that are far larger than they look."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import TableError, read_table
from mapdp_studio.core.reading.tables import ReadOptions


def test_xlsx_reads_the_first_or_the_named_sheet():
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as book:
        pd.DataFrame({"a": [1, None, 3], "b": ["x", 2, "NA"]}).to_excel(book, index=False)
        pd.DataFrame({"c": [1.5]}).to_excel(book, sheet_name="other", index=False)
    frame = read_table(buffer)
    np.testing.assert_array_equal(frame["a"], [1, np.nan, 3])
    assert frame["b"].tolist()[:2] == ["x", "2"]
    assert "2 sheets" in frame.attrs["notes"][0]
    other = read_table(buffer, options=ReadOptions(kind="xlsx", sheet="other"))
    assert list(other.columns) == ["c"]


def test_a_sheet_of_words_is_passed_over_and_a_duration_keeps_its_hours():
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["The data stand in the next sheet."])
    data = book.create_sheet("data")
    for row in [("id", "stay"), *enumerate(pd.to_timedelta(["5min", "16h", "26h30s"]), 1)]:
        data.append([getattr(cell, "to_pytimedelta", lambda cell=cell: cell)() for cell in row])
    book.save(buffer := io.BytesIO())
    frame = read_table(buffer)
    assert frame["stay"].tolist() == ["0:05:00", "16:00:00", "26:00:30"]
    assert "this is 'data'" in frame.attrs["notes"][0]


def test_a_zip_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.excel.MOST_UNPACKED", 2**24)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "x")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            for _ in range(20):
                sheet.write(b"0" * 2**20)
    with pytest.raises(TableError, match="unpacks to"):
        read_table(buffer)


def sheet_with(*far: str) -> io.BytesIO:
    """A table of five rows, and formatted cells that hold nothing."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in [("a", "b"), *((k, 2 * k) for k in range(5))]:
        book.active.append(row)
    for place in far:
        book.active[place].font = openpyxl.styles.Font(bold=True)
    book.save(buffer := io.BytesIO())
    return buffer


def test_a_formatted_cell_in_the_last_corner_is_no_part_of_the_table():
    # Row by row up to it, and as wide: 3,000 million cells, which took minutes.
    assert read_table(sheet_with("XFD200000")).shape == (5, 2)


@pytest.mark.parametrize(
    ("far", "says"), [("XFD1000000", "cells far apart"), ("AZ1000000", "52,000,000 with the empty")]
)
def test_cells_that_lie_far_apart_end_in_a_sentence_and_not_in_the_end_of_the_process(far, says):
    # calamine allots the rectangle around all cells, and its process ends where that is too much.
    import openpyxl

    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"] = "a", 1
    book.save(buffer := io.BytesIO())
    members = zipfile.ZipFile(buffer)
    with zipfile.ZipFile(moved := io.BytesIO(), "w") as archive:
        for name in members.namelist():
            archive.writestr(name, members.read(name).replace(b'r="A2"', f'r="{far}"'.encode()))
    with pytest.raises(TableError, match=says):
        read_table(moved)


def test_a_sheet_that_shrinks_to_next_to_nothing_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.excel.LARGE", 2**20)
    buffer = sheet_with()
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", b"<row/>" * 2**20)
    with pytest.raises(TableError, match="times its size"):
        read_table(buffer)
