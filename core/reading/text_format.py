"""Guess how a delimited text file is written: encoding, delimiter, decimal sign, header.

A file's frequency of characters alone misleads (1,5;2,5 holds as many commas as semicolons), so a
delimiter is judged by what it produces: lines of one length, and cells that look like values.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from .read_options import NA_TOKENS, ReadOptions, TableError

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 256 * 1024
_CHUNK = 4 * 1024**2
_SAMPLE_ROWS = 500

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_GROUPED_BY_COMMA = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d+)?")
# A cell in single quotes, from one delimiter or line end to the next.
_SINGLE_QUOTED = re.compile(r"(?:^|(?<=[,;\t|]))[ ]?'[^'\n]*'(?=[,;\t|\r]|$)", re.MULTILINE)


@dataclass(frozen=True)
class Head:
    """The first records of a delimited file."""

    #: Cells of the first records, blank lines left out.
    records: list[list[str]]
    #: Lines of the file that the first record and the blank lines before it take.
    header_lines: int


def find_encoding(data: memoryview, name: str) -> str:
    """Find an encoding that decodes the whole file: UTF-8, UTF-16 or Windows-1252, in that order.

    Raises
    ------
    TableError
        The content is binary, or none of the three.
    """
    start = bytes(data[:SAMPLE_BYTES])
    if start.startswith(codecs.BOM_UTF8):
        order: tuple[str, ...] = ("utf-8-sig",)
    elif start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        order = ("utf-16",)
    elif b"\0" in start:
        # In UTF-16 without its mark, every other byte of plain letters and digits is zero.
        even, odd = start[0::2].count(0), start[1::2].count(0)
        order = ("utf-16-le",) if odd > even else ("utf-16-be",)
        if max(even, odd) < 0.3 * len(start) / 2 or min(even, odd) > 0.02 * len(start) / 2:
            raise _binary(name)
    else:
        controls = sum(start.count(code) for code in (*range(9), *range(14, 27), *range(28, 32)))
        if controls > 0.01 * len(start):
            raise _binary(name)
        order = ("utf-8", "cp1252")
    for encoding in order:
        if decodes(data, encoding):
            return encoding
    tried = " or ".join(encoding.upper() for encoding in order)
    raise TableError(f"{name} is text, but not valid {tried}: save it as UTF-8 and load it again.")


def _binary(name: str) -> TableError:
    return TableError(
        f"{name} is a binary file, not a table in text form: export it as CSV, or load Parquet, "
        "JSON or xlsx."
    )


def decodes(data: memoryview, encoding: str) -> bool:
    """Whether the whole file is valid text in that encoding (read piece by piece)."""
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        for begin in range(0, len(data), _CHUNK):
            decoder.decode(data[begin : begin + _CHUNK])
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError):
        return False
    return True


def decode_start(data: memoryview, encoding: str) -> str:
    """Decode the first lines; one that is cut by the end of the sample is left out."""
    text = codecs.getincrementaldecoder(encoding)().decode(data[:SAMPLE_BYTES])
    if len(data) > SAMPLE_BYTES:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    return text


def read_head(text: str, delimiter: str, quote: str = '"', limit: int = _SAMPLE_ROWS) -> Head:
    """Split the first records of a text at a delimiter.

    Raises
    ------
    csv.Error
        A cell that never ends, the mark of a stray quote.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    records: list[list[str]] = []
    header_lines = 0
    for record in reader:
        if record and (records or not record[0].lower().startswith("sep=")):  # Excel's own hint
            if not records:
                header_lines = reader.line_num
            records.append([cell.strip() for cell in record])
            if len(records) == limit:
                break
    return Head(records, header_lines)


def sniff_text(data: memoryview, name: str) -> ReadOptions:
    """Guess how a delimited text file is written.

    Raises
    ------
    TableError
        The content is not text.
    """
    encoding = find_encoding(data, name)
    text = decode_start(data, encoding)
    quote = find_quote(text)
    delimiter = find_delimiter(text, quote)
    try:
        records = read_head(text, delimiter, quote).records
    except csv.Error:
        records = []
    decimal, thousands = find_decimal(records[1:] or records, delimiter)
    return ReadOptions(
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        has_header=looks_like_header(records),
        quote=quote,
    )


def find_quote(text: str) -> str:
    """Find the sign around cells: the single quote where cells are wrapped in it and no other."""
    if '"' in text:
        return '"'
    wrapped = len(_SINGLE_QUOTED.findall(text))
    apostrophes = text.count("'") - 2 * wrapped
    return "'" if wrapped > 1 and apostrophes <= 0.1 * wrapped else '"'


def find_delimiter(text: str, quote: str = '"') -> str:
    """Find the delimiter whose lines agree best on their length and whose cells look whole."""
    scores = {delimiter: _score(text, delimiter, quote) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: scores[delimiter])
    if scores[best] > 0:
        return best
    # One column: any delimiter that does not occur leaves its cells whole.
    return next((delimiter for delimiter in DELIMITERS if delimiter not in text), ",")


def _score(text: str, delimiter: str, quote: str) -> float:
    try:
        records = read_head(text, delimiter, quote).records
    except csv.Error:
        return 0.0
    if not records:
        return 0.0
    lengths = Counter(map(len, records))
    width, share = lengths.most_common(1)[0]
    if width < 2 or (delimiter == "," and _is_decimal_column(records)):
        return 0.0
    cells = [cell for record in records for cell in record]
    return share / len(records) * sum(_looks_whole(cell, delimiter) for cell in cells) / len(cells)


def _is_decimal_column(records: list[list[str]]) -> bool:
    """One column of numbers with decimal commas under a name without a comma."""
    return (
        len(records) > 1
        and len(records[0]) == 1
        and all(_COMMA.fullmatch(",".join(record)) for record in records[1:])
    )


def _looks_whole(cell: str, delimiter: str) -> bool:
    """Whether a cell looks like one value rather than several that were not split."""
    if cell in NA_TOKENS or _NUMBER.fullmatch(cell):
        return True
    if any(other in cell for other in DELIMITERS[1:] if other != delimiter):
        return False
    return "," not in cell.replace(", ", " ") or bool(_GROUPED_BY_COMMA.fullmatch(cell))


def find_decimal(records: list[list[str]], delimiter: str) -> tuple[str, str | None]:
    """Decimal sign and digit grouping (None for none) of the cells that look like numbers."""
    cells = [cell for record in records for cell in record if cell[:1] in "+-.,0123456789"]
    for mark in (" ", "\u00a0", "\u202f", "'"):
        grouped = re.compile(rf"[+-]?\d{{1,3}}({mark}\d{{3}})+([.,]\d+)?")
        if any(grouped.fullmatch(cell) for cell in cells):
            whole = [[cell.replace(mark, "") for cell in cells]]
            return find_decimal(whole, delimiter)[0], mark
    points = sum(bool(_POINT.fullmatch(cell)) for cell in cells)
    commas = sum(bool(_COMMA.fullmatch(cell)) for cell in cells)
    by_comma = sum(bool(_GROUPED_BY_COMMA.fullmatch(cell)) for cell in cells)
    by_point = sum(bool(_GROUPED_BY_POINT.fullmatch(cell)) for cell in cells)
    if by_comma == commas and by_comma and (delimiter == "," or points):
        return ".", ","  # "1,234" beside plain decimals, or quoted in a comma-separated file
    if commas > points - by_point and commas:
        return ",", "." if by_point else None
    only_twice = sum(cell.count(".") > 1 for cell in cells if _GROUPED_BY_POINT.fullmatch(cell))
    if only_twice:
        return ",", "."
    twice = sum(cell.count(",") > 1 for cell in cells if _GROUPED_BY_COMMA.fullmatch(cell))
    return ".", "," if twice else None


def looks_like_header(records: list[list[str]]) -> bool:
    """Whether the first record names the columns rather than holding values.

    Names are not numbers, except years beside other names (wide tables) and 0, 1, 2, ... (arrays
    written without names); and they are not found again among the values of their columns.
    """
    first = [cell for cell in records[0] if cell] if records else []
    if _recur(records):
        return False
    numbers = [cell for cell in first if _NUMBER.fullmatch(cell)]
    if not numbers or (len(first) > 2 and first == [str(j) for j in range(len(first))]):
        return True
    years = all(re.fullmatch(r"(18|19|20)\d\d", cell) for cell in numbers)
    return years and len(numbers) < len(first)


def _recur(records: list[list[str]]) -> bool:
    """Whether most texts of the first record stand among the values of their columns, too."""
    if len(records) < 3:
        return False
    found = []
    for place, cell in enumerate(records[0]):
        if cell and cell not in NA_TOKENS and not _NUMBER.fullmatch(cell):
            below = [record[place] for record in records[1:] if place < len(record)]
            found.append(cell in below)
    return len(found) > 0 and sum(found) > 0.5 * len(found)
