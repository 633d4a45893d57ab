"""Units of measurement: numbers in several of them, and what they are in one."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from .numbers import Numeral, Numerals, by_one_convention, read_numeral

#: Behind a reading such as "decimal point", before the unit that all numbers are read in.
IN = " in "
_PREFIXES = {"": 1.0, "k": 1e3, "d": 1e-1, "c": 1e-2, "m": 1e-3, "n": 1e-9, "p": 1e-12}
_PREFIXES |= dict.fromkeys("µμu", 1e-6)
_BASES = ("g", "l", "L", "m", "mol", "eq", "Eq", "IU", "Pa", "Hz", "cal")
#: Of what it measures, how large one is, and where its zero lies.
_UNITS = {p + b: (b.casefold(), times, 0.0) for b in _BASES for p, times in _PREFIXES.items()}
_UNITS |= {"": ("", 1.0, 0.0), "%": ("", 1e-2, 0.0), "‰": ("", 1e-3, 0.0), "mcg": ("g", 1e-6, 0.0)}
_UNITS |= dict.fromkeys(("lb", "lbs", "pounds"), ("g", 453.59237, 0.0))
_UNITS |= {"oz": ("g", 28.3495231, 0.0), "st": ("g", 6350.29318, 0.0), "t": ("g", 1e6, 0.0)}
_UNITS |= dict.fromkeys(("in", "inch", "inches"), ("m", 0.0254, 0.0)) | {"ft": ("m", 0.3048, 0.0)}
_UNITS |= {"mi": ("m", 1609.344, 0.0), "mmHg": ("pa", 133.322, 0.0)}
_UNITS |= {"°C": ("°", 1.0, 0.0), "°F": ("°", 5 / 9, -160 / 9)}
_MONEY = {"€": "EUR", "$": "USD", "US$": "USD", "£": "GBP", "¥": "JPY"}
_OF_MONEY = re.compile(r"[A-Z]{3}|zł|kr\.?")


def _unit(text: str) -> tuple[str, float, float] | None:
    """What a unit measures, how large it is, and where its zero lies; None where it is unknown."""
    if money := _MONEY.get(text) or (_OF_MONEY.fullmatch(text) and text):
        return money, 1.0, 0.0
    parts = [_UNITS.get(part.strip()) for part in text.split("/")]
    if len(parts) != 2 or None in parts:
        return parts[0] if len(parts) == 1 else None
    above, below = (part or ("", 1.0, 0.0) for part in parts)
    return f"{above[0]}/{below[0]}", above[1] / below[1], 0.0


def values_of(cells: Sequence[str], reading: str) -> np.ndarray:
    """Numbers of some cells, all in the unit of the reading if it has one.

    NaN for one that does not read, that is a limit, or that is in a unit of another kind.
    """
    convention, _, wanted = reading.partition(IN)
    of = _unit(wanted) if IN in reading else None

    def value(found: Numeral | None) -> float:
        if found is None or found.limit:
            return np.nan
        if of is None or found.unit == wanted:
            return found.value
        unit = _unit(found.unit)
        same = unit is not None and unit[0] == of[0]
        return (found.value * unit[1] + unit[2] - of[2]) / of[1] if same and unit else np.nan

    return np.array([value(read_numeral(str(cell), convention)) for cell in cells], dtype=float)


def several_units(cells: Sequence[str]) -> tuple[str, list[str]]:
    """The convention of numbers in several units, and these, the most frequent first, or none."""
    numerals = by_one_convention(cells)
    if numerals is None or len(numerals.cells) < 0.9 * len(cells):
        return "", []
    units = Counter(numeral.unit for numeral in numerals.cells.values())
    if not may_be_shares(numerals):
        del units[""]
    kinds = {_unit(unit) for unit in units}
    measured = {kind[0] for kind in kinds if kind}
    # A letter may be a code's: "12A" and "14C".
    are_codes = len(measured) > 1 and any(len(u) == 1 and u.isalpha() for u in units)
    if None in kinds or len(units) < 2 or are_codes:
        return "", []
    return numerals.convention, [unit for unit, _ in units.most_common()]


def may_be_shares(numerals: Numerals) -> bool:
    """Whether numbers beside per cent may be shares of 1: 0.125 beside 12.5 %."""
    of = [(abs(found.value), found.unit) for found in numerals.cells.values()]
    bare, percents = (max((v for v, u in of if u == unit), default=-1.0) for unit in ("", "%"))
    return 0 <= bare <= 1 < percents
