"""Where a table begins: titles above the names, names, lines that describe them, values."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from statistics import fmean, median_high, mode

import pandas as pd

from ..wording import cut
from .columns import unique_names
from .dates import HOURS_OF
from .numbers import BASE_UNIT, IMPERIAL, is_numeral, is_plain
from .options import NA_TOKENS, ReadOptions, TableError, no_rows

Records = Sequence[Sequence[str]]

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_YEAR = re.compile(r"(18|19|20)\d\d")
_MOST_TITLES, _MOST_DESCRIBING, _LOOKED_AT = 20, 6, 200
_TYPES = re.compile(
    r"[<(]?(continuous|discrete|string|str|real|time|[cdsti]|num(eric)?|number|integer|int\d*|i\d\d"
    r"|dbl|chr|fct|lgl|logical|float\d*|f\d\d|double|factor|date|datetime|char(acter)?|text|bool(ean)?|varchar.*"
    r"|categorical|nominal|ordinal|scale|avg|smp|tot|(num(eric)?|char(acter)?) ?\(?\d+\)?"
    r"|(\$[a-z]*|best|comma|f|[dmy]{6}|date|time|datetime)\d+\.\d*)[>)]?",
    re.IGNORECASE,
)
#: What a line below the values begins with that sums them up, and how many stand above it at least.
_SUM = re.compile(
    r"(?:(?:grand )?totals?|sum|mean|average|avg|median|sd|std\.?|min|max|gesamt|summe|mittelwert"
    r"|moyenne|total général|totale|media|insgesamt|totaal|razem|suma|всего|итого|合計|总计)[:.]?",
    re.IGNORECASE,
)
_LEAST_ROWS, _WORD = 10, re.compile(r"[^\W\d_]{2}")
_FLAGS = re.compile(r"class|meta|ignore|weight|[mi]|c|target|id|label")
_AMOUNT = rf"({BASE_UNIT}|mm ?Hg|cells?|x?10\^?\d+|1|beats)"
_PERIOD = rf"(?i:{'|'.join(word for word in HOURS_OF if len(word) > 1)})\.?"
_UNIT = re.compile(
    rf"[(\[]?(%|°[CF]?|n|count|number|Anzahl|Stück|nombre|número|numero|aantal|{_PERIOD}|min|sec|h|d"
    rf"|bpm|rpm|°|K|[kMmµ]?[NTFCΩ]|dB|rad|ppm|ppb|psi|{IMPERIAL}|EUR|USD|CHF|€|\$|£"
    rf"|kg/m[2²]|{_AMOUNT}[2²3³]?(/(\d* ?{_AMOUNT}[2²3³]?|d[lL]|min|h|day|year|kg))?)[)\]]?"
)
#: What answers there can be: "1-7", "1 = never".
_SPAN = re.compile(r"[(\[]?\d+ ?(-|\u2013|to|bis|\.\.+) ?\d+[)\]]?|\d+ ?[=:] ?\D.*")
#: Of a line under the names that SurveyMonkey writes, and a line of dashes.
_RESPONSE, _RULE = re.compile(r"(Open-Ended )?Response"), re.compile(r":?[-=]{2,}:?")


@dataclass(frozen=True)
class Start:
    """Where a table begins, and what is said above its values."""

    names: list[str]
    #: Place among the records of the first one that holds values.
    data: int
    options: ReadOptions
    labels: dict[str, str]
    notes: list[str]

    def with_attrs(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table, with how it was read and what is said of its columns."""
        frame.attrs["used"] = asdict(self.options)
        if self.labels:
            frame.attrs["columns"] = {name: {"label": text} for name, text in self.labels.items()}
        return frame


class _Columns:
    """Cells that stand in each column of some records, and places of the columns of numbers."""

    def __init__(self, records: Records, width: int) -> None:
        looked = records[:_LOOKED_AT]
        there = ((record[p] for record in looked if p < len(record)) for p in range(width))
        self.cells = [[cell for cell in cells if cell not in NA_TOKENS] for cells in there]
        numerals = {p: fmean(map(is_numeral, c[:100])) for p, c in enumerate(self.cells) if c}
        self.of_numbers = {place for place, share in numerals.items() if share >= 0.95}


def find_start(found: Sequence[tuple[int, list[str]]], options: ReadOptions, name: str) -> Start:
    """Where a table begins, of the first lines not blank as stripped cells, with numbers."""
    records = [record for _, record in found]
    if options.names_line is not None:
        top, data = _given(found, options)
    else:
        top = data = _n_titles(records)
        if _looks_like_header(records[top:]):
            data += 1 + _n_describing(*records[top : top + 12 + _LOOKED_AT])
    above, head, values = records[:top], records[top:data], records[data:]
    labels: dict[str, str] = {}
    if head:
        text = _with_parts(_with_groups(above, head[0]), *head[1:2])
        if above and all(cell in " ".join(text) for cell in above[-1]):
            above = above[:-1]  # in the names
        names, notes = unique_names(text)
        are_numbers = [_NUMBER.fullmatch(n) and not _YEAR.fullmatch(n) for n in head[0] if n]
        if any(are_numbers) and not (all(are_numbers) and _looks_like_header(records[top:])):
            notes.append("The first line holds numbers and is read as names.")
        names, more = _with_extra(names, values, options.delimiter == ",")
        notes += more
        if describing := found[top + 1 : data]:
            labels, note = _described(names, describing)
            notes.append(note)
    else:
        names = [f"column {place + 1}" for place in range(len((values or [[]])[0]))]
        notes = ["The first line is read as values, so the columns are named by their place."]
    if titles := " · ".join(cell for record in above for cell in record if cell):
        notes.insert(0, f"What stands above the table is no part of it: “{cut(titles, 80)}”.")
    if not names:
        raise no_rows(name)
    used = replace(
        options,
        names_line=found[top][0] if head else 0,
        data_line=1 + (found[data - 1][0] if data else 0),
    )
    return Start(names, data, used, labels, notes)


def _given(found: Sequence[tuple[int, list[str]]], options: ReadOptions) -> tuple[int, int]:
    def place(line: int) -> int:
        return next((j for j, (number, _) in enumerate(found) if number >= line), len(found))

    if not options.names_line:
        return (place(options.data_line or 1),) * 2
    top = place(options.names_line)
    if top == len(found):
        raise TableError(
            f"No line {options.names_line} stands among the first of the file: choose a line that "
            "names the columns, or 0 for none."
        )
    return top, max(top + 1, place(options.data_line or 1))


def _described(
    names: Sequence[str], lines: Sequence[tuple[int, list[str]]]
) -> tuple[dict[str, str], str]:
    """What lines under the names say of columns, unless they give types, and a note."""
    (first, texts), (last, _) = lines[0], lines[-1]
    of_one = f"Line {first} describes the columns and holds"
    of_more = f"Lines {first} to {last} describe the columns and hold"
    quote = cut(", ".join(text for text in texts if text), 80)
    note = f"{of_one if first == last else of_more} no values: “{quote}”."
    if any(map(_TYPES.fullmatch, texts)):
        return {}, note
    pairs = [p for p in zip(names, texts, strict=False) if not _RESPONSE.fullmatch(p[1])]
    return {n: text for n, text in pairs if text != n and re.match(r"\w|\(\w", text)}, note


def _filled(record: Sequence[str]) -> int:
    return sum(cell != "" for cell in record)


def _n_titles(records: Records) -> int:
    """Number of lines above the names: few of their cells are filled, of the names nearly all."""
    first, looked = records[:_MOST_TITLES], records[:_LOOKED_AT]
    later = looked[len(looked) // 2 :]
    usual, width = median_high(map(_filled, later)), mode(map(len, later))
    if usual < 2:
        return 0
    is_ragged = any(len(record) != width for record in first)
    wide = (j for j, record in enumerate(first) if is_ragged and len(record) == width)
    named = (j for j in wide if _looks_like_header(records[j:]))
    whole = next((j for j in named if _Columns(records[j + 1 :], width).of_numbers), 0)
    for place, record in enumerate(first):
        if place < whole and len(record) != width:
            continue
        if any(map(_RESPONSE.fullmatch, (records[place + 1 :] or [[]])[0])):
            return place
        n = _filled(record)
        is_unnamed = place == 0 and not record[0] and n == usual - 1
        if n <= max(1, usual // 2) and not is_unnamed:
            continue
        if n >= 0.6 * usual and _looks_like_header(records[place:]):
            return _fuller(records, place, usual)
        if n >= usual:
            return 0
    return 0


def _fuller(records: Records, place: int, usual: int) -> int:
    """That place, or that of the line of words below it that names what it leaves open."""
    groups = records[place]
    repeated = sum(groups.count(name) > 1 for name in groups if name) >= 0.5 * len(groups)
    for other in range(place + 1, min(place + 4, len(records) - 1)):
        record = records[other]
        if any(map(_RESPONSE.fullmatch, record)):
            continue  # it describes
        named = sum(any(cells) for cells in zip(groups, record, strict=False))
        is_fuller = groups[0] and _filled(groups) < named >= usual
        # Or it tells apart what groups that stand twice each are of.
        pairs = {*zip(groups, record, strict=False)}
        tells_apart = repeated and len(record) == len(groups) == len(pairs)
        if is_fuller or (tells_apart and _filled(record) >= usual - 1):
            numbers = _Columns(records[other + 1 :], len(record)).of_numbers
            words = [record[j] for j in numbers if record[j] or not groups[j : j + 1]]
            if words and all(words) and not any(map(is_numeral, words)):
                return other
    return place


def _looks_like_header(records: Records) -> bool:
    """Whether the first record names the columns: it holds no numbers, and nothing found below it.

    Years beside other names (wide tables) are names, and 0, 1, 2, ... (arrays written without).
    """
    if _recur(records):
        return False
    names = (records or [[]])[0]
    first = [cell for cell in names if cell]
    numbers = [cell for cell in first if _NUMBER.fullmatch(cell)]
    are_places = len(first) > 2 or names[:1] == [""]
    if not numbers or (are_places and first == [str(j) for j in range(len(first))]):
        return True
    if len(numbers) == len(names):
        return False
    over_numbers = _Columns(records[1:], len(names)).of_numbers
    if sum(names[p] not in ("", *numbers, *NA_TOKENS) for p in over_numbers) > len(numbers):
        return True
    values = [float(cell.replace(",", ".")) for cell in numbers]
    steps = {round(b - a, 9) for a, b in pairwise(values)}
    # Of a pivot table or a spectrum: months, items, doses, wavelengths.
    if len(numbers) > 2 and (steps == {1.0} or (len(numbers) > 4 and min(steps) > 0)):
        return True
    return all(map(_YEAR.fullmatch, numbers))  # a blank corner is no year


def _recur(records: Records) -> bool:
    """Whether most texts of the first record stand among the values of their columns, too."""
    names, *below = records or [[]]
    below = [record for record in below if record != names]  # written again between the values
    found = []
    for place, cell in enumerate(names):
        if cell and cell not in NA_TOKENS and not _NUMBER.fullmatch(cell):
            cells = {record[place] for record in below if place < len(record)}
            if cells != {cell, ""}:  # else an option, ticked or not
                found.append(cell in cells)
    return len(below) > 1 and 2 * sum(found) > len(found)


def _n_describing(names: Sequence[str], *below: Sequence[str]) -> int:
    """Number of lines under the names that describe columns, the last of them certainly."""
    for n in range(min(_MOST_DESCRIBING, len(below) - 2), 0, -1):
        columns = _Columns(below[n:], len(names))
        lines = [_describes(record, names, columns) for record in below[:n]]
        if lines[-1] and None not in lines:
            flags = [cell for cell in below[n] if cell]  # of Orange: a line that holds these alone
            are_flags = 0 < len(flags) < len(names) and all(map(_FLAGS.fullmatch, flags))
            return n + are_flags
    return 0


def _describes(record: Sequence[str], names: Sequence[str], columns: _Columns) -> bool | None:
    """Whether a line describes the columns whose cells stand below; None where it cannot."""
    cells = [(cell, place) for place, cell in enumerate(record[: len(names)]) if cell]
    texts = [cell for cell, _ in cells]
    of_surveys = not record[0] and len(texts) > 1 and any(map(_RESPONSE.fullmatch, texts))
    of_pandas = texts == [record[0]] and not names[0] and len(names) > 2  # names the rows
    of_import = any('"ImportId"' in text for text in texts)
    if of_import or of_surveys or of_pandas or (texts and all(map(_RULE.fullmatch, texts))):
        return True
    n_numbers = len(columns.of_numbers)
    in_numbers = [cell for cell, place in cells if place in columns.of_numbers]
    are_units = all(map(_UNIT.fullmatch, in_numbers)) and len(in_numbers) == n_numbers > 1
    # Beside a dash, of what has none; 1 alone is a value.
    units = [text for text in texts if text.strip("()[]") not in NA_TOKENS]
    measured = any(c.strip("()[]") not in NA_TOKENS and not is_numeral(c) for c in in_numbers)
    or_spans = all(_UNIT.fullmatch(text) or _SPAN.fullmatch(text) for text in units)
    if measured and (are_units or (or_spans and any(map(_UNIT.fullmatch, in_numbers)))):
        return True
    if not cells or any(is_numeral(cell) or cell in NA_TOKENS for cell in in_numbers):
        return None
    if sum(map(bool, map(_SPAN.fullmatch, in_numbers))) >= max(2, 0.6 * n_numbers):
        return True
    marks = [text for text in texts if _TYPES.fullmatch(text)]
    if all(text in marks or _UNIT.fullmatch(text) for text in texts):
        return bool(in_numbers) or None
    if in_numbers and len(marks) > 1 and {*in_numbers} <= {*marks}:
        return True
    recur = any(c in columns.cells[p] for c, p in cells if p not in columns.of_numbers)
    # The same word for several measurements is an answer of somebody.
    if (recur and len(marks) < max(2, len(in_numbers))) or (
        len({*in_numbers}) < 0.7 * len(in_numbers)
    ):
        return None
    asked = sum(text.endswith("?") for text in texts)
    in_values = any(cell.endswith("?") for column in columns.cells for cell in column)
    if asked >= max(2, 0.5 * len(texts)) and not in_values:
        return True
    are_long = all(_is_longer(cell, columns.cells[place]) for cell, place in cells)
    if in_numbers and are_long and len(cells) > 2 and any(" " in text for text in texts):
        return True
    if len(texts) > 1 and sum(_is_text_of(c, names[j]) for c, j in cells) >= 0.6 * len(texts):
        are_answers = all(2 * len({*below}) <= len(below) for below in columns.cells)
        return bool(in_numbers) or (are_long and are_answers and len(cells) == len(names) > 1)
    return True if len(in_numbers) >= max(3, 0.5 * n_numbers) else None


def find_foot(
    records: Iterable[list[str]], values: Records, names: Sequence[str]
) -> tuple[int, list[str]]:
    """Number of the last records that are below a table, from the last one up, and a note on them.

    No row of values are words where numbers stand, nor sums and means of the rows above, nor a
    sentence alone; nor, below a line without cells, a line of which half is empty.
    """
    width = len(names)
    if width < 2:
        return 0, []
    sample = values[:_LOOKED_AT] if len(values) >= _LEAST_ROWS else []
    numbers = _Columns(sample, width).of_numbers
    words: list[str] = []
    foot: list[str] = []
    n = 0
    for place, record in enumerate(records, 1):
        filled = [cell for cell in record if cell]
        is_plain_first = bool(record) and is_plain(record[0])
        is_whole = len(record) >= width and (len(filled) > max(1, width // 2) or is_plain_first)
        is_sum = is_whole and numbers and _SUM.fullmatch(filled[0])
        is_sum = is_sum or _is_sentence(record, sample)
        there = {record[p] for p in numbers if p < len(record)}.difference(NA_TOKENS)
        is_row = len(record) > width or (is_whole and not is_sum)
        if is_row and not any(map(_WORD.match, there)):
            break
        words = [*filled, *words]
        if not filled or is_sum or (len(record) == 1 and not is_plain_first):
            n, foot = place, words
    text = cut(" · ".join(foot), 80)
    return n, [f"What stands below the table is no part of it: “{text}”."] * bool(foot)


def _is_sentence(record: Sequence[str], values: Records) -> bool:
    """Whether of three cells or more the first alone is filled, by several words, as in no row."""
    if len(record) < 3 or " " not in record[0] or any(record[1:]) or not values:
        return False
    firsts = [row[0] for row in values if [*row] != [*record]]
    return not any(" " in cell for cell in firsts) and _is_longer(record[0], firsts)


def _is_longer(cell: str, column: Sequence[str]) -> bool:
    """Whether a cell is longer than every other one of its column."""
    return len(cell) > max(map(len, column), default=0)


def _is_text_of(cell: str, name: str) -> bool:
    """Whether a cell reads like the text of a question, or is another spelling of the name."""
    spelled, plain = (re.sub(r"\W|_", "", text).casefold() for text in (cell, name))
    return (len(cell) > 12 and " " in cell) or spelled == plain != ""


def _with_groups(above: Records, names: Sequence[str]) -> list[str]:
    """Names that repeat behind the last group above them; a blank one is the one right above."""
    if not above or len(above[-1]) != len(names):
        return [*names]
    last, counts = "", Counter(names)
    result = []
    for group, name in zip(above[-1], names, strict=True):
        last = group or last
        result.append(f"{last} {name}" if name and last and counts[name] > 1 else name or group)
    return result


def _with_parts(names: list[str], parts: Sequence[str] = ()) -> list[str]:
    """Names of several columns that the first alone has, each with what the line below says."""
    is_other = any(_TYPES.fullmatch(part) or _RULE.fullmatch(part) for part in parts)
    if is_other or len(parts) != len(names):
        return names
    result, last = [], ""
    for name, following, part in zip(names, [*names[1:], "end"], parts, strict=True):
        last = name or last
        is_one_of_several = last and part and not (name and following)
        result.append(f"{last}: {part}" if is_one_of_several else name)
    return result


def _with_extra(names: list[str], values: Records, by_commas: bool) -> tuple[list[str], list[str]]:
    """Names where each line of values has one cell more."""
    if len(names) < 2 or {len(record) for record in values} != {len(names) + 1}:
        return names, []
    note = "The lines have one value more than there are names: "
    if any(record[-1] for record in values):
        names, note = ["row name", *names], f"{note}the first names the row."
        whole = [all(record[j].isdigit() for record in values) for j in range(len(names))]
        if by_commas and any(map(all, pairwise(whole))):
            note += " If commas stand in numbers (12,5), save the file with semicolons instead."
    else:
        names = [*names, f"column {len(names) + 1}"]
        note += "the last, always empty, is kept."
    return unique_names(names)[0], [note]
