"""What can be counted in one column before anyone decides what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from .cells import MissingCodes, factorize, is_textual
from .dates import HOURS, are_dates, are_hours, read_hours
from .numerals import Numerals, read_numeral, read_numerals
from .ordered_words import are_bands, in_known_order
from .vocabulary import means_missing

RATING_CEILING = 12  # most distinct values, and most trials, of a rating
_MAX_TOKENS = 3


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
    #: How cells that are no plain numbers were read, as in ``ColumnSpec``.
    reading: str | None = None
    #: What was done in reading them, a sentence.
    said: str = ""
    #: Cells that are limits, as "<0.5", each with its number of rows.
    limits: dict[str, int] = field(default_factory=dict)

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

    @property
    def mean_length(self) -> float:
        """Letters of a text on average, of the first thousand distinct ones."""
        return float(np.mean([len(word) for word in self.levels[:1000]]))

    def without(self, codes: list[float]) -> Facts:
        """Return the facts of a number column with some values taken as missing."""
        values = self.values
        if values is not None:
            values = np.where(np.isin(values, codes), np.nan, values)
        return replace(self.keeping(~np.isin(self.levels, codes)), values=values)

    def keeping(self, keep: np.ndarray) -> Facts:
        """Return the facts with some levels only, (V,) of bool."""
        return replace(
            self,
            n_present=int(self.counts[keep].sum()),
            levels=self.levels[keep],
            counts=self.counts[keep],
        )


def look_at(column: pd.Series, name: str) -> Facts:
    """Count what is in a column."""
    dtype = column.dtype
    if not is_textual(dtype) and not pd.api.types.is_numeric_dtype(dtype):
        places, words = factorize(column)
        counts = np.bincount(places[places >= 0], minlength=len(words))
        return Facts(name, "date", len(column), int(counts.sum()), words, counts)
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
    limited = any((found := read_numeral(word, "decimal point")) and found.limit for word in tokens)
    if n_numbers and not limited and _are_tokens(tokens, n_words, n_numbers, len(column)):
        return _numbers(name, np.append(as_number, np.nan)[places], tokens, False)
    texts = np.array([str(word).strip() for word in words], dtype=object)
    if (facts := _written(name, places, texts, blank, counts)) is not None:
        return facts
    words, counts = _stripped(words[~blank], counts[~blank])
    kind = "date" if are_dates(words) else "text"
    return Facts(name, kind, len(column), int(counts.sum()), words, counts)


def _written(
    name: str, places: np.ndarray, texts: np.ndarray, blank: np.ndarray, counts: np.ndarray
) -> Facts | None:
    """Facts of a column whose cells are numbers as people write them, or None."""
    n_rows = len(places)
    tokens = {texts[j]: int(counts[j]) for j in np.flatnonzero(~blank) if means_missing(texts[j])}
    of = dict(zip(texts.tolist(), counts.tolist(), strict=True))
    words = [word for word in texts[~blank].tolist() if word not in tokens]
    if not words or (len(words) <= RATING_CEILING and in_known_order(words)) or are_bands(words):
        return None
    if are_hours(words):
        values = np.array([read_hours(text) for text in texts])
        facts = _numbers(name, np.append(values, np.nan)[places], tokens, False)
        return replace(facts, reading=HOURS, said="Clock times or durations, read as hours. ")
    if are_dates(words):
        return None
    numerals = _numerals_with_few_words(words, of, n_rows)
    if numerals is None:
        return None
    limits = {cell: of[cell] for cell in numerals.limits}
    cells = numerals.cells
    values = [cells[t].value if t in cells and t not in limits else np.nan for t in texts.tolist()]
    others = {word: of[word] for word in words if word not in cells}
    facts = _numbers(name, np.append(values, np.nan)[places], tokens | others, False)
    if not numerals.are_written:
        return replace(facts, limits=limits)
    return replace(facts, reading=numerals.convention, said=numerals.said(of), limits=limits)


def _numerals_with_few_words(
    words: Sequence[str], counts: dict[str, int], n_rows: int
) -> Numerals | None:
    numerals = read_numerals(words)
    if numerals is None or len(numerals.cells) == len(numerals.limits):
        return None
    others = {word: counts[word] for word in words if word not in numerals.cells}
    few = len(others) <= _MAX_TOKENS and sum(others.values()) <= 0.1 * n_rows
    return numerals if few else None


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
