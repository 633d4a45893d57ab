"""Read what SPSS, Stata and SAS save; ``attrs["columns"]`` has what they say of each column.

That is its ``label``, ``levels``, ``measure``, ``missing_codes``, ``is_text``, ``named`` numbers.
"""

import io
from typing import Any

import numpy as np
import pandas as pd

from ..optional import require
from .columns import unique_names
from .numbers import EXACT
from .options import ReadOptions, TableError, check_size

KINDS = {
    "spss": ("read_sav", "an SPSS file"),
    "stata": ("read_dta", "a Stata file"),
    "sas": ("read_sas7bdat", "a SAS file"),
    "xport": ("read_xport", "a SAS transport file"),
}
_MOST_LABELS = 1_000


def read_statistical(data: memoryview, options: ReadOptions, name: str) -> pd.DataFrame:
    """Read one of these files, its size before its cells."""
    reader, what = KINDS[options.kind]
    require("pyreadstat", f"{name} is {what}, to read which needs", TableError)
    import pyreadstat

    read = getattr(pyreadstat, reader)
    user_missing = {"user_missing": True} if options.kind == "spss" else {}
    try:
        if options.kind != "xport":  # whose first lines do not tell how many rows follow
            _, meta = read(io.BytesIO(data), metadataonly=True)
            check_size(meta.number_rows or 0, meta.number_columns or 0, name)
        frame, meta = read(io.BytesIO(data), **user_missing)
    except TableError:
        raise
    except Exception:  # the parser of a damaged file may fail in any way
        what = f"{what} that cannot be read, damaged or not complete"
        raise TableError(f"{name} is {what}: save it again.") from None
    names, notes = unique_names(list(frame.columns))
    read_in = [_column(meta, old, frame[old], options) for old in frame]
    cells = (column for column, _ in read_in)
    result = pd.DataFrame(dict(zip(names, cells, strict=True)), index=frame.index)
    columns = {new: facts for new, (_, facts) in zip(names, read_in, strict=True) if facts}
    if labelled := sum("levels" in facts for facts in columns.values()):
        notes.append(f"The file's own words stand for the codes of {labelled:,} of its columns.")
    result.attrs = {"columns": columns, "notes": notes}
    return result


def _column(
    meta: Any, name: str, column: pd.Series, options: ReadOptions
) -> tuple[pd.Series, dict[str, Any]]:
    """A column, with the file's words for its codes where every value has one, and its facts."""
    label = meta.column_names_to_labels.get(name)
    facts: dict[str, Any] = {"label": str(label)} if label else {}
    measure = (meta.variable_measure or {}).get(name)
    seen = column.dropna().unique().tolist()
    if meta.readstat_variable_types.get(name) == "string":
        are_digits = all(str(cell).strip().isdigit() for cell in seen)
        facts |= {"is_text": True} | ({"measure": "nominal"} if are_digits else {})
    if measure in ("nominal", "ordinal", "scale"):
        facts["measure"] = measure
    missing = {*(meta.missing_user_values or {}).get(name, ())}
    for span in (meta.missing_ranges or {}).get(name, ()):
        if isinstance(span["lo"], int | float):
            among = (value for value in seen if isinstance(value, int | float))
            missing |= {value for value in among if span["lo"] <= value <= span["hi"]}
    labels = (meta.variable_value_labels or {}).get(name, {})
    words = (
        {code: str(word) for code, word in labels.items()} if len(labels) <= _MOST_LABELS else {}
    )
    codes, present = sorted(missing, key=str), {*seen} - missing
    if present and present <= {*words}:
        facts["levels"] = [words[code] for code in sorted(words) if code in present]
        codes = [words.get(code, code) for code in codes]
        column = column.map(lambda cell: words.get(cell, cell), na_action="ignore").astype(object)
    elif words:
        facts["named"] = words
    if codes:
        facts["missing_codes"] = codes
    return column if "levels" in facts else _tidy(column, options), facts


def _tidy(column: pd.Series, options: ReadOptions) -> pd.Series:
    """Whole numbers as such, words without blanks and missing tokens, times in nanoseconds."""
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(np.float64)
        are_whole = (values == np.round(values)) & (np.abs(values) < EXACT)
        return column.astype(np.int64) if are_whole.all() else column
    if isinstance(column.dtype, pd.StringDtype) or column.dtype == object:
        text = column.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
        return text.mask(text.isin(list(options.na_tokens)))
    try:  # as pandas below 3 holds times, so that a saved project still knows its table
        return column.dt.as_unit("ns") if column.dtype.kind == "M" else column
    except pd.errors.OutOfBoundsDatetime:  # before 1677 or after 2262
        return column
