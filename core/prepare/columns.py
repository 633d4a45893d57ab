"""Steps that compute with numbers and with dates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from ..reading import dates
from ..wording import counted, listed
from .step import (
    Asked,
    CellStep,
    ColumnStep,
    PrepareError,
    examples,
    in_words,
    is_day,
    named,
    numbers,
)

_MOST_LETTERS = 50


def _called(first: str = "") -> Asked:
    return Asked("Called", "new name", first=first)


@dataclass(frozen=True)
class CutRanges(ColumnStep, key="cut into ranges", title="Cut into ranges", computes=True):
    """Cut numbers into ranges, each from its lower end on up to the next: an ordered category."""

    column: Annotated[str, Asked("Column", "column", "number")]
    #: Where one range ends and the next one begins, rising.
    edges: Annotated[tuple[float, ...], Asked("A range begins at each of these numbers", "ends")]
    #: The new column, or the same again.
    into: Annotated[str, _called("{column}")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.edges or any(a >= b for a, b in pairwise(self.edges)):
            raise PrepareError("Name the ends of the ranges from the lowest to the highest.")
        if len({*self._labels}) < len(self._labels):
            raise PrepareError("Some ends of ranges are too close to be told apart.")

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        """Thirds of the rows."""
        if name != "edges":
            return super().likely(name, frame, values)
        thirds = numbers(frame, values["column"]).quantile([1 / 3, 2 / 3])
        return tuple(dict.fromkeys(float(f"{edge:.3g}") for edge in thirds))

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


def _in_place(columns: tuple[str, ...]) -> str:
    return f"in {'its place' if len(columns) == 1 else 'their places'}"


@dataclass(frozen=True)
class Logarithm(CellStep, key="logarithm", title="Logarithm", computes=True):
    """Take natural logarithms of numbers above 0."""

    suffix: ClassVar[str] = ", log"

    columns: Annotated[tuple[str, ...], Asked("Columns", "columns", "number")]
    plus: Annotated[float, Asked("Add first (1 where there are zeros)")] = 0

    @property
    def sentence(self) -> str:
        plus = f"{self.plus:g} + " if self.plus else ""
        return f"Took the logarithm of {plus}{named(self.columns)}, {_in_place(self.columns)}"

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        cells = numbers(frame, name) + self.plus
        if low := int((cells <= 0).sum()):
            raise PrepareError(
                f"'{name}' has {counted(low, 'value')} at or below {-self.plus:g}, which have no "
                f"logarithm: add {'more' if self.plus else 1} to all of them, or drop those rows."
            )
        return np.log(cells)


@dataclass(frozen=True)
class ShareOfTotal(CellStep, key="share of a total", title="Share of a total", computes=True):
    """Make parts shares of their sum in the row."""

    suffix: ClassVar[str] = ", share"

    columns: Annotated[tuple[str, ...], Asked("Parts of a total", "columns", "number", least=2)]

    @property
    def sentence(self) -> str:
        return f"Made {named(self.columns)} shares of their sum, {_in_place(self.columns)}"

    def sources(self, name: str) -> tuple[str, ...] | None:
        return self.columns

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        if (numbers(frame, name) < 0).any():
            raise PrepareError(f"'{name}' has values below 0: parts of a total are 0 or more.")
        total = _sum(_numbers_of(frame, self.columns))
        return numbers(frame, name) / total.where(total > 0)


@dataclass(frozen=True)
class DivideBy(
    CellStep, key="divide by a column", title="Per head, divided by a column", computes=True
):
    """Divide amounts by the size of what has them: per head, per employee, per square metre."""

    columns: Annotated[tuple[str, ...], Asked("Amounts", "columns", "number")]
    by: Annotated[str, Asked("divided by", "column", "number")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by in self.columns:
            raise PrepareError(f"'{self.by}' cannot be divided by itself: leave it out.")

    @property
    def new_names(self) -> dict[str, str]:
        return {name: f"{name} per {self.by}" for name in self.columns}

    @property
    def sentence(self) -> str:
        return f"Divided {named(self.columns)} by '{self.by}', {_in_place(self.columns)}"

    def sources(self, name: str) -> tuple[str, ...] | None:
        return (*(super().sources(name) or ()), self.by)

    def _cells(self, frame: pd.DataFrame, name: str) -> pd.Series:
        size = numbers(frame, self.by)
        return numbers(frame, name) / size.where(size != 0)


def _numbers_of(frame: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame({name: numbers(frame, name) for name in columns})


def _sum(parts: pd.DataFrame) -> pd.Series:
    """From left to right: pandas' own sum depends on how the cells lie in memory."""
    return sum(parts[name] for name in parts)


WAYS: dict[str, Callable[[pd.DataFrame], pd.Series | np.ndarray]] = {
    "sum": _sum,
    "difference": lambda p: p.iloc[:, 0] - p.iloc[:, 1],
    "ratio": lambda p: (p.iloc[:, 0] / p.iloc[:, 1]).where(p.iloc[:, 1] != 0),
    "product": lambda p: np.prod([p[name] for name in p], axis=0),
    "mean": lambda p: _sum(p) / p.shape[1],
}
_OF_TWO = ("difference", "ratio")


@dataclass(frozen=True)
class Combine(ColumnStep, key="combine columns", title="Sum, difference, ratio", computes=True):
    """Make one number of several in the row; where one of them is missing, it is."""

    columns: Annotated[tuple[str, ...], Asked("Of these columns", "columns", "number", least=2)]
    how: Annotated[str, Asked("make the", "choice", options={way: way for way in WAYS})]
    into: Annotated[str, _called()]

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
        of = named(self.columns)
        if self.how in _OF_TWO:
            first, second = self.columns
            of = f"'{first}' {'to' if self.how == 'ratio' else 'less'} '{second}'"
        return f"Made '{self.into}', the {self.how} of {of}"

    def _cells(self, frame: pd.DataFrame) -> pd.Series | np.ndarray:
        return WAYS[self.how](_numbers_of(frame, self.columns))


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
    return "" if is_day(column) else dates.likely_form(in_words(column))


def read_days(frame: pd.DataFrame, name: str, form: str, latest: int) -> pd.Series:
    """A column as days and times, as ``reading.dates.read_days``; a PrepareError where none is."""
    if form and is_day(frame[name]):
        raise PrepareError(f"'{name}' holds dates already: leave out how they are written.")
    cells = in_words(frame[name])
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
class DatePart(ColumnStep, key="part of a date", title="Part of a date", computes=True):
    """Take a part of a date; cells that are no date become empty."""

    column: Annotated[str, Asked("Date", "column")]
    format: Annotated[str, Asked("Written as", "dates", of="column")]
    part: Annotated[str, Asked("Take its", "choice", options={part: part for part in PARTS})]
    #: The new column, or the same again.
    into: Annotated[str, _called("{column}, {part}")]
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    @property
    def sentence(self) -> str:
        into = "" if self.into == self.column else f" as '{self.into}'"
        return f"Took the {self.part} of '{self.column}'{into}"

    def _cells(self, frame: pd.DataFrame) -> pd.Series:
        return PARTS[self.part](read_days(frame, self.column, self.format, self.latest))


@dataclass(frozen=True)
class TimeBetween(ColumnStep, key="time between dates", title="Time between dates", computes=True):
    """The time from one date to another of the row, or to a day: an age, a tenure."""

    start: Annotated[str, Asked("From", "column")]
    start_format: Annotated[str, Asked("Written as", "dates", of="start")]
    #: The column of the later date; "" where ``on_day`` is the day for all rows.
    end: Annotated[str, Asked("To", "column", without="a day that I name")] = ""
    end_format: Annotated[str, Asked("written as", "dates", of="end")] = ""
    on_day: Annotated[str, Asked("Day (year-month-day)", "day", of="end")] = ""
    unit: Annotated[str, Asked("In", "choice", options={unit: unit for unit in UNITS})] = "years"
    into: Annotated[str, _called("{unit} from {start} to {end}{on_day}")] = "time"
    #: Last year that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    latest: int = field(default_factory=this_year)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.end) == bool(self.on_day):
            raise PrepareError("Choose up to when: a column, or one day for all rows.")
        try:
            datetime.strptime(self.on_day or "2020-01-31", "%Y-%m-%d")
        except ValueError:
            raise PrepareError(f"'{self.on_day}' is no day: write it as 2020-01-31.") from None

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
        text = f"In {counted(back, 'row')} the time is below 0: it ends before it begins."
        return text if back else ""
