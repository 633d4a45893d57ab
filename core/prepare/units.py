"""The step that makes one row of all rows of a unit: an order, a patient, a country."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import pandas as pd

from ..wording import counted, listed
from .asked import NAMED, Choice, Column, DateForm, PrepareError, named
from .dates import UNITS, read_days, this_year
from .step import Step, Value, examples, in_words, numbers, word

#: Ways to say a column of several rows in one cell. Empty cells are passed over.
WAYS: dict[str, Callable[[Any], pd.Series]] = {
    "first": lambda cells: cells.first(),
    "last": lambda cells: cells.last(),
    "mean": lambda cells: cells.mean(),
    "min": lambda cells: cells.min(),
    "max": lambda cells: cells.max(),
    "sum": lambda cells: cells.sum(min_count=1),
    "count": lambda cells: cells.count(),
    "values": lambda cells: cells.nunique(),
}
#: Those of numbers only.
OF_NUMBERS = ("mean", "min", "max", "sum", "slope")
SLOPE, SHARE = "slope", "share"
_HOW = Choice("Kept", dict.fromkeys((*WAYS, SLOPE, SHARE), ""))
_SAYS = {"min": "minimum", "max": "maximum", "count": "cells filled", "values": "different values"}


@dataclass(frozen=True)
class OneRowPer(Step):
    """Make one row of all rows that have the same unit, in the order of its first rows."""

    key: ClassVar[str] = "one row per"
    title: ClassVar[str] = "One row per"

    unit: Annotated[str, Column("One row for each")]
    #: Column by which the rows of a unit are put in order; "" for the table's own order.
    order: Annotated[
        str, Column("Its rows follow each other by", without="the order of the rows")
    ] = ""
    #: How its dates are written, as ``strptime`` takes it; "" for ISO, and for numbers.
    order_format: Annotated[str, DateForm("Written as", of="order")] = ""
    #: A column and a key of ``WAYS``, "slope" (change per year, or per 1 of a number), or "share"
    #: and the level whose share is taken.
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
            _HOW.check(how)
            if bool(level) != (how == SHARE):
                raise PrepareError(f"A share of '{column}' needs a level, and nothing else does.")
            if column == self.unit:
                raise PrepareError(f"'{column}' is the unit itself: it stays.")
        if not self.order and any(how == SLOPE for _, how, *_ in self.summaries):
            raise PrepareError("A slope needs the column that puts the rows in order.")
        twice = [n for n, times in Counter([*self._names, self.rows]).items() if times > 1]
        if twice or self.unit in (*self._names, self.rows):
            raise PrepareError(f"Two columns would be called {named((*twice, self.unit)[:1])}.")

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
        """Names of the results, one for each summary."""
        times = Counter(column for column, *_ in self.summaries)
        names = []
        for column, how, *level in self.summaries:
            if how in ("first", "last") and times[column] == 1:
                names.append(column)
            else:
                names.append(f"{column}, {self._says(how, *level)}")
        return names

    def _says(self, how: str, level: Any = None) -> str:
        if how == SLOPE:
            return "slope"
        return f"share of {word(level)}" if how == SHARE else _SAYS.get(how, how)

    @property
    def sentence(self) -> str:
        told: dict[str, list[str]] = {}
        for column, how, *level in self.summaries:
            told.setdefault(column, []).append(self._says(how, *level))
        kept = [f"'{column}' ({', '.join(ways)})" for column, ways in told.items()]
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
            if how in OF_NUMBERS:
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
                made[name] = _share(frame[column], word(level[0]), unit)
            elif how == SLOPE:
                made[name] = _slope(frame[column], time, unit)
            else:
                made[name] = WAYS[how](rows[column])
        if self.rows:
            made[self.rows] = rows.size()
        return pd.DataFrame(made).reset_index(drop=True)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Rows left out, and those that have no place in the order."""
        without = int(frame[self.unit].isna().sum())
        told = f"{counted(without, 'row')} without a '{self.unit}' left out. " * (without > 0)
        if self.order:
            is_last = self._time(frame).isna() & frame[self.order].notna()
            last = in_words(frame[self.order][is_last])
            if len(last):
                told += f"{counted(len(last), 'row')} without a date put last {examples(last)}."
        return told.strip()


_YEAR = 86400.0 * UNITS["years"]


def _share(column: pd.Series, level: str, unit: pd.Series) -> pd.Series:
    """Share of a level among the filled cells of each unit."""
    is_level = (in_words(column) == level).astype("float64").where(column.notna())
    return is_level[unit >= 0].groupby(unit).mean()


def _slope(column: pd.Series, time: pd.Series, unit: pd.Series) -> pd.Series:
    """Slope of the least-squares line of each unit; none where all its times are one."""
    pairs = pd.DataFrame({"x": time, "y": column.astype("float64")})[unit >= 0]
    pairs = pairs.where(pairs.notna().all(axis=1))
    off = pairs - pairs.groupby(unit).transform("mean")
    up = (off["x"] * off["y"]).groupby(unit).sum(min_count=1)
    along = (off["x"] ** 2).groupby(unit).sum(min_count=1)
    return (up / along).where(pairs["x"].groupby(unit).nunique() > 1)
