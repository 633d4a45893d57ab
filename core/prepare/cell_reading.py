"""What cells say as words and as days, and the lines of Python that read them so."""

from __future__ import annotations

import re
from datetime import date, datetime

import pandas as pd

from .step import PrepareError, examples

#: A whole number that a column with holes turned into a decimal one.
_WHOLE = re.compile(r"^(-?\d+)\.0$")


def this_year() -> int:
    """The year of today."""
    return date.today().year


def word(value: object) -> str:
    """A value as ``in_words`` has it: 10, 10.0 and "10" are one."""
    return _WHOLE.sub(r"\1", str(value))


def in_words(column: pd.Series) -> pd.Series:
    """Cells as text, as the file writes them; empty ones stay so."""
    cells = column.astype("str").where(column.notna())
    return cells.str.replace(r"^(-?\d+)\.0$", r"\1", regex=True)


def words_code(column: str) -> str:
    """The same as Python, of an expression."""
    return (
        f"{column}.astype('str').where({column}.notna())"
        r".str.replace(r'^(-?\d+)\.0$', r'\1', regex=True)"
    )


def days_of(cells: pd.Series, form: str) -> pd.Series:
    """Words as days and times in UTC, the century as ``strptime`` takes it; others are empty."""
    try:
        if form == "mixed":
            raise ValueError(form)
        return pd.to_datetime(cells, format=form or "ISO8601", errors="coerce", utc=True)
    except (ValueError, TypeError, LookupError, ArithmeticError, re.error):
        raise PrepareError(f"'{form}' is no way to write a date: choose one of the list.") from None


def read_days(frame: pd.DataFrame, name: str, form: str, latest: int) -> pd.Series:
    """A column as days and times, those of other time zones in UTC; what is no date is empty.

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
    days = days_of(cells, form)
    if days.notna().sum() == 0 and cells.notna().any():
        like = datetime(2020, 1, 31, 12).strftime(form or "%Y-%m-%d")
        raise PrepareError(
            f"No cell of '{name}' is a date written as {like} {examples(cells.dropna())}: choose "
            "how they are written."
        )
    days = days.dt.tz_localize(None)
    if "%y" not in form:
        return days
    return days.where(~(days.dt.year > latest), days - pd.DateOffset(years=100))


def days_code(target: str, name: str, form: str, latest: int) -> tuple[str, ...]:
    """The same as Python, into a variable."""
    cells = words_code(f"frame[{name!r}]")
    lines = (
        f"{target} = {cells}",
        f"{target} = pd.to_datetime({target}, format={form or 'ISO8601'!r}, errors='coerce', "
        "utc=True).dt.tz_localize(None)",
    )
    if "%y" not in form:
        return lines
    return (
        *lines,
        f"{target} = {target}.where(~({target}.dt.year > {latest}), "
        f"{target} - pd.DateOffset(years=100))",
    )
