"""Words and numbers as sentences write them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

#: What every page and report about patients ends with.
CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
#: Written behind what begins an address, so that a page makes no link of it. It takes no room.
_JOINER = "\N{WORD JOINER}"
_ADDRESS = re.compile(r"://|www(?=\.)|@", re.IGNORECASE)
_WITHIN_SHARE = re.compile(r" (?=%)|(?<=:) (?=[\d.]+ %)")
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]()#+-.!|<>~$:&^"} | {"\n": " "})


class RefusedError(ValueError):
    """What cannot be, and what to do instead: one sentence for whoever asked for it."""


def escaped(text: object) -> str:
    """Text of a table made safe where it meets markdown; no line ends within "mild: 7 %"."""
    text = _WITHIN_SHARE.sub("\u00a0", str(text))
    return _ADDRESS.sub(rf"\g<0>{_JOINER}", text).translate(_MARKDOWN)


def times(count: int) -> str:
    """How often: "once", "1,204 times"."""
    return "once" if count == 1 else f"{count:,} times"


def counted(count: int, noun: str) -> str:
    """Write a number with its noun: "1 row", "2,000 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(values: Iterable[object], most: int, quotes: str = "") -> str:
    """Name values one behind another, others counted: "a, b and 3 more", "1,350; 1,405"."""
    opening, closing = quotes[:1], quotes[-1:]
    texts = [f"{opening}{value}{closing}" for value in values]
    more = len(texts) - most
    shown = ("; " if any("," in text for text in texts[:most]) else ", ").join(texts[:most])
    return f"{shown} and {more:,} more" if more > 0 else shown


def cut(text: str, most: int) -> str:
    """A text of so many letters at most, the last one an ellipsis where it is cut."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"


def in_digits(value: float, more: int = 0) -> str:
    """A number with the digits it deserves: three significant ones, thousands separated."""
    if np.isnan(value):
        return "-"
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{2 + more}e}"
    return _in_decimals(value, _significant(value) + more)


def _significant(value: float) -> int:
    """Decimals that show three significant digits."""
    return max(0, 2 - int(np.floor(np.log10(abs(value))))) if value else 0


def _in_decimals(value: float, most: int, least: int = 0, separator: str = ",") -> str:
    """A number with so many decimals, less the zeros at its end, down to the fewest."""
    # Adding 0 makes a 0 of -0, which rounding leaves.
    text = f"{round(value, most) + 0.0:{separator}.{most}f}"
    idle = min(len(text) - len(text.rstrip("0")), most - least)
    return text[: len(text) - idle].rstrip(".") if idle > 0 else text


def could_be_year(value: float) -> bool:
    """Whether a number might be a year, whose thousands nobody sets apart."""
    return 1800 <= value < 2200


#: Significant digits of a column's largest number that floating point keeps through a logarithm.
_KEPT_DIGITS = 12


@dataclass(frozen=True)
class Notation:
    """How numbers of one column are written: as finely as its own are, and no finer."""

    #: Decimals that write every number of the column.
    decimals: int
    #: Decimals that show a tenth of the range of its middle half.
    telling: int
    #: Between thousands; none where all of them could be years.
    separator: str

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        """Of the numbers of a column, shape (N,), NaN where missing."""
        finite = values[np.isfinite(values)]
        if not finite.size:
            return cls(0, 0, ",")
        largest = float(np.abs(finite).max())
        finest = max(0, _KEPT_DIGITS - int(np.ceil(np.log10(largest)))) if largest else 0
        lost = largest * 10.0**-_KEPT_DIGITS
        decimals = next(
            (
                d
                for d in range(finest)
                if all(_off(part, d) <= lost for part in (finite[:1000], finite))
            ),
            finest,
        )
        lower, upper = np.quantile(finite / (largest or 1.0), (0.25, 0.75)) * largest
        spread = upper - lower
        telling = max(0, int(np.ceil(1.0 - np.log10(spread)))) if spread > 0.0 else 0
        is_year = not decimals and could_be_year(finite.min()) and could_be_year(finite.max())
        return cls(decimals, telling, "" if is_year else ",")

    def write(self, value: float, more: int = 0) -> str:
        """A number of the column, or a figure made of several, such as their mean."""
        own = self.decimals
        if _off(np.array([value]), own) > 1e-3 * 10.0**-own:
            own = max(own + 1, _significant(value) - 2)
        if np.isfinite(value) and not round(value, own + more):
            value = 0.0
        if np.isnan(value) or (value and not 1e-4 <= abs(value) < 1e15):
            return in_digits(value, more)
        decimals = min(max(_significant(value), self.telling), own)
        return _in_decimals(value, decimals + more, min(self.telling, own), self.separator)


def _off(values: np.ndarray, decimals: int) -> float:
    """How far the farthest of some numbers is from what so many decimals write."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.abs(values - np.round(values, decimals)).max())


def percent(part: float, whole: float = 1.0, more: int = 0) -> str:
    """A share with the digits it deserves: "50 %", "5.0 %", "0.38 %"; ``more`` where asked for."""
    share = 100 * part / whole if whole else 0.0
    # As rounded: 9.96 is "10 %".
    digits = 0 if share >= 9.95 or not share else 1 if share >= 0.995 else 2
    if 99.5 <= share < 100:
        digits = 1 if share < 99.95 else 2
    return f"{share:.{digits + more}f} %"


def p_text(p: float | None) -> str:
    """A p-value with the digits it deserves, or, of None or NaN, that there is none."""
    if p is None or np.isnan(p):
        return "none"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
