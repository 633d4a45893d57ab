"""Words and numbers as sentences write them."""

from __future__ import annotations

_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]()#+-.!|<>~$:&^"} | {"\n": " "})


def escaped(text: object) -> str:
    """Text of a table made safe where it meets markdown (an image in a name would be fetched)."""
    return str(text).translate(_MARKDOWN)


def counted(count: int, noun: str) -> str:
    """Write a number with its noun: "1 row", "2,000 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def percent(part: float, whole: float) -> str:
    """A share with the digits it deserves: "50 %", "5.0 %", "0.38 %"."""
    share = 100 * part / whole if whole else 0.0
    digits = 0 if share >= 10 or not share else 1 if share >= 1 else 2
    return f"{share:.{digits}f} %"


def p_text(p: float | None) -> str:
    """A p-value with the digits it deserves, or that there is none."""
    if p is None:
        return "none"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
