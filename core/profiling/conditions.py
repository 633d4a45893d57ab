"""Conditions on single columns that a short rule is made of: "age ≥ 45", "sex = F"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .profiles import NaturalColumn

AT_LEAST, BELOW, IS, IS_NOT = "at least", "below", "is", "is not"
#: Levels of a category, or whole numbers, that conditions name, the most common ones; of whole
#: numbers those that at least such a share of the known cells holds.
MOST_LEVELS, COMMON = 12, 0.05
#: Share of missing cells from which on a condition may say "or not known".
OFTEN_UNKNOWN = 0.05


@dataclass(frozen=True, eq=False)
class Cells:
    """One column, or its special outcomes, as conditions compare it."""

    name: str
    #: float64, shape (N,). Numbers in natural units, or places of levels; NaN where there is none.
    values: np.ndarray
    #: bool, shape (N,). Neither a value nor a special outcome is known.
    unknown: np.ndarray
    levels: tuple[str, ...] | None
    #: Its levels are words in order, which conditions cut as they cut numbers.
    is_ordered: bool
    #: Numbers are whole, so that below 3 is 2 or less.
    is_whole: bool
    #: Between thousands.
    separator: str
    #: It holds the special outcomes of a two-part column.
    of_outcome: bool = False

    @property
    def key(self) -> tuple[str, bool]:
        """What conditions call it."""
        return self.name, self.of_outcome

    @property
    def is_cut(self) -> bool:
        """Whether conditions cut it in two; else they name levels."""
        return self.levels is None or self.is_ordered

    def rows(self, which: np.ndarray) -> Cells:
        """Some of the rows."""
        return replace(self, values=self.values[which], unknown=self.unknown[which])


def cells_of(columns: Iterable[NaturalColumn]) -> dict[tuple[str, bool], Cells]:
    """Columns, and their special outcomes, as conditions compare them, by what those call them."""
    parts = (_cells(column, part) for column in columns for part in column.parts)
    return {part.key: part for part in parts}


def _cells(column: NaturalColumn, part: NaturalColumn) -> Cells:
    unknown, of_outcome = column.is_unknown, part is not column
    if part.is_told_by_levels:
        worded = part.is_worded
        return Cells(part.name, part.codes, unknown, part.levels, worded, True, "", of_outcome)
    notation = part.notation
    whole = not notation.decimals
    return Cells(part.name, part.values, unknown, None, False, whole, notation.separator)


@dataclass(frozen=True)
class Condition:
    """What one column has to be; a missing cell is not so, unless the condition says it may be."""

    column: str
    #: AT_LEAST, BELOW or IS of numbers and of ordered words; IS or IS_NOT of levels.
    word: str
    #: A number in natural units; of words the place of a level.
    value: float
    #: About the special outcomes of a two-part column, not about its numbers.
    of_outcome: bool = False
    or_unknown: bool = False

    @property
    def key(self) -> tuple[str, bool]:
        """Of the cells that it is about."""
        return self.column, self.of_outcome

    def holds(self, cells: Cells) -> np.ndarray:
        """In which rows it holds, shape (N,)."""
        found = self.covers(cells.values)
        return found | cells.unknown if self.or_unknown else found

    def covers(self, value: Any) -> Any:
        """Whether a number or the place of a level, or each of some (NaN is missing), is so."""
        if self.word == AT_LEAST:
            return value >= self.value
        if self.word == BELOW:
            return value < self.value
        # A comparison with a missing cell is never so.
        return (
            value == self.value if self.word == IS else (value < self.value) | (value > self.value)
        )

    def said(self, cells: Cells) -> str:
        """In words, such as "age ≥ 45"."""
        unknown = " (or not known)" if self.or_unknown else ""
        if not cells.is_cut:
            sign = "=" if self.word == IS else "≠"
            return f"{self.column} {sign} {cells.levels[int(self.value)]}{unknown}"
        sign, value = self._as_said(cells)
        step = cells.levels[int(value)] if cells.levels else written(value, cells.separator)
        return f"{self.column} {sign} {step}{unknown}"

    def _as_said(self, cells: Cells) -> tuple[str, float]:
        """Sign and number that a person would say of a cut: of whole numbers the end meant."""
        if self.word == IS:
            return "=", self.value
        is_high = self.word == AT_LEAST
        if not cells.is_whole:
            return "≥" if is_high else "<", self.value
        end = float(np.ceil(self.value)) - (0.0 if is_high else 1.0)
        if end == (np.nanmax if is_high else np.nanmin)(cells.values):
            return "=", end
        is_rounder = cells.levels is None and abs(end) > 9.0 and self.value % 10.0 == 0.0
        return ("≥", end) if is_high else ("<", self.value) if is_rounder else ("≤", end)


def written(value: float, separator: str = "") -> str:
    """A number to its last digit."""
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:g}"
    decimals = len(np.format_float_positional(value, trim="-").partition(".")[2])
    return f"{value:{separator}.{decimals}f}"


def possible_conditions(
    cells: Mapping[tuple[str, bool], Cells], cuts: Mapping[str, Iterable[float]]
) -> Iterator[Condition]:
    """Every condition that a rule may take up, with the cut points of every column."""
    for part in cells.values():
        found = list(_at_cuts(part, cuts.get(part.name, ())) if part.is_cut else _of_levels(part))
        yield from found
        if not part.of_outcome and part.unknown.mean() >= OFTEN_UNKNOWN:
            yield from (replace(condition, or_unknown=True) for condition in found)


def _at_cuts(cells: Cells, cuts: Iterable[float]) -> Iterator[Condition]:
    for cut in cuts:
        yield Condition(cells.name, AT_LEAST, cut)
        yield Condition(cells.name, BELOW, cut)
    known = cells.values[~np.isnan(cells.values)]
    if cells.is_whole and known.size:
        values, counts = np.unique(known, return_counts=True)
        common = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
        for place in common[counts[common] >= COMMON * known.size]:
            yield Condition(cells.name, IS, float(values[place]))


def _of_levels(cells: Cells) -> Iterator[Condition]:
    """To be a level or, where there are more than two, not to be it; being a number is neither."""
    known = cells.values[~np.isnan(cells.values)].astype(np.int64)
    counts = np.bincount(known, minlength=len(cells.levels))
    n_levels = np.count_nonzero(counts)
    if cells.of_outcome:
        counts[0] = 0
    common = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    for place in common[counts[common] > 0].tolist():
        yield Condition(cells.name, IS, float(place), cells.of_outcome)
        if n_levels > 2 or cells.of_outcome:
            yield Condition(cells.name, IS_NOT, float(place), cells.of_outcome)
