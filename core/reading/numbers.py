"""Numbers as people write them: "1,234.5", "1.234,50 €", "12.3 %", "(1,234)", "<0.5".

``numeric_column`` turns a column of text into numbers where all of its cells are plain ones;
``read_numerals`` reads cells with units, currencies, limits and notes, which stay as written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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


def _pattern(convention: str) -> re.Pattern[str]:
    sign = _DECIMAL[convention]
    # A blank, an apostrophe or the other convention's decimal sign between groups of three digits.
    grouped = rf"\d{{1,3}}(?P<mark>[{'.,'.replace(sign, '')} '\u2019])\d{{3}}(?:(?P=mark)\d{{3}})*"
    number = rf"{grouped}(?:\{sign}\d*)?|(?:\d+(?:\{sign}\d*)?|\{sign}\d+)(?:[eE][+-]?\d+)?"
    words = f"(?i:{'|'.join(_FACTORS[convention])})|{'|'.join(_LETTERS)}"
    return re.compile(
        rf"(?P<limit>{_LIMIT})?\s*(?P<sign>[+-])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[+-])?\s*"
        rf"(?P<number>{number})(?:(?P<blank>\s*)(?P<factor>{words})\.?(?![^\W\d_]))?(?P<after>-)?"
        rf"\s*(?P<unit>{_CURRENCY}|{_UNIT})?\s*(?P<note>{_NOTE})?"
    )


_NUMERAL = {convention: _pattern(convention) for convention in (POINT, COMMA)}


@dataclass(frozen=True)
class Numeral:
    """One written number.

    Parameters
    ----------
    value : float
    limit : {"", "<", ">"}
        What stands before it where it is a limit rather than a value, as in "<0.5".
    unit : str
        Currency, unit or percent sign; "" where there is none.
    grouped, negative : bool
        Digits stand in groups; parentheses or a sign behind the number make it negative.
    times : float
        What a word or letter behind the number multiplies it by, as in "1.2 million".
    note : bool
        A mark of a footnote stands behind it, and is no part of it.
    """

    value: float
    limit: str = ""
    unit: str = ""
    grouped: bool = False
    negative: bool = False
    times: float = 1.0
    note: bool = False


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
    def limits(self) -> dict[str, str]:
        """Cells that are limits, each with what it says: "<0.5" -> "below 0.5"."""
        says = {"<": "below", ">": "above"}
        return {
            cell: f"{says[found.limit]} {found.value:g}{' ' * bool(found.unit)}{found.unit}"
            for cell, found in self.cells.items()
            if found.limit
        }

    @property
    def are_written(self) -> bool:
        """Whether any cell but the limits is more than a plain number."""
        return self.convention == COMMA or any(
            found.unit or found.grouped or found.negative or found.note or found.times != 1.0
            for found in self.cells.values()
        )

    def said(self, counts: dict[str, int]) -> str:
        """What was done with the cells, to be shown beside the column."""

        def cells(attribute: str, plain: object = False) -> str:
            hit = [c for c, found in self.cells.items() if getattr(found, attribute) != plain]
            return counted(sum(counts[cell] for cell in hit), "cell") if hit else ""

        done = [f"the unit {u}" for u in sorted({f.unit for f in self.cells.values()} - {""})]
        if grouped := cells("grouped"):
            done.append(f"digits in groups of three in {grouped}")
        if times := cells("times", 1.0):
            done.append(f"thousands, millions or billions in {times}")
        if notes := cells("note"):
            done.append(f"the marks of footnotes in {notes} left out")
        if self.convention == COMMA:
            done.append("the comma as the decimal sign")
        if negative := cells("negative"):
            done.append(f"parentheses or a sign behind as minus in {negative}")
        return f"Read as numbers: {', '.join(done)}. "


def read_numeral(cell: str, convention: str) -> Numeral | None:
    """Read one cell, or return None where it is no number in that convention."""
    text = " ".join(cell.translate(_SIGNS).split())
    in_parentheses = len(text) > 2 and text[0] == "(" and text[-1] == ")"
    match = _NUMERAL[convention].fullmatch(text[1:-1].strip() if in_parentheses else text)
    if match is None:
        return None
    times, unit = _times_and_unit(match, convention)
    whole, sign, fraction = match["number"].partition(_DECIMAL[convention])
    value = times * float(re.sub(r"[,. '\u2019]", "", whole) + ("." + fraction if sign else ""))
    francs = match["number"][-1] in ".,"  # "12.-" is 12 francs, and no cents
    behind = bool(in_parentheses or (match["after"] and not francs))
    if (match["sign"] == "-") != (match["inner"] == "-") or behind:
        value = -value
    mark = match["limit"] or ""
    limit = ">" if ">" in mark or "≥" in mark else "<" if mark else ""
    grouped = re.search(r"\d[,. '\u2019]\d{3}", whole) is not None
    return Numeral(value, limit, unit, grouped, behind, times, match["note"] is not None)


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
    if sum(reads) < 0.6 * len(some) or are_several_answers(cells):
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
    """Whether cells that read either way betray the comma: "0,125", or "1.234 €" as a price."""
    if any(re.search(r"(?<!\d)0+,\d{3}\b", cell) for cell in cells):
        return True
    points = [cell for cell in cells if "." in cell]
    prices = all(re.fullmatch(_CURRENCY, cells[cell].unit) for cell in points)
    return bool(points) and prices and all(re.search(r"\d\.\d{3}(?!\d)", c) for c in points)


def values_of(cells: Sequence[str], convention: str) -> np.ndarray:
    """Numbers of some cells, NaN for one that does not read, or that is a limit."""
    found = (read_numeral(str(cell), convention) for cell in cells)
    return np.array([np.nan if f is None or f.limit else f.value for f in found], dtype=np.float64)


def _rise(parts: Sequence[str]) -> bool:
    """Whether parts of a cell may be answers: numbers below 100, each above the one before."""
    if not all(map(_SHORT.fullmatch, parts)):
        return False
    return list(map(int, parts)) == sorted({*map(int, parts)})


def are_several_answers(cells: Sequence[str]) -> bool:
    """Whether some of the distinct cells hold several answers each: "1,4", "Fever;Cough".

    Their parts are few, stand in more than one cell, and rise where they are numbers.
    """
    for sign in (",", ";", "|"):
        parts = {c: [part.strip() for part in c.split(sign)] for c in cells[:2000] if sign in c}
        if not parts:
            continue
        single = {cell.strip() for cell in cells if sign not in cell}
        every = [part for some in parts.values() for part in some]
        known = single.union(part for part, n in Counter(every).items() if n > 1)
        if all(_SHORT.fullmatch(part) for part in (*every, *single)):
            is_list = single or any(len(some) > 2 for some in parts.values())
            if is_list and all(map(_rise, parts.values())):
                return True
        elif (
            len(parts) > 1
            and all(every)
            and not any(any(c.isdigit() for c in part) for part in every)
            and max(map(len, every)) <= 60
            and len({*every}) <= max(20, len(parts) // 4)
            and sum(part in known for part in every) >= 0.9 * len(every)
            and all(len(set(some)) == len(some) for some in parts.values())
        ):
            return True
    return False


def _plain(point: str, other: str) -> str:
    """Plain numbers by their decimal sign; digits in groups of three do not begin with a zero."""
    marks = (rf"\{other}", r"[ \x{a0}\x{202f}]", r"['\x{2019}]")
    lakhs = r"|[1-9]\d?(?:,\d{2})+,\d{3}" if other == "," else ""
    grouped = "|".join(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+" for mark in marks) + lakhs
    number = rf"(?:(?:\d+|{grouped})(?:\{point}\d*)?|\{point}\d+)(?:[eE][+-]?\d+)?"
    return rf"^[+-]?(?:{number}|(?i:inf(?:inity)?))$"


_PLAIN = {".": _plain(".", ","), ",": _plain(",", ".")}
_LEADING_ZERO = r"^[+-]?0\d"
#: Digits that a point may part into thousands.
_IN_THREES = r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})+$"
_FIRST, _TRIED = 100, 2000


@dataclass(frozen=True)
class ColumnReading:
    """How a column of text reads as numbers.

    Parameters
    ----------
    signs : tuple of str
        Decimal signs by which every cell is a number: none, "." or ",", or both.
    is_open : bool
        Whether the sign makes a difference: "1.508" is 1.508 or 1508.
    is_code : bool
        Whether zeros in front, or the form that all of its cells share, speak for codes.
    example : str
        A cell with a sign that shows it.
    bare : bool
        Whether some cells are whole numbers below 1,000 without any sign.
    numbers : ChunkedArray, optional
        The numbers, where finding out has read them.
    """

    signs: tuple[str, ...] = ()
    is_open: bool = False
    is_code: bool = False
    example: str = ""
    bare: bool = False
    numbers: pa.ChunkedArray | None = None


def all_match(column: pa.ChunkedArray, pattern: str) -> bool:
    """Whether every cell of a column of text that is not missing matches."""
    return pc.all(pc.match_substring_regex(column, pattern)).as_py() is not False


def first_match(column: pa.ChunkedArray, pattern: str) -> str:
    """The first cell that matches, "" for none."""
    hit = column.filter(pc.fill_null(pc.match_substring_regex(column, pattern), False))
    return hit[0].as_py() if len(hit) else ""


def look_at_numbers(column: pa.ChunkedArray) -> ColumnReading:
    """Find out by which decimal signs every cell of a column of text is a plain number."""
    either = f"{_PLAIN['.']}|{_PLAIN[',']}"
    # The first cells settle it for nearly every column of words, at no cost.
    if column.null_count == len(column) or not all_match(column.slice(0, _FIRST), either):
        return ColumnReading()
    if reading := _read_plainly(column):
        return reading
    signs = tuple(sign for sign, pattern in _PLAIN.items() if all_match(column, pattern))
    if signs and (zero := first_match(column, _LEADING_ZERO) or _first_code(column)):
        return ColumnReading(signs, is_code=True, example=zero)
    if _is_beyond_float(column):
        return ColumnReading()
    signed = first_match(column, r"[.,]")
    if not signs:
        return ColumnReading(example=signed if all_match(column, either) else "")
    if not signed:
        return ColumnReading((".",))
    if len(signs) == 2:
        bare = bool(first_match(column, r"^[+-]?\d{1,3}$"))
        return ColumnReading(signs, is_open=True, example=signed, bare=bare)
    cells = pc.unique(column.drop_null()).to_pylist() if signs == (",",) else []
    pairs = [cell.split(",") for cell in cells if "," in cell]
    if pairs and all(map(_rise, pairs)) and all(re.fullmatch(r"[\d,]+", c) for c in cells):
        return ColumnReading(signs, is_open=True, example=signed)
    groups = r"^[^,]*\.[^,]*$" if signs == (",",) else r"^[^.]*,[^.]*$"
    alone, other = first_match(column, groups), rf"\{signs[0]}"
    if alone and first_match(column, other) and not first_match(column, r"\..*,|,.*\."):
        return ColumnReading(signs, is_open=True, example=alone)  # no cell has both signs
    return ColumnReading(signs, example=signed)


def _first_code(column: pa.ChunkedArray) -> str:
    """A cell of a column in which all are of one form that numbers seldom share; "" otherwise.

    Digits, E and digits; three or more groups of three digits in each; and groups of three digits
    of which each is above the one before.
    """
    cells = pc.unique(column.drop_null()).to_pylist()[:2000]
    if all(re.fullmatch(r"\d+[eE]\d+", cell) for cell in cells):
        return cells[0]
    if not all(re.fullmatch(r"\d{3}(?:[., ]\d{3})*", cell) for cell in cells):
        return ""
    several = [parts for cell in cells if len(parts := re.split(r"[., ]", cell)) > 1]
    counts = {len(parts) for parts in several}
    rise = len(counts) > 1 and all(parts == sorted({*parts}) for parts in several)
    are_groups = len(several) == len(cells) and len(counts) == 1 and min(counts) > 2
    return next(cell for cell in cells if len(cell) > 3) if rise or are_groups else ""


def _read_plainly(column: pa.ChunkedArray) -> ColumnReading | None:
    """The same, in fewer passes, where Arrow reads the numbers and the point is clear."""
    example = ""
    for kind in (pa.int64(), pa.float64()):
        try:
            numbers = pc.cast(column, kind)
        except pa.ArrowInvalid:
            continue
        if kind == pa.int64():
            ends = pc.min_max(numbers).as_py().values()
            is_clear = max(map(abs, ends)) <= 2**53
        else:
            points = pc.match_substring(column.slice(0, _TRIED), ".")
            in_threes = pc.match_substring_regex(column.slice(0, _TRIED), _IN_THREES)
            hit = column.slice(0, _TRIED).filter(pc.and_not(points, in_threes))
            example = hit[0].as_py() if len(hit) else ""
            is_clear = example != "" and pc.all(pc.is_finite(numbers)).as_py() is not False
        is_clear = is_clear and not first_match(column, rf"{_LEADING_ZERO}|^[+-]?\d{{17,}}")
        return ColumnReading((".",), example=example, numbers=numbers) if is_clear else None
    return None


def are_codes(cells: Sequence[str]) -> bool:
    """Whether some of the cells are digits that are no number: "007", or too many to be exact."""
    return any(
        re.fullmatch(r"[+-]?0\d+([.,]\d*)?", cell)
        or (re.fullmatch(r"[+-]?\d{16,}", cell) and abs(int(cell)) > 2**53)
        for cell in cells
    )


def _is_beyond_float(column: pa.ChunkedArray) -> bool:
    """Whether digits or exponents say more than floating point holds."""
    powers = column.filter(pc.fill_null(pc.match_substring_regex(column, r"[eE]\d{3,}$"), False))
    whole = all_match(column, r"^[+-]?\d+(?:\.0*)?$")
    long = pc.fill_null(pc.match_substring_regex(column, r"^[+-]?\d{16,}"), False)
    digits = column.filter(long) if whole else ()
    return any(float(cell.as_py().replace(",", ".")) == np.inf for cell in powers) or any(
        abs(int(re.split(r"\.", cell.as_py())[0])) > 2**53 for cell in digits
    )


def to_numbers(column: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray:
    """Numbers of a column that reads so by this decimal sign: int64 where all are whole."""
    is_whole = not first_match(column, rf"[\{decimal}eEnN]")
    groups = rf"[{',' if decimal == '.' else '.'} '\x{{a0}}\x{{202f}}\x{{2019}}]"
    if first_match(column, groups):
        column = pc.replace_substring_regex(column, groups, "")
    if decimal != ".":
        column = pc.replace_substring(column, decimal, ".")
    return pc.cast(pc.utf8_ltrim(column, "+"), pa.int64() if is_whole else pa.float64())
