"""Text in which numbers stand with a note or a unit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..prepare.cells import NumberFromText
from ..prepare.number_signs import likely_signs
from ..schema.vocabulary import names_identifier
from .suggestion import Look, Suggestion, listed_names, word_set

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
    return likely_signs(numbers, least=_LEAST_READ)


def _are_codes(numbers: Sequence[str]) -> bool:
    """Whether digits begin with needless zeros, as those of codes."""
    return any(re.match(r"0\d", number) for number in numbers)
