"""Columns as questions: a few answers each, in the column's own words and units."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..families.family import RATING, YES_NO
from ..profiling.profiles import NaturalColumn, natural_columns
from ..schema.encoded import Encoded
from ..schema.facts import spelled, spelled_range
from ..wording import listed

#: Answers of a column of many numbers, and the most that any column has.
ANSWERS, MOST = 4, 6
#: The answer of all levels that are too rare to have a box of their own.
ANOTHER = "another"


@dataclass(frozen=True)
class Question:
    """A column as a few answers; the place of an answer is its number from 0 on."""

    name: str
    #: Its name, of yes/no with the level that is counted: what is read.
    title: str
    words: tuple[str, ...]
    #: Of numbers: upper ends of the answers but the last, in natural units.
    cuts: tuple[float, ...] | None
    #: Of levels: the answer of each.
    of_level: tuple[int, ...] | None
    #: Whether the answers but those of special outcomes have an order.
    is_ordered: bool
    #: Place of the first special outcome; as many as there are words without any.
    first_special: int

    def first(self, places: Collection[int]) -> str:
        """Some answers in words; of numbers, all up to the last of them."""
        if self.cuts is not None and max(places) < len(self.cuts):
            return f"up to {spelled(self.cuts[max(places)])}"
        return listed((self.words[place] for place in sorted(places)), len(self.words))

    def places(self, column: NaturalColumn) -> np.ndarray:
        """Answers that stand in the rows of its column, int64 of shape (N,); -1 for no answer."""
        found = np.full(column.codes.size, -1, dtype=np.int64)
        known = ~np.isnan(column.codes)
        if self.of_level is not None:
            found[known] = np.array(self.of_level)[column.codes[known].astype(np.int64)]
        else:
            ends = np.array(self.cuts, dtype=np.float64)
            ends += 1e-9 * np.maximum(np.abs(ends), 1.0)
            found[known] = np.searchsorted(ends, column.values[known], side="left")
        if column.outcomes is not None:
            special = column.outcomes.codes > 0
            found[special] = self.first_special + column.outcomes.codes[special].astype(int) - 1
        return found


def questions_of(encoded: Encoded) -> tuple[Question, ...]:
    """Every column of a table that can be asked: one that has two answers or more."""
    highest = {
        unit.name: unit.options["trials"] + float(unit.options.get("offset", 0.0))
        for unit in encoded.units
        if "trials" in unit.options
    }
    asked = [
        _question(column, highest.get(column.name, np.inf)) for column in natural_columns(encoded)
    ]
    return tuple(question for question in asked if len(question.words) > 1)


def places_of(questions: Sequence[Question], encoded: Encoded) -> np.ndarray:
    """The answers of rows, int64 of shape (N, Q)."""
    columns = {column.name: column for column in natural_columns(encoded)}
    found = [question.places(columns[question.name]) for question in questions]
    return np.column_stack(found) if found else np.empty((len(encoded.values), 0), dtype=np.int64)


def _question(column: NaturalColumn, highest: float) -> Question:
    special = () if column.outcomes is None else column.outcomes.levels[1:]
    if column.levels is not None:
        words, of_level = _levels(column)
        is_ordered = column.kind == RATING
        title = f"{column.name} = {words[1]}" if column.kind == YES_NO else column.name
        words = *words, *special
        return Question(column.name, title, words, None, of_level, is_ordered, len(words))
    # A logarithm and back must not make another value of one.
    known = np.round(column.values[~np.isnan(column.values)], 9)
    cuts = _cuts(known)
    words = _words(cuts, known, highest)
    return Question(column.name, column.name, (*words, *special), cuts, None, True, len(words))


def _levels(column: NaturalColumn) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The answers of a column of levels, and that of each level."""
    levels = column.levels
    if len(levels) <= MOST or column.kind == RATING:
        return levels, tuple(range(len(levels)))
    known = column.codes[~np.isnan(column.codes)].astype(np.int64)
    counts = np.bincount(known, minlength=len(levels))
    common = np.sort(np.argsort(-counts, kind="stable")[: MOST - 1]).tolist()
    places = {level: place for place, level in enumerate(common)}
    words = (*(levels[level] for level in common), ANOTHER)
    return words, tuple(places.get(level, len(common)) for level in range(len(levels)))


def _cuts(known: np.ndarray) -> tuple[float, ...]:
    """Ends of the answers of numbers: each value, where they are few, else round quartiles."""
    distinct = np.unique(known)
    if distinct.size <= MOST:
        return tuple(distinct[:-1].tolist())
    inner = np.quantile(known, np.linspace(0, 1, ANSWERS + 1)[1:-1])
    width = (inner[-1] - inner[0]) or (distinct[-1] - distinct[0])
    step = 10.0 ** np.floor(np.log10(width / 4.0))
    if (known == np.round(known)).all():
        step = max(step, 1.0)
    ends = np.unique(np.round(np.round(inner / step) * step, 12))
    return tuple(end for end in ends.tolist() if distinct[0] <= end < distinct[-1])


def _words(cuts: Sequence[float], known: np.ndarray, highest: float) -> tuple[str, ...]:
    """What the answers of numbers are called, none of which can be above the highest."""
    if not cuts:
        return (spelled(known[0]) if known.size else "",)
    are_whole = bool((known == np.round(known)).all())
    first = spelled(cuts[0])
    words = [first if are_whole and cuts[0] == known.min() else f"up to {first}"]
    for low, high in pairwise(cuts):
        if are_whole:
            words.append(spelled(high) if high == low + 1 else spelled_range(low + 1, high))
        else:
            words.append(f"over {spelled(low)}, up to {spelled(high)}")
    if not are_whole:
        return (*words, f"over {spelled(cuts[-1])}")
    last = spelled(cuts[-1] + 1)
    return (*words, last if cuts[-1] + 1 == highest else f"{last} or more")
