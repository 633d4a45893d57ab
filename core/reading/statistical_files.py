"""Read what SPSS, Stata and SAS save: their value labels, measure levels and missing codes too.

``frame.attrs["columns"]`` keeps for each column what the file says of it: ``label``, ``levels`` (in
the order of their codes), ``measure`` ("nominal", "ordinal" or "scale"), ``missing_codes``, and as
``named`` the words for some of the numbers, where the others have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..extras import needs
from .arrow_frame import unique_names
from .file_in_memory import file_in_memory
from .read_options import ReadOptions, TableError, check_size

#: Reader of ``pyreadstat`` for each kind of file, what it is called, and the end of its name.
KINDS: Mapping[str, tuple[str, str, str]] = {
    "spss": ("read_sav", "an SPSS file", ".sav"),
    "stata": ("read_dta", "a Stata file", ".dta"),
    "sas": ("read_sas7bdat", "a SAS file", ".sas7bdat"),
    "xport": ("read_xport", "a SAS transport file", ".xpt"),
}
_MOST_LABELS = 1_000


def kind_of(start: bytes) -> str | None:
    """Which of these a file is, by its first bytes."""
    if start[:4] in (b"$FL2", b"$FL3"):
        return "spss"
    if start.startswith((b"<stata_dta>", b"HEADER RECORD*******LIB")):
        return "stata" if start[:1] == b"<" else "xport"
    if start[12:20] == b"\xc2\xea\x81`\xb3\x14\x11\xcf":
        return "sas"
    is_old_stata = start[:1] in (b"\x71", b"\x72", b"\x73") and start[1:2] in (b"\x01", b"\x02")
    return "stata" if is_old_stata and start[2:3] == b"\x01" else None


def read_statistical(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Read one of these files, its size before its cells.

    Raises
    ------
    TableError
    """
    reader, what, ending = KINDS[options.kind]
    needs("pyreadstat", f"{name} is {KINDS[options.kind][1]}, to read which needs", TableError)
    import pyreadstat

    read = getattr(pyreadstat, reader)
    told = {"user_missing": True} if options.kind == "spss" else {}
    try:
        with file_in_memory(data, ending) as path:
            if options.kind != "xport":  # whose first lines do not tell how many rows follow
                _, about = read(path, metadataonly=True)
                check_size(about.number_rows or 0, about.number_columns or 0, name)
            frame, about = read(path, **told)
    except TableError:
        raise
    except Exception:  # the parser of a damaged file may fail in any way
        raise TableError(
            f"{name} is {what} that cannot be read, damaged or not complete: save it again."
        ) from None
    names, notes = unique_names(list(frame.columns))
    facts = {
        new: _facts(about, old, frame[old]) for old, new in zip(frame.columns, names, strict=True)
    }
    frame.columns = names
    columns = {name: _labelled(frame[name], facts[name], options) for name in names}
    frame = pd.DataFrame(columns, index=frame.index)
    frame.attrs["columns"] = {name: told for name, told in facts.items() if told}
    labelled = sum("levels" in told for told in facts.values())
    if labelled:
        notes.append(f"The file's own words stand for the codes of {labelled:,} of its columns.")
    return frame, notes


def _facts(about: Any, name: str, column: pd.Series) -> dict[str, Any]:
    """What the file says of one column."""
    label = about.column_names_to_labels.get(name)
    facts: dict[str, Any] = {"label": str(label)} if label else {}
    measure = (about.variable_measure or {}).get(name)
    if measure in ("nominal", "ordinal", "scale"):
        facts["measure"] = measure
    missing = list((about.missing_user_values or {}).get(name, ()))
    for span in (about.missing_ranges or {}).get(name, ()):
        ends = span["lo"], span["hi"]
        seen = column.dropna().unique().tolist()
        missing += [value for value in seen if _is_between(value, *ends)]
    labels = (about.variable_value_labels or {}).get(name, {})
    present = set(column.dropna().unique().tolist()) - set(missing)
    if labels and len(labels) <= _MOST_LABELS and present and present <= set(labels):
        facts["labels"] = labels
        facts["levels"] = [str(labels[code]) for code in sorted(labels) if code in present]
    elif labels and len(labels) <= _MOST_LABELS:
        facts["named"] = {code: str(word) for code, word in labels.items()}
    if missing:
        facts["missing_codes"] = sorted(set(missing), key=str)
    return facts


def _is_between(value: Any, low: Any, high: Any) -> bool:
    return type(value) in (int, float) and isinstance(low, int | float) and low <= value <= high


def _labelled(column: pd.Series, facts: dict[str, Any], options: ReadOptions) -> pd.Series:
    """A column with the file's words for its codes, where every value has one."""
    labels = facts.pop("labels", None)
    if labels is not None:
        words = {code: str(word) for code, word in labels.items()}
        missing = facts.get("missing_codes", ())
        facts["missing_codes"] = [words.get(code, code) for code in missing]
        if not facts["missing_codes"]:
            del facts["missing_codes"]
        return column.map(lambda cell: words.get(cell, cell), na_action="ignore").astype(object)
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(np.float64)
        whole = np.isfinite(values).all() and np.array_equal(values, np.round(values))
        return (
            column.astype(np.int64) if whole and np.abs(values).max(initial=0) < 2**53 else column
        )
    if pd.api.types.is_datetime64_any_dtype(column):
        return _in_nanoseconds(column)
    text = column.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    return text.mask(text.isin(list(options.na_tokens)))


def _in_nanoseconds(column: pd.Series) -> pd.Series:
    """Times as pandas below 3 holds them, so that a saved project still knows its table."""
    try:
        return column.dt.as_unit("ns")
    except pd.errors.OutOfBoundsDatetime:  # before 1677 or after 2262
        return column
