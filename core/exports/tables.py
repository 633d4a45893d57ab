"""Tables on their way out: CSV and xlsx without formulas, Parquet, SPSS and Stata files."""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ..optional import require
from ..profiling.profiles import ALL, describe_by_group, natural_column
from ..reading.columns import is_text, unique_names
from ..schema.encoded import Encoded
from ..wording import Notation, percent

# Text that begins like this is a formula to a spreadsheet; after an apostrophe it is text.
_FORMULA, _GUARD = r"^[=+\-@\t\r]", "'"
# Spreadsheets read UTF-8 only where the file says so.
_MARK = b"\xef\xbb\xbf"
_SHEET_ROWS, _SHEET_COLUMNS, _STATA_TEXT = 1_048_576, 16_384, 2_045
#: Of numbers that Stata holds; larger ones are its codes for missing.
_STATA_LARGEST = 8.98e307
_PRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # what XML cannot hold
CAPTION = "What the groups are like: of the rows with a value, in natural units."
MEAN, MEDIAN, SHARE = "mean (SD)", "median (quartiles)", "n (%)"
_AMOUNTS, _LEVELS = ("mean", "sd", "median", "lower", "upper"), ("n", "share")
_SUMMARY = ["cluster", "column", "level", "n_observed", *_AMOUNTS, *_LEVELS]


def as_csv(frame: pd.DataFrame) -> bytes:
    """Write a table, without its index, as CSV in UTF-8, safe to open in a spreadsheet."""
    table = _arrow(frame)
    columns = [_safe(column) for column in table.columns]
    names = _safe(pa.array(table.column_names, pa.string())).to_pylist()
    out = io.BytesIO(_MARK)
    out.seek(len(_MARK))
    pyarrow.csv.write_csv(
        pa.Table.from_arrays(columns, names),
        out,
        pyarrow.csv.WriteOptions(quoting_style="needed"),
    )
    return out.getvalue()


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Write a table as Parquet, its index left out; every value comes back as it was."""
    out = io.BytesIO()
    pyarrow.parquet.write_table(_arrow(frame), out, compression="zstd")
    return out.getvalue()


def as_xlsx(frame: pd.DataFrame) -> bytes:
    """A one-sheet workbook without index or formulas; a ValueError beyond a sheet's size."""
    require("openpyxl", "Workbooks need")
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    if len(frame) >= _SHEET_ROWS or frame.shape[1] > _SHEET_COLUMNS:
        raise ValueError(
            f"A sheet has room for {_SHEET_ROWS - 1:,} rows and {_SHEET_COLUMNS:,} columns: take "
            "the CSV or Parquet."
        )
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Groups")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, _PRINTABLE.sub("", value))
        made.data_type = "s"
        return made

    sheet.append([cell(str(name)) for name in frame.columns])
    plain = [_cells(frame.iloc[:, j]) for j in range(frame.shape[1])]
    for row in zip(*plain, strict=True):
        sheet.append([cell(value) for value in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _cells(column: pd.Series) -> list[Any]:
    """Plain values for a sheet; missing and infinite ones are empty."""
    if pd.api.types.is_datetime64_any_dtype(column) and column.dt.tz is not None:
        column = column.dt.tz_localize(None)
    kept = column.astype(object).where(column.notna(), None).tolist()
    plain = (str, int, float, bool, datetime, type(None))
    return [
        None
        if isinstance(value, float) and not np.isfinite(value)
        else value
        if isinstance(value, plain)
        else str(value)
        for value in kept
    ]


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
    """A Stata file, names as labels; a ValueError for text beyond Stata's 2,045 characters."""
    table, labels = _statistical(frame, 32)
    for name in table.columns:
        longest = table[name].str.len().max() if table[name].dtype == object else 0
        if longest > _STATA_TEXT:
            raise ValueError(
                f"Column '{labels[name]}' has text of {longest:,.0f} characters, more than the "
                f"{_STATA_TEXT:,} of a Stata file: take the CSV or Parquet."
            )
    out = io.BytesIO()
    table.to_stata(
        out,
        write_index=False,
        version=118,
        variable_labels={name: label[:80] for name, label in labels.items()},
    )
    return out.getvalue()


def _statistical(frame: pd.DataFrame, longest: int) -> tuple[pd.DataFrame, dict[str, str]]:
    """A table under plain names, with numbers and text alone, and its own names as labels."""
    labels: dict[str, str] = {}
    columns = {}
    for j, name in enumerate(map(str, frame.columns)):
        plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or f"column_{j + 1}"
        plain = plain if plain[0].isalpha() else f"v{plain}"
        stem, number = plain[: longest - 5], 2
        plain = plain[:longest]
        while plain.lower() in (known.lower() for known in labels):
            plain, number = f"{stem}_{number}", number + 1
        labels[plain] = name
        columns[plain] = _plain_column(frame.iloc[:, j])
    return pd.DataFrame(columns), labels


def _plain_column(column: pd.Series) -> pd.Series:
    column = column.reset_index(drop=True)
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return pd.Series(np.where(np.isfinite(values), values, np.nan))
    if pd.api.types.is_datetime64_any_dtype(column):
        return column.dt.tz_localize(None) if column.dt.tz is not None else column
    return column.map(str, na_action="ignore").astype(object).where(column.notna(), "")


def writers(frame: pd.DataFrame) -> dict[str, tuple[str, Callable[[pd.DataFrame], bytes]]]:
    """Ways to write this table here: what each is called, its ending and its function."""
    found: dict[str, tuple[str, Callable[[pd.DataFrame], bytes]]] = {
        "CSV": ("csv", as_csv),
        "Parquet": ("parquet", as_parquet),
    }
    fits = len(frame) < _SHEET_ROWS and frame.shape[1] < _SHEET_COLUMNS - 2
    if fits:
        found["Excel"] = ("xlsx", as_xlsx)
    found["SPSS"] = ("sav", as_sav)
    columns = (frame.iloc[:, j] for j in range(frame.shape[1]))
    texts = (cells for cells in columns if pd.api.types.is_string_dtype(cells.dtype))
    numbers = frame.select_dtypes("float").abs().fillna(0.0)
    is_small = not (np.isfinite(numbers) & (numbers > _STATA_LARGEST)).to_numpy().any()
    if is_small and all(cells.map(str).str.len().max() <= _STATA_TEXT for cells in texts):
        found["Stata"] = ("dta", as_dta)
    return found


def with_labels(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Append columns to a copy of a table, under names it does not have yet."""
    names, _ = unique_names([*frame.columns, *columns])
    fresh = names[frame.shape[1] :]
    extra = pd.DataFrame(dict(zip(fresh, columns.values(), strict=True)), index=frame.index)
    return pd.concat([frame, extra], axis=1)


def summary_table(encoded: Encoded, labels: np.ndarray, titles: tuple[str, ...]) -> pd.DataFrame:
    """Describe every cluster by every column, in natural units, one row a number of rows."""
    sizes = dict(enumerate(np.bincount(labels).tolist())) | {ALL: labels.size}
    names = dict(enumerate(titles)) | {ALL: "all rows"}
    told = describe_by_group(encoded, labels)
    parts = pd.concat([part.reset_index() for part in told]).reindex(columns=_SUMMARY)
    parts.insert(1, "rows", parts["cluster"].map(sizes))
    # All rows last, as a yardstick for the clusters above.
    order = np.argsort(parts["cluster"].replace(ALL, len(titles)).to_numpy(), kind="stable")
    parts["cluster"] = parts["cluster"].map(names)
    return parts.iloc[order].reset_index(drop=True)


def group_table(encoded: Encoded, labels: np.ndarray, titles: tuple[str, ...]) -> pd.DataFrame:
    """What each group is like, one line a column or level, one column a group, all rows first."""
    amounts, shares = describe_by_group(encoded, labels)
    clusters = [ALL, *range(len(titles))]
    sizes = np.bincount(labels, minlength=len(titles))
    lines: dict[str, list[tuple[str, list[str]]]] = {}
    for name, part in amounts.groupby(level="column", sort=False):
        part = part.droplevel("column").loc[clusters]
        by_rank = bool(part["is_log"].iloc[0]) or part["kind"].iloc[0] == "count"
        notation = natural_column(encoded, name).notation
        said = part.apply(_median if by_rank else _mean, axis=1, notation=notation)
        lines[name] = [(f"{name}, {MEDIAN if by_rank else MEAN}", list(said))]
    for (name, level), part in shares.groupby(level=["column", "level"], sort=False):
        part = part.droplevel(["column", "level"]).loc[clusters]
        said = [
            f"{n:,.0f} ({percent(share)})" if observed else "-"
            for n, observed, share in part[["n", "n_observed", "share"]].itertuples(index=False)
        ]
        lines.setdefault(name, []).append((f"{name} = {level}, {SHARE}", said))
    rows = [[f"{labels.size:,}", *(f"{n:,} ({percent(n, labels.size)})" for n in sizes)]]
    told = [line for name in encoded.columns for line in lines.get(name, [])]
    table = pd.DataFrame(rows + [cells for _, cells in told], columns=["All rows", *titles])
    table.insert(0, "Column", [f"Rows, {SHARE}", *(what for what, _ in told)], True)
    return table


def _mean(row: pd.Series, notation: Notation) -> str:
    spread = "" if np.isnan(row["sd"]) else f" ({notation.write(row['sd'])})"
    return f"{notation.write(row['mean'])}{spread}"


def _median(row: pd.Series, notation: Notation) -> str:
    middle, lower, upper = (notation.write(row[name]) for name in ("median", "lower", "upper"))
    return middle if np.isnan(row["median"]) else f"{middle} ({lower} to {upper})"


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
