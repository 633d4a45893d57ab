"""Steps that read the cells of a column otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ..reading.numbers import first_number
from ..wording import listed
from .step import (
    NAMED,
    Asked,
    CellStep,
    PrepareError,
    Step,
    Value,
    examples,
    in_words,
    is_day,
    is_number,
    named,
    word,
)

#: Words that deny: in a column of numbers 0 stands for them.
_NO = ("no", "No", "NO", "false", "False")


@dataclass(frozen=True)
class FillBlanks(CellStep, key="fill blanks", title="A blank means"):
    """Say what an empty cell means: no, 0, or a word (1 or blank: 1 or 0; x or blank: x or no)."""

    columns: Annotated[tuple[str, ...], Asked("In these columns", "columns")]
    value: Annotated[Value, Asked("a blank means", "typed")] = "no"

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

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        column, value = frame[name], self.value
        if pd.api.types.is_bool_dtype(column):
            value = False if value in _NO else value
            fits = isinstance(value, bool)
        elif is_number(column):
            value = 0 if value in _NO else value
            fits = not isinstance(value, str | bool)
        else:
            value = word(value)
            fits = not (isinstance(column.dtype, pd.CategoricalDtype) or is_day(column))
        if not fits and column.isna().any():
            raise PrepareError(
                f"A blank in '{name}' cannot mean '{self.value}', as its cells are of another "
                "kind: say what stands there, or fill it before they are read otherwise."
            )
        return column.fillna(value) if fits else column


_POINTS = {".": ".", ",": ","}
_MOST_CELLS = 2000


@dataclass(frozen=True)
class NumberFromText(CellStep, key="number from text", title="Number from text"):
    """Keep the first number of each cell: 461.748(1), 30 %, 3 BHK, 12†; (12) is negative.

    One with further signs among its digits, such as 1.2.2020, is not read rather than read wrongly.
    """

    columns: Annotated[
        tuple[str, ...], Asked("Columns of numbers with notes, units or signs", "columns", "text")
    ]
    decimal: Annotated[str, Asked("Decimal sign", "choice", options=_POINTS)] = "."

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        """The sign by which most cells are read."""
        if not values.get("columns"):
            return super().likely(name, frame, values)
        cells = pd.concat([in_words(frame[column]) for column in values["columns"]]).dropna()
        some = cells.drop_duplicates()[:_MOST_CELLS].tolist()
        read = {s: sum(np.isfinite(first_number(c, s)) for c in some) for s in _POINTS}
        return max(read, key=read.__getitem__)

    @property
    def sentence(self) -> str:
        return f"Read the number in each cell of {named(self.columns)}"

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        cells = frame[name]
        if is_day(cells):
            raise PrepareError(
                f"'{name}' holds dates: add the step 'Part of a date' for a number of them."
            )
        if pd.api.types.is_numeric_dtype(cells):
            return cells
        text = in_words(cells)
        values = {cell: first_number(cell, self.decimal) for cell in text.dropna().unique()}
        read = text.map(values).astype("float64")
        if cells.notna().any() and read.isna().all():
            raise PrepareError(
                f"No cell of '{name}' holds a number that can be read so "
                f"{examples(cells.dropna())}: look at its decimal sign."
            )
        return read


@dataclass(frozen=True)
class MergeLevels(CellStep, key="merge levels", title="Merge or rename levels"):
    """Write some values as others: two spellings as one, codes as words."""

    columns: Annotated[tuple[str, ...], Asked("Columns", "columns")]
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
        changes = [
            f"{named(of)} became {named([new]) if new else 'empty'}" for new, of in olds.items()
        ]
        return f"In {named(self.columns)}, {listed(changes, NAMED)}"

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        pairs, cells = self._words, in_words(frame[name])
        merged = cells.map(lambda cell: pairs.get(cell, cell), na_action="ignore")
        cells = merged.astype(cells.dtype)
        cells = cells.where(cells != "")
        read = pd.to_numeric(cells, errors="coerce")
        stay_numbers = is_number(frame[name]) and read.isna().equals(cells.isna())
        return read if stay_numbers else cells


def emptying(
    frame: pd.DataFrame, codes: Mapping[str, tuple[Any, ...]], step: Step
) -> tuple[MergeLevels, ...]:
    """Steps that empty cells with a column's missing codes, before one that computes with them."""
    columns: dict[tuple[Any, ...], list[str]] = {}
    for name in step.needs if step.computes else ():
        words = {*in_words(frame[name].drop_duplicates())} if codes.get(name) else set()
        if there := tuple(code for code in codes.get(name, ()) if word(code) in words):
            columns.setdefault(there, []).append(name)
    return tuple(
        MergeLevels(tuple(names), tuple((code, "") for code in there))
        for there, names in columns.items()
    )


@dataclass(frozen=True)
class OrderLevels(CellStep, key="order levels", title="Order levels"):
    """Say in which order the levels of a column stand, from the lowest to the highest."""

    columns: Annotated[tuple[str, ...], Asked("Columns on the same scale", "columns")]
    levels: Annotated[
        tuple[Value, ...],
        Asked("Levels from the lowest to the highest, in the order you choose them", "levels"),
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
