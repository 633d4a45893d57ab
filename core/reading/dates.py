"""Dates and clock times as people write them, and what can be measured of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import numpy as np
import pandas as pd

DAYS, WEEKDAY, MONTH, HOURS = "days since", "weekday", "month", "hours"
_MONTH_FIRST = ", month first"
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
#: As ``strptime`` takes them, with one sign for all that parts numbers; the month is named, or
#: stands where the second or the first number does.
_NAMED = (
    *("%Y-%m-%d", "%Y-%m", "%d-%b-%Y", "%d-%B-%Y", "%d-%b-%y", "%b-%d-%Y", "%B-%d-%Y"),
    *("%a-%d-%b-%Y", "%A-%d-%B-%Y", "%b-%Y", "%B-%Y"),
)
_DAY_FIRST, _OTHER = ("%d-%m-%Y", "%d-%m-%y"), ("%m-%d-%Y", "%m-%d-%y")
_PARTS = re.compile(r"(?:(?<=\d)(?:st|nd|rd|th))?[-/., ]+(?:de )?", re.IGNORECASE)
_CLOCK_BEHIND = re.compile(r"[T ,]\s*\d{1,2}:\d{2}.*$")
_TWO_NUMBERS = re.compile(r"(\d{1,2})-(\d{1,2})-(?:\d{4}|\d{2})")
_LIKE = re.compile(r"(?=.*\d)[\w.,]+(?:-[\w.]+){1,3}")
_CLOCK = re.compile(
    r"(?P<h>\d{1,3}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?(?P<half> ?[aApP]\.?[mM]\.?)?"
)
_DURATION = re.compile(
    r"(?:(?P<d>\d+) ?(?:d|days?)[ ,]*)?(?:(?P<h>\d+) ?(?:h|hrs?|hours?|std)\.?[ ,]*)?"
    r"(?:(?P<m>\d+) ?(?:m|mins?|minutes?|min\.)[ ,]*)?(?:(?P<s>\d+) ?(?:s|secs?|seconds?))?"
)


def read_dates(cells: Sequence[str], month_first: bool = False) -> list[date | None]:
    """Read dates, None for each cell that is none.

    Parameters
    ----------
    cells : sequence of str
    month_first : bool
        How 3/4/2020 is meant; a first number above 12 is the day in any case.
    """
    texts = pd.Series([_plain(cell) for cell in cells], dtype=object)
    found = pd.Series(pd.NaT, index=texts.index, dtype="datetime64[s]")
    numbered = (*_OTHER, *_DAY_FIRST) if month_first else (*_DAY_FIRST, *_OTHER)
    for form in (*_NAMED, *numbered):
        left = found.isna()
        if not left.any():
            break
        read = pd.to_datetime(texts[left], format=form, errors="coerce").astype("datetime64[s]")
        if form.endswith("%y"):  # of 2050, "50" is 1950
            read = read.where(read.dt.year < 2050, read - pd.DateOffset(years=100))
        found[left] = read
    return [None if pd.isna(day) else day.date() for day in found]


def _plain(cell: str) -> str:
    """A cell without its clock time, and with one sign between its parts."""
    return _PARTS.sub("-", _CLOCK_BEHIND.sub("", " ".join(cell.split()))).strip("-")


def read_hours(cell: str) -> float:
    """Read a clock time or a duration as hours: "12:30" and "12 h 30 min" are 12.5; else NaN."""
    text = " ".join(cell.split()).lower()
    if match := _CLOCK.fullmatch(text):
        hours = int(match["h"])
        if half := (match["half"] or "").strip():
            if not 1 <= hours <= 12:
                return np.nan
            hours = hours % 12 + 12 * (half[0] == "p")
        return hours + int(match["m"]) / 60 + float(match["s"] or 0) / 3600
    match = _DURATION.fullmatch(text)
    if match is None or sum(part is not None for part in match.groups()) < 2:
        return np.nan  # a number with one unit is a number with a unit
    days, hours, minutes, seconds = (float(match[part] or 0) for part in "dhms")
    return 24 * days + hours + minutes / 60 + seconds / 3600


def are_dates(cells: Sequence[str]) -> bool:
    """Whether nearly all of some distinct cells are dates."""
    some = cells[:500]
    if len(some) == 0 or not _LIKE.fullmatch(_plain(str(some[0]))):
        return False
    return sum(day is not None for day in read_dates(some)) >= 0.95 * len(some)


def are_hours(cells: Sequence[str]) -> bool:
    """Whether nearly all of some distinct cells are clock times or durations."""
    some = cells[:500]
    return len(some) > 0 and sum(not np.isnan(read_hours(c)) for c in some) >= 0.95 * len(some)


def is_month_first(cells: Sequence[str]) -> bool:
    """Whether the month stands before the day: then the second number exceeds 12, never the first.

    Dates that read either way have the day first, as most of the world writes them.
    """
    found = [match for cell in cells if (match := _TWO_NUMBERS.fullmatch(_plain(cell)))]
    return any(int(m[2]) > 12 for m in found) and all(int(m[1]) <= 12 for m in found)


def reading_of_days(cells: Sequence[str]) -> str:
    """Name the reading "days since the first" of some dates, with what new rows need to know."""
    month_first = is_month_first(cells)
    days = [day for day in read_dates(cells, month_first) if day is not None]
    return f"{DAYS} {min(days).isoformat()}{_MONTH_FIRST * month_first}"


def is_date_reading(reading: str) -> bool:
    """Whether that reading is one of dates."""
    kind = reading.removesuffix(_MONTH_FIRST)
    first = kind.removeprefix(f"{DAYS} ")
    return kind in (WEEKDAY, MONTH) or (first != kind and read_dates([first]) != [None])


def from_dates(cells: Sequence[str], reading: str) -> np.ndarray:
    """What a reading makes of dates: days as float64, or the names of weekdays or months.

    Cells that are no dates become NaN or None.
    """
    kind = reading.removesuffix(_MONTH_FIRST)
    found = read_dates(cells, reading.endswith(_MONTH_FIRST))
    if kind.startswith(DAYS):
        first = date.fromisoformat(kind.removeprefix(f"{DAYS} "))
        return np.array([np.nan if day is None else (day - first).days for day in found], float)
    names = {WEEKDAY: lambda day: WEEKDAYS[day.weekday()], MONTH: lambda day: MONTHS[day.month - 1]}
    return np.array([None if day is None else names[kind](day) for day in found], dtype=object)
