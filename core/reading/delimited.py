"""Read delimited text with Arrow's parser, and say in plain words why a file will not parse."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv

from ..wording import counted
from .arrow_frame import to_frame, unique_names
from .read_options import ReadOptions, TableError, check_size
from .text_format import decode_start, decodes, looks_like_header, read_head


def read_delimited(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Parse a delimited file, or raise TableError.

    With it what was changed or assumed, one sentence each.
    """
    if not decodes(data, options.encoding):
        raise TableError(
            f"{name} cannot be read as {options.encoding}: choose another encoding, or save it "
            "as UTF-8."
        )
    data = _without_blank_end(data, options.encoding)
    names, header_lines, notes = _header(data, options, name)
    lines = _count_lines(data)
    if lines <= header_lines:
        raise _no_rows(name)
    check_size(lines - header_lines, len(names), name)
    # No name is kept for the parsed table, so that `to_frame` can release it piece by piece.
    frame = to_frame(
        _parse(data, options, name, names, header_lines),
        options.na_tokens,
        options.decimal,
        options.thousands,
    )
    if 0 < len(frame) < (lines - header_lines) / 2:
        notes.append(
            f"{lines:,} lines make only {counted(len(frame), 'row')}: look for a stray quotation "
            "mark."
        )
    return frame, notes


def _without_blank_end(data: memoryview, encoding: str) -> memoryview:
    """Leave out the line ends after the last line, which would be rows without values."""
    if encoding.startswith("utf-16"):
        return data
    end = len(data)
    while end and data[end - 1] in b"\r\n":
        end -= 1
    return data[:end]


def _count_lines(data: memoryview) -> int:
    step = 4 * 1024**2
    pieces = (bytes(data[begin : begin + step]) for begin in range(0, len(data), step))
    return 1 + sum(max(piece.count(b"\n"), piece.count(b"\r")) for piece in pieces)


def _header(data: memoryview, options: ReadOptions, name: str) -> tuple[list[str], int, list[str]]:
    """Names of the columns, lines to skip before the values, and notes."""
    try:
        head = read_head(
            decode_start(data, options.encoding), options.delimiter, options.quote, limit=20
        )
    except (csv.Error, TypeError, ValueError) as error:
        raise TableError(
            f"{name} cannot be split at {options.delimiter!r} ({error}): check the delimiter and "
            "look for a stray quotation mark."
        ) from None
    if not head.records:
        raise TableError(f"{name} is empty: choose a file with a header and at least one row.")
    if not options.has_header:
        width = len(head.records[0])
        notes = ["The first line is read as values, so the columns are named by their place."]
        return [f"column {place}" for place in range(1, width + 1)], 0, notes
    names, notes = unique_names(head.records[0])
    if not looks_like_header(head.records):
        notes.append("The first line holds numbers and is read as names.")
    widths = {len(record) for record in head.records[1:]}
    if len(names) > 1 and widths == {len(names) + 1}:
        if any(record[-1] for record in head.records[1:]):
            names, extra = ["row name", *names], "the first names the row"
        else:
            names, extra = [*names, f"column {len(names) + 1}"], "the last, always empty, is kept"
        names = unique_names(names)[0]
        notes.append(f"The lines have one value more than there are names: {extra}.")
    return names, head.header_lines, notes


def _parse(
    data: memoryview, options: ReadOptions, name: str, names: list[str], header_lines: int
) -> pa.Table:
    utf8 = options.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "ascii")
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(data)),
            read_options=arrow_csv.ReadOptions(
                column_names=names,
                skip_rows=header_lines,
                encoding="utf8" if utf8 else options.encoding,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=options.delimiter,
                quote_char=options.quote,
                newlines_in_values=True,
                # In a table of one column an empty line is a missing cell.
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                null_values=list(options.na_tokens),
                strings_can_be_null=True,
                decimal_point=options.decimal,
                true_values=[],
                false_values=[],
            ),
        )
    except pa.ArrowInvalid as error:
        raise _explain(data, options, name, len(names), header_lines, str(error)) from None
    except (ValueError, TypeError) as error:
        raise TableError(f"{name} cannot be read with these options: {error}.") from None


def _explain(
    data: memoryview, options: ReadOptions, name: str, width: int, header_lines: int, message: str
) -> TableError:
    """Find the line that does not fit."""
    if "Empty CSV" in message:
        return _no_rows(name)
    # A stream of codecs would look for the end of a long line again with every piece of it.
    lines = io.TextIOWrapper(io.BytesIO(data), options.encoding, newline="")
    reader = csv.reader(lines, delimiter=options.delimiter, quotechar=options.quote)
    try:
        for record in reader:
            if record and len(record) != width and reader.line_num > header_lines:
                return TableError(
                    f"{name} has {counted(len(record), 'value')} in line {reader.line_num:,} where "
                    f"its header has {width}: mend that line, or choose another delimiter."
                )
    except csv.Error:
        return TableError(
            f"{name} cannot be split into cells near line {reader.line_num}: look for a stray "
            "quotation mark."
        )
    return TableError(f"{name} cannot be read as a table ({message}): check the delimiter.")


def _no_rows(name: str) -> TableError:
    return TableError(f"{name} holds a header but no rows: add at least one row of values.")
