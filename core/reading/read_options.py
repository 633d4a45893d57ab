"""How a file is read: the options a person sees and may change before the table is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from ..wording import counted

# Whole cells that mean "nothing here". "None" and "none" are left out: they are levels of many
# scales (none, mild, severe); so is "unknown", which `infer_schema` proposes where it disturbs.
NA_TOKENS = (
    "",
    "NA",
    "N/A",
    "n/a",
    "na",
    "<NA>",
    "#N/A",
    "NaN",
    "nan",
    "NULL",
    "null",
    "?",
    "-",
    "--",
    ".",
    "#DIV/0!",
    "#VALUE!",
    "#REF!",
)

MAX_BYTES = 300 * 1024**2
MAX_CELLS = 50_000_000
MAX_COLUMNS = 5_000


class TableError(ValueError):
    """A file that cannot become a table: one sentence on what, where and what to do."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read one file.

    Parameters
    ----------
    kind : {"delimited", "parquet", "feather", "json", "xlsx", "spss", "stata", "sas", "xport"}
        What the content is, whatever the name says.
    delimiter, decimal : str
        Single characters; of delimited text only.
    thousands : str, optional
        Character that groups digits, as in ``1.234,5``; of delimited text only.
    encoding : str
        Python's name of the encoding; of text only.
    na_tokens : sequence of str
        Cells that mean a missing value, compared after surrounding blanks are taken off.
    has_header : bool
        False when the first line holds values; columns are then named "column 1" and so on.
    sheet : str, optional
        Sheet of an xlsx workbook, its first one when None.
    quote : str
        Sign around cells that hold the delimiter, as a single character; of delimited text only.
    """

    kind: str = "delimited"
    delimiter: str = ","
    decimal: str = "."
    thousands: str | None = None
    encoding: str = "utf-8"
    na_tokens: tuple[str, ...] = NA_TOKENS
    has_header: bool = True
    sheet: str | None = None
    quote: str = '"'

    def __post_init__(self) -> None:
        object.__setattr__(self, "na_tokens", tuple(str(token) for token in self.na_tokens))
        for option in ("delimiter", "decimal", "thousands", "quote"):
            given = getattr(self, option)
            if len(given or ",") != 1 or (given == "" and option != "thousands"):
                raise TableError(f"The {option} must be one character, not '{given}'.")


def check_size(rows: int, columns: int, name: str) -> None:
    """Refuse a table over the caps, before it is parsed.

    Raises
    ------
    TableError
    """
    if columns > MAX_COLUMNS:
        raise TableError(
            f"{name} has {columns:,} columns, more than the {MAX_COLUMNS:,} this page takes: "
            "keep the columns you need."
        )
    if rows * columns > MAX_CELLS:
        raise TableError(
            f"{name} has {counted(rows, 'row')} and {counted(columns, 'column')}, more than the "
            f"{MAX_CELLS:,} cells "
            "this page takes: keep a sample of the rows or the columns you need."
        )
