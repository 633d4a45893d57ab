"""How dates are written, and the way that suits a column."""

from __future__ import annotations

import pandas as pd

from .cell_reading import days_of, in_words
from .step import PrepareError

#: Ways as ``strptime`` takes them, with the last day of January as an example.
DATE_FORMATS = {
    "%Y": "2020",
    "": "2020-01-31",
    "%d/%m/%Y": "31/01/2020",
    "%m/%d/%Y": "01/31/2020",
    "%d.%m.%Y": "31.01.2020",
    "%d-%m-%Y": "31-01-2020",
    "%m-%d-%Y": "01-31-2020",
    "%Y/%m/%d": "2020/01/31",
    "%Y%m%d": "20200131",
    "%d/%m/%y": "31/01/20",
    "%m/%d/%y": "01/31/20",
    "%d.%m.%y": "31.01.20",
    "%d-%m-%y": "31-01-20",
    "%d %b %Y": "31 Jan 2020",
    "%d-%b-%Y": "31-Jan-2020",
    "%d-%b-%y": "31-Jan-20",
    "%b %d, %Y": "Jan 31, 2020",
    "%d %B %Y": "31 January 2020",
    "%B %d, %Y": "January 31, 2020",
    "%m/%Y": "01/2020",
    "%m/%d/%Y %H:%M": "01/31/2020 12:00",
    "%d/%m/%Y %H:%M": "31/01/2020 12:00",
    "%d.%m.%Y %H:%M": "31.01.2020 12:00",
}
#: Distinct cells that are tried.
_TRIED = 2000


def likely_format(column: pd.Series) -> str:
    """The way in which most cells of a column are dates; of several the first of the list.

    Parameters
    ----------
    column : Series, shape (N,)

    Returns
    -------
    str
        Key of ``DATE_FORMATS``; "" too where no cell is a date.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        return ""
    cells = in_words(column).drop_duplicates().dropna().head(_TRIED)
    best, most = "", 0
    for form in DATE_FORMATS:
        if most == len(cells):  # no other reads more
            break
        read = _n_read(cells, form)
        if read > most:
            best, most = form, read
    return best


def _n_read(cells: pd.Series, form: str) -> int:
    try:
        return int(days_of(cells, form).notna().sum())
    except PrepareError:
        return 0
