"""What can be counted in one column before anyone decides what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .encode import MissingCodes, factorize, is_textual
from .vocabulary import means_missing

RATING_CEILING = 12  # most distinct values, and most trials, of a rating
_MAX_TOKENS = 3

_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( \d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[ -]?[A-Za-z]{3,9}[ -]?,? ?(\d{4}|\d{2})"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)


@dataclass(frozen=True)
class Facts:
    """Counts of one column."""

    name: str
    #: "number", "text" or "date". Text that reads as numbers but for a few words is a number.
    kind: str
    #: Rows, and rows with a value.
    n_rows: int
    n_present: int
    #: Shape (V,). Distinct values: float64 in increasing order for numbers, objects otherwise.
    levels: np.ndarray
    #: int64, shape (V,). Rows of each level.
    counts: np.ndarray
    #: float64, shape (n_rows,). The numbers, NaN where missing, in the order of the rows.
    values: np.ndarray | None = None
    #: Words among the numbers, each with its number of rows.
    tokens: dict[str, int] | None = None
    #: Stored as True and False.
    is_bool: bool = False

    @property
    def n_distinct(self) -> int:
        """Number of distinct values."""
        return len(self.levels)

    @property
    def is_whole(self) -> bool:
        """Whether all values are finite whole numbers."""
        return (
            self.kind == "number"
            and bool(np.all(np.floor(self.levels) == self.levels))
            and bool(np.all(np.isfinite(self.levels)))
        )

    def without(self, codes: list[float]) -> Facts:
        """Return the facts of a number column with some values taken as missing."""
        keep = ~np.isin(self.levels, codes)
        values = np.where(np.isin(self.values, codes), np.nan, self.values)
        return Facts(
            self.name,
            self.kind,
            self.n_rows,
            int(self.counts[keep].sum()),
            self.levels[keep],
            self.counts[keep],
            values,
            self.tokens,
        )


def look_at(column: pd.Series, name: str) -> Facts:
    """Count what is in a column."""
    dtype = column.dtype
    if not is_textual(dtype) and not pd.api.types.is_numeric_dtype(dtype):
        present = int(column.notna().sum())
        return Facts(name, "date", len(column), present, np.empty(0), np.empty(0, np.int64))
    if pd.api.types.is_complex_dtype(dtype):
        column = column.map(str)
    elif pd.api.types.is_numeric_dtype(dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return _numbers(name, values, {}, pd.api.types.is_bool_dtype(dtype))
    return _texts(column, name)


def _numbers(name: str, values: np.ndarray, tokens: dict[str, int], is_bool: bool) -> Facts:
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    present = int(counts.sum())
    return Facts(name, "number", len(values), present, levels, counts, values, tokens, is_bool)


def _texts(column: pd.Series, name: str) -> Facts:
    places, words = factorize(column)
    blank = np.fromiter(map(MissingCodes(()).holds, words), bool, len(words))
    counts = np.bincount(places[places >= 0], minlength=len(words))
    if words.size and all(isinstance(word, bool | np.bool_) for word in words):
        values = np.append(words.astype(np.float64), np.nan)[places]
        return _numbers(name, values, {}, True)
    as_number = pd.to_numeric(pd.Series(words), errors="coerce").to_numpy(np.float64)
    is_word = np.isnan(as_number) & ~blank
    tokens = {str(words[j]).strip(): int(counts[j]) for j in np.flatnonzero(is_word)[:10]}
    n_words, n_numbers = int(is_word.sum()), int((~np.isnan(as_number)).sum())
    if n_numbers and _are_tokens(tokens, n_words, n_numbers, len(column)):
        return _numbers(name, np.append(as_number, np.nan)[places], tokens, False)
    words, counts = _stripped(words[~blank], counts[~blank])
    kind = "date" if _are_dates(words) else "text"
    return Facts(name, kind, len(column), int(counts.sum()), words, counts)


def _are_tokens(tokens: dict[str, int], n_words: int, n_numbers: int, n_rows: int) -> bool:
    """Whether the words of a column are exceptions among its numbers."""
    if n_words > _MAX_TOKENS:
        return False
    if all(map(means_missing, tokens)):
        return True
    return n_numbers > RATING_CEILING and sum(tokens.values()) <= 0.1 * n_rows


def _stripped(words: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Join words that differ in surrounding blanks only."""
    totals: dict[str, int] = {}
    for word, count in zip(words, counts, strict=True):
        text = str(word).strip()
        totals[text] = totals.get(text, 0) + int(count)
    return np.array(list(totals), dtype=object), np.array(list(totals.values()), dtype=np.int64)


def _are_dates(words: np.ndarray) -> bool:
    some = words[:1000]
    return len(some) > 0 and sum(bool(_DATE.fullmatch(word)) for word in some) >= 0.95 * len(some)


def skewness(values: np.ndarray) -> float:
    """Third standardised moment of the finite values; 0 where there is no spread."""
    x = values[np.isfinite(values)]
    deviation = x - x.mean() if x.size else x
    spread = np.sqrt(np.mean(deviation**2)) if x.size else 0.0
    return float(np.mean((deviation / spread) ** 3)) if spread > 0 else 0.0


def spelled(value: Any) -> str:
    """Write a number without needless digits; thousands apart, except in what could be a year."""
    return _digits(value, "" if _could_be_year(value) else ",")


def spelled_range(low: Any, high: Any) -> str:
    """Write "low to high"; thousands apart, unless both could be years."""
    separator = "" if _could_be_year(low) and _could_be_year(high) else ","
    return f"{_digits(low, separator)} to {_digits(high, separator)}"


def _digits(value: Any, separator: str) -> str:
    if abs(value) < 1e15 and (abs(value) >= 1000 or float(value).is_integer()):
        return f"{value:{separator}.0f}"
    return f"{value:.4g}"


def _could_be_year(value: Any) -> bool:
    return 1800 <= value < 2200
