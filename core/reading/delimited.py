"""Read delimited text: how it is split, and its cells as text."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, takewhile

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pandas.api.types import is_string_dtype

from ..wording import counted, cut
from .columns import to_frame
from .encodings import CHUNK, as_utf8, decoded_twice, find_encoding, first_text
from .layout import Start, find_foot, find_start
from .numbers import is_plain
from .options import MAX_BYTES, NA_TOKENS, ReadOptions, TableError, check_size, no_rows

DELIMITERS = (",", ";", "\t", "|")
#: As a delimiter it stands for one blank or more, as where columns are printed one below the other;
#: what stands for these while they are read.
BLANKS, _ONE_SIGN = " ", "\x1f"
_LINES = 500
#: Bytes at the end of a file that are searched for notes below the table.
_FOOT = 16 * 1024
csv.field_size_limit(MAX_BYTES)

#: A line in quotes as a whole, and a quote that a blank keeps from its cell.
_WRAPPED = re.compile(r'"(?:[^"]|"")*"')
_APART = re.compile(r'([,;|]) +"(?=(?:[^"\n]|"")*"[ \r]*(?:\1|$))', re.MULTILINE)
# A quote within a cell, as MySQL writes it.
_ESCAPED = re.compile(r'\\"(?![",;\t|\r\n]|$)')
# A cell in single quotes, from one delimiter or line end to the next.
_SINGLE_QUOTED = re.compile(r"(?:^|(?<=[,;\t|]))[ ]?'[^'\n]*'(?=[,;\t|\r]|$)", re.MULTILINE)


def _records(text: str, delimiter: str, quote: str) -> list[tuple[int, list[str]]]:
    """The first lines that are not blank, split, each with the number of the line it ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    filled = ((reader.line_num, [cell.strip() for cell in record]) for record in reader if record)
    records = [*islice(filled, _LINES)]
    is_hint = records and records[0][1][0].lower().startswith("sep=")  # Excel's own
    return records[1:] if is_hint else records


def _with_quotes_at_cells(data: memoryview) -> memoryview:
    """Text whose quotes stand right around its cells, and around no line."""
    text = first_text(data)
    doubled = text.replace('\\"', '""')
    if _ESCAPED.search(text) and _best_score(doubled) >= _best_score(text):
        data, text = memoryview(bytes(data).replace(b'\\"', b'""')), doubled
    if _APART.search(text) and not re.search('[,;|]"', text):
        return memoryview(_APART.sub(r'\1"', str(data, "utf-8")).encode())
    if all(map(_WRAPPED.fullmatch, text.splitlines()[:2])):
        lines = str(data, "utf-8").splitlines()
        inner = [line[1:-1].replace('""', '"') for line in lines]
        are_wrapped = all(line == "" or _WRAPPED.fullmatch(line) for line in lines)
        are_split = _best_score("\n".join(inner[:_LINES])) == 1
        if are_wrapped and are_split and ", " not in inner[0]:
            return memoryview("\n".join(inner).encode())
    return data


def sniff_text(data: memoryview, name: str) -> ReadOptions:
    """Guess how text is encoded and split: csv.Sniffer errs in 1,5;2,5."""
    encoding = find_encoding(data, name)
    data = _with_quotes_at_cells(as_utf8(data, encoding, name))
    text = first_text(data)
    # A single quote wraps cells where it does nothing else, and no other sign is there.
    wrapped = 0 if '"' in text else len(_SINGLE_QUOTED.findall(text))
    quote = "'" if wrapped > 1 and text.count("'") <= 2.1 * wrapped else '"'
    possible = (*DELIMITERS, *(sign for sign in "^~" if sign in text.lstrip().partition("\n")[0]))
    scores = {delimiter: _score(text, delimiter, quote) for delimiter in possible}
    if any(scores.values()):
        delimiter = max(scores, key=scores.__getitem__)
    elif _is_in_blanks(text, quote) and _is_in_blanks(str(data, "utf-8"), quote):
        delimiter = BLANKS
    else:  # in one column any delimiter that does not occur leaves its cells whole
        delimiter = next((delimiter for delimiter in DELIMITERS if delimiter not in text), ",")
    return ReadOptions(delimiter=delimiter, encoding=encoding, quote=quote)


def _in_blanks(line: str, quote: str) -> list[str]:
    """Cells between blanks; those in quotes may hold some."""
    mark = re.escape(quote)
    return re.findall(rf"{mark}[^{mark}]*{mark}(?=\s|$)|\S+", line)


def _is_in_blanks(text: str, quote: str) -> bool:
    """Whether blanks part lines into as many cells, shown by double blanks or a numeric column."""
    lines = [line for line in text.splitlines() if line.strip()]
    first, *records = [_in_blanks(line, quote) for line in lines] or [[]]
    width = len(records[0]) if records else 0
    if width < 2 or {*map(len, records)} != {width} or len(first) not in (width, max(width - 1, 2)):
        return False
    if all(is_plain(line.strip()) for line in lines[1:]):  # 1 000
        return False
    are_apart = sum("  " in line.strip() for line in lines) > 0.5 * len(lines)
    return are_apart or any(all(map(is_plain, column)) for column in zip(*records, strict=True))


def _best_score(text: str) -> float:
    return max(_score(text, delimiter, '"') for delimiter in DELIMITERS)


def _score(text: str, delimiter: str, quote: str) -> float:
    """How well lines agree on their length, times the share of cells that look whole."""
    records = [record for _, record in _records(text, delimiter, quote)]
    width, n = Counter(map(len, records)).most_common(1)[0] if records else (0, 0)
    # One column of numbers with decimal commas under a name without a comma.
    commas = delimiter == "," and len(records) > 1 and len(records[0]) == 1
    if width < 2 or (commas and all(is_plain(",".join(record)) for record in records[1:])):
        return 0.0
    cells = [cell for record in records for cell in record]
    others = {*DELIMITERS[1:]} - {delimiter}
    whole = sum(
        cell in NA_TOKENS
        or is_plain(cell)
        or not (others & {*cell} or "," in cell.replace(", ", " "))
        for cell in cells
    )
    return n / len(records) * whole / len(cells)


def read_delimited(data: memoryview, options: ReadOptions, name: str) -> pd.DataFrame:
    """Parse a delimited file."""
    data, sign = as_utf8(data, options.encoding, name), options.delimiter
    if sign == BLANKS:
        sign, lines = _ONE_SIGN, str(data, "utf-8").splitlines()
        text = "\n".join(sign.join(_in_blanks(line, options.quote)) for line in lines)
        data = memoryview(text.encode())
    data = _with_quotes_at_cells(data)
    while len(data) and data[-1] in b"\r\n":  # would be rows without values
        data = data[:-1]
    try:
        found = _records(first_text(data), sign, options.quote)
    except (csv.Error, TypeError, ValueError) as error:
        raise TableError(
            f"{name} cannot be split at {options.delimiter!r} ({error}): check the delimiter and "
            "look for a stray quotation mark."
        ) from None
    if not found:
        raise TableError(f"{name} is empty: choose a file with a header and at least one row.")
    start = find_start(found, options, name)
    values = [record for _, record in found[start.data :]]
    data = _without_foot(data, sign, options.quote, start, values)
    pieces = (bytes(data[begin : begin + CHUNK]) for begin in range(0, len(data), CHUNK))
    lines = 1 + sum(max(piece.count(b"\n"), piece.count(b"\r")) for piece in pieces)
    skipped = start.options.data_line - 1
    if lines <= skipped:
        raise no_rows(name)
    check_size(lines - skipped, len(start.names), name)
    start.notes.extend(_doubts(data, sign, options))
    # No name is kept for the parsed table, so that `to_frame` can release it piece by piece.
    frame = to_frame(_parse(data, sign, start, name), options, start.notes)
    if 0 < len(frame) < (lines - skipped) / 2:
        few = f"{lines:,} lines make only {counted(len(frame), 'row')}"
        frame.attrs["notes"].append(f"{few}: look for a stray quotation mark.")
    elif lines - skipped > len(frame) and (held := _line_in_a_cell(frame, sign)):
        whole = f"A cell holds whole lines (“{cut(held, 40)}”)"
        frame.attrs["notes"].append(f"{whole}: look for a stray quotation mark.")
    if options.delimiter == BLANKS:
        frame.attrs["notes"].append("The columns are parted where blanks stand.")
    return start.with_attrs(frame)


def _doubts(data: memoryview, sign: str, options: ReadOptions) -> Iterator[str]:
    """Notes on what may have gone wrong with the text before it came here."""
    is_unicode = options.encoding.startswith("utf")
    if not is_unicode and options.encoding != "ascii":
        odd = "if words look odd, choose another encoding"
        yield f"The text is read as {options.encoding}: {odd}."
    mark, tail = re.escape(options.quote), str(data[-_FOOT:], "utf-8", "replace")
    if re.search(rf"(?:^|[{re.escape(sign)}\n]){mark}[^{mark}]+$", tail):
        yield "The last quotation mark is not closed: the file may be cut short."
    if is_unicode and (twice := decoded_twice(first_text(data))):
        seems = f"“{twice[0]}” seems to be “{twice[1]}”, in UTF-8 that was read as another encoding"
        yield f"{seems}: save the file again from where its words are whole."


def _line_in_a_cell(frame: pd.DataFrame, delimiter: str) -> str:
    """A line within a cell that is parted as often as those of the table; "" for none."""
    texts = (frame[name].dropna() for name, kind in frame.dtypes.items() if is_string_dtype(kind))
    cells = (cell for text in texts for cell in text[text.astype(str).str.contains("\n")])
    lines = (line for cell in cells for line in cell.split("\n")[1:-1])
    return next((line for line in lines if line.count(delimiter) == frame.shape[1] - 1 > 1), "")


def _without_foot(
    data: memoryview, sign: str, quote: str, start: Start, values: list[list[str]]
) -> memoryview:
    """Leave out lines below the values, and note it."""
    size, no_cell = _FOOT, f' "\r\n{sign}'.encode()
    while size < len(data) and not bytes(data[-size:]).strip(no_cell):
        size *= 2
    lines = bytes(data[-size:]).splitlines(keepends=True)[:0:-1]
    texts = (line.decode(errors="replace") for line in lines)
    whole = takewhile(lambda text: text.count(quote) % 2 == 0, texts)
    split = (next(csv.reader([text], delimiter=sign, quotechar=quote), []) for text in whole)
    records = [[cell.strip() for cell in record] for record in split]
    n, note = find_foot(records, values, start.names)
    start.notes.extend(note)
    if empty := sum(len(record) > 1 and not any(record) for record in records[:n]):
        start.notes.append(f"{counted(empty, 'row')} without any cell left out.")
    return data[: len(data) - sum(map(len, lines[:n]))]


def _parse(data: memoryview, sign: str, start: Start, name: str) -> pa.Table:
    names, skipped = start.names, start.options.data_line - 1
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(data)),
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=skipped),
            parse_options=arrow_csv.ParseOptions(
                delimiter=sign,
                quote_char=start.options.quote,
                newlines_in_values=True,
                # In a table of one column an empty line is a missing cell.
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            raise no_rows(name) from None
        why = f"cannot be read as a table ({error}): check the delimiter."
    except (ValueError, TypeError) as error:
        raise TableError(f"{name} cannot be read with these options: {error}.") from None
    # A stream of codecs would look for the end of a long line again with every piece of it.
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    reader = csv.reader(text, delimiter=sign, quotechar=start.options.quote)
    for record in reader:
        if record and len(record) != len(names) and reader.line_num > skipped:
            why = (
                f"has {counted(len(record), 'value')} in line {reader.line_num:,} where its header "
                f"has {len(names)}: mend that line, or choose another delimiter."
            )
            break
    raise TableError(f"{name} {why}")
