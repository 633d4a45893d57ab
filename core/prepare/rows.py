"""Steps that take rows away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pandas as pd

from ..wording import could_be_year, counted
from .asked import Choice, Column, Columns, PrepareError, Test, TestValues, named
from .step import Step, Value, numbers


@dataclass(frozen=True)
class CellTest:
    """A question about a cell; an empty one meets none but its own."""

    #: As a sentence says it, before the values.
    says: str
    #: Values that it is told; None for one and more.
    told: int | None
    meets: Callable[[pd.Series, list[Any]], pd.Series]
    #: Whether it is one of numbers and days only.
    is_ordered: bool = False


#: Tests of a cell by their names.
TESTS = {
    "is": CellTest("is", None, lambda x, v: x.isin(v)),
    "is not": CellTest("is not", None, lambda x, v: x.notna() & ~x.isin(v)),
    "at least": CellTest("is at least", 1, lambda x, v: x >= v[0], True),
    "<": CellTest("is below", 1, lambda x, v: x < v[0], True),
    "at most": CellTest("is at most", 1, lambda x, v: x <= v[0], True),
    ">": CellTest("is above", 1, lambda x, v: x > v[0], True),
    "between": CellTest("is between", 2, lambda x, v: x.between(*v), True),
    "is empty": CellTest("is empty", 0, lambda x, v: x.isna()),
    "is not empty": CellTest("is not empty", 0, lambda x, v: x.notna()),
}
#: What becomes of the rows that meet a test.
KEEP, DROP = "keep", "drop"


@dataclass(frozen=True)
class FilterRows(Step):
    """Keep the rows whose cell meets a test, or drop them."""

    key: ClassVar[str] = "filter rows"
    title: ClassVar[str] = "Keep or drop rows"

    column: Annotated[str, Column("Rows whose")]
    test: Annotated[str, Test("cell", {key: test.says for key, test in TESTS.items()}, "test")]
    #: What the cell is held against: values of a category, or the ends of a range of numbers.
    values: Annotated[tuple[Value, ...], TestValues("value")] = ()
    #: Which rows stay: those that meet it ("keep"), or all others ("drop").
    what: Annotated[str, Choice("are", {KEEP: "kept", DROP: "dropped"})] = KEEP

    def __post_init__(self) -> None:
        super().__post_init__()
        told = TESTS[self.test].told
        if len(self.values) != told if told is not None else not self.values:
            wanted = counted(1 if told is None else told, "value")
            raise PrepareError(f"The test '{self.test}' needs {wanted} to compare with.")

    @property
    def sentence(self) -> str:
        verb = "Kept" if self.what == KEEP else "Dropped"
        joined = (" and " if self.test == "between" else " or ").join(map(_shown, self.values))
        says = TESTS[self.test].says
        return f"{verb} the rows whose '{self.column}' {says} {joined}".rstrip()

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        test, column = TESTS[self.test], frame[self.column]
        if test.is_ordered and not pd.api.types.is_datetime64_any_dtype(column):
            column = numbers(frame, self.column)
        if test.is_ordered:
            self._check_comparable(column)
        met = test.meets(column, list(self.values)).fillna(False).astype(bool)
        return frame[met if self.what == KEEP else ~met].reset_index(drop=True)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """That no row was dropped, or how many of those that were are blank."""
        if len(changed) == len(frame):
            return "No row is dropped."
        blank = int(frame[self.column].isna().sum() - changed[self.column].isna().sum())
        if not blank or self.test == "is empty":
            return ""
        are = "is 1 whose cell is" if blank == 1 else f"are {blank:,} whose cells are"
        return f"Among the rows that go {are} blank."

    def _check_comparable(self, column: pd.Series) -> None:
        """Refuse to compare numbers with words, or days with what is no day."""
        is_day = pd.api.types.is_datetime64_any_dtype(column)
        for value in self.values:
            try:
                _ = column.iloc[:1] < value
            except (TypeError, ValueError):
                wanted = "a day, such as 2020-01-31" if is_day else "a number"
                raise PrepareError(
                    f"'{value}' cannot be compared with '{self.column}': give {wanted}."
                ) from None


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return f"{value:g}" if could_be_year(value) else f"{value:,g}"


@dataclass(frozen=True)
class DropRepeated(Step):
    """Keep the first of the rows that are alike in some columns."""

    key: ClassVar[str] = "drop repeated rows"
    title: ClassVar[str] = "Drop repeated rows"

    #: In which rows must be alike; none stands for all columns.
    columns: Annotated[
        tuple[str, ...], Columns("Alike in (none named: in all columns)", least=0)
    ] = ()

    @property
    def sentence(self) -> str:
        alike = f"alike in {named(self.columns)}" if self.columns else "wholly alike"
        return f"Of rows that are {alike}, kept the first"

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.drop_duplicates(list(self.columns) or None, ignore_index=True)
