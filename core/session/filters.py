"""Which rows of a table meet some conditions, and which one has a given id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Condition:
    """What is asked of one column; a missing cell never meets it."""

    column: str
    #: Ends of a range of numbers, both included.
    low: float | None = None
    high: float | None = None
    #: Those that are allowed, instead of a range.
    values: tuple[Any, ...] | None = None

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Whether each row meets it, shape (N,)."""
        column = frame[self.column]
        if self.values is not None:
            return column.isin(self.values).to_numpy() & column.notna().to_numpy()
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
        with np.errstate(invalid="ignore"):
            return (numbers >= self.low) & (numbers <= self.high)


def matching(frame: pd.DataFrame, conditions: Sequence[Condition]) -> np.ndarray:
    """Whether each row meets all conditions, shape (N,)."""
    met = np.ones(len(frame), dtype=bool)
    for condition in conditions:
        met &= condition.holds(frame)
    return met


def find_rows(frame: pd.DataFrame, id_columns: Sequence[str], text: str) -> np.ndarray:
    """Rows whose id reads like a text; without such a row, the one of that number, from 1 on."""
    wanted = text.strip().casefold()
    found = np.zeros(len(frame), dtype=bool)
    for name in id_columns:
        words = frame[name].astype(str).str.strip().str.casefold()
        found |= (words == wanted).to_numpy() & frame[name].notna().to_numpy()
    if not found.any() and wanted.isdecimal() and 1 <= int(wanted) <= len(frame):
        found[int(wanted) - 1] = True
    return np.flatnonzero(found)
