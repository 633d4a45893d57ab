"""Steps that measure dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Any, ClassVar

import pandas as pd

from ..reading import dates
from ..wording import counted
from .asked import Choice, Column, DateForm, Day, NewName, PrepareError
from .step import ColumnStep, examples, in_words

#: How each part of a date is taken.
PARTS: dict[str, Callable[[pd.Series], pd.Series]] = {
    "year": lambda d: d.dt.year.astype("float64"),
    "month": lambda d: d.dt.month_name(),
    "weekday": lambda d: d.dt.day_name(),
    "quarter": lambda d: d.dt.quarter.astype("float64"),
    "day of year": lambda d: d.dt.day_of_year.astype("float64"),
    "days since the first": lambda d: (d.dt.normalize() - d.dt.normalize().min()).dt.days.astype(
        "float64"
    ),
}
#: Days of each unit: years and months are mean ones of the Gregorian calendar.
UNITS = {"years": 365.2425, "months": 30.436875, "days": 1.0}
_DAY = 86400.0


def this_year() -> int:
    """The year of today."""
    return date.today().year


def likely_form(column: pd.Series) -> str:
    """How the dates of a column are written, as ``read_days`` takes it."""
    is_date = pd.api.types.is_datetime64_any_dtype(column)
    return "" if is_date else dates.likely_form(in_words(column))


def read_days(frame: pd.DataFrame, name: str, form: str, latest: int) -> pd.Series:
    """A column as days and times; what is no date is empty.

    Parameters
    ----------
    form : str
        As ``strptime`` takes it; "" for ISO and for columns of dates.
    latest : int
        Last year that two digits may mean: of 2026, "26" is 2026 and "27" is 1927.
    """
    column = frame[name]
    if form and pd.api.types.is_datetime64_any_dtype(column):
        raise PrepareError(f"'{name}' holds dates already: leave out how they are written.")
    cells = in_words(column)
    try:
        days = dates.read_days(cells, form, latest)
    except ValueError as error:
        raise PrepareError(str(error)) from None
    if days.notna().sum() == 0 and cells.notna().any():
        like = datetime(2020, 1, 31, 12).strftime(form or "%Y-%m-%d")
        raise PrepareError(
            f"No cell of '{name}' is a date written as {like} {examples(cells.dropna())}: choose "
            "how they are written."
        )
    return days


@dataclass(frozen=True)
class DatePart(ColumnStep):
    """Take a part of a date; cells that are no date become empty."""

    key: ClassVar[str] = "part of a date"
    title: ClassVar[str] = "Part of a date"

    column: Annotated[str, Column("Date")]
    format: Annotated[str, DateForm("Written as", of="column")]
    part: Annotated[str, Choice("Take its", {part: part for part in PARTS}, "part of a date")]
    #: The new column, or the same again.
    into: Annotated[str, NewName("Called")]
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        if name == "into":
            return f"{values['column']}, {values['part']}"
        return super().likely(name, frame, values)

    @property
    def sentence(self) -> str:
        into = "" if self.into == self.column else f" as '{self.into}'"
        return f"Took the {self.part} of '{self.column}'{into}"

    def _cells(self, frame: pd.DataFrame) -> pd.Series:
        return PARTS[self.part](read_days(frame, self.column, self.format, self.latest))


@dataclass(frozen=True)
class TimeBetween(ColumnStep):
    """The time from one date to another of the row, or to a day: an age, a tenure."""

    key: ClassVar[str] = "time between dates"
    title: ClassVar[str] = "Time between dates"

    start: Annotated[str, Column("From")]
    start_format: Annotated[str, DateForm("Written as", of="start")]
    #: The column of the later date; "" where ``on_day`` is the day for all rows.
    end: Annotated[str, Column("To", without="a day that I name")] = ""
    end_format: Annotated[str, DateForm("written as", of="end")] = ""
    on_day: Annotated[str, Day("Day (year-month-day)", instead_of="end")] = ""
    unit: Annotated[str, Choice("In", {unit: unit for unit in UNITS}, "unit of time")] = "years"
    into: Annotated[str, NewName("Called")] = "time"
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.end) == bool(self.on_day):
            raise PrepareError("Choose up to when: a column, or one day for all rows.")
        if self.on_day:
            try:
                day = pd.to_datetime(self.on_day, format="%Y-%m-%d")
            except (ValueError, TypeError):
                day = pd.NaT
            if pd.isna(day):
                raise PrepareError(f"'{self.on_day}' is no day: write it as 2020-01-31.")

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        if name == "into":
            until = values["end"] or values["on_day"]
            return f"{values['unit']} from {values['start']} to {until}"
        return super().likely(name, frame, values)

    @property
    def sentence(self) -> str:
        to = f"'{self.end}'" if self.end else self.on_day
        whole = [f for f in (self.start_format, self.end_format) if f and "%d" not in f]
        first = ", a year or month alone taken as its first day" if whole else ""
        return f"Made '{self.into}', the {self.unit} from '{self.start}' to {to}{first}"

    def _cells(self, frame: pd.DataFrame) -> pd.Series:
        start = read_days(frame, self.start, self.start_format, self.latest)
        end: Any = pd.Timestamp(self.on_day)
        if self.end:
            end = read_days(frame, self.end, self.end_format, self.latest)
        return (end - start).dt.total_seconds() / _DAY / UNITS[self.unit]

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Times that run backwards."""
        back = int((changed[self.into] < 0).sum())
        return f"In {counted(back, 'row')} the time is below 0: it ends before it begins." * (
            back > 0
        )
