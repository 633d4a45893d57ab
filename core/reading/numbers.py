"""Numbers as people write them: "1,234.5", "1.234,50 €", "12.3 %", "(1,234)", "<0.5"."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .several import SIGNS, answers_sign, may_be_answers

POINT, COMMA = "decimal point", "decimal comma"
_DECIMAL = {POINT: ".", COMMA: ","}
#: Whole numbers up to here are exact in floating point.
EXACT = 2**53
#: Cells that settle most questions at little cost.
_FIRST = 100

CURRENCY = (
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
_UNIT = r"%|‰|°|/[1-9]\d{0,2}|[A-Za-zµμΩ°$€£¥][\w/µμ°²³^.*·%$€£¥-]{0,11}(?: ?[/²³] ?[\w²³.]{1,8})?"
#: A unit of measurement; such units alone or one by another, and currencies.
BASE_UNIT = r"[kcdmnpuµμ]?(?:g|mol|l|L|m|M|U|IU|eq|Eq|Hz|V|A|W|Pa|bar|cal|J|s)"
#: Of feet and pounds.
IMPERIAL = r"inch|ft|lbs?|oz"
_MEASURE = re.compile(
    rf"(?:(?:{BASE_UNIT}|mcg|1|%)?(?:/{BASE_UNIT})?|‰|{IMPERIAL}|pounds|st|t|in|inches|mi|mmHg|°[CF]"
    rf"|{CURRENCY}|[A-Z]{{3}})"
)
# A mark behind a number that sends to a note below the table: (1), [b], *, †; or to its limits.
_NOTE = r"\(\d{1,3}\)|\([a-z?]\)|\((?:HH?|LL?)\)|\[\w{1,3}\]|[*†‡§¶!?↑↓▲▼]{1,3}"
# "4.2 x 10^6", and with raised digits, as a whole: before "/L" it is a unit.
_POWER = re.compile(r"(?<=\d) ?[x*\u00b7\u00d7] ?10(?:\^([+-]?\d{1,2})|([⁺⁻]?[⁰¹²³⁴-⁹]{1,2}))$")
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_MARKS = ",. '\u2019\xa0\u202f"


def _number(sign: str) -> str:
    """A number by its decimal sign, with or without groups, which do not begin with a zero."""
    # One mark between groups of three digits, or a comma between India's of two.
    marks = (re.escape(mark) for mark in _MARKS if mark != sign)
    grouped = "|".join(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+" for mark in marks)
    grouped += r"|[1-9]\d?(?:,\d\d)+,\d{3}" if sign == "." else ""
    return rf"(?:(?:{grouped})(?:\{sign}\d*)?|(?:\d+(?:\{sign}\d*)?|\{sign}\d+)(?:[eE][+-]?\d+)?)"


def _numeral(convention: str) -> re.Pattern[str]:
    words = f"(?i:{'|'.join(_FACTORS[convention])})|{'|'.join(_LETTERS)}"
    return re.compile(
        rf"(?P<limit><=|>=|=<|=>|[<>≤≥])?(?P<about>[~≈]|ca\.?)?\s*(?P<sign>[+-])?\s*(?P<before>{CURRENCY})?\s*"
        rf"(?P<inner>[+-])?\s*(?P<number>{_number(_DECIMAL[convention])})"
        rf"(?:(?P<blank>\s*)(?P<factor>{words})\.?(?![^\W\d_]))?(?P<after>-)?\s*"
        rf"(?P<unit>{CURRENCY}|{_UNIT})?\s*(?P<note>{_NOTE})?"
    )


_NUMERAL = {convention: _numeral(convention) for convention in (POINT, COMMA)}
_PLAIN = {sign: rf"[+-]?(?:{_number(sign)}|(?i:inf(?:inity)?))" for sign in ".,"}
_IS_PLAIN = re.compile("|".join(_PLAIN.values()), re.ASCII)

#: A number that needs no reading.
_BARE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Numeral:
    """One written number."""

    value: float
    #: Currency, unit or percent sign; "" where there is none.
    unit: str
    #: Whether it is a limit rather than a value, as in "<0.5".
    limit: bool


@dataclass(frozen=True)
class Numerals:
    """How the numbers of one column are written."""

    #: "decimal point" or "decimal comma".
    convention: str
    cells: dict[str, Numeral]

    @property
    def limits(self) -> list[str]:
        """Cells that are limits, as "<0.5"."""
        return [cell for cell, found in self.cells.items() if found.limit]

    @property
    def are_written(self) -> bool:
        """Whether any cell but the limits is more than a plain number."""
        of = self.cells.items()
        is_written = any(f.unit or not (f.limit or _BARE.fullmatch(cell)) for cell, f in of)
        return self.convention == COMMA or is_written

    @property
    def sentence(self) -> str:
        """How the cells were read, by the longest of them, to be shown beside the column."""
        unit = next((f" with the unit {f.unit}" for f in self.cells.values() if f.unit), "")
        comma = ", the comma as the decimal sign" * (self.convention == COMMA)
        cell = max((c for c, f in self.cells.items() if not f.limit), key=len)
        return f"Read as numbers{unit}{comma}: “{cell}” is {self.cells[cell].value:,.12g}. "


def read_numeral(cell: str, convention: str) -> Numeral | None:
    """Read one cell, or return None where it is no number in that convention."""
    text = " ".join(cell.translate(SIGNS).split())
    text = _POWER.sub(lambda power: f"e{power[1] or power[2].translate(_RAISED)}", text)
    in_parentheses = len(text) > 2 and text[0] == "(" and text[-1] == ")"
    match = _NUMERAL[convention].fullmatch(text[1:-1].strip() if in_parentheses else text)
    if match is None:
        return None
    times, unit = _times_and_unit(match, convention)
    sign, number = _DECIMAL[convention], match["number"]
    francs = number[-1] in ".,"  # "12.-" is 12 francs, and no cents
    is_minus = bool(in_parentheses or (match["after"] and not francs))
    is_negative = is_minus or (match["sign"] == "-") != (match["inner"] == "-")
    value = times * _float(number, sign) * (-1 if is_negative else 1)
    return Numeral(value, unit, match["limit"] is not None)


def _float(number: str, sign: str) -> float:
    return float(re.sub(rf"[^\d{sign}eE+-]", "", number).replace(sign, "."))


def _times_and_unit(match: re.Match[str], convention: str) -> tuple[float, str]:
    """What the number is multiplied by, and the unit: a letter alone may be either."""
    factor, before, behind = match["factor"] or "", match["before"] or "", match["unit"] or ""
    unit = f"{before} {behind}" if before and behind and behind != before else before or behind
    times = _FACTORS[convention].get(factor.lower())
    if times is not None or not factor:
        return times or 1.0, unit
    is_thousand = factor == "k" or (factor == "K" and not match["blank"])
    if before or re.match(CURRENCY, behind) or (is_thousand and not behind):
        return _LETTERS[factor], unit
    return 1.0, f"{factor}{behind}"


def by_one_convention(cells: Sequence[str]) -> Numerals | None:
    """Read distinct cells by the convention that suits most; None where most are no numbers."""
    some = cells[:50]
    if sum(map(is_numeral, some)) < 0.6 * len(some) or answers_sign(cells):
        return None
    by = {
        convention: {c: found for c in cells if (found := read_numeral(c, convention))}
        for convention in _DECIMAL
    }
    # "1,234" reads in both: as a thousand by the point, the usual meaning beside no other sign.
    is_comma = len(by[COMMA]) > len(by[POINT])
    if len(by[POINT]) == len(by[COMMA]):  # unless "1.234 €" is a price
        points = [cell for cell in by[POINT] if "." in cell]
        prices = all(re.fullmatch(CURRENCY, by[POINT][cell].unit) for cell in points)
        is_comma = bool(points) and prices and all(re.search(r"\d\.\d{3}(?!\d)", c) for c in points)
    return Numerals(COMMA if is_comma else POINT, by[COMMA if is_comma else POINT])


def read_numerals(cells: Sequence[str]) -> Numerals | None:
    """Read distinct cells by the one convention that suits most, with one unit at most.

    None where fewer than nine in ten read as numbers, or where they are several answers ("1,4").
    """
    numerals = by_one_convention(cells)
    if numerals is None:
        return None
    units = Counter(found.unit.casefold().strip("°.") for found in numerals.cells.values())
    named = {*units} - {""}
    are_rare = units[""] == max(units.values(), default=0)
    if len(named) > 1 and are_rare and named <= {"h", "hh", "l", "ll"}:  # high and low, of labs
        bare = {cell: replace(found, unit="") for cell, found in numerals.cells.items()}
        return replace(numerals, cells=bare) if len(bare) >= 0.9 * len(cells) else None
    return None if len(numerals.cells) < 0.9 * len(cells) or len(named) > 1 else numerals


def values_of(cells: Sequence[str], convention: str) -> np.ndarray:
    """Numbers of some cells, NaN for one that does not read or that is a limit."""
    found = (read_numeral(str(cell), convention) for cell in cells)
    return np.array([n.value if n and not n.limit else np.nan for n in found], dtype=float)


def are_in_several_units(cells: Sequence[str]) -> bool:
    """Whether distinct cells are numbers in several units: "5 mg" and "1 g", not "5A" and "5C"."""
    numerals = by_one_convention(cells)
    if numerals is None or len(numerals.cells) < 0.9 * len(cells):
        return False
    units = {found.unit for found in numerals.cells.values()}
    units -= set() if may_be_shares(numerals) else {""}
    are_codes = all(len(unit) == 1 and unit.isalpha() for unit in units)
    return len(units) > 1 and not are_codes and all(map(_MEASURE.fullmatch, units))


def may_be_shares(numerals: Numerals) -> bool:
    """Whether numbers beside per cent may be shares of 1: 0.125 beside 12.5 %."""
    of = [(abs(found.value), found.unit) for found in numerals.cells.values()]
    bare, percents = (max((v for v, u in of if u == unit), default=-1.0) for unit in ("", "%"))
    return 0 <= bare <= 1 < percents


def is_numeral(cell: str) -> bool:
    """Whether a cell reads as a number in either convention."""
    return is_plain(cell) or any(read_numeral(cell, convention) for convention in _DECIMAL)


#: A number among other text, and one alone in parentheses, as in accounts.
_FIRST_NUMBER = {
    sign: re.compile(
        r"(?<![\d.,])(?<!\d['\u2019 \u00a0\u202f])(?P<minus>(?<!\w)[-\u2212])?"
        rf"(?P<number>{_number(sign)})(?!\d|[.,'\u2019]\d|[ \u00a0\u202f]\d{{3}}(?!\d))"
    )
    for sign in _DECIMAL.values()
}
_IN_ACCOUNTS = re.compile(r"\(\s*[$€£¥]?\s*[\d.,'\u2019 ]*\d\s*[$€£¥%]?\s*\)")


def first_number(cell: str, decimal: str) -> float:
    """The first number in a cell such as "30 %" or "(1,234)", NaN where none can be read surely."""
    match = _FIRST_NUMBER[decimal].search(cell)
    if match is None:
        return np.nan
    is_negative = match["minus"] or _IN_ACCOUNTS.fullmatch(cell.strip())
    return _float(match["number"], decimal) * (-1 if is_negative else 1)


#: Of codes: "5E2", and a phone with that of its country.
_FORMS = (r"\d+[eE]\d+", r"\+[1-9]\d{7,}")


def are_codes(cells: Sequence[str]) -> bool:
    """Whether the cells are digits that are no number: "007", "+4930...", "5E2", or too many."""
    return _are_of_form(cells) or any(
        re.fullmatch(r"[+-]?0\d+([.,]\d*)?", cell)
        or ((long := re.fullmatch(r"[+-]?(\d{16,})(\.0*)?", cell)) and _is_too_long(long[1]))
        for cell in cells
    )


def _is_too_long(digits: str) -> bool:
    """Whether floating point cannot hold a whole number, of any length."""
    return len(digits.lstrip("+-0")) > 16 or abs(int(digits)) > EXACT


def _are_of_form(cells: Sequence[str]) -> bool:
    """Whether cells are all of one form of codes, or groups of three digits that no number has."""
    if not cells or any(all(re.fullmatch(form, cell) for cell in cells) for form in _FORMS):
        return len(cells) > 0
    if not all(re.fullmatch(r"\d{3}(?:[., ]\d{3})*", cell) for cell in cells):
        return False
    several = [parts for cell in cells if len(parts := re.split(r"[., ]", cell)) > 1]
    counts = {len(parts) for parts in several}
    rise = len(counts) > 1 and all(parts == sorted({*parts}) for parts in several)
    return rise or (len(several) == len(cells) and len(counts) == 1 and min(counts) > 2)


@dataclass(frozen=True)
class ColumnReading:
    """How a column of text reads as numbers."""

    #: Decimal signs by which every cell is a number: none, "." or ",", or both.
    signs: str = ""
    #: A cell that shows the doubt, or one with a sign.
    example: str = ""
    #: What is unclear: "sign" where both make a number, so that "1.508" is 1.508 or 1508; "groups"
    #: where the other sign might be the decimal one; "answers" that a comma may part; a "code" by
    #: zeros in front, or the form that all of its cells share.
    doubt: str = ""
    #: Whether some cells are whole numbers below 1,000 without any sign; of what may be answers,
    #: whether each that ends a cell stands alone in another.
    bare: bool = False


def is_plain(cell: str) -> bool:
    """Whether a cell is a number by one of the decimal signs, and nothing else."""
    return _IS_PLAIN.fullmatch(cell) is not None


def first_like(cells: pa.Array, pattern: str) -> str:
    """The first cell that matches somewhere, "" for none."""
    for some in (cells.slice(0, _FIRST), cells):
        place = pc.index(pc.match_substring_regex(some, pattern), True).as_py()
        if place >= 0:
            return cells[place].as_py()
    return ""


def _are_like(cells: pa.Array, pattern: str) -> bool:
    """Whether every cell that is not missing matches as a whole."""
    parts = (cells.slice(0, _FIRST), cells)
    return all(pc.all(pc.match_substring_regex(c, f"^(?:{pattern})$")).as_py() for c in parts)


def _floats(cells: pa.Array) -> pa.Array | None:
    """Cells as numbers where all are, by the point and without groups."""
    try:
        return pc.cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return None


def look_at_numbers(cells: pa.Array) -> ColumnReading:
    """Find out by which decimal signs every cell of a column of text is a plain number."""
    # The first cells settle it for nearly every column of words, at no cost.
    some = cells.slice(0, _FIRST).drop_null().to_pylist()
    if cells.null_count == len(cells) or not all(map(is_plain, some)):
        return ColumnReading()
    values = _floats(cells)
    signs = "." if values or _are_like(cells, _PLAIN["."]) else ""
    signs += "," if _are_like(cells, _PLAIN[","]) else ""
    found = ColumnReading(signs, first_like(cells, "[.,]"))
    if not signs:
        return found if _are_like(cells, "|".join(_PLAIN.values())) else ColumnReading()
    if code := first_like(cells, r"^[+-]?0\d") or _first_code(cells):
        return replace(found, doubt="code", example=code)
    if _is_beyond_float(cells, values):
        return ColumnReading()
    if not found.example:
        return replace(found, signs=".")
    if len(signs) == 2:
        return replace(found, doubt="sign", bare=first_like(cells, r"^[+-]?\d{1,3}$") != "")
    if signs == "," and _are_like(cells, r"[\d,]+"):
        distinct = {*_distinct(cells)}
        lists = [cell.split(",") for cell in distinct if "," in cell]
        if may_be_answers(lists, distinct):  # of halves, 1,5 and 2,5, all end alike
            ends = {parts[-1] for parts in lists}
            return replace(found, doubt="answers", bare=len(ends) > 1 and ends <= distinct)
    # No cell has both signs, and some have the other one, which could be the decimal sign.
    other = r"\." if signs == "," else ","
    alone = "" if values else first_like(cells, rf"^[^.,]*{other}[^.,]*$")
    if alone and first_like(cells, rf"\{signs}") and not first_like(cells, r"\..*,|,.*\."):
        return replace(found, doubt="groups", example=alone)
    return found


def _distinct(cells: pa.Array) -> list[str]:
    return pc.unique(cells.drop_null()).to_pylist()


def _first_code(cells: pa.Array) -> str:
    """A cell of a column in which all are of one form that numbers seldom share; "" otherwise."""
    if not any(_are_like(cells, form) for form in (*_FORMS, r"\d{3}(?:[., ]\d{3})*")):
        return ""
    return first_like(cells, r"\d\D|^\+") if _are_of_form(_distinct(cells)[:2000]) else ""


def _is_beyond_float(cells: pa.Array, values: pa.Array | None) -> bool:
    """Whether digits or exponents say more than floating point holds."""
    if values and pc.max(pc.abs(values)).as_py() < EXACT:
        return False
    distinct = _distinct(cells)
    if any(re.search(r"[eE]\d{3,}$", c) and np.isinf(float(c.replace(",", "."))) for c in distinct):
        return True
    whole = [re.fullmatch(r"([+-]?\d+)(\.0*)?", cell) for cell in distinct]
    return all(whole) and any(_is_too_long(match[1]) for match in whole if match)


def to_numbers(cells: pa.Array, decimal: str) -> pa.Array:
    """Numbers of a column that reads so by this decimal sign: int64 where all are whole."""
    if decimal == "," or not (values := _floats(cells)):
        others = re.escape(_MARKS.replace(decimal, ""))
        cells = pc.replace_substring_regex(cells, f"[{others}]", "")
        values = _floats(pc.replace_substring(cells, decimal, "."))
    if first_like(cells, rf"[\{decimal}eEnN]"):
        return values
    return pc.cast(pc.replace_substring(cells, "+", ""), pa.int64())
