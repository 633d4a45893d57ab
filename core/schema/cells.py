"""What the cells of a column say: missing, a special outcome, a number taken for it, or itself."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..reading.dates import HOURS, read_hours
from ..reading.numbers import values_of
from .spec import ColumnSpec


def read_cells(column: pd.Series, spec: ColumnSpec) -> tuple[np.ndarray, np.ndarray]:
    """What every cell says: its place among the distinct cells (-1 where missing), and those.

    Of these "" is missing, by a code, or a special outcome.
    """
    places, words = factorize(column)
    read = read_words(words, spec.reading)
    read[_outcomes(words, read, spec) != 0] = ""
    taken = {key_of(code): number for code, number in spec.taken_as}
    for j, key in enumerate(map(key_of, words)):
        if key in taken:
            read[j] = taken[key]
    return places, read


def read_words(words: Sequence[object], reading: str | None) -> np.ndarray:
    """What cells say as float64, in an array of object; one that does not read stays as it is."""
    as_written = np.array(words, dtype=object)
    if reading is None:
        return as_written
    if reading == HOURS:
        found = np.array([_hours(word) for word in words], dtype=np.float64)
    else:
        found = values_of([str(word) for word in words], reading)
    plain = np.array([isinstance(word, int | float | np.number) for word in words], dtype=bool)
    return np.where(pd.isna(found) | plain, as_written, found.astype(object))


def _hours(word: object) -> float:
    if isinstance(word, pd.Timedelta):
        return word.total_seconds() / 3600
    return read_hours(str(word))


def special_outcomes(column: pd.Series, spec: ColumnSpec) -> np.ndarray:
    """Of every cell, (N,), 0 for a number, j for the j-th special outcome, NaN where missing."""
    places, words = factorize(column)
    return np.append(_outcomes(words, read_words(words, spec.reading), spec), np.nan)[places]


def without_missing_codes(column: pd.Series, spec: ColumnSpec) -> pd.Series:
    """The cells, missing as well where they hold a code that says so."""
    return column.mask(np.isnan(special_outcomes(column, spec))) if spec.missing_codes else column


def missing_shares(frame: pd.DataFrame, schema: Mapping[str, ColumnSpec]) -> np.ndarray:
    """Of every column the share of cells that are missing, or hold a code that says so."""
    return np.array([without_missing_codes(frame[n], s).isna().mean() for n, s in schema.items()])


def _outcomes(words: np.ndarray, read: np.ndarray, spec: ColumnSpec) -> np.ndarray:
    """The same of distinct cells, as they are written and read: by value, text, or as a limit.

    The outcome with the code "<" or ">" takes every such limit.
    """
    is_missing = MissingCodes(spec.missing_codes).holds
    special = [MissingCodes((code,)).holds for code in spec.special_codes]
    limits = [{"<": "<\u2264", ">": ">\u2265"}.get(str(code), "") for code in spec.special_codes]
    outcomes = np.full(len(words), np.nan)
    for j, (word, value) in enumerate(zip(words, read, strict=True)):
        sign = word.strip()[:1] if isinstance(word, str) else "a number"
        if not sign:
            continue
        found = (
            place
            for place, (holds, signs) in enumerate(zip(special, limits, strict=True), start=1)
            if holds(word) or holds(value) or sign in signs
        )
        outcomes[j] = next(found, np.nan if is_missing(word) or is_missing(value) else 0.0)
    return outcomes


def factorize(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Place of every cell's value among the distinct ones (-1 where missing), and those."""
    try:
        places, uniques = pd.factorize(column)
    except TypeError:  # lists and the like cannot be told apart but as text
        places, uniques = pd.factorize(column.map(str))
    if isinstance(uniques, pd.DatetimeIndex):
        uniques = uniques.astype(str)  # "2020-01-31", with the time only where there is one
    return places, np.asarray(uniques, dtype=object)


def is_textual(kind: Any) -> bool:
    """Whether a column of that dtype holds text, or Python objects."""
    return (
        pd.api.types.is_object_dtype(kind)
        or isinstance(kind, pd.CategoricalDtype)
        or pd.api.types.is_string_dtype(kind)
    )


class MissingCodes:
    """Which values mean a missing cell: by value for numbers, letter by letter for text."""

    def __init__(self, codes: Sequence[Any]) -> None:
        self.texts = {code.strip() for code in codes if isinstance(code, str)} | {""}
        self.numbers = {as_number(code) for code in codes} - {None}

    def holds(self, value: Any) -> bool:
        """Whether a value is one of them."""
        if isinstance(value, str) and value.strip() in self.texts:
            return True
        return bool(self.numbers) and as_number(value) in self.numbers


def as_number(value: Any) -> float | None:
    """A value as a number, or None where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def plain(value: Any) -> Any:
    """Make a cell a Python bool, int, float or stripped text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | float) else str(value).strip()


def key_of(value: Any) -> str:
    """Spell a value so that equal levels are spelt alike: 2, 2.0 and "2" are one."""
    return str(plain(value))
