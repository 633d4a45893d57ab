"""Numbers as people write them: "$1,234.56", "1.234,50 €", "12.3 %", "(1,234)", "<0.5".

The cells stay as they are written; a column's spec says by which convention they are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..wording import counted

POINT, COMMA = "decimal point", "decimal comma"

_CURRENCY = (
    r"US\$|A\$|C\$|R\$|[$€£¥₹₽₩₺₪฿]|USD|EUR|GBP|CHF|JPY|CNY|INR|BRL|CAD|AUD|SEK|NOK|DKK|PLN|CZK"
    r"|Rs\.?|kr\.?|zł"
)
# A blank, an apostrophe or the other convention's decimal sign between groups of three digits.
_GROUPED = {
    POINT: r"\d{1,3}(?P<mark>[, '\u2019])\d{3}(?:(?P=mark)\d{3})*(?:\.\d*)?",
    COMMA: r"\d{1,3}(?P<mark>[. '\u2019])\d{3}(?:(?P=mark)\d{3})*(?:,\d*)?",
}
_PLAIN = {
    POINT: r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?",
    COMMA: r"(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)?",
}
# What a number in front of it counts, in English and in German; of either case.
_WORDS = {
    **dict.fromkeys(("tsd", "tausend", "thousand", "thousands"), 1e3),
    **dict.fromkeys(("mio", "mln", "million", "millions", "millionen"), 1e6),
    **dict.fromkeys(("mrd", "mia", "bn", "bln", "milliarde", "milliarden"), 1e9),
}
# In English alone: a German Billion is a thousand of them.
_ENGLISH = {"billion": 1e9, "billions": 1e9}
# Letters that are units, too: metres, kelvin, bytes. Beside a currency they count.
_LETTERS = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "b": 1e9, "B": 1e9}
_FACTORS = {POINT: _WORDS | _ENGLISH, COMMA: _WORDS}
_UNIT = r"%|‰|°|[A-Za-zµμΩ°$€£¥][\w/µμ°²³^.*·%$€£¥-]{0,11}(?: ?[/²³] ?[\w²³.]{1,8})?"
# A mark behind a number that sends to a note below the table: (1), [b], *, †.
_NOTE = r"\(\d{1,3}\)|\([a-z]\)|\[\w{1,3}\]|[*†‡§¶]{1,3}"
_LIMIT = r"<=|>=|=<|=>|[<>≤≥]"


def _pattern(convention: str) -> re.Pattern[str]:
    number = f"(?P<number>{_GROUPED[convention]}|{_PLAIN[convention]})"
    words = f"(?i:{'|'.join(_FACTORS[convention])})|{'|'.join(_LETTERS)}"
    return re.compile(
        rf"(?P<limit>{_LIMIT})?\s*(?P<sign>[+-])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[+-])?\s*"
        rf"{number}(?:(?P<blank>\s*)(?P<factor>{words})\.?(?![^\W\d_]))?(?P<after>-)?"
        rf"\s*(?P<unit>{_CURRENCY}|{_UNIT})?\s*(?P<note>{_NOTE})?"
    )


_NUMERAL = {convention: _pattern(convention) for convention in (POINT, COMMA)}
_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "})


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
        done = []
        units = sorted({found.unit for found in self.cells.values()} - {""})
        done += [f"the unit {unit}" for unit in units]
        if grouped := sum(counts[cell] for cell, found in self.cells.items() if found.grouped):
            done.append(f"digits in groups of three in {counted(grouped, 'cell')}")
        if times := sum(counts[cell] for cell, found in self.cells.items() if found.times != 1.0):
            done.append(f"thousands, millions or billions in {counted(times, 'cell')}")
        if notes := sum(counts[cell] for cell, found in self.cells.items() if found.note):
            done.append(f"the marks of footnotes in {counted(notes, 'cell')} left out")
        if self.convention == COMMA:
            done.append("the comma as the decimal sign")
        if negative := sum(counts[cell] for cell, found in self.cells.items() if found.negative):
            done.append(f"parentheses or a sign behind as minus in {counted(negative, 'cell')}")
        return f"Read as numbers: {', '.join(done)}. "


def read_numeral(cell: str, convention: str) -> Numeral | None:
    """Read one cell, or return None where it is no number in that convention."""
    text = " ".join(cell.translate(_SIGNS).split())
    in_parentheses = len(text) > 2 and text[0] == "(" and text[-1] == ")"
    match = _NUMERAL[convention].fullmatch(text[1:-1].strip() if in_parentheses else text)
    if match is None:
        return None
    times, unit = _times_and_unit(match, convention)
    digits, decimal = match["number"], "." if convention == POINT else ","
    whole, sign, fraction = digits.partition(decimal)
    value = float(re.sub(r"[,. '\u2019]", "", whole) + ("." + fraction if sign else ""))
    value *= times
    behind = bool(in_parentheses or match["after"])
    if (match["sign"] == "-") != (match["inner"] == "-") or behind:
        value = -value
    limit = {"<": "<", "≤": "<", "=": "<"}.get((match["limit"] or " ")[0], "")
    if match["limit"] and (">" in match["limit"] or "≥" in match["limit"]):
        limit = ">"
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
        None where fewer than nine in ten read as numbers, or where they have different units:
        "170 cm" beside "1.7 m" is not one scale.
    """
    some = cells[:50]
    if sum(_reads(cell) for cell in some) < 0.6 * len(some):
        return None
    by = {
        convention: {
            cell: found for cell in cells if (found := read_numeral(cell, convention)) is not None
        }
        for convention in (POINT, COMMA)
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


def _reads(cell: str) -> bool:
    return any(read_numeral(cell, convention) is not None for convention in (POINT, COMMA))


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
