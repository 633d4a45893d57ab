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


def likely_signs(cells: Sequence[str], of_file: tuple[str, str] = WAYS[0]) -> tuple[str, str]:
    """Of the ways to write numbers the one that reads the first number of most cells.

    Parameters
    ----------
    cells : sequence of str
        Notes and units may stand beside the numbers.
    of_file : tuple
        The file's own way; where it is not the usual one it goes before others that read as many.
    """
    numbers = [found[0] for cell in cells if (found := _NUMBER.search(cell))]
    frame = pd.DataFrame({"cells": [*numbers, "0"]})
    read = {
        way: int(NumberFromText(("cells",), *way).apply(frame)["cells"].notna().sum())
        for way in dict.fromkeys((*WAYS, of_file))
    }
    best = [way for way in read if read[way] == max(read.values())]
    if of_file != WAYS[0] and of_file in best:
        return of_file
    parted = [number for number in numbers if re.search(r"[.,]", number)]
    if len(parted) >= _CLEARLY and all(map(_IN_GROUPS.fullmatch, parted)):
        sign = "." if "." in parted[0] else ","
        best = [way for way in best if way[1] == sign] or best
    return best[0]
