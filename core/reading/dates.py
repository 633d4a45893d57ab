"""Dates and clock times as people write them, and what can be measured of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import numpy as np

DAYS, WEEKDAY, MONTH, HOURS = "days since", "weekday", "month", "hours"
_MONTH_FIRST = ", month first"
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)

_SEPARATOR = r"[-/. ]"
_CLOCK_BEHIND = r"(?:[T ]\s*\d{1,2}:\d{2}.*)?"
_YEAR_FIRST = re.compile(
    rf"(?P<y>\d{{4}}){_SEPARATOR}(?P<m>\d{{1,2}})(?:{_SEPARATOR}(?P<d>\d{{1,2}}))?{_CLOCK_BEHIND}"
)
_YEAR_LAST = re.compile(
    rf"(?P<a>\d{{1,2}})[-/.] ?(?P<b>\d{{1,2}})[-/.] ?(?P<y>\d{{4}}|\d{{2}}),?{_CLOCK_BEHIND}"
)
_DAY_NAMED = re.compile(
    r"(?:[^\W\d]{2,10}\.?,? )?(?P<d>\d{1,2})(?:\.|st|nd|rd|th)?[ -]?(?:de )?"
    r"(?P<m>[^\W\d]{3,10})\.?[ -]?(?:de )?,? ?(?P<y>\d{4}|\d{2})" + _CLOCK_BEHIND
)
_MONTH_NAMED = re.compile(
    rf"(?P<m>[^\W\d]{{3,10}})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}}){_CLOCK_BEHIND}"
)
_MONTH_AND_YEAR = re.compile(r"(?P<m>[^\W\d]{3,10})\.?[ -](?P<y>\d{4})")
_CLOCK = re.compile(
    r"(?P<h>\d{1,3}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?(?P<half> ?[aApP]\.?[mM]\.?)?"
)
_DURATION = re.compile(
    r"(?:(?P<d>\d+) ?(?:d|days?)[ ,]*)?(?:(?P<h>\d+) ?(?:h|hrs?|hours?|std)\.?[ ,]*)?"
    r"(?:(?P<m>\d+) ?(?:m|mins?|minutes?|min\.)[ ,]*)?(?:(?P<s>\d+) ?(?:s|secs?|seconds?))?"
)
# First letters of a month in English, German, French, Spanish, Italian, Portuguese and Dutch.
_MONTH_STARTS = (
    ("jan", "jän", "ene", "gen"),
    ("feb", "fév", "fev"),
    ("mar", "mär", "mrz", "maa", "mrt"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mag", "mei"),
    ("jun", "juin", "giu"),
    ("jul", "juil", "lug"),
    ("aug", "aoû", "ago"),
    ("sep", "set"),
    ("oct", "okt", "ott", "out"),
    ("nov",),
    ("dec", "dez", "déc", "dic"),
)


def month_of(word: str) -> int | None:
    """Number of a month by its name, 1 to 12."""
    text = word.casefold().rstrip(".")
    if text.startswith("jui"):  # juin and juillet share three letters
        return {"juin": 6, "juil": 7}.get(text[:4])
    found = (j for j, starts in enumerate(_MONTH_STARTS, 1) if text.startswith(starts))
    return next(found, None)


def read_date(cell: str, month_first: bool = False) -> date | None:
    """Read one date, or return None.

    Parameters
    ----------
    cell : str
    month_first : bool
        How 3/4/2020 is meant; a first number above 12 is the day in any case.
    """
    text = " ".join(cell.split())
    if match := _YEAR_FIRST.fullmatch(text):
        return _valid(int(match["y"]), int(match["m"]), int(match["d"] or 1))
    if match := _YEAR_LAST.fullmatch(text):
        day, month = int(match["a"]), int(match["b"])
        if month > 12 or (month_first and day <= 12):
            day, month = month, day
        return _valid(_year(match["y"]), month, day)
    for pattern in (_DAY_NAMED, _MONTH_NAMED):
        if (match := pattern.fullmatch(text)) and (month := month_of(match["m"])):
            return _valid(_year(match["y"]), month, int(match["d"]))
    if (match := _MONTH_AND_YEAR.fullmatch(text)) and (month := month_of(match["m"])):
        return _valid(int(match["y"]), month, 1)
    return None


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year < 50 else 1900)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


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
    return len(some) > 0 and sum(read_date(c) is not None for c in some) >= 0.95 * len(some)


def are_hours(cells: Sequence[str]) -> bool:
    """Whether nearly all of some distinct cells are clock times or durations."""
    some = cells[:500]
    return len(some) > 0 and sum(not np.isnan(read_hours(c)) for c in some) >= 0.95 * len(some)


def is_month_first(cells: Sequence[str]) -> bool:
    """Whether the month stands before the day: then the second number exceeds 12, never the first.

    Dates that read either way have the day first, as most of the world writes them.
    """
    found = [match for cell in cells if (match := _YEAR_LAST.fullmatch(" ".join(cell.split())))]
    return any(int(m["b"]) > 12 for m in found) and all(int(m["a"]) <= 12 for m in found)


def reading_of_days(cells: Sequence[str]) -> str:
    """Name the reading "days since the first" of some dates, with what new rows need to know."""
    month_first = is_month_first(cells)
    days = [day for cell in cells if (day := read_date(cell, month_first)) is not None]
    return f"{DAYS} {min(days).isoformat()}{_MONTH_FIRST * month_first}"


def is_date_reading(reading: str) -> bool:
    """Whether that reading is one of dates."""
    kind = reading.removesuffix(_MONTH_FIRST)
    if kind in (WEEKDAY, MONTH):
        return True
    return kind.startswith(f"{DAYS} ") and read_date(kind.removeprefix(f"{DAYS} ")) is not None


def from_dates(cells: Sequence[str], reading: str) -> np.ndarray:
    """What a reading makes of dates: days as float64, or the names of weekdays or months.

    Cells that are no dates become NaN or None.
    """
    kind = reading.removesuffix(_MONTH_FIRST)
    found = [read_date(cell, reading.endswith(_MONTH_FIRST)) for cell in cells]
    if kind.startswith(DAYS):
        first = date.fromisoformat(kind.removeprefix(f"{DAYS} "))
        return np.array([np.nan if day is None else (day - first).days for day in found], float)
    names = {WEEKDAY: lambda day: WEEKDAYS[day.weekday()], MONTH: lambda day: MONTHS[day.month - 1]}
    return np.array([None if day is None else names[kind](day) for day in found], dtype=object)
