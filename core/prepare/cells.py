"""Steps that read the cells of a column otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from ..reading.numbers import first_number
from ..wording import listed
from .asked import NAMED, Choice, Columns, LevelsOf, PrepareError, Typed, named
from .step import CellStep, Value, examples, in_words, word

#: Words that deny: in a column of numbers 0 stands for them.
_NO = ("no", "No", "NO", "false", "False")


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


@dataclass(frozen=True)
class FillBlanks(CellStep):
    """Say what an empty cell means: no, 0, or a word.

    In a column of numbers "no" is 0, in one of text 0 is "0", so that 1 or blank becomes 1 or 0,
    and x or blank becomes x or no: two values, of which the second denies.
    """

    key: ClassVar[str] = "fill blanks"
    title: ClassVar[str] = "A blank means"

    columns: Annotated[tuple[str, ...], Columns("In these columns")]
    value: Annotated[Value, Typed("a blank means")] = "no"

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        return ""  # nobody's blanks are filled unless somebody says with what

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.value, str) and not self.value.strip():
            raise PrepareError("Say what a blank means: no, 0, or a word.")

    @property
    def sentence(self) -> str:
        return f"A blank in {named(self.columns)} means '{self.value}'"

    @property
    def _number(self) -> float | None:
        """What it is among numbers."""
        if self.value in _NO:
            return 0
        return None if isinstance(self.value, str | bool) else self.value

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        column = frame[name]
        if pd.api.types.is_bool_dtype(column):
            if self._number is None and self.value is not True:
                raise PrepareError(f"'{name}' holds yes and no: a blank can mean yes or no there.")
            return column.fillna(bool(self._number) or self.value is True)
        if _is_number(column):
            if self._number is None and column.isna().any():
                raise PrepareError(
                    f"'{name}' holds numbers: a blank can mean a number or no there, not "
                    f"'{self.value}'."
                )
            return column if self._number is None else column.fillna(self._number)
        is_ordered = isinstance(column.dtype, pd.CategoricalDtype)
        if is_ordered or pd.api.types.is_datetime64_any_dtype(column):
            raise PrepareError(
                f"'{name}' holds dates or ordered levels: fill its blanks before it is made so."
            )
        return column.fillna(word(self.value))

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Columns without a blank."""
        full = tuple(name for name in self.columns if frame[name].notna().all())
        told = f"No cell of {named(full)} is blank." if full else ""
        as_zero = self.value in _NO and any(_is_number(frame[name]) for name in self.columns)
        return f"{told} Among numbers that is 0.".strip() if as_zero else told


_POINTS = {".": ".", ",": ","}
#: Cells that are looked at to find the decimal sign.
_MOST_CELLS = 2000
#: Digits grouped by points, and so many of them that it is no chance.
_IN_GROUPS, _CLEARLY = re.compile(r"\d{1,3}(\.\d{3})+"), 5


@dataclass(frozen=True)
class NumberFromText(CellStep):
    """Keep the first number of each cell: 461.748(1), 30 %, 3 BHK, 12\u2020.

    A number alone in parentheses is negative, as in accounts. One with further signs among its
    digits, such as 1.2.2020, is not read rather than read wrongly.
    """

    key: ClassVar[str] = "number from text"
    title: ClassVar[str] = "Number from text"

    columns: Annotated[
        tuple[str, ...], Columns("Columns of numbers with notes, units or signs", of="text")
    ]
    decimal: Annotated[str, Choice("Decimal sign", _POINTS, "decimal sign")] = "."

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        """The sign by which most cells are read; where both read as many, the file's own."""
        if not values.get("columns"):
            return super().likely(name, frame, values)
        cells = pd.concat([in_words(frame[column]) for column in values["columns"]]).dropna()
        some = cells.drop_duplicates()[:_MOST_CELLS].tolist()
        own = frame.attrs.get("read_options", {}).get("decimal") or "."
        parted = [found[0] for cell in some if (found := re.search(r"\d[\d.,]*[.,]\d+", cell))]
        if len(parted) >= _CLEARLY and all(map(_IN_GROUPS.fullmatch, parted)):
            return ","
        read = {s: sum(np.isfinite(first_number(c, s)) for c in some) for s in {own: 0, **_POINTS}}
        return max(read, key=read.__getitem__)

    @property
    def sentence(self) -> str:
        return f"Read the number in each cell of {named(self.columns)}"

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        cells = frame[name]
        if pd.api.types.is_datetime64_any_dtype(cells):
            raise PrepareError(
                f"'{name}' holds dates: add the step 'Part of a date' for a number of them."
            )
        if pd.api.types.is_numeric_dtype(cells):
            return cells
        text = in_words(cells)
        numbers = {cell: first_number(cell, self.decimal) for cell in text.dropna().unique()}
        read = text.map(numbers).astype("float64")
        if cells.notna().any() and read.isna().all():
            raise PrepareError(
                f"No cell of '{name}' holds a number that can be read so "
                f"{examples(cells.dropna())}: look at its decimal sign."
            )
        return read


@dataclass(frozen=True)
class MergeLevels(CellStep):
    """Write some values as others: two spellings as one, codes as words."""

    key: ClassVar[str] = "merge levels"
    title: ClassVar[str] = "Merge or rename levels"

    columns: Annotated[tuple[str, ...], Columns("Columns")]
    #: Pairs of a value so far and what it becomes; "" makes cells empty.
    pairs: tuple[tuple[Value, Value], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.pairs:
            raise PrepareError("Say which value becomes which.")

    @property
    def _words(self) -> dict[str, str]:
        return {word(old): word(new) for old, new in self.pairs}

    @property
    def sentence(self) -> str:
        olds: dict[str, list[str]] = {}
        for old, new in self._words.items():
            olds.setdefault(new, []).append(old)
        told = [
            f"{named(tuple(of))} became {named((new,)) if new else 'empty'}"
            for new, of in olds.items()
        ]
        return f"In {named(self.columns)}, {listed(told, NAMED)}"

    @property
    def _are_numbers(self) -> bool:
        """Whether a column of numbers is one still."""
        return not any(isinstance(new, bool) or _as_number(new) is None for _, new in self.pairs)

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        pairs, cells = self._words, in_words(frame[name])
        merged = cells.map(lambda cell: pairs.get(cell, cell), na_action="ignore")
        cells = merged.astype(cells.dtype)
        cells = cells.where(cells != "")
        return pd.to_numeric(cells) if self._are_numbers and _is_number(frame[name]) else cells

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Values that are in no column."""
        there: set[str] = set()
        for name in self.columns:
            there |= {*in_words(frame[name].drop_duplicates()).dropna()}
        absent = tuple(old for old in self._words if old not in there)
        return f"No cell is {named(absent)}." if absent else ""


def _as_number(value: Value) -> float | None:
    """A value as a number, NaN for an empty one, None where it is a word."""
    try:
        return float(value) if value != "" else np.nan
    except ValueError:
        return None


@dataclass(frozen=True)
class OrderLevels(CellStep):
    """Say in which order the levels of a column stand, from the lowest to the highest."""

    key: ClassVar[str] = "order levels"
    title: ClassVar[str] = "Order levels"

    columns: Annotated[tuple[str, ...], Columns("Columns on the same scale")]
    levels: Annotated[
        tuple[Value, ...],
        LevelsOf("Levels from the lowest to the highest, in the order in which you choose them"),
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.levels) < 2 or len({*self._words}) < len(self.levels) or "" in self._words:
            raise PrepareError("An order needs two levels at least, each named once.")

    @property
    def _words(self) -> list[str]:
        return [word(level) for level in self.levels]

    @property
    def sentence(self) -> str:
        return f"Put the levels of {named(self.columns)} in order: {' < '.join(self._words)}"

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Categorical:
        cells = in_words(frame[name])
        if not cells.isin(self._words).any():
            raise PrepareError(
                f"No cell of '{name}' is one of these levels {examples(cells.dropna())}: "
                "choose among its own."
            )
        return pd.Categorical(
            cells.where(cells.isin(self._words)), categories=self._words, ordered=True
        )
