"""Numbers with units of measurement: their values, and whether they stand in several units."""

import re
from collections.abc import Sequence

import numpy as np

from .numbers import CURRENCY, Numerals, by_one_convention, read_numeral

#: A unit of measurement; such units alone or one by another, and currencies.
UNIT = r"[kcdmnpuµμ]?(?:g|mol|l|L|m|M|U|IU|eq|Eq|Hz|V|A|W|Pa|bar|cal|J|s)"
#: Of feet and pounds.
IMPERIAL = r"inch|ft|lbs?|oz"
_MEASURE = re.compile(
    rf"(?:(?:{UNIT}|mcg|1|%)?(?:/{UNIT})?|‰|{IMPERIAL}|pounds|st|t|in|inches|mi|mmHg|°[CF]"
    rf"|{CURRENCY}|[A-Z]{{3}})"
)


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
