"""Read delimited text: how it is encoded and split, and where the table in it begins."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv

from ..extras import needs
from ..wording import counted, cut
from .arrow_frame import to_frame, unique_names
from .layout import Layout, are_types, find_layout, looks_like_header
from .read_options import NA_TOKENS, ReadOptions, TableError, check_size

DELIMITERS = (",", ";", "\t", "|")
#: Encodings to choose from, the likeliest first.
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "cp1250"),
    *("cp1251", "koi8-r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "mac-roman"),
    *("shift_jis", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp874", "cp850", "cp866"),
)
_SAMPLE = 256 * 1024
_CHUNK = 4 * 1024**2
_LINES = 500

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}([ .,'\u2019\xa0\u202f]\d{3})+([.,]\d+)?")
# A cell in single quotes, from one delimiter or line end to the next.
_SINGLE_QUOTED = re.compile(r"(?:^|(?<=[,;\t|]))[ ]?'[^'\n]*'(?=[,;\t|\r]|$)", re.MULTILINE)
#: What no word of Western Europe has: three such letters in a row, or a sign among letters.
_FOREIGN = re.compile(
    r"[^\W\d_a-zA-Z]{3,}|[\xa1-\xbf\xd7\xf7]{2}|(?<=[^\W\d_])"
    r"[\xa1-\xbf\xd7\xf7\u0152\u0153\u201c-\u201e\u2020-\u2022\u2026\u2030\u2122](?=[^\W\d_])"
)
#: Encodings of Latin scripts beside cp1252, and what shows that one is not the right one: a sign
#: beside a letter, but for quotes and units, or a capital behind a small letter.
_OTHER_LATIN = ("cp1250", "mac-roman", "cp850")
_MARKS = r"\u0192\u02c6\u02dc\u201a\u201e-\u2022\u2030-\u203a"
_SIGNS = rf"\x80-\xa9\xac-\xaf\xb4\xb6-\xb8\xbc-\xbf\xd7\xf7{_MARKS}"
_MISPLACED = re.compile(
    rf"(?<=[a-zß-ž])[\xc0-\xde\u0152\u0160\u0178\u017d]|[{_SIGNS}\xaa\u201d\u2200-\u25ff](?=[^\W\d_])"
    rf"|(?<=[^\W\d_])[{_SIGNS}\xb3\xb9\u2018\u201c\u2200-\u25ff](?=[^\W\d_]|$|[;,\t|\r\n])"
)
#: What no table holds: control signs, lines of boxes, halves of katakana, signs of one's own.
_ODD = re.compile(r"[\x80-\x9f\u2500-\u259f\uff61-\uff9f\ue000-\uf8ff]")


def find_encoding(data: memoryview, name: str) -> str:
    """Find an encoding that decodes the whole file.

    UTF-8 or UTF-16; else Windows-1252, unless that gives words that no language has: then the best
    guess of charset-normalizer.

    Raises
    ------
    TableError
        The content is binary, or in no encoding.
    """
    start = bytes(data[:_SAMPLE])
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
        order = ("utf-8",)
    for encoding in order:
        if decodes(data, encoding):
            return encoding
    if order != ("utf-8",):
        raise TableError(f"{name} is text, but not valid {order[0].upper()}: save it as UTF-8.")
    western = decodes(data, "cp1252")
    text = start.decode("cp1252", "replace")
    if western and not _MISPLACED.search(text) and not _is_unlikely(text):
        return "cp1252"
    if _are_letters_of_words(start):
        for encoding in _OTHER_LATIN:
            if decodes(data, encoding) and not _MISPLACED.search(start.decode(encoding, "replace")):
                return encoding
    if western and not _is_unlikely(text):
        return "cp1252"
    return _guessed_encoding(data, start, name)


def _are_letters_of_words(start: bytes) -> bool:
    """Whether most signs beyond ASCII stand beside letters of it, as those of Latin scripts do."""
    runs = re.findall(rb"([A-Za-z]?)([\x80-\xff]+)([A-Za-z]?)", start)
    return sum(len(run) < 3 and bool(a or b) for a, run, b in runs) > 0.5 * len(runs)


def _binary(name: str) -> TableError:
    return TableError(
        f"{name} is a binary file, not a table in text form: export it as CSV, or load Parquet, "
        "JSON or xlsx."
    )


def _is_unlikely(text: str) -> bool:
    """Whether text holds words that Windows-1252 was not made for."""
    words = {word for word in re.findall(r"[^\s,;|\"]+", text) if not word.isascii()}
    return sum(bool(_FOREIGN.search(word)) for word in words) > 0.2 * len(words)


def _guessed_encoding(data: memoryview, start: bytes, name: str) -> str:
    """What charset-normalizer makes of the lines that are not plain ASCII."""
    needs("charset_normalizer", f"{name} is not UTF-8; to guess its encoding needs", TableError)
    from charset_normalizer import from_bytes

    lines = [line for line in start.splitlines() if not line.isascii()]
    sample = b"\n".join(dict.fromkeys(lines))
    found = [match.encoding for match in from_bytes(sample, cp_isolation=[*ENCODINGS[6:]])]
    found.sort(key=lambda encoding: bool(_ODD.search(sample.decode(encoding, "replace"))))
    for encoding in (*found, "cp1252"):
        if decodes(data, encoding):
            return encoding
    raise TableError(
        f"{name} is text, but not valid UTF-8 or CP1252: choose its encoding below, or save it as "
        "UTF-8 and load it again."
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


def _first_text(data: memoryview, encoding: str) -> str:
    """Decode the first lines; one that is cut by the end of the sample is left out."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(data[:_SAMPLE])
    if len(data) > _SAMPLE:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    return text


def _records(text: str, delimiter: str, quote: str) -> list[tuple[int, list[str]]]:
    """The first lines that are not blank, split, each with the number of the line it ends in.

    Raises
    ------
    csv.Error
        A cell that never ends, the mark of a stray quote.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    records: list[tuple[int, list[str]]] = []
    for record in reader:
        if record and (records or not record[0].lower().startswith("sep=")):  # Excel's own hint
            records.append((reader.line_num, [cell.strip() for cell in record]))
            if len(records) == _LINES:
                break
    return records


def sniff_text(data: memoryview, name: str) -> ReadOptions:
    """Guess how a delimited text file is encoded and split.

    Raises
    ------
    TableError
        The content is not text.
    """
    encoding = find_encoding(data, name)
    text = _first_text(data, encoding)
    quote = find_quote(text)
    return ReadOptions(delimiter=find_delimiter(text, quote), encoding=encoding, quote=quote)


def find_quote(text: str) -> str:
    """Find the sign around cells: the single quote where cells are wrapped in it and no other."""
    if '"' in text:
        return '"'
    wrapped = len(_SINGLE_QUOTED.findall(text))
    apostrophes = text.count("'") - 2 * wrapped
    return "'" if wrapped > 1 and apostrophes <= 0.1 * wrapped else '"'


def find_delimiter(text: str, quote: str = '"') -> str:
    """Find the delimiter whose lines agree best on their length and whose cells look whole.

    ``csv.Sniffer`` goes by the frequency of characters alone, and 1,5;2,5 holds both as often.
    """
    scores = {delimiter: _score(text, delimiter, quote) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: scores[delimiter])
    if scores[best] > 0:
        return best
    # One column: any delimiter that does not occur leaves its cells whole.
    return next((delimiter for delimiter in DELIMITERS if delimiter not in text), ",")


def _score(text: str, delimiter: str, quote: str) -> float:
    try:
        records = [record for _, record in _records(text, delimiter, quote)]
    except csv.Error:
        return 0.0
    if not records:
        return 0.0
    width, share = Counter(map(len, records)).most_common(1)[0]
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
    return "," not in cell.replace(", ", " ") or bool(_GROUPED.fullmatch(cell))


def read_delimited(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Parse a delimited file, or raise TableError.

    With it what was changed or assumed, one sentence each.
    """
    if not decodes(data, options.encoding):
        raise TableError(
            f"{name} cannot be read as {options.encoding}: choose another encoding below, or save "
            "it as UTF-8."
        )
    data = _without_blank_end(data, options.encoding)
    try:
        found = _records(_first_text(data, options.encoding), options.delimiter, options.quote)
    except (csv.Error, TypeError, ValueError) as error:
        raise TableError(
            f"{name} cannot be split at {options.delimiter!r} ({error}): check the delimiter and "
            "look for a stray quotation mark."
        ) from None
    if not found:
        raise TableError(f"{name} is empty: choose a file with a header and at least one row.")
    layout = layout_of(found, options)
    names, labels, notes = describe(found, layout)
    skipped = found[layout.data - 1][0] if layout.data else 0
    used = replace(
        options,
        names_line=0 if layout.names is None else found[layout.names][0],
        data_line=skipped + 1,
    )
    lines = _count_lines(data)
    if lines <= skipped or not names:
        raise no_rows(name)
    check_size(lines - skipped, len(names), name)
    # No name is kept for the parsed table, so that `to_frame` can release it piece by piece.
    frame = to_frame(_parse(data, options, name, names, skipped), options)
    frame.attrs["used"] = asdict(used)
    if labels:
        frame.attrs["columns"] = {n: {"label": text} for n, text in labels.items()}
    if options.encoding != "ascii" and not options.encoding.startswith("utf"):
        notes.append(
            f"The text is read as {options.encoding}: if words look odd, choose another encoding."
        )
    if 0 < len(frame) < (lines - skipped) / 2:
        notes.append(
            f"{lines:,} lines make only {counted(len(frame), 'row')}: look for a stray quotation "
            "mark."
        )
    return frame, notes


def layout_of(found: Sequence[tuple[int, list[str]]], options: ReadOptions) -> Layout:
    """Where the table begins, as the options say or else as the lines show.

    Parameters
    ----------
    found : sequence of (int, list of str)
        The first lines that are not blank, each with its number.
    """
    if options.names_line is None:
        return find_layout([record for _, record in found])

    def place(line: int) -> int:
        return next((j for j, (number, _) in enumerate(found) if number >= line), len(found))

    names = place(options.names_line) if options.names_line else None
    after = 0 if names is None else names + 1
    return Layout(names, after if options.data_line is None else place(options.data_line))


def describe(
    found: Sequence[tuple[int, list[str]]], layout: Layout
) -> tuple[list[str], dict[str, str], list[str]]:
    """Names of the columns, what lines under them say of some, and notes."""
    records = [record for _, record in found]
    notes = []
    top = layout.data if layout.names is None else layout.names
    if above := [cell for record in records[:top] for cell in record if cell]:
        said = cut(" · ".join(above), 80)
        notes.append(f"What stands above the table is no part of it: “{said}”.")
    if layout.names is None:
        width = len(records[layout.data]) if layout.data < len(records) else 0
        notes.append("The first line is read as values, so the columns are named by their place.")
        return [f"column {place}" for place in range(1, width + 1)], {}, notes
    names, changed = unique_names(records[layout.names])
    notes += changed
    if changed and layout.names and len(records[layout.names - 1]) == len(names):
        names = _with_groups(records[layout.names - 1], records[layout.names])
    if not looks_like_header(records[layout.names :]):
        notes.append("The first line holds numbers and is read as names.")
    names, changed = _with_extra(names, records[layout.data :])
    notes += changed
    labels: dict[str, str] = {}
    if describing := records[layout.names + 1 : layout.data]:
        first, last = found[layout.names + 1][0], found[layout.data - 1][0]
        where = f"Line {first} describes" if first == last else f"Lines {first} to {last} describe"
        said = cut(", ".join(cell for cell in describing[0] if cell), 80)
        notes.append(
            f"{where} the columns and {'holds' if first == last else 'hold'} no values: “{said}”."
        )
        if not are_types(describing[0]):
            texts = zip(names, describing[0], strict=False)
            labels = {n: text for n, text in texts if text and text != n and text[0] not in "{["}
    return names, labels, notes


def _with_groups(above: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names that repeat, each behind that of its group: the last cell in the line above it."""
    groups, repeated = "", {name for name, n in Counter(names).items() if n > 1}
    result = []
    for group, name in zip(above, names, strict=True):
        groups = group or groups
        result.append(f"{groups} {name}" if name in repeated and groups else name)
    return unique_names(result)[0]


def _with_extra(names: list[str], values: Sequence[list[str]]) -> tuple[list[str], list[str]]:
    """Names where each line of values has one cell more."""
    if len(names) < 2 or {len(record) for record in values} != {len(names) + 1}:
        return names, []
    if any(record[-1] for record in values):
        names, extra = ["row name", *names], "the first names the row"
    else:
        names, extra = [*names, f"column {len(names) + 1}"], "the last, always empty, is kept"
    note = f"The lines have one value more than there are names: {extra}."
    return unique_names(names)[0], [note]


def no_rows(name: str) -> TableError:
    """The refusal of a table without a row."""
    return TableError(f"{name} holds a header but no rows: add at least one row of values.")


def _without_blank_end(data: memoryview, encoding: str) -> memoryview:
    """Leave out the line ends after the last line, which would be rows without values."""
    if encoding.startswith("utf-16"):
        return data
    end = len(data)
    while end and data[end - 1] in b"\r\n":
        end -= 1
    return data[:end]


def _count_lines(data: memoryview) -> int:
    pieces = (bytes(data[begin : begin + _CHUNK]) for begin in range(0, len(data), _CHUNK))
    return 1 + sum(max(piece.count(b"\n"), piece.count(b"\r")) for piece in pieces)


def _parse(
    data: memoryview, options: ReadOptions, name: str, names: list[str], skipped: int
) -> pa.Table:
    """All cells as text."""
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
    """Find the line that does not fit."""
    if "Empty CSV" in message:
        return no_rows(name)
    # A stream of codecs would look for the end of a long line again with every piece of it.
    lines = io.TextIOWrapper(io.BytesIO(data), options.encoding, newline="")
    reader = csv.reader(lines, delimiter=options.delimiter, quotechar=options.quote)
    try:
        for record in reader:
            if record and len(record) != width and reader.line_num > skipped:
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
