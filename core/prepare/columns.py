"""Steps that compute with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from ..wording import counted, listed
from .asked import Asked, Choice, Column, Columns, Ends, NewName, PrepareError, named
from .step import CellStep, ColumnStep, numbers

#: Letters of names in the name of a new column.
_MOST_LETTERS = 50


@dataclass(frozen=True)
class CutRanges(ColumnStep):
    """Cut numbers into ranges, each from its lower end on up to the next: an ordered category."""

    key: ClassVar[str] = "cut into ranges"
    title: ClassVar[str] = "Cut into ranges"

    column: Annotated[str, Column("Column", of="number")]
    #: Where one range ends and the next one begins, rising.
    edges: Annotated[tuple[float, ...], Ends("A range begins at each of these numbers")]
    #: The new column, or the same again.
    into: Annotated[str, NewName("Called")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.edges or any(a >= b for a, b in pairwise(self.edges)):
            raise PrepareError("Name the ends of the ranges from the lowest to the highest.")
        if len({*self._labels}) < len(self._labels):
            raise PrepareError("Some ends of ranges are too close to be told apart.")

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        """Thirds of the rows, in the place of the column."""
        if name == "into":
            return values["column"]
        if name == "edges":
            thirds = numbers(frame, values["column"]).quantile([1 / 3, 2 / 3])
            return tuple(dict.fromkeys(float(f"{edge:.3g}") for edge in thirds))
        return super().likely(name, frame, values)

    @property
    def _labels(self) -> list[str]:
        ends = [f"{edge:.12g}" for edge in self.edges]
        between = [f"{a} to {b}" for a, b in pairwise(ends)]
        return [f"below {ends[0]}", *between, f"{ends[-1]} and more"]

    @property
    def sentence(self) -> str:
        into = ", in its place" if self.into == self.column else f" as '{self.into}'"
        return f"Cut '{self.column}' into ranges{into}: {', '.join(self._labels)}"

    def _cells(self, frame: pd.DataFrame) -> pd.Series:
        edges = [-np.inf, *self.edges, np.inf]
        return pd.cut(numbers(frame, self.column), edges, right=False, labels=self._labels)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Ranges without a row."""
        rows = changed[self.into].value_counts()
        empty = tuple(label for label in self._labels if not rows[label])
        return f"No row is in {named(empty)}." if empty else ""


@dataclass(frozen=True)
class Logarithm(CellStep):
    """Take natural logarithms of numbers above 0."""

    key: ClassVar[str] = "logarithm"
    title: ClassVar[str] = "Logarithm"
    suffix: ClassVar[str] = ", log"

    columns: Annotated[tuple[str, ...], Columns("Columns", of="number")]
    #: What is added before.
    plus: Annotated[float, Asked("Add first (1 where there are zeros)")] = 0

    @property
    def sentence(self) -> str:
        plus = f"{self.plus:g} + " if self.plus else ""
        return f"Took the logarithm of {plus}{named(self.columns)}, {in_place(self.columns)}"

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        cells = numbers(frame, name) + self.plus
        low = int((cells <= 0).sum())
        if low:
            raise PrepareError(
                f"'{name}' has {counted(low, 'value')} at or below {-self.plus:g}, which have no "
                f"logarithm: add {'more' if self.plus else 1} to all of them, or drop those rows."
            )
        return np.log(cells)


@dataclass(frozen=True)
class ShareOfTotal(CellStep):
    """Make parts shares of their sum in the row."""

    key: ClassVar[str] = "share of a total"
    title: ClassVar[str] = "Share of a total"
    suffix: ClassVar[str] = ", share"

    columns: Annotated[tuple[str, ...], Columns("Parts of a total", of="number", least=2)]

    @property
    def sentence(self) -> str:
        return f"Made {named(self.columns)} shares of their sum, {in_place(self.columns)}"

    def sources(self, name: str) -> tuple[str, ...] | None:
        return self.columns

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        if (numbers(frame, name) < 0).any():
            raise PrepareError(f"'{name}' has values below 0: parts of a total are 0 or more.")
        total = _sum(_numbers_of(frame, self.columns))
        return numbers(frame, name) / total.where(total > 0)


@dataclass(frozen=True)
class DivideBy(CellStep):
    """Divide amounts by the size of what has them: per head, per employee, per square metre."""

    key: ClassVar[str] = "divide by a column"
    title: ClassVar[str] = "Per head, divided by a column"

    columns: Annotated[tuple[str, ...], Columns("Amounts", of="number")]
    #: The column that they are divided by, which stays.
    by: Annotated[str, Column("divided by", of="number")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by in self.columns:
            raise PrepareError(f"'{self.by}' cannot be divided by itself: leave it out.")

    @property
    def new_names(self) -> dict[str, str]:
        return {name: f"{name} per {self.by}" for name in self.columns}

    @property
    def sentence(self) -> str:
        return f"Divided {named(self.columns)} by '{self.by}', {in_place(self.columns)}"

    def sources(self, name: str) -> tuple[str, ...] | None:
        return (*(super().sources(name) or ()), self.by)

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        size = numbers(frame, self.by)
        return numbers(frame, name) / size.where(size != 0)


def in_place(columns: tuple[str, ...]) -> str:
    """That what is made of some columns stands where they stood."""
    return "in its place" if len(columns) == 1 else "in their places"


def _numbers_of(frame: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame({name: numbers(frame, name) for name in columns})


def _sum(parts: pd.DataFrame) -> pd.Series:
    """From left to right: pandas' own sum depends on how the cells lie in memory."""
    return sum(parts[name] for name in parts)


#: Ways to make one number of several, by their names.
WAYS: dict[str, Callable[[pd.DataFrame], pd.Series | np.ndarray]] = {
    "sum": _sum,
    "difference": lambda p: p.iloc[:, 0] - p.iloc[:, 1],
    "ratio": lambda p: (p.iloc[:, 0] / p.iloc[:, 1]).where(p.iloc[:, 1] != 0),
    "product": lambda p: np.prod([p[name] for name in p], axis=0),
    "mean": lambda p: _sum(p) / p.shape[1],
}
_OF_TWO = ("difference", "ratio")


@dataclass(frozen=True)
class Combine(ColumnStep):
    """Make one number of several in the row; where one of them is missing, it is."""

    key: ClassVar[str] = "combine columns"
    title: ClassVar[str] = "Sum, difference, ratio"

    columns: Annotated[tuple[str, ...], Columns("Of these columns", of="number", least=2)]
    how: Annotated[str, Choice("make the", dict(zip(WAYS, WAYS, strict=True)))]
    into: Annotated[str, NewName("called")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how in _OF_TWO and len(self.columns) > 2:
            raise PrepareError(f"A {self.how} is one of two columns: choose two.")

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        if name != "into":
            return super().likely(name, frame, values)
        every = " and ".join(values["columns"])
        short = every if len(every) <= _MOST_LETTERS else listed(values["columns"], 1)
        return f"{values['how']} of {short}"

    @property
    def sentence(self) -> str:
        if self.how in _OF_TWO:
            first, second = self.columns
            joined = f"'{first}' {'to' if self.how == 'ratio' else 'less'} '{second}'"
            return f"Made '{self.into}', the {self.how} of {joined}"
        return f"Made '{self.into}', the {self.how} of {named(self.columns)}"

    def _cells(self, frame: pd.DataFrame) -> pd.Series | np.ndarray:
        return WAYS[self.how](_numbers_of(frame, self.columns))
