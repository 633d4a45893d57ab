"""With which signs the numbers of some cells are written: the decimal one, and that of groups."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from .cells import NumberFromText

#: Decimal sign and the one between thousands, the likeliest first.
WAYS = ((".", ""), (",", "."), (".", ","), (",", " "), (".", " "), (".", "'"), (",", ""))
_NUMBER = re.compile(r"\d[\d.,'\u2019\u00a0\u202f ]*\d|\d")
#: Digits grouped by points or commas, and so many of them that it is no chance.
_IN_GROUPS, _CLEARLY = re.compile(r"\d{1,3}([.,]\d{3})+"), 5


def numbers_in(cells: Sequence[str]) -> list[str]:
    """The first number of every cell that holds one, as it is written."""
    return [found[0] for cell in cells if (found := _NUMBER.search(cell))]


def likely_signs(
    numbers: Sequence[str], of_file: tuple[str, str] = WAYS[0], least: float = 0.0
) -> tuple[str, str] | None:
    """Of the ways to write numbers the one that reads most of them.

    Parameters
    ----------
    numbers : sequence of str
        Without notes and units.
    of_file : tuple
        The file's own way; where it is not the usual one it goes before others that read as many.
    least : float
        Share of the numbers that must be read; of fewer it is None.
    """
    cells = pd.DataFrame({"cells": [*numbers, "0"]})
    read = {
        way: int(NumberFromText(("cells",), *way).apply(cells)["cells"].notna().sum())
        for way in dict.fromkeys((*WAYS, of_file))
    }
    most = max(read.values())
    if most < least * len(numbers):
        return None
    best = [way for way in read if read[way] == most]
    if of_file != WAYS[0] and of_file in best:
        return of_file
    parted = [number for number in numbers if re.search(r"[.,]", number)]
    if len(parted) >= _CLEARLY and all(map(_IN_GROUPS.fullmatch, parted)):
        sign = "." if "." in parted[0] else ","
        best = [way for way in best if way[1] == sign] or best
    return best[0]
