"""What the cells of a column say under the reading that its spec names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..reading.dates import DAYS, HOURS, MONTH, WEEKDAY, from_dates, is_date_reading, read_hours
from ..reading.numbers import COMMA, POINT, values_of

READINGS = (POINT, COMMA, HOURS, f"{DAYS} (a date)", WEEKDAY, MONTH)


def is_reading(reading: str) -> bool:
    """Whether that is a way to read cells."""
    return reading in (POINT, COMMA, HOURS) or is_date_reading(reading)


def read_words(words: Sequence[object], reading: str | None) -> np.ndarray:
    """What some cells say: float64 or a name; a cell that does not read stays as it is.

    Parameters
    ----------
    words : sequence
        Cells as they are written, blank text where one counts as missing.
    reading : str, optional
        Of ``ColumnSpec``; None leaves all cells alone.

    Returns
    -------
    ndarray of object
    """
    as_written = np.asarray(words, dtype=object)
    if reading is None:
        return as_written
    texts = [_text(word) for word in words]
    if reading in (POINT, COMMA):
        found: np.ndarray = values_of(texts, reading)
    elif reading == HOURS:
        found = np.array([_hours(word) for word in words], dtype=np.float64)
    else:
        found = from_dates(texts, reading)
    plain = np.array([isinstance(word, int | float | np.number) for word in words], dtype=bool)
    return np.where(pd.isna(found) | plain, as_written, found.astype(object))


def _text(word: object) -> str:
    return word if isinstance(word, str) else str(word)


def _hours(word: object) -> float:
    if isinstance(word, pd.Timedelta):
        return word.total_seconds() / 3600
    return read_hours(_text(word))
