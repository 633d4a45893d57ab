"""Words and numbers as sentences write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

#: Written behind what begins an address, so that a page makes no link of it. It takes no room.
_JOINER = "\N{WORD JOINER}"
_ADDRESS = re.compile(r"://|www(?=\.)|@", re.IGNORECASE)
_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]()#+-.!|<>~$:&^"} | {"\n": " "})


def escaped(text: object) -> str:
    """Text of a table made safe where it meets markdown.

    An image in a name would be fetched; a bare address would become a link to anywhere.
    """
    return _ADDRESS.sub(rf"\g<0>{_JOINER}", str(text)).translate(_MARKDOWN)


def counted(count: int, noun: str) -> str:
    """Write a number with its noun: "1 row", "2,000 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(values: Iterable[object], most: int, quotes: str = "") -> str:
    """Name values one behind the other, and count those that are too many: "a, b and 3 more"."""
    opening, closing = quotes[:1], quotes[-1:]
    texts = [f"{opening}{value}{closing}" for value in values]
    more = len(texts) - most
    shown = ", ".join(texts[:most])
    return f"{shown} and {more:,} more" if more > 0 else shown


def install(extra: str) -> str:
    """Say how packages that only some need are installed: MAP-DP Studio itself is on no index."""
    return f'run .venv/bin/pip install -e ".[{extra}]" in the folder of MAP-DP Studio'


def in_digits(value: float, more: int = 0) -> str:
    """A number with the digits it deserves: three significant ones, thousands separated.

    ``more`` digits where that is asked for.
    """
    if np.isnan(value):
        return "-"
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:.{2 + more}e}"
    digits = max(0, 2 + more - int(np.floor(np.log10(abs(value))))) if value else 0
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(part: float, whole: float = 1.0, more: int = 0) -> str:
    """A share with the digits it deserves: "50 %", "5.0 %", "0.38 %"; ``more`` where asked for.

    What is not all is never "100 %": "99.6 %".
    """
    share = 100 * part / whole if whole else 0.0
    digits = 0 if share >= 10 or not share else 1 if share >= 1 else 2
    if 99.5 <= share < 100:
        digits = 1 if share < 99.95 else 2
    return f"{share:.{digits + more}f} %"


def p_text(p: float | None) -> str:
    """A p-value with the digits it deserves, or that there is none."""
    if p is None:
        return "none"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
