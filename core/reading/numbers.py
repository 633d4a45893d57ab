"""Numbers as people write them: "1,234.5", "1.234,50 €", "12.3 %", "(1,234)", "<0.5".

``look_at_numbers`` finds out how a column of plain numbers is written, and ``to_numbers`` reads it;
``read_numerals`` reads cells with units, currencies, limits and notes, which stay as written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..wording import counted

POINT, COMMA = "decimal point", "decimal comma"
_DECIMAL = {POINT: ".", COMMA: ","}

_CURRENCY = (
    r"US\$|A\$|C\$|R\$|[$€£¥₹₽₩₺₪฿]|USD|EUR|GBP|CHF|JPY|CNY|INR|BRL|CAD|AUD|SEK|NOK|DKK|PLN|CZK"
    r"|Rs\.?|kr\.?|zł"
)
# What a number in front of it counts, in English and in German; of either case.
_WORDS = {
    **dict.fromkeys(("tsd", "tausend", "thousand", "thousands"), 1e3),
    **dict.fromkeys(("mio", "mln", "million", "millions", "millionen"), 1e6),
    **dict.fromkeys(("mrd", "mia", "bn", "bln", "milliarde", "milliarden"), 1e9),
}
# In English alone: a German Billion is a thousand of them.
_FACTORS = {POINT: _WORDS | {"billion": 1e9, "billions": 1e9}, COMMA: _WORDS}
# Letters that are units, too: metres, kelvin, bytes. Beside a currency they count.
_LETTERS = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "b": 1e9, "B": 1e9}
_UNIT = r"%|‰|°|[A-Za-zµμΩ°$€£¥][\w/µμ°²³^.*·%$€£¥-]{0,11}(?: ?[/²³] ?[\w²³.]{1,8})?"
# A mark behind a number that sends to a note below the table: (1), [b], *, †.
_NOTE = r"\(\d{1,3}\)|\([a-z]\)|\[\w{1,3}\]|[*†‡§¶]{1,3}"
_SHORT = re.compile(r"[1-9]\d?")
_LIMIT = r"<=|>=|=<|=>|[<>≤≥]"
_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "})


def _number(sign: str) -> str:
    """A number by its decimal sign, with or without groups, which do not begin with a zero."""
    # A blank, an apostrophe or the other sign between groups of three digits, or India's of two.
    mark = rf"(?P<mark>[{'.,'.replace(sign, '')} '\u2019\xa0\u202f])"
    lakhs = r"|[1-9]\d?(?:,\d\d)+,\d{3}" if sign == "." else ""
    grouped = rf"[1-9]\d{{0,2}}{mark}\d{{3}}(?:(?P=mark)\d{{3}})*{lakhs}"
    return rf"(?:(?:{grouped}|\d+)(?:\{sign}\d*)?|\{sign}\d+)(?:[eE][+-]?\d+)?"


def _numeral(convention: str) -> re.Pattern[str]:
    words = f"(?i:{'|'.join(_FACTORS[convention])})|{'|'.join(_LETTERS)}"
    return re.compile(
        rf"(?P<limit>{_LIMIT})?\s*(?P<sign>[+-])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[+-])?\s*"
        rf"(?P<number>{_number(_DECIMAL[convention])})"
        rf"(?:(?P<blank>\s*)(?P<factor>{words})\.?(?![^\W\d_]))?(?P<after>-)?\s*"
        rf"(?P<unit>{_CURRENCY}|{_UNIT})?\s*(?P<note>{_NOTE})?"
    )


_NUMERAL = {convention: _numeral(convention) for convention in (POINT, COMMA)}
#: Plain numbers by their decimal sign.
_PLAIN = {
    sign: re.compile(rf"[+-]?(?:{_number(sign)}|(?i:inf(?:inity)?))", re.ASCII)
    for sign in _DECIMAL.values()
}
#: Whole numbers up to here are exact in floating point.
EXACT = 2**53
_NINES = np.arange(256, dtype=np.uint8)
_NINES[ord("0") : ord("9")] = ord("9")
_FIRST = 100

#: What beside its unit makes a cell more than a plain number, and in how many cells.
_GROUPED = "digits in groups of three in {}"
_TIMES = "thousands, millions or billions in {}"
_NOTED = "the marks of footnotes in {} left out"
_MINUS = "parentheses or a sign behind as minus in {}"


@dataclass(frozen=True)
class Numeral:
    """One written number.

    Parameters
    ----------
    value : float
    unit : str
        Currency, unit or percent sign; "" where there is none.
    limit : bool
        Whether it is a limit rather than a value, as in "<0.5".
    ways : tuple of str
        What else was read: groups of digits, millions, a mark of a footnote, a minus behind.
    """

    value: float
    unit: str
    limit: bool
    ways: tuple[str, ...]


@dataclass(frozen=True)
class Numerals:
    """How the numbers of one column are written.

    Parameters
    ----------
    convention : {"decimal point", "decimal comma"}
    cells : dict of str to Numeral
        Every cell that reads as a number.
    """

    convention: str
    cells: dict[str, Numeral]

    @property
    def limits(self) -> list[str]:
        """Cells that are limits, as "<0.5"."""
        return [cell for cell, found in self.cells.items() if found.limit]

    @property
    def are_written(self) -> bool:
        """Whether any cell but the limits is more than a plain number."""
        return self.convention == COMMA or any(f.unit or f.ways for f in self.cells.values())

    def said(self, counts: dict[str, int]) -> str:
        """What was done with the cells, to be shown beside the column."""
        done = [f"the unit {u}" for u in sorted({f.unit for f in self.cells.values()} - {""})]
        for way in (_GROUPED, _TIMES, _NOTED, _MINUS):
            if n := sum(counts[cell] for cell, found in self.cells.items() if way in found.ways):
                done.append(way.format(counted(n, "cell")))
        if self.convention == COMMA:
            done.append("the comma as the decimal sign")
        return f"Read as numbers: {', '.join(done)}. "


def read_numeral(cell: str, convention: str) -> Numeral | None:
    """Read one cell, or return None where it is no number in that convention."""
    text = " ".join(cell.translate(_SIGNS).split())
    in_parentheses = len(text) > 2 and text[0] == "(" and text[-1] == ")"
    match = _NUMERAL[convention].fullmatch(text[1:-1].strip() if in_parentheses else text)
    if match is None:
        return None
    times, unit = _times_and_unit(match, convention)
    sign, number = _DECIMAL[convention], match["number"]
    digits = re.sub(rf"[^\d{sign}eE+-]", "", number).replace(sign, ".")
    francs = number[-1] in ".,"  # "12.-" is 12 francs, and no cents
    is_minus = bool(in_parentheses or (match["after"] and not francs))
    is_negative = is_minus or (match["sign"] == "-") != (match["inner"] == "-")
    found = {
        _GROUPED: re.search(r"\d[,. '\u2019]\d{3}", number.partition(sign)[0]),
        _TIMES: times != 1.0,
        _NOTED: match["note"],
        _MINUS: is_minus,
    }
    return Numeral(
        times * float(digits) * (-1 if is_negative else 1),
        unit,
        match["limit"] is not None,
        tuple(way for way, is_found in found.items() if is_found),
    )


def _times_and_unit(match: re.Match[str], convention: str) -> tuple[float, str]:
    """What the number is multiplied by, and the unit: a letter alone may be either."""
    factor, before, behind = match["factor"] or "", match["before"] or "", match["unit"] or ""
    unit = f"{before} {behind}" if before and behind and behind != before else before or behind
    times = _FACTORS[convention].get(factor.lower())
    if times is not None or not factor:
        return times or 1.0, unit
    is_thousand = factor == "k" or (factor == "K" and not match["blank"])
    if before or re.match(_CURRENCY, behind) or (is_thousand and not behind):
        return _LETTERS[factor], unit
    return 1.0, f"{factor}{behind}"


def read_numerals(cells: Sequence[str]) -> Numerals | None:
    """Read the distinct cells of a column by the one convention that suits most of them.

    Returns
    -------
    Numerals or None
        None where fewer than nine in ten read as numbers, where they have different units ("170
        cm" beside "1.7 m" is not one scale), or where they are several answers ("1,4").
    """
    some = cells[:50]
    reads = (any(read_numeral(c, convention) for convention in _DECIMAL) for c in some)
    if sum(reads) < 0.6 * len(some) or answers_sign(cells):
        return None
    by = {
        convention: {
            cell: found for cell in cells if (found := read_numeral(cell, convention)) is not None
        }
        for convention in _DECIMAL
    }
    # "1,234" reads in both: as a thousand by the point, the usual meaning beside no other sign.
    convention = COMMA if len(by[COMMA]) > len(by[POINT]) else POINT
    if len(by[POINT]) == len(by[COMMA]) and _by_comma(by[POINT]):
        convention = COMMA
    numerals = Numerals(convention, by[convention])
    units = {found.unit.casefold() for found in numerals.cells.values()} - {""}
    if len(numerals.cells) < 0.9 * len(cells) or len(units) > 1:
        return None
    return numerals


def _by_comma(cells: dict[str, Numeral]) -> bool:
    """Whether cells that read either way betray the comma: "1.234 €" is a price."""
    points = [cell for cell in cells if "." in cell]
    prices = all(re.fullmatch(_CURRENCY, cells[cell].unit) for cell in points)
    return bool(points) and prices and all(re.search(r"\d\.\d{3}(?!\d)", c) for c in points)


def values_of(cells: Sequence[str], convention: str) -> np.ndarray:
    """Numbers of some cells, NaN for one that does not read, or that is a limit."""
    found = (read_numeral(str(cell), convention) for cell in cells)
    return np.array([np.nan if f is None or f.limit else f.value for f in found], dtype=np.float64)


#: A number among other text, which no further digits go on; and one alone in parentheses, as in
#: accounts.
_FIRST_NUMBER = {
    sign: re.compile(
        r"(?<![\d.,])(?<!\d['\u2019 \u00a0\u202f])(?P<minus>(?<!\w)[-\u2212])?"
        rf"(?P<number>{_number(sign)})(?!\d|[.,'\u2019]\d|[ \u00a0\u202f]\d{{3}}(?!\d))"
    )
    for sign in _DECIMAL.values()
}
_IN_ACCOUNTS = re.compile(r"\(\s*[$€£¥]?\s*[\d.,'\u2019 ]*\d\s*[$€£¥%]?\s*\)")


def first_number(cell: str, decimal: str) -> float:
    """The first number in a cell, whatever stands beside it; NaN where none can be read surely.

    Such as "461.748(1)", "30 %", "3 BHK" or "(1,234)", which is negative, as in accounts. Besides
    the decimal sign the other one, a blank or an apostrophe may group digits by three.
    """
    match = _FIRST_NUMBER[decimal].search(cell)
    if match is None:
        return np.nan
    digits = re.sub(rf"[^\d{decimal}eE+-]", "", match["number"]).replace(decimal, ".")
    is_negative = match["minus"] or _IN_ACCOUNTS.fullmatch(cell.strip())
    return -float(digits) if is_negative else float(digits)


def _rise(parts: Sequence[str]) -> bool:
    """Whether parts of a cell may be answers: numbers below 100, each above the one before."""
    if not all(map(_SHORT.fullmatch, parts)):
        return False
    return list(map(int, parts)) == sorted({*map(int, parts)})


def answers_sign(cells: Sequence[str]) -> str:
    """The sign between answers where some cells hold several, "1,4" or "Fever;Cough", or "".

    Their parts are few and recur; of two numbers the second is higher, a blank parts numbers only.
    """
    return next((sign for sign in (",", ";", "|", " ") if _are_answers(cells, sign)), "")


def _are_answers(cells: Sequence[str], sign: str) -> bool:
    lists = [[part.strip() for part in c.split(sign)] for c in cells[:2000] if sign in c]
    if not lists:
        return False
    single = {cell.strip() for cell in cells if sign not in cell}
    parts = Counter(part for several in lists for part in several)
    if all(map(_SHORT.fullmatch, (*parts, *single))):
        if max(map(len, lists)) > 2:
            return all(len({*several}) == len(several) for several in lists)
        return len(single) > 0 and all(map(_rise, lists))
    known = sum(n for part, n in parts.items() if n > 1 or part in single)
    return (
        len(lists) > 1
        and sign != " "
        and not any(part == "" or len(part) > 60 or re.search(r"\d", part) for part in parts)
        and len(parts) <= max(20, len(lists) // 4)
        and known >= 0.9 * parts.total()
        and all(len({*several}) == len(several) for several in lists)
    )


def are_codes(cells: Sequence[str]) -> bool:
    """Whether the cells are digits that are no number: "007", too many to be exact, or "5E2"."""
    return _are_of_form(cells) or any(
        re.fullmatch(r"[+-]?0\d+([.,]\d*)?", cell)
        or ((long := re.fullmatch(r"[+-]?(\d{16,})(\.0*)?", cell)) and int(long[1]) > EXACT)
        for cell in cells
    )


def _are_of_form(cells: Sequence[str]) -> bool:
    """Whether cells are all like "5E2", or groups of three digits: three or more, or rising."""
    if not cells or all(re.fullmatch(r"\d+[eE]\d+", cell) for cell in cells):
        return len(cells) > 0
    if not all(re.fullmatch(r"\d{3}(?:[., ]\d{3})*", cell) for cell in cells):
        return False
    several = [parts for cell in cells if len(parts := re.split(r"[., ]", cell)) > 1]
    counts = {len(parts) for parts in several}
    rise = len(counts) > 1 and all(parts == sorted({*parts}) for parts in several)
    return rise or (len(several) == len(cells) and len(counts) == 1 and min(counts) > 2)


class Shapes:
    """What the cells of a column of text look like: a few shapes tell how all of it is written.

    Parameters
    ----------
    cells : Array of str, shape (N,)

    Attributes
    ----------
    distinct : list of str
        Every digit a 9, but a 0 in the first two places stays one: "0.9" and "99.9" of 0.5, 12.5
        and 13.7.
    """

    def __init__(self, cells: pa.Array) -> None:
        self.cells = cells
        valid, offsets, content = cells.buffers()
        text = np.frombuffer(content or b"", np.uint8)
        kind = np.int64 if pa.types.is_large_string(cells.type) else np.int32
        begins = np.frombuffer(offsets, kind)[cells.offset : cells.offset + len(cells)]
        shapes = _NINES[text]
        for front in (begins, begins + 1):  # behind a sign
            front = front[front < len(text)]
            shapes[front[text[front] == ord("0")]] = ord("0")
        buffers = [valid, offsets, pa.py_buffer(shapes)]
        self._shapes = pa.Array.from_buffers(cells.type, len(cells), buffers, offset=cells.offset)
        self.distinct = pc.unique(self._shapes.drop_null()).to_pylist()

    def all(self, pattern: str) -> bool:
        """Whether every shape matches as a whole."""
        return all(re.fullmatch(pattern, shape) for shape in self.distinct)

    def first(self, pattern: str) -> str:
        """The first cell whose shape matches somewhere, "" for none."""
        for shape in self.distinct:
            if re.search(pattern, shape):
                return self.cells[pc.index(self._shapes, shape).as_py()].as_py()
        return ""


@dataclass(frozen=True)
class ColumnReading:
    """How a column of text reads as numbers.

    Parameters
    ----------
    signs : tuple of str
        Decimal signs by which every cell is a number: none, "." or ",", or both.
    marks : set of str
        All that stands in the cells but digits.
    is_open : bool
        Whether the sign makes a difference: "1.508" is 1.508 or 1508.
    is_code : bool
        Whether zeros in front, or the form that all of its cells share, speak for codes.
    example : str
        A cell with a sign that shows it.
    bare : bool
        Whether some cells are whole numbers below 1,000 without any sign.
    """

    signs: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()
    is_open: bool = False
    is_code: bool = False
    example: str = ""
    bare: bool = False


def is_plain(cell: str) -> bool:
    """Whether a cell is a number by one of the decimal signs, and nothing else."""
    return any(pattern.fullmatch(cell) for pattern in _PLAIN.values())


def look_at_numbers(cells: pa.Array) -> ColumnReading:
    """Find out by which decimal signs every cell of a column of text is a plain number."""
    some = cells.slice(0, _FIRST).drop_null().to_pylist()
    # The first cells settle it for nearly every column of words, at no cost.
    if cells.null_count == len(cells) or not all(map(is_plain, some)):
        return ColumnReading()
    shapes = Shapes(cells)
    signs = tuple(
        sign for sign, pattern in _PLAIN.items() if all(map(pattern.fullmatch, shapes.distinct))
    )
    signed = shapes.first("[.,]")
    if not signs:
        return ColumnReading(example=signed if all(map(is_plain, shapes.distinct)) else "")
    found = ColumnReading(signs, frozenset("".join(shapes.distinct)), example=signed)
    if code := shapes.first(r"^[+-]?0\d") or _first_code(shapes):
        return replace(found, is_code=True, example=code)
    if _is_beyond_float(shapes):
        return ColumnReading()
    if not signed:
        return replace(found, signs=(".",))
    if len(signs) == 2:
        return replace(found, is_open=True, bare=shapes.first(r"^[+-]?\d{1,3}$") != "")
    if signs == (",",) and shapes.all(r"[\d,]+"):
        distinct = pc.unique(cells.drop_null()).to_pylist()
        if all(_rise(cell.split(",")) for cell in distinct if "," in cell):
            return replace(found, is_open=True)
    groups = r"^[^,]*\.[^,]*$" if signs == (",",) else r"^[^.]*,[^.]*$"
    alone = shapes.first(groups)
    if alone and shapes.first(rf"\{signs[0]}") and not shapes.first(r"\..*,|,.*\."):
        return replace(found, is_open=True, example=alone)  # no cell has both signs
    return found


def _first_code(shapes: Shapes) -> str:
    """A cell of a column in which all are of one form that numbers seldom share; "" otherwise."""
    if not (shapes.all(r"\d+[eE]\d+") or shapes.all(r"\d{3}(?:[., ]\d{3})*")):
        return ""
    cells = pc.unique(shapes.cells.drop_null()).to_pylist()[:2000]
    return shapes.first(r"\d\D") if _are_of_form(cells) else ""


def _is_beyond_float(shapes: Shapes) -> bool:
    """Whether digits or exponents say more than floating point holds."""
    if not shapes.first(r"\d{16}|[eE]\d{3}"):
        return False
    cells = pc.unique(shapes.cells.drop_null()).to_pylist()
    if any(re.search(r"[eE]\d{3,}$", c) and np.isinf(float(c.replace(",", "."))) for c in cells):
        return True
    whole = [re.fullmatch(r"([+-]?\d+)(\.0*)?", cell) for cell in cells]
    return all(whole) and any(abs(int(match[1])) > EXACT for match in whole if match)


def to_numbers(cells: pa.Array, decimal: str, marks: Collection[str]) -> pa.Array:
    """Numbers of a column that reads so by this decimal sign: int64 where all are whole.

    Parameters
    ----------
    marks : collection of str
        All that stands in the cells but digits.
    """
    for mark in {*",. '\u2019\xa0\u202f+"}.intersection(marks) - {decimal}:
        cells = pc.replace_substring(cells, mark, "")
    if decimal == ",":
        cells = pc.replace_substring(cells, ",", ".")
    is_whole = {decimal, *"eEnN"}.isdisjoint(marks)
    return pc.cast(cells, pa.int64() if is_whole else pa.float64())
