"""Tables on their way out, and names of files: CSV, Excel, Parquet, SPSS and Stata."""

import io
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ..optional import require
from ..partitions.naming import Groups
from ..profiling.judged import RowAssignments
from ..reading.columns import is_text, unique_names
from ..schema.roles import EXPORTED

# Text that begins like this is a formula to a spreadsheet; after an apostrophe it is text.
_FORMULA, _GUARD = r"^[=+\-@\t\r]", "'"
# Spreadsheets read UTF-8 only where the file says so.
_MARK = b"\xef\xbb\xbf"
_SHEET_ROWS, _SHEET_COLUMNS, _STATA_TEXT = 1_048_576, 16_384, 2_045
#: Of numbers that Stata holds; larger ones are its codes for missing.
_STATA_LARGEST = 8.98e307
_PRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # what XML cannot hold
_LONGEST = 180  # bytes of a table's name in a file's name, which has 255 at most


def file_stem(name: str) -> str:
    """A table's name as part of a file's name: letters, digits, hyphens, and not too many."""
    stem = PurePosixPath(name.replace("\\", "/")).name
    stem = re.sub(r"\.(csv|tsv|txt|parquet|jsonl?|ndjson|xlsx)$", "", stem, flags=re.IGNORECASE)
    plain = re.sub(r"[^\w-]+", "-", stem).encode()[:_LONGEST].decode(errors="ignore")
    return plain.strip("-") or "table"


def with_labels(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Append columns to a copy of a table, under names it does not have yet."""
    names, _ = unique_names([*frame.columns, *columns])
    fresh = names[frame.shape[1] :]
    extra = pd.DataFrame(dict(zip(fresh, columns.values(), strict=True)), index=frame.index)
    return pd.concat([frame, extra], axis=1)


def labelled(
    frame: pd.DataFrame, groups: Groups, without: tuple[str, ...], stand: RowAssignments | None
) -> pd.DataFrame:
    """The table, but for the columns ``without``, with the group of every row."""
    columns = [np.array(groups.titles, dtype=object)[groups.labels], groups.labels]
    if stand is not None:
        titles = np.array([*groups.titles, "a new group"], dtype=object)
        second = titles[stand.second], stand.second_probability
        columns += [stand.probability, *second, stand.log_density]
    named = dict(zip(EXPORTED, columns, strict=False))
    return with_labels(frame.drop(columns=list(without)), named)


def writers(frame: pd.DataFrame) -> dict[str, tuple[str, Callable[[pd.DataFrame], bytes]]]:
    """Ways to write this table here: what each is called, its ending and its function."""
    found: dict[str, tuple[str, Callable[[pd.DataFrame], bytes]]] = {
        "CSV": ("csv", as_csv),
        "Parquet": ("parquet", as_parquet),
        "Excel": ("xlsx", as_xlsx),
        "SPSS": ("sav", as_sav),
        "Stata": ("dta", as_dta),
    }
    if len(frame) >= _SHEET_ROWS or frame.shape[1] >= _SHEET_COLUMNS - 2:
        del found["Excel"]
    columns = (frame.iloc[:, j] for j in range(frame.shape[1]))
    texts = (cells for cells in columns if pd.api.types.is_string_dtype(cells.dtype))
    numbers = frame.select_dtypes("float").abs().fillna(0.0)
    is_large = (np.isfinite(numbers) & (numbers > _STATA_LARGEST)).to_numpy().any()
    if is_large or any(cells.map(str).str.len().max() > _STATA_TEXT for cells in texts):
        del found["Stata"]
    return found


def as_csv(frame: pd.DataFrame) -> bytes:
    """Write a table, without its index, as CSV in UTF-8, safe to open in a spreadsheet."""
    table = _arrow(frame)
    columns = [_safe(column) for column in table.columns]
    names = _safe(pa.array(table.column_names, pa.string())).to_pylist()
    out = io.BytesIO(_MARK)
    out.seek(len(_MARK))
    options = pyarrow.csv.WriteOptions(quoting_style="needed")
    pyarrow.csv.write_csv(pa.Table.from_arrays(columns, names), out, options)
    return out.getvalue()


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Write a table as Parquet, its index left out; every value comes back as it was."""
    out = io.BytesIO()
    pyarrow.parquet.write_table(_arrow(frame), out, compression="zstd")
    return out.getvalue()


def as_xlsx(frame: pd.DataFrame) -> bytes:
    """A one-sheet workbook without index or formulas."""
    require("openpyxl", "Workbooks need")
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Groups")

    def cell(value: Any) -> Any:
        if isinstance(value, float) and not np.isfinite(value):
            return None
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        if value is None or isinstance(value, int | float):
            return value
        text_cell = WriteOnlyCell(sheet, _PRINTABLE.sub("", str(value)))
        text_cell.data_type = "s"
        return text_cell

    columns = [column.to_pylist() for column in _arrow(frame).columns]
    for row in (map(str, frame), *zip(*columns, strict=True)):
        sheet.append([cell(value) for value in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def as_sav(frame: pd.DataFrame) -> bytes:
    """Write a table as an SPSS file; names it does not allow keep their words as labels."""
    require("pyreadstat", "SPSS files need")
    import pyreadstat

    table, labels = _statistical(frame, 64)
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None  # where no disk keeps the table
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        path = os.path.join(folder, "table.sav")
        pyreadstat.write_sav(table, path, column_labels=labels)
        with open(path, "rb") as file:
            return file.read()


def as_dta(frame: pd.DataFrame) -> bytes:
    """A Stata file, names as labels; for tables that ``writers`` offers it for."""
    table, labels = _statistical(frame, 32)
    out, labels = io.BytesIO(), {name: label[:80] for name, label in labels.items()}
    table.to_stata(out, write_index=False, version=118, variable_labels=labels)
    return out.getvalue()


def _statistical(frame: pd.DataFrame, longest: int) -> tuple[pd.DataFrame, dict[str, str]]:
    """A table under plain names, with numbers and text alone, and its own names as labels."""
    labels: dict[str, str] = {}
    columns = {}
    for j, name in enumerate(map(str, frame.columns)):
        plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or f"column_{j + 1}"
        plain = (plain if plain[0].isalpha() else f"v{plain}")[:longest]
        while plain.lower() in (label.lower() for label in labels):
            plain = f"{plain[: longest - 6]}_{j + 1}"
        labels[plain] = name
        columns[plain] = _plain_column(frame.iloc[:, j].reset_index(drop=True))
    return pd.DataFrame(columns), labels


def _plain_column(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return pd.Series(np.where(np.isfinite(values), values, np.nan))
    if pd.api.types.is_datetime64_any_dtype(column):
        return column.dt.tz_localize(None) if column.dt.tz is not None else column
    return column.map(str, na_action="ignore").astype(object).where(column.notna(), "")


def _arrow(frame: pd.DataFrame) -> pa.Table:
    columns = [_column(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return pa.Table.from_arrays(columns, [str(name) for name in frame.columns])


def _column(column: pd.Series) -> pa.Array:
    try:
        array = pa.Array.from_pandas(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # values of several kinds
        array = pa.array([None if pd.isna(cell) else str(cell) for cell in column], pa.string())
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def _safe(column: pa.Array) -> pa.Array:
    """Text that no spreadsheet takes for a formula; dates without idle zeros; numbers as are."""
    if pa.types.is_timestamp(column.type):
        return _plain_time(column)
    if pa.types.is_nested(column.type) or isinstance(column.type, pa.BaseExtensionType):
        # Lists, identifiers and whatever else a CSV has no cell for.
        cells = (None if cell is None else str(cell) for cell in column.to_pylist())
        column = pa.array(cells, pa.string())
    if not is_text(column.type):
        return column
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    guard = pa.scalar(_GUARD, column.type)
    guarded = pc.binary_join_element_wise(guard, column, pa.scalar("", column.type))
    return pc.if_else(pc.match_substring_regex(column, _FORMULA), guarded, column)


def _plain_time(column: pa.Array) -> pa.Array:
    """Days where all times are midnight, else whole seconds where nothing is lost."""
    for kind in (pa.date32(), pa.timestamp("s", column.type.tz)):
        shorter = column.cast(kind, safe=False)
        if pc.all(pc.equal(shorter.cast(column.type), column)).as_py() is not False:
            return shorter
    return column
