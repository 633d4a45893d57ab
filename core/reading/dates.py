"""Dates and clock times as people write them."""

import re
from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pandas as pd

HOURS = "hours"
#: By ``strptime``'s way to write a date ("" is ISO 8601), the last day of January in it.
DATE_FORMS = {
    form: datetime(2020, 1, 31, 12).strftime(form or "%Y-%m-%d")
    for form in (
        *("%Y", "", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d"),
        *("%Y%m%d", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y", "%d-%m-%y", "%d %b %Y", "%d-%b-%Y"),
        *("%d-%b-%y", "%d%b%Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y", "%m/%Y", "%Y%m"),
        *("%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M"),
    )
}
#: Distinct cells that are tried to find the form of a column.
_TRIED = 2000
#: Of 2050, "50" is 1950, unless somebody says otherwise.
_LATEST = 2049
#: Where forms differ: one sign parts the numbers, and the month is named, second or first.
_FORMS = (
    *("%Y-%m-%d", "%Y-%m", "%d-%b-%Y", "%d-%B-%Y", "%d-%b-%y", "%b-%d-%Y", "%B-%d-%Y"),
    *("%a-%d-%b-%Y", "%A-%d-%B-%Y", "%b-%Y", "%B-%Y", "%b-%y", "%m-%Y", "%d%b%Y"),
    *("%d-%m-%Y", "%d-%m-%y", "%m-%d-%Y", "%m-%d-%y"),
)
_PARTS = re.compile(r"(?:(?<=\d)(?:st|nd|rd|th))?[-/., ]+(?:de )?", re.IGNORECASE)
_CLOCK_BEHIND = re.compile(r"[T ,]\s*\d{1,2}:\d{2}.*$")
_LIKE = re.compile(r"(?=.*\d)[\w.,]+(?:-[\w.]+){1,3}|\d{1,2}[A-Za-z]{3}\d{4}")
_CLOCK = re.compile(
    r"(?P<h>\d{1,3})[:h](?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?(?P<half> ?[aApP]\.?[mM]\.?)?"
)
#: Of a quarter or a week, what it is written by.
_QUARTER = re.compile(r"(\d{4})[- ]?(?:Q([1-4])|W\d\d)", re.IGNORECASE)
#: By how many hours it has, what a unit is called in a dozen languages.
_WORDS = {
    8766: "y yr yrs year years j jahr jahre jahren a an ans año años anno anni ano anos jaar jaren"
    " lata roky år",
    730.5: "mo mos mth mths month months mon monat monate monaten mois mes meses mese mesi mês"
    " maand maanden miesiąc miesiące miesięcy måned måneder månad månader",
    168: "w wk wks week weeks woche wochen ssw semaine semaines semana semanas weken settimana"
    " settimane tydzień tygodnie tygodni uge uger uke uker vecka veckor",
    24: "d day days tag tage tagen jour jours día días dia dias dag dagen dager dagar giorno giorni"
    " dzień dni",
    1: "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren",
    1 / 60: "m min mins minute minutes minuten minuti minutos",
    1 / 3600: "s sec secs second seconds sekunde sekunden",
}
HOURS_OF = {word: hours for hours, words in _WORDS.items() for word in words.split()}
_PART = re.compile(r"(?<!\d)(\d+) ?([^\W\d_]+)\.?(?:[ ,]*(?:and |und |et )?|$)")


def read_days(cells: pd.Series, form: str = "", latest: int = _LATEST) -> pd.Series:
    """Read dates written in one way, NaT for what is none; other time zones become UTC.

    ``form`` is as for ``strptime``, "" for ISO 8601, or a ValueError; ``latest`` is the last year
    that two digits may mean: with 2026, "26" is 2026 and "27" is 1927.
    """
    try:
        if form == "mixed":  # pandas would guess cell by cell
            raise ValueError(form)
        found = pd.to_datetime(cells, format=form or "ISO8601", errors="coerce", utc=True)
    except (ValueError, TypeError, LookupError, ArithmeticError, re.error):
        raise ValueError(f"'{form}' is no way to write a date: choose one of the list.") from None
    days = found.dt.tz_localize(None)
    if "%y" not in form:
        return days
    return days.where(~(days.dt.year > latest), days - pd.DateOffset(years=100))


def likely_form(cells: pd.Series) -> str:
    """The first key of ``DATE_FORMS`` by which most distinct cells are dates; "" if none is."""
    tried = cells.dropna().drop_duplicates().head(_TRIED)
    best, most = "", 0
    for form in DATE_FORMS:
        if most == len(tried):  # no other reads more
            break
        n_read = int(read_days(tried, form).notna().sum())
        if n_read > most:
            best, most = form, n_read
    return best


def _plain(cell: str) -> str:
    """A cell without its clock time, and with one sign between its parts; of a quarter a month."""
    if quarter := _QUARTER.fullmatch(cell.strip()):
        return f"{quarter[1]}-{3 * int(quarter[2] or 1)}"
    return _PARTS.sub("-", _CLOCK_BEHIND.sub("", " ".join(cell.split()))).strip("-")


def read_hours(cell: str) -> float:
    """Read a clock time or a duration as hours: "12:30" and "12 h 30 min" are 12.5; else NaN."""
    text = " ".join(cell.split()).lower()
    if days := re.fullmatch(r"(\d+) days?,? (\d+:.*)", text):  # of R, Python and pandas
        return 24 * float(days[1]) + read_hours(days[2])
    if match := _CLOCK.fullmatch(text):
        hours = int(match["h"])
        if half := (match["half"] or "").strip():
            if not 1 <= hours <= 12:
                return np.nan
            hours = hours % 12 + 12 * (half[0] == "p")
        return hours + int(match["m"]) / 60 + float(match["s"] or 0) / 3600
    parts, left = _PART.findall(text), _PART.sub("", text)
    sizes = [HOURS_OF.get(word, np.nan) for _, word in parts]
    if len(parts) == 2 and sizes[0] == HOURS_OF["y"] and parts[1][1] == "m":
        sizes[1] = HOURS_OF["mo"]
    is_metres = [word for _, word in parts] == ["m"]  # or months
    if left or not parts or is_metres or sizes != sorted({*sizes}, reverse=True):
        return np.nan
    return sum(float(number) * size for (number, _), size in zip(parts, sizes, strict=True))


def are_dates(cells: Sequence[str]) -> bool:
    """Whether nearly all of some distinct cells are dates, in whichever ways they are written."""
    left = pd.Series([_plain(str(cell)) for cell in cells[:500]], dtype=object)
    most = 0.05 * len(left)
    if left.empty or not _LIKE.fullmatch(left[0]):
        return False
    for form in _FORMS:
        if len(left) > most:
            left = left[read_days(left, form).isna()]
    if len(left) < 10 * most:  # among dates 43251 is one as workbooks count days
        left = left[~left.str.fullmatch(r"[2-5]\d{4}")]
    return len(left) <= most


def are_hours(cells: Sequence[str]) -> bool:
    """Whether nearly all of some distinct cells are clock times, or durations of several units."""
    some = cells[:500]
    units = {re.sub(r"\d+[: ]*", " ", cell).strip().rstrip(".s") for cell in some}
    if len(units) == 1 and not any(re.search(r"\d\D+\d", cell) for cell in some):
        return False  # numbers with a unit
    return len(some) > 0 and sum(not np.isnan(read_hours(c)) for c in some) >= 0.95 * len(some)
