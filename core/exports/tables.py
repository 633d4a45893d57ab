"""Tables on their way out: as CSV that no spreadsheet takes for formulas, and as Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ..profiling.profiles import ALL, prevalences, summaries
from ..reading.arrow_frame import is_text, unique_names
from ..schema.encoded import Encoded

# Text that begins like this is a formula to a spreadsheet; after an apostrophe it is text.
_FORMULA, _GUARD = r"^[=+\-@\t\r]", "'"
# Spreadsheets read UTF-8 only where the file says so.
_MARK = b"\xef\xbb\xbf"
_AMOUNTS, _LEVELS = ("mean", "sd", "median", "lower", "upper"), ("n", "share")
_SUMMARY = ["cluster", "column", "level", "n_observed", *_AMOUNTS, *_LEVELS]


def as_csv(frame: pd.DataFrame) -> bytes:
    r"""Write a table as CSV in UTF-8, safe to open in a spreadsheet.

    Parameters
    ----------
    frame : DataFrame
        Its index is left out. Text and column names that begin with ``= + - @``, a tab or a
        carriage return get an apostrophe before them; numbers are written to the last digit.
    """
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


def with_labels(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Append columns to a copy of a table, under names it does not have yet.

    "cluster" is called "cluster (2)" where the table has a column of that name.
    """
    names, _ = unique_names([*frame.columns, *columns])
    fresh = names[frame.shape[1] :]
    extra = pd.DataFrame(dict(zip(fresh, columns.values(), strict=True)), index=frame.index)
    return pd.concat([frame, extra], axis=1)


def summary_table(encoded: Encoded, labels: np.ndarray, titles: tuple[str, ...]) -> pd.DataFrame:
    """Describe every cluster by every column, in natural units, one row a number of rows.

    Columns ``cluster``, ``rows``, ``column``, ``level``, ``n_observed``, then ``mean``, ``sd``,
    ``median``, ``lower``, ``upper`` (quartiles) of amounts, ``n`` and ``share`` of levels.
    """
    sizes = dict(enumerate(np.bincount(labels).tolist())) | {ALL: labels.size}
    names = dict(enumerate(titles)) | {ALL: "all rows"}
    parts = pd.concat(
        [summaries(encoded, labels).reset_index(), prevalences(encoded, labels).reset_index()]
    ).reindex(columns=_SUMMARY)
    parts.insert(1, "rows", parts["cluster"].map(sizes))
    # All rows last, as a yardstick for the clusters above.
    order = np.argsort(parts["cluster"].replace(ALL, len(titles)).to_numpy(), kind="stable")
    parts["cluster"] = parts["cluster"].map(names)
    return parts.iloc[order].reset_index(drop=True)


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
