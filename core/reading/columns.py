"""Columns of text on their way to values: unique names, trimmed cells, numbers and days."""

import json
import re
from collections.abc import Sequence
from itertools import count
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..wording import counted, listed
from .numbers import EXACT, ColumnReading, first_like, look_at_numbers, to_numbers
from .options import ReadOptions
from .several import answers_of, answers_sign

#: Of a column in which a plus stands for "positive", a minus stands for "negative".
_PLUS = r"^\(?[+±]+\)?$|^\d\+$|^\+/-$|^(?i:pos(iti[fv][eo]?)?|rea[ck]ti[fv]e?|detected|present)$"
_PLUS_AND_DIGIT, _SIGNED = r"^\+[1-4]$", r"^-\d|^\+[05-9]|^\+\d\d"
#: What shows that a dash among numbers is that of an account: it is indented, or they are money or
#: in groups, which three decimals in some cell are not.
_NUMBER = r"^\s*[($€£¥+-]*\s*\d"
_ACCOUNT = "^\\s*\\(.*\\d\\)\\s*$|^\\s*[$€£¥]|^\\s+[-\u2013\u2014]+\\s*$|^[-\u2013\u2014]+\\s+$"
_GROUPED, _THREE = rf"{_NUMBER}{{1,3}}(?:[,.' ]\d{{3}})+(?:\D|$)", r"(?:\b0|\d{4})[.,]\d{3}$"
#: Cells of these alone are missing, unless they are levels, or zeros of an account.
_DASHES = ("-", "--", "-,--", "-.--", "\u2013", "\u2014")
_OF_MONEY = "^[$€£¥]\\s*([-\u2013\u2014]+)$|^([-\u2013\u2014]+)\\s*[$€£¥]$"
#: A number whose comma is a decimal sign, as groups have three digits.
_COMMA = r"^([^.,]*),(\d{1,2}|\d{4,})$"
_DAYS = {
    r"^\d{4}-\d\d-\d\d$": pa.date32(),
    r"^\d{4}-\d\d-\d\d[ T]\d\d(?::\d\d){1,2}$": pa.timestamp("s"),
    r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{1,9}$": pa.timestamp("ns"),
}
#: Of a missing token that may be a value: what it is, how it is read where it was decided to be
#: one and where it was not, and the button that decides so.
_TOKENS = {
    "dash": ("stands for 0 in accounts", " and is read so.", "; it is read as missing.", "It is 0"),
    "level": (
        *("is a code like the others there", " and kept.", ", but read as missing."),
        "It is a value",
    ),
}
#: Answers that stand beside NA for "does not apply".
_ANSWERS = {"Y", "N", "YES", "NO", "M", "F", "T", "TRUE", "FALSE"}
#: Regions beside which NA may be North America, unless it is there by its name.
_REGIONS = {"EMEA", "APAC", "LATAM", "EUROPE", "ASIA", "AFRICA", "OCEANIA"}
#: Cells that are looked at to see whether a column holds days, and several answers.
_FEW, _MANY = 100, 20_000


def unique_names(names: Sequence[object]) -> tuple[list[str], list[str]]:
    """Names that are neither empty nor repeated, and a note on every change."""
    stripped = ["" if name is None else " ".join(_whole(str(name)).split()) for name in names]
    taken = {*stripped}
    result: dict[str, None] = {}
    notes, nameless = [], []
    for place, name in enumerate(stripped, start=1):
        new = plain = name or f"column {place}"
        if plain in (result if name else taken):
            new = next(n for k in count(2) if (n := f"{plain} ({k})") not in taken)
        if not name:
            nameless.append(new)
        elif new != name:
            notes.append(f"Column {place} repeats the name '{name}' and is called '{new}' here.")
        taken.add(new)
        result[new] = None
    if nameless:
        has = "has no name and is" if len(nameless) == 1 else "have no name and are"
        called = listed(nameless, 3, "'")
        notes.append(f"{counted(len(nameless), 'column')} {has} called by place here: {called}.")
    return [*result], notes


def is_text(kind: pa.DataType) -> bool:
    """Whether cells are text, in whichever way Arrow lays it out."""
    of = pa.types
    return of.is_string(kind) or of.is_large_string(kind) or of.is_string_view(kind)


def to_frame(table: pa.Table, options: ReadOptions, notes: Sequence[str]) -> pd.DataFrame:
    """Tidy every column of a table whose names are unique already, and let go of its memory.

    ``attrs["missing"]`` counts each column's missing tokens but the empty one; ``attrs["open"]``
    has the ``column``, ``text`` and ``choices`` (button to entry of ``ReadOptions.columns``) of
    what is unclear.
    """
    columns = [_Column(name, options) for name in table.column_names]
    if (repeated := _repeats_names(table)) is not None:
        n = repeated.true_count
        lines = "1 line repeats" if n == 1 else f"{n:,} lines repeat"
        columns[0].say(f"{lines} the names of the columns, left out.")
        table = table.filter(pc.invert(repeated))
    if (titles := _titles(table)) is not None:
        text = listed(table[0].filter(titles).to_pylist(), 4, "“”")
        notes = [*notes, f"Lines between the rows are left out: {text}."]
        table = table.filter(pc.invert(titles))
    cells = [column.tidy(its) for column, its in zip(columns, table.columns, strict=True)]
    del table
    readings = [look_at_numbers(its) if is_text(its.type) else None for its in cells]
    are_clear = (r for r in readings if r and r.example and r.signs and r.doubt in ("", "code"))
    signs = {reading.signs[0] for reading in are_clear}
    for place, (column, reading) in enumerate(zip(columns, readings, strict=True)):
        if reading is not None:
            cells[place] = column.typed(cells[place], reading, signs)
    names = [column.name for column in columns]
    tidy = pa.table(cells, names=names)
    del cells
    frame = tidy.to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get,
        date_as_object=False,
        split_blocks=True,
        self_destruct=True,
    )
    frame.columns = names
    attrs = {
        "missing": {column.name: column.missing for column in columns if column.missing},
        "open": [doubt for column in columns for doubt in column.open],
        "notes": [*notes],
    }
    frame.attrs = {key: found for key, found in attrs.items() if found or key == "notes"}
    return frame


def _repeats_names(table: pa.Table) -> pa.BooleanArray | None:
    """Rows that hold the names of their columns, one of which stands nowhere else."""
    if table.num_columns < 2 or not all(is_text(column.type) for column in table.columns):
        return None
    rows, is_alone = None, False
    for name, column in zip(table.column_names, table.columns, strict=True):
        cells = pc.utf8_trim_whitespace(column.combine_chunks())
        same = pc.fill_null(pc.equal(cells, name), False)
        rows = same if rows is None else pc.and_(rows, same)
        if not rows.true_count:
            return None
        others = pc.not_equal(cells, "").true_count > same.true_count
        is_alone |= others and same.true_count == rows.true_count
    return rows if is_alone else None


def _titles(table: pa.Table) -> pa.BooleanArray | None:
    """Rows whose first cell alone is filled, by a word of another form than in the other rows."""
    if table.num_columns < 3 or not is_text(table[0].type):
        return None
    words = pc.utf8_trim_whitespace(table[0].combine_chunks())
    rows = pc.fill_null(pc.not_equal(words, ""), False)
    for column in table.columns[1:]:
        cells = column.combine_chunks()
        blank = pc.equal(pc.utf8_trim_whitespace(cells), "") if is_text(cells.type) else None
        rows = pc.and_(rows, cells.is_null() if blank is None else pc.fill_null(blank, True))
        if not 0 < rows.true_count <= len(rows) / 5:
            return None
    forms = pc.replace_substring_regex(pc.replace_substring_regex(words, r"\d+", "9"), r"\pL+", "a")
    titles = pc.and_(rows, pc.invert(pc.is_in(forms, pc.unique(forms.filter(pc.invert(rows))))))
    return titles if titles.true_count > 1 else None


class _Column:
    def __init__(self, name: str, options: ReadOptions) -> None:
        self.name, self.options = name, options
        self.missing: dict[str, int] = {}
        self.open: list[dict[str, Any]] = []

    def say(self, text: str, button: str = "", what: str = "", value: str = "") -> None:
        """Note what can be read in two ways, and what to write on the button of the other one."""
        choices = {button: [self.name, what, value]} if button else {}
        self.open.append({"column": self.name, "text": text, "choices": choices})

    def tidy(self, column: pa.ChunkedArray) -> pa.Array:
        """Cells without surrounding blanks and missing tokens, which are counted."""
        cells = _plain(column.combine_chunks())
        if not is_text(cells.type):
            return cells
        trimmed = pc.utf8_trim_whitespace(cells)
        if first_like(trimmed.slice(0, _FEW), "[$€£¥]"):  # "$ -" is a dash, too
            trimmed = pc.replace_substring_regex(trimmed, _OF_MONEY, r"\1\2")
        if first_like(trimmed.slice(0, _FEW), '^=".*"$'):  # which no spreadsheet takes for a number
            trimmed = pc.replace_substring_regex(trimmed, '^="(.*)"$', r"\1")
        is_token = pc.is_in(trimmed, pa.array(self.options.na_tokens, trimmed.type))
        found = pc.value_counts(trimmed.filter(is_token)).to_pylist()
        self.missing = {entry["values"]: entry["counts"] for entry in found if entry["values"]}
        kept = {*self.options.of_column(self.name, "level")}
        for token in self.missing.keys() & {"NA", "na"}:
            if _is_code(token, pc.unique(trimmed).to_pylist(), self.options.na_tokens):
                self._is_value(token, "level", token)
        if dash := next((token for token in _DASHES if token in self.missing), ""):
            has_digits = first_like(trimmed, _PLUS_AND_DIGIT) and not first_like(trimmed, _SIGNED)
            if first_like(trimmed, _PLUS) or has_digits:
                kept |= {*_DASHES}
            elif _are_accounts(cells) and self._is_value(dash, "dash", "0"):
                trimmed = pc.if_else(pc.equal(trimmed, dash), pa.scalar("0", trimmed.type), trimmed)
                kept |= {dash}
        if kept:
            self.missing = {token: n for token, n in self.missing.items() if token not in kept}
            tokens = [token for token in self.options.na_tokens if token not in kept]
            is_token = pc.is_in(trimmed, pa.array(tokens, trimmed.type))
        return pc.if_else(is_token, pa.scalar(None, trimmed.type), trimmed)

    def _is_value(self, token: str, what: str, value: str) -> bool:
        """Whether a missing token was decided to be a value; it is asked in any case."""
        meaning, read, missing, button = _TOKENS[what]
        text = f"“{token}” in '{self.name}' ({counted(self.missing[token], 'cell')}) {meaning}"
        is_value = value in self.options.of_column(self.name, what)
        if is_value:
            self.say(f"{text}{read}", "It is missing", what, "")
        else:
            self.say(f"{text}{missing}", button, what, value)
        return is_value

    def typed(self, cells: pa.Array, reading: ColumnReading, signs: set[str]) -> pa.Array:
        """Cells as numbers or days where all are; ``signs`` are those of clear columns."""
        given = self.options.of_column(self.name, "decimal")
        sign = given[0] if given else self.options.decimal
        if sign == "":
            return cells
        if reading.doubt == "code" and not given:
            text = f"“{reading.example}” in '{self.name}' looks like a code"
            way = ("Read as numbers", "decimal", reading.signs[0])
            self.say(f"{text}: the column is kept as text.", *way)
            return cells
        if not reading.signs:
            return self._by_both_signs(cells) if reading.example else self._days(cells)
        if reading.doubt in ("", "code"):
            sign = sign or reading.signs[0]
        else:
            sign = self._likelier(reading, signs) if sign is None else sign
            self._ask_sign(reading, sign)
        return to_numbers(cells, sign) if sign and sign in reading.signs else cells

    def _by_both_signs(self, cells: pa.Array) -> pa.Array:
        """Numbers of which some have a point and others a comma, where no comma parts thousands."""
        which = f"Some numbers of '{self.name}' have a point, others a comma"
        by_points = pc.replace_substring_regex(cells, _COMMA, r"\1.\2")
        reading, example = look_at_numbers(by_points), first_like(cells, _COMMA)
        if not (example and reading.signs == "." and reading.doubt == ""):
            self.say(f"{which}: they are kept as text.")
            return cells
        text = f"{which}: “{example}” is read as {_number_of(example, ',')}."
        self.say(text, "Keep as text", "decimal", "")
        return to_numbers(by_points, ".")

    def _likelier(self, reading: ColumnReading, signs: set[str]) -> str:
        """The decimal sign by which a column is read that reads in two ways; "" keeps its text."""
        by_commas = self.options.delimiter == ","
        if reading.doubt == "answers":
            return "" if by_commas or signs == {"."} or reading.bare else ","
        if reading.doubt == "groups":
            return reading.signs
        mark, other = ",." if "," in reading.example else ".,"
        if reading.bare and signs != {mark} and not (mark == "." and by_commas):
            return other
        if len(signs) == 1:
            return next(iter(signs))
        return "." if mark == "." or by_commas else ","

    def _ask_sign(self, reading: ColumnReading, sign: str) -> None:
        """Say what can be read in two ways, with an example."""
        text = f"“{reading.example}” in '{self.name}'"
        if reading.doubt == "sign":
            other = "," if sign == "." else "."
            read, could = (_number_of(reading.example, which) for which in (sign, other))
            text += f" is read as {read}; it could be {could}."
            self.say(text, f"Read as {could}", "decimal", other)
            return
        text += " may be several answers" if reading.doubt == "answers" else " is grouped"
        if sign == "":
            self.say(f"{text}, or not: kept as text.", "Read as numbers", "decimal", reading.signs)
        else:
            read = _number_of(reading.example, reading.signs)
            self.say(f"{text}, or not: read as {read}.", "Keep as text", "decimal", "")

    def _days(self, cells: pa.Array) -> pa.Array:
        """Days, or days with a clock time, as such; a note on several answers."""
        some = cells.drop_null().slice(0, _FEW)
        for pattern, kind in _DAYS.items():
            if len(some) and pc.all(pc.match_substring_regex(some, pattern)).as_py():
                try:
                    return cells.cast(kind)
                except pa.ArrowInvalid:  # a 31st of April
                    break
        distinct = pc.unique(cells.slice(0, _MANY)).drop_null().to_pylist()
        if example := several_answers(distinct):
            several = f"'{self.name}' holds several answers in a cell (“{example}”)"
            self.say(f"{several} and is kept as text.")
        return cells


def several_answers(cells: Sequence[str]) -> str:
    """The first cell that holds several answers, in one line; "" for none."""
    sign = answers_sign(cells)
    several = (cell for cell in cells if sign and len(answers_of(cell, sign)) > 1)
    return " ".join(next(several, "").split())


def _are_accounts(cells: pa.Array) -> bool:
    """Whether numbers are written as in accounts, in which a dash is zero."""
    are_grouped = first_like(cells, _GROUPED) and not first_like(cells, _THREE)
    return bool(first_like(cells, _NUMBER) and (are_grouped or first_like(cells, _ACCOUNT)))


def _number_of(cell: str, sign: str) -> str:
    """What a plain number is by its decimal sign, thousands apart."""
    (number,) = to_numbers(pa.array([cell]), sign).to_pylist()
    return f"{number:,}"


def _is_code(token: str, values: Sequence[str | None], tokens: Sequence[str]) -> bool:
    """Whether most other values of a column are abbreviations like a missing token."""
    others = {value for value in values[:1000] if value and value not in tokens}
    capitals = {other.upper() for other in others}
    if capitals & _REGIONS and "NORTH AMERICA" not in capitals:
        return True
    like = re.compile(r"[A-Z]{1,5}" if token.isupper() else r"[a-z]{1,5}")
    codes = [*filter(like.fullmatch, others)]
    if len(codes) < max(2, 0.75 * len(others)):
        return False
    lengths = {*map(len, codes)}
    is_like = len(token) in lengths or (len(codes) > 2 and min(lengths) > 1)
    return is_like and not capitals <= _ANSWERS


def _plain(cells: pa.Array) -> pa.Array:
    of, kind = pa.types, cells.type
    if of.is_null(kind) or of.is_decimal(kind) or (of.is_integer(kind) and cells.null_count):
        values = cells.cast(pa.float64(), safe=False)
        is_exact = (pc.max(pc.abs(values)).as_py() or 0) <= EXACT
        return values if is_exact else cells.cast(pa.string())
    return cells.cast(pa.string()) if of.is_time(kind) else cells


def array_of(values: Sequence[Any]) -> pa.Array:
    """Make an Arrow array of Python values, of text where no column of numbers holds them."""
    kinds = {type(value) for value in values if value is not None}
    of_numbers = kinds == {int, float}
    if of_numbers or (len(kinds) <= 1 and not kinds & {dict, list}):
        try:
            return pa.array(values, pa.float64() if of_numbers else None)
        except (pa.ArrowException, OverflowError, UnicodeError):
            pass
    return pa.array([None if value is None else as_text(value) for value in values], pa.string())


def as_text(value: Any) -> str:
    """A value as a column of text has it: a whole number without point, the parts of a list."""
    if isinstance(value, list) and all(isinstance(part, str | int) for part in value):
        return ";".join(map(str, value))
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else _whole(str(value))


def _whole(text: str) -> str:
    """Text in which half a character, as JSON can hold it, is a replacement mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
