"""Steps that measure dates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import pandas as pd

from ..wording import counted
from .cell_reading import days_code, in_words, read_days, this_year
from .step import PrepareError, Step, check_choice, check_new, examples, with_columns

#: Parts of a date by their names: how they are taken, and the same as Python of ``days``.
PARTS: dict[str, tuple[Callable[[pd.Series], pd.Series], str]] = {
    "year": (lambda d: d.dt.year.astype("float64"), "days.dt.year.astype('float64')"),
    "month": (lambda d: d.dt.month_name(), "days.dt.month_name()"),
    "weekday": (lambda d: d.dt.day_name(), "days.dt.day_name()"),
    "quarter": (lambda d: d.dt.quarter.astype("float64"), "days.dt.quarter.astype('float64')"),
    "day of year": (
        lambda d: d.dt.day_of_year.astype("float64"),
        "days.dt.day_of_year.astype('float64')",
    ),
    "days since the first": (
        lambda d: (d.dt.normalize() - d.dt.normalize().min()).dt.days.astype("float64"),
        "(days.dt.normalize() - days.dt.normalize().min()).dt.days.astype('float64')",
    ),
}
#: Days of each unit: years and months are mean ones of the Gregorian calendar.
UNITS = {"years": 365.2425, "months": 30.436875, "days": 1.0}
_DAY = 86400.0


@dataclass(frozen=True)
class DatePart(Step):
    """Take a part of a date; cells that are no date become empty."""

    key: ClassVar[str] = "part of a date"
    title: ClassVar[str] = "Part of a date"

    column: str
    #: How it is written, as ``strptime`` takes it; "" for ISO and for columns of dates.
    format: str
    #: Key of ``PARTS``.
    part: str
    #: The new column, or the same again.
    into: str
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.part, PARTS, "part of a date")

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def writes(self) -> tuple[str, ...]:
        return (self.into,)

    @property
    def sentence(self) -> str:
        into = "" if self.into == self.column else f" as '{self.into}'"
        return f"Took the {self.part} of '{self.column}'{into}"

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        check_new(frame, self.into, (self.column,))
        days = read_days(frame, self.column, self.format, self.latest)
        return with_columns(frame, {self.into: PARTS[self.part][0](days)})

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Cells that are no date."""
        return unread(frame, ((self.column, self.format),), self.latest)

    def as_pandas(self) -> tuple[str, ...]:
        return (
            *days_code("days", self.column, self.format, self.latest),
            f"frame[{self.into!r}] = {PARTS[self.part][1]}",
        )


def unread(frame: pd.DataFrame, columns: tuple[tuple[str, str], ...], latest: int) -> str:
    """Say how many cells of some columns are no date as it should be written, or nothing."""
    lost = [
        in_words(frame[name][frame[name].notna() & read_days(frame, name, form, latest).isna()])
        for name, form in columns
    ]
    cells = pd.concat(lost)
    if cells.empty:
        return ""
    are = "1 cell is" if len(cells) == 1 else f"{len(cells):,} cells are"
    return f"{are} no date as it should be written {examples(cells)}."


@dataclass(frozen=True)
class TimeBetween(Step):
    """The time from one date to another of the row, or to a day: an age, a tenure."""

    key: ClassVar[str] = "time between dates"
    title: ClassVar[str] = "Time between dates"

    start: str
    start_format: str
    #: The column of the later date; "" where ``on_day`` is the day for all rows.
    end: str = ""
    end_format: str = ""
    #: A day as 2020-01-31.
    on_day: str = ""
    #: Key of ``UNITS``.
    unit: str = "years"
    into: str = "time"
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.unit, UNITS, "unit of time")
        if bool(self.end) == bool(self.on_day):
            raise PrepareError("Choose up to when: a column, or one day for all rows.")
        if self.on_day:
            try:
                day = pd.to_datetime(self.on_day, format="%Y-%m-%d")
            except (ValueError, TypeError):
                day = pd.NaT
            if pd.isna(day):
                raise PrepareError(f"'{self.on_day}' is no day: write it as 2020-01-31.")

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.start, self.end) if self.end else (self.start,)

    @property
    def writes(self) -> tuple[str, ...]:
        return (self.into,)

    @property
    def sentence(self) -> str:
        to = f"'{self.end}'" if self.end else self.on_day
        whole = [f for f in (self.start_format, self.end_format) if f and "%d" not in f]
        first = ", a year or month alone taken as its first day" if whole else ""
        return f"Made '{self.into}', the {self.unit} from '{self.start}' to {to}{first}"

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        check_new(frame, self.into, self.needs)
        start = read_days(frame, self.start, self.start_format, self.latest)
        end = pd.Timestamp(self.on_day) if self.on_day else self._end(frame)
        days = (end - start).dt.total_seconds() / _DAY
        return with_columns(frame, {self.into: days / UNITS[self.unit]})

    def _end(self, frame: pd.DataFrame) -> pd.Series:
        return read_days(frame, self.end, self.end_format, self.latest)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Cells that are no date, and times that run backwards."""
        columns = [(self.start, self.start_format)]
        columns += [(self.end, self.end_format)] if self.end else []
        told = unread(frame, tuple(columns), self.latest)
        back = int((changed[self.into] < 0).sum())
        if back and not told:
            return f"In {counted(back, 'row')} the time is below 0: it ends before it begins."
        return f"{told[:-1]}; in {counted(back, 'row')} the time is below 0." if back else told

    def as_pandas(self) -> tuple[str, ...]:
        end = (f"end = pd.Timestamp({self.on_day!r})",)
        if self.end:
            end = days_code("end", self.end, self.end_format, self.latest)
        return (
            *days_code("start", self.start, self.start_format, self.latest),
            *end,
            f"frame[{self.into!r}] = (end - start).dt.total_seconds() / {_DAY!r} "
            f"/ {UNITS[self.unit]!r}",
        )
