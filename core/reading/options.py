"""How a file is read: the options a person sees and may change before the table is loaded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ..plain import from_fields, hints
from ..wording import RefusedError, counted

# "none" and "None" are levels of many scales, and so is "unknown", which `infer_schema` proposes.
NA_TOKENS = (
    *("", "NA", "N/A", "n/a", "na", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", "?"),
    *("-", "--", "-,--", "-.--", "\u2013", "\u2014", ".", "..", "...", "\u2026", ":"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!", "#NV", "#WERT!", "#BEZUG!"),
    *("#ZAHL!", "#VALEUR!", "#NOMBRE!"),
)

MAX_BYTES = 300 * 1024**2
MAX_CELLS = 50_000_000
MAX_COLUMNS = 5_000


class TableError(RefusedError):
    """A file that cannot become a table: one sentence on what, where and what to do."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read one file.

    Parameters
    ----------
    kind : {"delimited", "parquet", "feather", "json", "xlsx", "spss", "stata", "sas", "xport"}
        What the content is; "xlsx" stands for every kind of workbook.
    delimiter, quote : str
        Of delimited text: one ASCII sign, a blank for one or more of it; one character.
    decimal : {".", ","}, optional
        Decimal sign of every column; what the cells of each column say when None.
    encoding : str
        Python's name of the encoding; of text only.
    na_tokens : sequence of str
        Cells that mean a missing value, without surrounding blanks.
    names_line, data_line : int, optional
        Lines, from 1, of the names (0 for none) and of the first values; found when None.
    sheet : str, optional
        Sheet of a workbook, its first one with a table when None.
    columns : sequence of (str, str, str)
        Decisions (name, what, value): "decimal" with ".", "," or "" for text; "level" with a
        missing token that is a value there; "dash" with "0" where a dash stands for it.
    """

    kind: str = "delimited"
    delimiter: str = ","
    decimal: str | None = None
    encoding: str = "utf-8"
    na_tokens: tuple[str, ...] = NA_TOKENS
    names_line: int | None = None
    data_line: int | None = None
    sheet: str | None = None
    quote: str = '"'
    columns: tuple[tuple[str, str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "na_tokens", tuple(str(token) for token in self.na_tokens))
        object.__setattr__(self, "columns", tuple((str(n), w, v) for n, w, v in self.columns))
        if len(self.quote) != 1:
            raise TableError(f"The quote must be one character, not '{self.quote}'.")
        if len(self.delimiter) != 1 or not self.delimiter.isascii():
            raise TableError(f"The delimiter must be one ASCII sign, not '{self.delimiter}'.")
        if self.decimal not in (None, ".", ","):
            raise TableError(f"The decimal sign must be a point or a comma, not '{self.decimal}'.")
        if min(self.names_line or 0, (self.data_line or 1) - 1) < 0:
            raise TableError("Lines are counted from 1.")
        if self.data_line is not None and self.data_line <= (self.names_line or 0):
            raise TableError("The values must begin below the line that names the columns.")

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> Self:
        """Rebuild from plain values, also as version 0.2 wrote them."""
        given = {name: entries[name] for name in hints(cls) if name in entries}
        if entries.get("has_header") is False:
            given["names_line"] = 0
        return from_fields(cls, given, "read options")

    def of_column(self, name: str, what: str) -> tuple[str, ...]:
        """What was decided about one column."""
        return tuple(v for column, kind, v in self.columns if (column, kind) == (name, what))

    def with_column(self, name: str, what: str, value: str) -> Self:
        """The same with something decided about one column, instead of what was before."""
        others = tuple(c for c in self.columns if c[:2] != (name, what))
        is_undone = value == "" and what != "decimal"
        return replace(self, columns=others if is_undone else (*others, (name, what, value)))


def no_rows(name: str) -> TableError:
    """The refusal of a table without a row."""
    return TableError(f"{name} holds a header but no rows: add at least one row of values.")


def check_size(rows: int, columns: int, name: str) -> None:
    """Refuse a table over the caps, before it is parsed: a TableError."""
    if columns > MAX_COLUMNS:
        raise TableError(
            f"{name} has {columns:,} columns, more than the {MAX_COLUMNS:,} this page takes: "
            "keep the columns you need."
        )
    if rows * columns > MAX_CELLS:
        raise TableError(
            f"{name} has {counted(rows, 'row')} and {counted(columns, 'column')}, more than the "
            f"{MAX_CELLS:,} cells this page takes: keep a sample of the rows or the columns you "
            "need."
        )
