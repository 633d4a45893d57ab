"""xlsx: the sheet that is asked for, and sheets that are far larger than they look."""

import io
import zipfile
from datetime import timedelta

import numpy as np
import openpyxl
import pandas as pd
import pytest

from mapdp_studio.core import TableError, read_table
from mapdp_studio.core.reading.tables import ReadOptions


def workbook(rows, merged=(), far=(), second=()) -> io.BytesIO:
    """A sheet with merged cells, and formatted ones that hold nothing; and a second one."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for span in merged:
        book.active.merge_cells(span)
    for place in far:
        book.active[place].font = openpyxl.styles.Font(bold=True)
    if second:
        data = book.create_sheet("data")
        for row in second:
            data.append(row)
    book.save(buffer := io.BytesIO())
    return buffer


FEW_ROWS = [("a", "b"), *((k, 2 * k) for k in range(5))]


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
    times = (timedelta(minutes=5), timedelta(hours=16), timedelta(hours=26, seconds=30))
    rows = [("id", "stay"), *enumerate(times, 1)]
    frame = read_table(workbook([["The data stand in the next sheet."]], second=rows))
    assert frame["stay"].tolist() == ["0:05:00", "16:00:00", "26:00:30"]
    assert "this is 'data'" in frame.attrs["notes"][0]


def test_a_formatted_cell_in_the_last_corner_is_no_part_of_the_table():
    # Row by row up to it, and as wide: 3,000 million cells, which took minutes.
    assert read_table(workbook(FEW_ROWS, far=["XFD200000"])).shape == (5, 2)


@pytest.mark.parametrize(
    ("far", "says"), [("XFD1000000", "cells far apart"), ("AZ10000", "520,000 with the empty")]
)
def test_cells_that_lie_far_apart_end_in_a_sentence_and_not_in_the_end_of_the_process(
    far, says, monkeypatch
):
    # calamine allots the rectangle around all cells, and its process ends where that is too much.
    monkeypatch.setattr("mapdp_studio.core.reading.excel.MAX_CELLS", 100_000)
    members = zipfile.ZipFile(workbook([["a"], [1]]))
    with zipfile.ZipFile(moved := io.BytesIO(), "w") as archive:
        for name in members.namelist():
            archive.writestr(name, members.read(name).replace(b'r="A2"', f'r="{far}"'.encode()))
    with pytest.raises(TableError, match=says):
        read_table(moved)


@pytest.mark.parametrize(
    ("limit", "size", "says"), [("MOST_UNPACKED", 2**24, "GB"), ("LARGE", 2**20, "times its size")]
)
def test_a_zip_bomb_is_not_unpacked(limit, size, says, monkeypatch):
    monkeypatch.setattr(f"mapdp_studio.core.reading.excel.{limit}", size)
    buffer = workbook(FEW_ROWS)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", b"<row/>" * 3 * 2**20)
    with pytest.raises(TableError, match=f"unpacks to .*{says}"):
        read_table(buffer)


NAMES = ["Patient", "Age", "Hb"]
VALUES = [[k, 30 + k % 9, k / 4] for k in range(1, 13)]
BESIDE = [[*row, *([None, "mean", 3.5] if row[0] < 3 else [])] for row in VALUES]
#: Rows of a sheet with the table of twelve values, its merged cells, and what is said of the rest.
SHEETS = {
    "a title above": ([["Cohort 12.03.2024"], [], NAMES, *VALUES], [], "above the table"),
    "titles": ([["Ward 7"], ["on", "12.3.2024"], [], NAMES, *VALUES], [], "above the table"),
    "a title below blanks": ([[], [], ["All, 2024"], NAMES, *VALUES], [], "above the table"),
    "a title within": (
        [NAMES, *VALUES[:6], ["Second ward", None, None], *VALUES[6:]],
        ["A8:C8"],
        "Lines between the rows are left out: “Second ward”",
    ),
    "a note beside": ([NAMES, *BESIDE], [], "beside the table"),
    **{
        f"below, {n}": ([NAMES, *VALUES, *foot], [], "below the table")
        for n, foot in enumerate(
            ([[], ["Draft"]], [[], ["arm"], ["A"]], [[], [None, None, 3]], [["Sum", 9, 3]])
        )
    },
}


@pytest.mark.parametrize("sheet", SHEETS)
def test_what_stands_around_a_table_is_no_part_of_it(sheet):
    rows, merged, text = SHEETS[sheet]
    frame = read_table(workbook(rows, merged))
    assert (list(frame), frame.values.tolist()) == (NAMES, VALUES)
    assert frame["Age"].dtype == "int64"
    assert text in " ".join(frame.attrs["notes"])


@pytest.mark.parametrize("column", ["A", "D"])
@pytest.mark.parametrize("merged", [("A2:A7", "A8:A13"), ("A2:A13",), ("A3:A7",)])
def test_a_merged_cell_counts_for_all_its_rows(merged, column):
    names, *values = (
        [arm, *cells] if column == "A" else [*cells, arm]
        for arm, cells in zip(["Arm", *["drug"] * 12], [NAMES, *VALUES], strict=True)
    )
    spans = [span.replace("A", column) for span in merged]
    frame = read_table(workbook([names, *values], spans))
    assert frame["Arm"].tolist() == ["drug"] * 12
    assert any("merged cell" in note for note in frame.attrs["notes"])
    line = "B5:D5" if column == "A" else "A5:C5"
    assert len(read_table(workbook([names, *values], (*spans, line)))) == 12


def test_a_second_part_is_kept_and_of_one_column_of_words_every_row():
    words = read_table(workbook([["word"], *(["ab c"[k % 3 :]] for k in range(20))]))
    assert len(words) == 20
    parted = [[*row, None, row[0] * 2] for row in VALUES]
    frame = read_table(workbook([[*NAMES, None, "Double"], *parted]))
    assert frame["Double"].tolist() == [2 * row[0] for row in VALUES]
