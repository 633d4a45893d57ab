"""Steps that take rows away, and the one that makes one row of all rows of a unit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import pandas as pd

from ..wording import could_be_year, counted, listed
from .columns import UNITS, read_days, this_year
from .step import (
    NAMED,
    Asked,
    PrepareError,
    Step,
    Value,
    in_words,
    is_day,
    named,
    numbers,
    repeated,
    word,
)


@dataclass(frozen=True)
class CellTest:
    """A question about a cell; an empty one meets none but its own."""

    #: As a sentence says it, before the values.
    says: str
    #: Number of values that it takes; None for one and more.
    n_values: int | None
    meets: Callable[[pd.Series, list[Any]], pd.Series]
    #: Whether it is one of numbers and days only.
    is_ordered: bool = False


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
_SAYS = {key: test.says for key, test in TESTS.items()}


@dataclass(frozen=True)
class FilterRows(Step, key="filter rows", title="Keep or drop rows"):
    """Keep the rows whose cell meets a test, or drop them."""

    column: Annotated[str, Asked("Rows whose", "column")]
    test: Annotated[str, Asked("cell", "test", options=_SAYS)]
    #: What the cell is held against: values of a category, or the ends of a range of numbers.
    values: Annotated[tuple[Value, ...], Asked("value", "test values")] = ()
    what: Annotated[str, Asked("are", "choice", options={"keep": "kept", "drop": "dropped"})] = (
        "keep"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        n_values = TESTS[self.test].n_values
        if len(self.values) != n_values if n_values is not None else not self.values:
            needed = counted(1 if n_values is None else n_values, "value")
            raise PrepareError(f"The test '{self.test}' needs {needed} to compare with.")

    @property
    def sentence(self) -> str:
        verb = "Kept" if self.what == "keep" else "Dropped"
        joined = (" and " if self.test == "between" else " or ").join(map(_shown, self.values))
        return f"{verb} the rows whose '{self.column}' {_SAYS[self.test]} {joined}".rstrip()

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        test, column = TESTS[self.test], frame[self.column]
        if test.is_ordered and not is_day(column):
            column = numbers(frame, self.column)
        try:
            # As days: a word is never one of a column's days.
            values = [pd.Timestamp(str(v)) if is_day(column) else v for v in self.values]
            met = test.meets(column, values).fillna(False).astype(bool)
        except (TypeError, ValueError):
            needed = "a day, such as 2020-01-31" if is_day(column) else "a number"
            text = " and ".join(map(str, self.values))
            raise PrepareError(
                f"'{text}' cannot be compared with '{self.column}': give {needed}."
            ) from None
        return frame[met if self.what == "keep" else ~met].reset_index(drop=True)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return f"{value:g}" if could_be_year(value) else f"{value:,g}"


@dataclass(frozen=True)
class DropRepeated(Step, key="drop repeated rows", title="Drop repeated rows"):
    """Keep the first of the rows that are alike in some columns."""

    #: In which rows must be alike; none stands for all columns.
    columns: Annotated[
        tuple[str, ...], Asked("Alike in (none named: in all columns)", "columns", least=0)
    ] = ()

    @property
    def sentence(self) -> str:
        alike = f"alike in {named(self.columns)}" if self.columns else "wholly alike"
        return f"Of rows that are {alike}, kept the first"

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.drop_duplicates(list(self.columns) or None, ignore_index=True)


@dataclass(frozen=True)
class Summary:
    """A way to say a column of several rows in one cell; empty cells are passed over."""

    #: In the name of the new column, and before the columns' names in the form.
    says: str
    asks: str
    #: A method of pandas' groups of cells; "" for slope and share.
    method: str
    is_of_numbers: bool = False


SLOPE, SHARE = "slope", "share"
SUMMARIES = {
    "mean": Summary("mean", "Mean of", "mean", True),
    "last": Summary("last", "Last value of", "last"),
    "first": Summary("first", "First value of", "first"),
    "min": Summary("minimum", "Minimum of", "min", True),
    "max": Summary("maximum", "Maximum of", "max", True),
    "sum": Summary("sum", "Sum of", "sum", True),
    "count": Summary("cells filled", "Number of filled cells of", "count"),
    "values": Summary("different values", "Number of different values of", "nunique"),
    SLOPE: Summary("slope", "Slope of", "", True),
    SHARE: Summary("share", "Share of the rows with some level of", ""),
}


@dataclass(frozen=True)
class OneRowPer(Step, key="one row per", title="One row per", computes=True):
    """Make one row of all rows that have the same unit, in the order of its first rows."""

    unit: Annotated[str, Asked("One row for each", "column")]
    #: Column by which the rows of a unit are put in order; "" for the table's own order.
    order: Annotated[
        str, Asked("Its rows follow each other by", "column", without="the order of the rows")
    ] = ""
    #: How its dates are written, as ``strptime`` takes it; "" for ISO, and for numbers.
    order_format: Annotated[str, Asked("Written as", "dates", of="order")] = ""
    #: Column and key of ``SUMMARIES`` ("slope" is a year's, or per 1); behind "share", its level.
    summaries: tuple[tuple[str, str] | tuple[str, str, Value], ...] = ()
    #: Name of a column with the number of rows; "" for none.
    rows: str = ""
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.summaries and not self.rows:
            raise PrepareError(f"Say what is kept of the rows of a '{self.unit}'.")
        for column, how, *level in self.summaries:
            Asked("Kept", options=dict.fromkeys(SUMMARIES, "")).check(how)
            if bool(level) != (how == SHARE):
                raise PrepareError(f"A share of '{column}' needs a level, and nothing else does.")
            if column == self.unit:
                raise PrepareError(f"'{column}' is the unit itself: it stays.")
        if not self.order and any(how == SLOPE for _, how, *_ in self.summaries):
            raise PrepareError("A slope needs the column that puts the rows in order.")
        if twice := repeated([*self._names, self.rows, self.unit]):
            raise PrepareError(f"Two columns would be called {named(twice[:1])}.")

    @property
    def needs(self) -> tuple[str, ...]:
        summarised = (name for name, *_ in self.summaries)
        return tuple(dict.fromkeys((*super().needs, *summarised)))

    @property
    def writes(self) -> tuple[str, ...]:
        kept = [n for (n, *_), now in zip(self.summaries, self._names, strict=True) if n == now]
        return tuple(name for name in (*self._names, self.rows) if name not in kept)

    def sources(self, name: str) -> tuple[str, ...] | None:
        of = dict(zip(self._names, (column for column, *_ in self.summaries), strict=True))
        return (of[name],) if name in of else ()

    @property
    def _names(self) -> list[str]:
        """Names of the results: a single first or last value keeps its own."""
        several = repeated(column for column, *_ in self.summaries)
        return [
            column
            if how in ("first", "last") and column not in several
            else f"{column}, {_says(how, *level)}"
            for column, how, *level in self.summaries
        ]

    @property
    def sentence(self) -> str:
        by_column: dict[str, list[str]] = {}
        for column, how, *level in self.summaries:
            by_column.setdefault(column, []).append(_says(how, *level))
        kept = [f"'{column}' ({', '.join(ways)})" for column, ways in by_column.items()]
        kept += ["the number of its rows"] * bool(self.rows)
        by = f", in the order of '{self.order}'" if self.order else ""
        return f"Made one row per '{self.unit}'{by}: {listed(kept, NAMED)}"

    def _time(self, frame: pd.DataFrame) -> pd.Series:
        """What puts the rows in order, as numbers; of dates years since the first."""
        if not self.order_format and pd.api.types.is_numeric_dtype(frame[self.order]):
            return frame[self.order].astype("float64")
        days = read_days(frame, self.order, self.order_format, self.latest)
        return (days - days.min()).dt.total_seconds() / _YEAR

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        for column, how, *_ in self.summaries:
            if SUMMARIES[how].is_of_numbers:
                numbers(frame, column)
        unit = pd.Series(pd.factorize(frame[self.unit])[0], index=frame.index)
        some, time = frame[unit >= 0], None
        if self.order:
            time = self._time(frame)
            some = some.loc[time[unit >= 0].sort_values(kind="stable").index]
        rows = some.groupby(unit)
        made = {self.unit: rows[self.unit].first()}
        for name, (column, how, *level) in zip(self._names, self.summaries, strict=True):
            if how == SHARE:
                is_level = in_words(some[column]) == word(level[0])
                is_level = is_level.astype("float64").where(some[column].notna())
                made[name] = is_level.groupby(unit).mean()
            elif how == SLOPE:
                made[name] = _slope(frame[column], time, unit)
            else:
                more = {"min_count": 1} if how == "sum" else {}
                made[name] = getattr(rows[column], SUMMARIES[how].method)(**more)
        if self.rows:
            made[self.rows] = rows.size()
        return pd.DataFrame(made).reset_index(drop=True)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Rows left out."""
        without = int(frame[self.unit].isna().sum())
        return f"{counted(without, 'row')} without a '{self.unit}' left out." * (without > 0)


_YEAR = 86400.0 * UNITS["years"]


def _says(how: str, level: Any = None) -> str:
    return f"share of {word(level)}" if how == SHARE else SUMMARIES[how].says


def _slope(column: pd.Series, time: pd.Series, unit: pd.Series) -> pd.Series:
    """Slope of the least-squares line of each unit; none where all its times are one."""
    pairs = pd.DataFrame({"x": time, "y": column.astype("float64")})[unit >= 0]
    pairs = pairs.where(pairs.notna().all(axis=1))
    off = pairs - pairs.groupby(unit).transform("mean")
    up = (off["x"] * off["y"]).groupby(unit).sum(min_count=1)
    along = (off["x"] ** 2).groupby(unit).sum(min_count=1)
    return (up / along).where(pairs["x"].groupby(unit).nunique() > 1)
