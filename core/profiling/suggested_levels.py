"""Levels of a category that could be one: spellings, slips of a letter, hardly any rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

import numpy as np

from ..families.family import CATEGORY
from ..prepare.cells import MergeLevels
from ..schema.no_answers import means_missing
from ..wording import counted
from .suggestion import Look, Suggestion, listed_names, short, word_set

#: Levels of a column of words that is looked at, at most.
_MOST_LEVELS = 300


def spellings(look: Look) -> Iterator[Suggestion]:
    """Levels that differ in capital letters and blanks only."""
    found = {}
    for name in look.names:
        if not look.is_text(name) or look.role(name) in ("id", "weight"):
            continue
        levels = look.levels(name)
        if 0 < len(levels) <= _MOST_LEVELS and (merged := _merged(levels, look.counts(name))):
            found[name] = merged
    found = _side_by_side(look, found)
    if not found:
        return
    pairs = _all_pairs(found)
    one, two = next(iter(pairs.items()))
    do = "does" if len(pairs) == 2 else "do"
    more = f", as {do} {len(pairs) - 1:,} more" * (len(pairs) > 1)
    why = f"'{one}' and '{two}' in {_where(found)} differ in spelling only{more}: make them one?"
    yield Suggestion(MergeLevels(tuple(found), tuple(pairs.items())), why)


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


def _side_by_side(look: Look, found: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The first columns whose levels can be merged in one step: what goes in one stays in none."""
    chosen: dict[str, dict[str, str]] = {}
    for name, pairs in found.items():
        stay = {str(level) for level in look.levels(name)} - {*pairs}
        if not any(
            stay & {*others}
            or ({str(level) for level in look.levels(other)} - {*others}) & {*pairs}
            or any(others.get(old, new) != new for old, new in pairs.items())
            for other, others in chosen.items()
        ):
            chosen[name] = dict(pairs)
    return chosen


def _where(found: Mapping[str, Mapping[str, str]]) -> str:
    """The first of some columns, and how many more there are."""
    first, *others = found
    return f"'{short(first)}'" + f" and {counted(len(others), 'column')} more" * bool(others)


def _all_pairs(found: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {old: new for pairs in found.values() for old, new in pairs.items()}


#: Rows of a level that stands in hardly any, at most: two, or this share of all up to five. So
#: many rows a card tells of, so that fewer are not worth a level.
_FEW_ROWS, _FEW_SHARE, _NEVER_FEW = 2, 0.002, 5
#: Rows of a table, at least, and share of them that such levels may have together.
_LEAST_ROWS, _MOST_RARE = 100, 0.05
#: Levels that stand in many rows, at most, and how much more of them than of the rare ones.
_MOST_USUAL, _TIMES_USUAL = 20, 3
#: A slip is so many times rarer than the word that was meant, which has so many letters at least.
_TIMES_RARER, _LETTERS = 20, 5
#: Words of a level that is what is left of all others.
_OTHERS = word_set(
    "other others misc miscellaneous rest sonstige sonstiges andere anderes autre autres otro",
    "otros otra otras altro altri altra outro outros outra overig overige anders inne inny",
)


def slips(look: Look) -> Iterator[Suggestion]:
    """Levels in hardly any row that are one letter away from one that stands in many."""
    found = {name: pairs for name in _kinds(look) if (pairs := _slips(_rows(look, name)))}
    found = _side_by_side(look, found)
    if not found:
        return
    pairs = _all_pairs(found)
    first = next(iter(found))
    slip, meant = next(iter(pairs.items()))
    rows = _rows(look, first)
    more = f", as {'does' if len(pairs) == 2 else 'do'} {len(pairs) - 1:,} more" * (len(pairs) > 1)
    why = (
        f"'{short(slip)}' ({counted(rows[slip], 'row')}) and '{short(meant)}' "
        f"({counted(rows[meant], 'row')}) in '{short(first)}' differ in one letter{more}: make "
        "them one?"
    )
    yield Suggestion(MergeLevels(tuple(found), tuple(pairs.items())), why)


def _slips(rows: Mapping[str, int]) -> dict[str, str]:
    """Each level that may be a slip, with what was meant."""
    pairs = {}
    for slip in (level for level, n in rows.items() if n <= _FEW_ROWS):
        near = [m for m, n in rows.items() if n >= _TIMES_RARER * rows[slip] and _is_slip(slip, m)]
        if near:
            pairs[slip] = max(near, key=rows.__getitem__)
    return pairs


def _is_slip(level: str, meant: str) -> bool:
    """Whether one letter is wrong, missing or too many, or two of them changed places."""
    a, b = level.casefold(), meant.casefold()
    words = [(x, y) for x, y in zip(a.split(), b.split(), strict=False) if x != y]
    if len(a.split()) != len(b.split()) or len(words) != 1:
        return False
    ((a, b),) = words
    if min(len(a), len(b)) < _LETTERS or not (a + b).isalpha():
        return False
    start = _alike(a, b)
    a, b = a[start:], b[start:]
    end = _alike(a[::-1], b[::-1])
    odd, right = a[: len(a) - end], b[: len(b) - end]
    return max(len(odd), len(right)) == 1 or (len(odd) == 2 and odd == right[::-1])


def _alike(a: str, b: str) -> int:
    """Letters that two words begin with alike."""
    same = (x == y for x, y in zip(a, b, strict=False))
    return sum(takewhile(bool, same))


def rare_levels(look: Look) -> Iterator[Suggestion]:
    """Levels in hardly any row beside frequent ones: together they are one that can be told."""
    found = {name: pairs for name in _kinds(look) if (pairs := _into_others(_rows(look, name)))}
    found = _side_by_side(look, found)
    if not found:
        return
    pairs = _all_pairs(found)
    stand, each, them = ("stands", "", "it") if len(pairs) == 1 else ("stand", " each", "them")
    few = _few(len(look.frame))
    why = (
        f"{counted(len(pairs), 'level')} of {_where(found)} {stand} in {few} rows or "
        f"fewer{each} ({listed_names(list(pairs))}): make {them} '{next(iter(pairs.values()))}'?"
    )
    yield Suggestion(MergeLevels(tuple(found), tuple(pairs.items())), why)


def _few(n: int) -> int:
    """Rows of a level that stands in hardly any of ``n``, at most."""
    return max(_FEW_ROWS, min(int(_FEW_SHARE * n), _NEVER_FEW))


def _into_others(rows: Mapping[str, int]) -> dict[str, str]:
    """The levels of hardly any row, each with the level that is to hold them all.

    None where the next ones are hardly more frequent, as of places or makers: there is no gap
    between what is rare and what is not.
    """
    n = sum(rows.values())
    most = _few(n)
    other = next((level for level in rows if level.casefold().strip() in _OTHERS), "other")
    rare = [
        level for level, of in rows.items() if of <= most and level != other and _is_said(level)
    ]
    together = sum(rows[level] for level in rare) + rows.get(other, 0)
    usual = [of for level, of in rows.items() if of > most and level != other]
    is_apart = 2 <= len(usual) <= _MOST_USUAL and min(usual) >= _TIMES_USUAL * most
    if (
        not rare
        or not is_apart
        or together < max(most + 1, _NEVER_FEW)
        or together > _MOST_RARE * n
    ):
        return {}
    return dict.fromkeys(rare, other)


def _is_said(level: str) -> bool:
    """Whether a level says something in words."""
    return level[:1].isalpha() and not means_missing(level)


def _rows(look: Look, name: str) -> dict[str, int]:
    """Rows of every level of a column."""
    return dict(zip(map(str, look.levels(name)), look.counts(name).tolist(), strict=True))


def _kinds(look: Look) -> Iterator[str]:
    """Columns of words without an order that groups are made of."""
    if len(look.frame) < _LEAST_ROWS:
        return
    for name in look.names:
        spec = look.schema.get(name)
        is_kind = spec is not None and spec.role == "cluster" and spec.kind == CATEGORY
        if is_kind and look.is_text(name) and 2 < len(look.levels(name)) <= _MOST_LEVELS:
            yield name
