"""How the cells of a table write what short rules compare, so that a program can hold them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..schema.cells import factorize
from .conditions import Cells, cells_of
from .profiles import NaturalColumn

#: Ways of writing one level, or that a number is missing.
MOST_WAYS = 20


@dataclass(frozen=True)
class Spelling:
    """The cells of a column as they stand in its table."""

    #: Of every level, the cells that mean it; none of a column of numbers.
    levels: tuple[tuple[Any, ...], ...] = ()
    #: Of a column of numbers, those that stand for none: codes of missing cells and special
    #: outcomes.
    no_numbers: tuple[Any, ...] = ()
    #: Cells that mean that the value is missing.
    missing: tuple[Any, ...] = ()


def spelled(
    frame: pd.DataFrame, columns: Iterable[NaturalColumn]
) -> tuple[dict[tuple[str, bool], Cells], dict[tuple[str, bool], Spelling]]:
    """The columns that rules may speak of, and how each is written.

    Numbers that stand in the table as numbers, and levels of which each is written in a few ways.
    Left out is what is read from other text, such as "3 km", "1,5" or a date.
    """
    cells = cells_of(column for column in columns if column.name in frame)
    spellings = {}
    for key, part in cells.items():
        column = frame[part.name]
        if part.levels is None and _holds_numbers(column):
            raw = column.to_numpy(dtype=np.float64, na_value=np.nan)
            spelling = _of_numbers(raw, part)
            # A logarithm and back is an ulp beside what the table says.
            cells[key] = replace(part, values=np.where(np.isnan(part.values), np.nan, raw))
        elif part.levels is not None and not pd.api.types.is_datetime64_any_dtype(column):
            spelling = _of_levels(column, part)
        else:
            spelling = None
        if spelling is not None:
            spellings[key] = spelling
    return {key: cells[key] for key in spellings}, spellings


def _holds_numbers(column: pd.Series) -> bool:
    dtypes = pd.api.types
    is_number = dtypes.is_numeric_dtype(column) and not dtypes.is_bool_dtype(column)
    return is_number and not dtypes.is_complex_dtype(column)


def _of_numbers(raw: np.ndarray, cells: Cells) -> Spelling | None:
    known = ~np.isnan(cells.values)
    if not np.allclose(raw[known], cells.values[known], rtol=1e-11, atol=0.0):
        return None
    no_numbers, missing = (
        tuple(_plain(value) for value in np.unique(raw[which & ~np.isnan(raw)]))
        for which in (~known, cells.unknown)
    )
    return Spelling((), no_numbers, missing) if len(no_numbers) <= MOST_WAYS else None


def _of_levels(column: pd.Series, cells: Cells) -> Spelling | None:
    places, words = factorize(column)
    plain = [_plain(word) for word in words]
    code_of = np.full(len(words) + 1, np.nan)
    code_of[places] = cells.values
    if not np.array_equal(code_of[places], cells.values, equal_nan=True):
        return None
    if not all(isinstance(word, str | bool | int | float) for word in plain):
        return None
    ways: list[tuple[Any, ...]] = [()] * len(cells.levels)
    # Of a two-part column every number has the level 0, which no condition names.
    for code in range(int(cells.of_outcome), len(ways)):
        ways[code] = tuple(plain[j] for j in np.flatnonzero(code_of[:-1] == code))
    missing = tuple(plain[j] for j in np.flatnonzero(np.isnan(code_of[:-1])))
    return Spelling(tuple(ways), (), missing) if max(map(len, ways)) <= MOST_WAYS else None


def _plain(word: Any) -> Any:
    """A Python value; whole numbers without a point."""
    word = word.item() if isinstance(word, np.generic) else word
    return int(word) if isinstance(word, float) and word.is_integer() else word
