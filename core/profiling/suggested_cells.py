"""Cells that could say more: blanks that mean no, numbers with notes, spellings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from ..prepare.cells import FillBlanks, MergeLevels, NumberFromText
from ..schema.checkboxes import boxes
from ..schema.vocabulary import names_identifier
from ..wording import counted
from .suggestion import Look, Suggestion, listed_names, short, word_set


def blanks_that_mean_no(look: Look) -> Iterator[Suggestion]:
    """Columns that hold one value or nothing: ticks, or the words of the answers ticked."""
    n = len(look.frame)
    single = [
        name
        for name in look.names
        if len(look.levels(name)) == 1 and 0.02 * n <= n - look.counts(name)[0] and n > 1
    ]
    found = boxes({name: look.levels(name)[0] for name in single})
    if found:
        hold = "column holds" if len(found) == 1 else "columns hold"
        values = list(dict.fromkeys(_told(look.levels(name)[0]) for name in found))
        held = f"{values[0]} or nothing" if len(values) == 1 else "one value or nothing"
        why = (
            f"{len(found):,} {hold} {held} ({listed_names(found)}): does a blank in "
            f"{'it' if len(found) == 1 else 'them'} mean no?"
        )
        yield Suggestion(FillBlanks(found), why)


#: Share of the cells that are blank, at least, where none of the others is 0.
_MOSTLY_BLANK = 0.5


def blanks_that_mean_none(look: Look) -> Iterator[Suggestion]:
    """Amounts that are blank in most rows and never 0: where nothing was, nothing was written."""
    n = len(look.frame)
    found = []
    for name in look.names:
        if not look.is_number(name) or len(look.levels(name)) < _FEWEST_NUMBERS:
            continue
        values = look.values(name)
        known = values[~np.isnan(values)]
        if known.size < (1 - _MOSTLY_BLANK) * n and known.min() > 0:
            found.append(name)
    if found:
        are, them = ("is", "it") if len(found) == 1 else ("are", "them")
        why = (
            f"{listed_names(found)} {are} blank in most rows and never 0: does a blank in {them} "
            "mean 0?"
        )
        yield Suggestion(FillBlanks(tuple(found), 0), why)


def _told(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


#: A number at the begin of a cell, and what stands behind it; no further digits but in a note.
_BEGINS = re.compile(
    r"[~\u2248<>\u2264\u2265$\u20ac\u00a3]?\s?-?(?P<number>\d[\d.,'\u2019\u00a0 ]*\d|\d)"
    r"(?P<behind>\s+[^\d\W][^\d]*|\s*(?:[^\w\s.,;:/'-][^\d]*|[(\[][^()\[\]]{1,12}[)\]]|))"
)
_NOTE = re.compile(r"[(\[][^()\[\]]{1,12}[)\]]|[*\u2020\u2021\u00a7\u00b6#^]+")
#: Units that measure one thing: a number with one of them is not to be taken for one with another.
_MEASURES = word_set(
    "second seconds sec s minute minutes min mins hour hours hr hrs h day days d week weeks wk wks",
    "month months mo mos year years yr yrs y g kg mg lb lbs oz t m cm mm km in ft l ml k kb mb gb",
    "tb thousand million billion mn bn cr crore lakh lac lacs st nd rd th am pm",
)
_MOST_SUFFIXES = 12
#: Share of the cells that begin with a number, at least: where many have a note, and few.
_LEAST_READ, _LEAST_OF_FEW = 0.9, 0.99
_FEWEST_NUMBERS = 8


def numbers_with_notes(look: Look) -> Iterator[Suggestion]:
    """Text in which a number stands with a note or a unit, which is not read as a number."""
    signs = {name: s for name in look.names if (s := _signs_of(look, name)) is not None}
    if not signs:
        return
    most = Counter(signs.values()).most_common(1)[0][0]
    names = [name for name in signs if signs[name] == most]
    cells = (str(cell).strip() for cell in look.levels(names[0]))
    example = next(c for c in cells if (found := _BEGINS.fullmatch(c)) and found["behind"].strip())
    hold = "column holds" if len(names) == 1 else "columns hold"
    why = (
        f"{len(names):,} {hold} numbers with a note or a unit ({listed_names(names)}: "
        f"{example!r}): read the numbers?"
    )
    yield Suggestion(NumberFromText(tuple(names), *most), why)


def _signs_of(look: Look, name: str) -> tuple[str, str] | None:
    """The decimal sign and the one between thousands; None where the cells are no such numbers."""
    spec = look.schema.get(name)
    if not look.is_text(name) or spec is None or spec.reading or names_identifier(name):
        return None
    cells = [str(level).strip() for level in look.levels(name)[:2000]]
    some = sum(_BEGINS.fullmatch(cell) is not None for cell in cells[:40])
    if len(cells) < _FEWEST_NUMBERS or some < 0.6 * len(cells[:40]):
        return None
    found = [match for cell in cells if (match := _BEGINS.fullmatch(cell))]
    behind = [match["behind"].strip() for match in found]
    noted = sum(text != "" for text in behind)
    least = _LEAST_READ if noted > (1 - _LEAST_READ) * len(cells) else _LEAST_OF_FEW
    if not noted or len(found) < least * len(cells):
        return None
    suffixes = {_NOTE.sub("", text).strip().lower() for text in behind} - {""}
    has_measures = sum(suffix.rstrip(".") in _MEASURES for suffix in suffixes) > 1
    letters = any(len(suffix) == 1 and suffix.isalpha() for suffix in suffixes)
    if len(suffixes) > _MOST_SUFFIXES or has_measures or letters:
        return None
    numbers = [match["number"] for match in found]
    if len({*numbers}) < max(_FEWEST_NUMBERS, 0.4 * len(cells)) or _are_codes(numbers):
        return None
    return _signs(numbers)


def _are_codes(numbers: Sequence[str]) -> bool:
    """Whether digits begin with needless zeros, as those of codes."""
    return any(re.match(r"0\d", number) for number in numbers)


def _signs(numbers: Sequence[str]) -> tuple[str, str] | None:
    """Of the ways to write numbers the one that reads most of them."""
    ways = [(".", ""), (",", "."), (".", ","), (",", " "), (".", " "), (".", "'"), (",", "")]
    cells = pd.DataFrame({"cells": [*numbers, "0"]})
    read = {
        way: int(NumberFromText(("cells",), *way).apply(cells)["cells"].notna().sum())
        for way in ways
    }
    most = max(read.values())
    if most < _LEAST_READ * len(numbers):
        return None
    best = [way for way in ways if read[way] == most]
    parted = [number for number in numbers if re.search(r"[.,]", number)]
    if len(parted) >= 5 and all(re.fullmatch(r"\d{1,3}([.,]\d{3})+", p) for p in parted):
        sign = "." if "." in parted[0] else ","
        grouped = [way for way in best if way[1] == sign]
        best = grouped or best
    return best[0]


_MOST_LEVELS = 300


def spellings(look: Look) -> Iterator[Suggestion]:
    """Levels that differ in capital letters and blanks only."""
    pairs: dict[str, str] = {}
    names, shown = [], ("", "")
    for name in look.names:
        if not look.is_text(name) or look.role(name) in ("id", "weight"):
            continue
        levels = look.levels(name)
        if len(levels) > _MOST_LEVELS or not len(levels):
            continue
        merged = _merged(levels, look.counts(name))
        clash = any(pairs.get(old, new) != new or new in pairs for old, new in merged.items())
        if merged and not clash and not {*pairs.values()} & {*merged}:
            pairs |= merged
            names.append(name)
            shown = shown if shown[0] else next(iter(merged.items()))
    if not names:
        return
    where = f"'{short(names[0])}'" + (
        f" and {counted(len(names) - 1, 'column')} more" * (len(names) > 1)
    )
    do = "does" if len(pairs) == 2 else "do"
    more = f", as {do} {len(pairs) - 1:,} more" * (len(pairs) > 1)
    why = f"'{shown[0]}' and '{shown[1]}' in {where} differ in spelling only{more}: make them one?"
    yield Suggestion(MergeLevels(tuple(names), tuple(pairs.items())), why)


def _merged(levels: np.ndarray, counts: np.ndarray) -> dict[str, str]:
    """Rarer spellings, each with the most frequent one."""
    of: dict[str, list[tuple[int, str]]] = {}
    for level, count in zip(levels, counts, strict=True):
        text = str(level)
        if len(text.strip()) > 1:
            of.setdefault(" ".join(text.casefold().split()), []).append((int(count), text))
    merged = {}
    for spelled in of.values():
        best = max(spelled)[1]
        merged |= {text: best for _, text in spelled if text != best}
    return merged
