"""Read delimited text: how it is split, and its cells as text."""

import csv
import io
import re
from collections import Counter
from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pandas.api.types import is_string_dtype

from ..wording import counted, cut
from .columns import to_frame
from .encodings import CHUNK, decoded_twice, decodes, find_encoding, first_text
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
# A cell in single quotes, from one delimiter or line end to the next.
_SINGLE_QUOTED = re.compile(r"(?:^|(?<=[,;\t|]))[ ]?'[^'\n]*'(?=[,;\t|\r]|$)", re.MULTILINE)


def _records(text: str, delimiter: str, quote: str) -> list[tuple[int, list[str]]]:
    """The first lines that are not blank, split, each with the number of the line it ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    records: list[tuple[int, list[str]]] = []
    for record in reader:
        if record and (records or not record[0].lower().startswith("sep=")):  # Excel's own hint
            records.append((reader.line_num, [cell.strip() for cell in record]))
            if len(records) == _LINES:
                break
    return records


def _with_quotes_at_cells(data: memoryview, encoding: str) -> memoryview:
    """Text whose quotes stand right around its cells, and around no line."""
    text = first_text(data, encoding)
    if _APART.search(text) and not re.search('[,;|]"', text):
        text = _APART.sub(r'\1"', str(data, encoding))
    elif all(map(_WRAPPED.fullmatch, text.splitlines()[:2])):
        lines = str(data, encoding).splitlines()
        inner = [line[1:-1].replace('""', '"') for line in lines]
        are_wrapped = all(line == "" or _WRAPPED.fullmatch(line) for line in lines)
        are_split = any(_score("\n".join(inner[:_LINES]), sign, '"') == 1 for sign in DELIMITERS)
        if not (are_wrapped and are_split) or ", " in inner[0]:
            return data
        text = "\n".join(inner)
    else:
        return data
    return memoryview(text.encode(encoding))


def sniff_text(data: memoryview, name: str) -> ReadOptions:
    """Guess how text is encoded and split: csv.Sniffer errs in 1,5;2,5."""
    encoding = find_encoding(data, name)
    data = _with_quotes_at_cells(data, encoding)
    text = first_text(data, encoding)
    # A single quote wraps cells where it does nothing else, and no other sign is there.
    wrapped = 0 if '"' in text else len(_SINGLE_QUOTED.findall(text))
    quote = "'" if wrapped > 1 and text.count("'") <= 2.1 * wrapped else '"'
    possible = (*DELIMITERS, *(sign for sign in "^~" if sign in text.lstrip().partition("\n")[0]))
    scores = {delimiter: _score(text, delimiter, quote) for delimiter in possible}
    if any(scores.values()):
        delimiter = max(scores, key=scores.__getitem__)
    elif _is_in_blanks(text, quote) and _is_in_blanks(str(data, encoding), quote):
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
    if not decodes(data, options.encoding):
        raise TableError(
            f"{name} cannot be read as {options.encoding}: choose another encoding, or save it "
            "as UTF-8."
        )
    if options.delimiter == BLANKS:
        lines = str(data, options.encoding).splitlines()
        text = "\n".join(_ONE_SIGN.join(_in_blanks(line, options.quote)) for line in lines)
        with_one = replace(options, delimiter=_ONE_SIGN, encoding="utf-8")
        frame = read_delimited(memoryview(text.encode()), with_one, name)
        frame.attrs["used"] |= {"delimiter": BLANKS, "encoding": options.encoding}
        frame.attrs["notes"].append("The columns are parted where blanks stand.")
        return frame
    data = _with_quotes_at_cells(data, options.encoding)
    is_wide = options.encoding.startswith(("utf-16", "utf-32"))
    while not is_wide and len(data) and data[-1] in b"\r\n":  # would be rows without values
        data = data[:-1]
    try:
        found = _records(first_text(data, options.encoding), options.delimiter, options.quote)
    except (csv.Error, TypeError, ValueError) as error:
        raise TableError(
            f"{name} cannot be split at {options.delimiter!r} ({error}): check the delimiter and "
            "look for a stray quotation mark."
        ) from None
    if not found:
        raise TableError(f"{name} is empty: choose a file with a header and at least one row.")
    start = find_start(found, options, name)
    if not is_wide:
        values = [record for _, record in found[start.data :]]
        data = _without_foot(data, options, start, values)
    pieces = (bytes(data[begin : begin + CHUNK]) for begin in range(0, len(data), CHUNK))
    lines = 1 + sum(max(piece.count(b"\n"), piece.count(b"\r")) for piece in pieces)
    skipped = start.options.data_line - 1
    if lines <= skipped:
        raise no_rows(name)
    check_size(lines - skipped, len(start.names), name)
    if options.encoding != "ascii" and not options.encoding.startswith("utf"):
        start.notes.append(
            f"The text is read as {options.encoding}: if words look odd, choose another encoding."
        )
    mark = re.escape(options.quote)
    tail = bytes(data[-_FOOT:]).decode(options.encoding, "replace")
    if re.search(rf"(?:^|[{re.escape(options.delimiter)}\n]){mark}[^{mark}]+$", tail):
        start.notes.append("The last quotation mark is not closed: the file may be cut short.")
    is_unicode = options.encoding.startswith("utf")
    if is_unicode and (twice := decoded_twice(first_text(data, options.encoding))):
        start.notes.append(
            f"“{twice[0]}” seems to be “{twice[1]}”, in UTF-8 that was read as another encoding: "
            "save the file again from where its words are whole."
        )
    # No name is kept for the parsed table, so that `to_frame` can release it piece by piece.
    frame = to_frame(_parse(data, options, name, start.names, skipped), options, start.notes)
    if 0 < len(frame) < (lines - skipped) / 2:
        few = f"{lines:,} lines make only {counted(len(frame), 'row')}"
        frame.attrs["notes"].append(f"{few}: look for a stray quotation mark.")
    elif lines - skipped > len(frame) and (held := _line_in_a_cell(frame, options.delimiter)):
        whole = f"A cell holds whole lines (“{cut(held, 40)}”)"
        frame.attrs["notes"].append(f"{whole}: look for a stray quotation mark.")
    return start.with_attrs(frame)


def _line_in_a_cell(frame: pd.DataFrame, delimiter: str) -> str:
    """A line within a cell that is parted as often as those of the table; "" for none."""
    texts = (frame[name].dropna() for name, kind in frame.dtypes.items() if is_string_dtype(kind))
    cells = (cell for text in texts for cell in text[text.astype(str).str.contains("\n")])
    lines = (line for cell in cells for line in cell.split("\n")[1:-1])
    return next((line for line in lines if line.count(delimiter) == frame.shape[1] - 1 > 1), "")


def _without_foot(
    data: memoryview, options: ReadOptions, start: Start, values: list[list[str]]
) -> memoryview:
    """Leave out lines below the values, and note it."""
    size, no_cell = _FOOT, f' "\r\n{options.delimiter}'.encode()
    while size < len(data) and not bytes(data[-size:]).strip(no_cell):
        size *= 2
    lines = bytes(data[-size:]).splitlines(keepends=True)[:0:-1]
    records = []
    for line in lines:
        text = line.decode(options.encoding, "replace")
        if text.count(options.quote) % 2:
            break
        reader = csv.reader([text], delimiter=options.delimiter, quotechar=options.quote)
        records.append([cell.strip() for cell in next(reader, [])])
    n, note = find_foot(records, values, start.names)
    empty = sum(len(record) > 1 and not any(record) for record in records[:n])
    start.notes.extend(note)
    if empty:
        start.notes.append(f"{counted(empty, 'row')} without any cell left out.")
    return data[: len(data) - sum(map(len, lines[:n]))]


def _parse(
    data: memoryview, options: ReadOptions, name: str, names: list[str], skipped: int
) -> pa.Table:
    utf8 = options.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "ascii")
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(data)),
            read_options=arrow_csv.ReadOptions(
                column_names=names,
                skip_rows=skipped,
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
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise _explain(data, options, name, len(names), skipped, str(error)) from None
    except (ValueError, TypeError) as error:
        raise TableError(f"{name} cannot be read with these options: {error}.") from None


def _explain(
    data: memoryview, options: ReadOptions, name: str, width: int, skipped: int, message: str
) -> TableError:
    if "Empty CSV" in message:
        return no_rows(name)
    # A stream of codecs would look for the end of a long line again with every piece of it.
    lines = io.TextIOWrapper(io.BytesIO(data), options.encoding, newline="")
    reader = csv.reader(lines, delimiter=options.delimiter, quotechar=options.quote)
    for record in reader:
        if record and len(record) != width and reader.line_num > skipped:
            return TableError(
                f"{name} has {counted(len(record), 'value')} in line {reader.line_num:,} where its "
                f"header has {width}: mend that line, or choose another delimiter."
            )
    return TableError(f"{name} cannot be read as a table ({message}): check the delimiter.")
