"""Conditions on single columns that a short rule is made of: "age ≥ 45", "sex = F"."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd

from ..prepare.step import is_day, is_number
from ..schema.cells import factorize
from .profiles import OUTCOME, NaturalColumn

AT_LEAST, BELOW, IS, IS_NOT = "at least", "below", "is", "is not"
#: Steps into which the middle half of a column's numbers is divided for round cut points.
ROUND_STEPS = 20.0


@dataclass(frozen=True, eq=False)
class Cells:
    """One column, or its special outcomes, as conditions compare it and as its table writes it."""

    part: NaturalColumn
    #: float64, shape (N,). Numbers in natural units, or places of levels; NaN where there is none.
    values: np.ndarray
    #: Of every level, the cells of the table that mean it; none of a column of numbers.
    spelled: tuple[tuple[Any, ...], ...] = ()
    #: Of numbers, the cells that are none: codes of missing cells and special outcomes.
    no_numbers: tuple[Any, ...] = ()
    missing: tuple[Any, ...] = ()

    @property
    def levels(self) -> tuple[str, ...] | None:
        """Of a column of levels."""
        return self.part.levels if self.part.is_by_levels else None

    @property
    def of_outcome(self) -> bool:
        """Whether it holds the special outcomes of a two-part column."""
        return self.part.kind == OUTCOME

    @property
    def key(self) -> tuple[str, bool]:
        """Key by which conditions name it."""
        return self.part.name, self.of_outcome

    @property
    def is_cut(self) -> bool:
        """Whether conditions cut it in two; else they name levels."""
        return self.levels is None or self.part.is_worded

    def rows(self, which: np.ndarray) -> Self:
        """Some of the rows."""
        return replace(self, values=self.values[which])

    def round_cut(self, below: float, above: float) -> float:
        """The roundest number above the one and not above the other."""
        observed = np.sort(self.values[~np.isnan(self.values)])
        spread = observed[3 * observed.size // 4] - observed[observed.size // 4]
        step = 10.0 ** np.floor(np.log10(spread / ROUND_STEPS)) if spread > 0.0 else 0.0
        if above - below < step:
            cut = _multiple(above, float(step))
            return cut if cut > observed[0] else above
        power = int(np.ceil(np.log10(max(abs(above), above - below)))) + 1
        cuts = (_multiple(above, 10.0**-digits) for digits in range(-power, 16))
        return next((cut for cut in cuts if below < cut <= above), above)


def _multiple(value: float, step: float) -> float:
    decimals = max(0, -round(float(np.log10(step))))
    return round(float(np.floor(value / step + 1e-9) * step), decimals) + 0.0


@dataclass(frozen=True)
class Condition:
    """A condition on one column; a missing cell does not fulfil it."""

    column: str
    #: AT_LEAST, BELOW or IS of numbers and of ordered words; IS or IS_NOT of levels.
    relation: str
    #: A number in natural units; of words the place of a level.
    value: float
    #: About the special outcomes of a two-part column, not about its numbers.
    of_outcome: bool = False

    @property
    def key(self) -> tuple[str, bool]:
        """Key of the cells that it is about."""
        return self.column, self.of_outcome

    def covers(self, value: Any) -> Any:
        """Whether numbers or places of levels (NaN is missing) fulfil the condition."""
        if self.relation == AT_LEAST:
            return value >= self.value
        if self.relation == BELOW:
            return value < self.value
        # A comparison with a missing cell is never so.
        if self.relation == IS:
            return value == self.value
        return (value < self.value) | (value > self.value)

    def text(self, cells: Cells) -> str:
        """In words, such as "age ≥ 45"."""
        if not cells.is_cut:
            sign = "=" if self.relation == IS else "≠"
            return f"{self.column} {sign} {cells.levels[int(self.value)]}"
        sign, value = self._as_written(cells)
        separator = cells.part.notation.separator
        step = cells.levels[int(value)] if cells.levels else _written(value, separator)
        special = (code for code in cells.no_numbers if code not in cells.missing)
        apart = ", ".join(str(code) for code in special if self.covers(code))
        return f"{self.column} {sign} {step}{f' ({apart} apart)' if apart else ''}"

    def _as_written(self, cells: Cells) -> tuple[str, float]:
        """Sign and number that a person would say of a cut: of whole numbers the end meant."""
        if self.relation == IS:
            return "=", self.value
        is_high = self.relation == AT_LEAST
        if cells.levels is None and cells.part.notation.decimals:  # else below 3 is 2 or less
            return "≥" if is_high else "<", self.value
        end = float(np.ceil(self.value)) - (0.0 if is_high else 1.0)
        if end == (np.nanmax if is_high else np.nanmin)(cells.values):
            return "=", end
        is_rounder = cells.levels is None and abs(end) > 9.0 and self.value % 10.0 == 0.0
        return ("≥", end) if is_high else ("<", self.value) if is_rounder else ("≤", end)


def _written(value: float, separator: str = "") -> str:
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:g}"
    return f"{float(value):{separator}}".removesuffix(".0")


def cells_of_table(
    frame: pd.DataFrame, columns: Iterable[NaturalColumn]
) -> dict[tuple[str, bool], Cells]:
    """The columns that rules may speak of, and their special outcomes, by the key of conditions."""
    found = {}
    for column in columns:
        for part in column.parts if column.name in frame else ():
            worded = part.is_by_levels
            cells = Cells(part, part.codes if worded else part.values)
            read = _levels_as_written if worded else partial(_numbers_as_written, column.is_unknown)
            spelled = read(frame[part.name], cells)
            if spelled is not None:
                found[spelled.key] = spelled
    return found


def _numbers_as_written(unknown: np.ndarray, column: pd.Series, cells: Cells) -> Cells | None:
    """A column of numbers with what the table has for them; None where that is other text."""
    if not is_number(column) or pd.api.types.is_complex_dtype(column):
        return None
    raw, observed = column.to_numpy(dtype=np.float64, na_value=np.nan), ~np.isnan(cells.values)
    if not np.allclose(raw[observed], cells.values[observed], rtol=1e-11, atol=0.0):
        return None
    no_numbers, missing = (
        tuple(_plain(value) for value in np.unique(raw[which & ~np.isnan(raw)]))
        for which in (~observed, unknown)
    )
    # A logarithm and back is an ulp beside what the table says.
    values = np.where(observed, raw, np.nan)
    return replace(cells, values=values, no_numbers=no_numbers, missing=missing)


def _levels_as_written(column: pd.Series, cells: Cells) -> Cells | None:
    """A column of levels with the cells that mean each; None where those are too many."""
    if is_day(column):
        return None
    places, words = factorize(column)
    plain = [_plain(word) for word in words]
    code_of = np.full(len(words) + 1, np.nan)
    code_of[places] = cells.values
    if not np.array_equal(code_of[places], cells.values, equal_nan=True):
        return None
    if not all(isinstance(word, str | bool | int | float) for word in plain):
        return None
    ways: list[tuple[Any, ...]] = [()] * len(cells.levels)
    # Of a two-part column every number has the level 0, which no condition names.
    for code in range(int(cells.of_outcome), len(ways)):
        ways[code] = tuple(plain[j] for j in np.flatnonzero(code_of[:-1] == code))
    missing = tuple(plain[j] for j in np.flatnonzero(np.isnan(code_of[:-1])))
    return replace(cells, spelled=tuple(ways), missing=missing)


def _plain(word: Any) -> Any:
    """A Python value; whole numbers without a point."""
    word = word.item() if isinstance(word, np.generic) else word
    return int(word) if isinstance(word, float) and word.is_integer() else word
