"""What can be counted in one column before anyone decides what it is."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from ..reading.dates import HOURS, are_dates, are_hours, read_hours
from ..reading.numbers import EXACT, are_codes, may_be_shares, read_numeral, read_numerals
from ..wording import could_be_year
from .cells import MissingCodes, factorize, is_textual
from .orders import are_bands, in_known_order
from .words import means_missing

RATING_CEILING = 12  # most distinct values, and most trials, of a rating
_MAX_TOKENS = 3
#: Of a measurement, what was too little to be one.
_BELOW = re.compile(
    r"<\s?(?:l?lo[dq]|llo?q|m?dl)|[bm]dl|b[lq]{2}|blo[dq]|n\.?q\.?|not quantifiable"
    r"|(?:below|under) (?:the )?(?:limit|detection|quantification).*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Facts:
    """Counts of one column."""

    name: str
    #: "number", "text" or "date". Text that reads as numbers but for a few words is a number.
    kind: str
    n_rows: int
    n_present: int
    #: Shape (V,). Distinct values: float64 in increasing order for numbers, objects otherwise.
    levels: np.ndarray
    #: int64, shape (V,). Rows of each level.
    counts: np.ndarray
    rises: bool = False
    #: Words among the numbers, each with its number of rows.
    tokens: dict[str, int] = field(default_factory=dict)
    is_bool: bool = False
    #: How cells that are no plain numbers were read, as in ``ColumnSpec``.
    reading: str | None = None
    remark: str = ""
    #: Cells that are limits, as "<0.5", each with its number of rows.
    limits: dict[str, int] = field(default_factory=dict)
    #: Lowest and highest number that the file itself calls an answer: what lies between is no code.
    answers: tuple[float, float] | None = None
    #: Computed from other columns: whatever its name, it tells no rows apart.
    is_made: bool = False

    @property
    def n_distinct(self) -> int:
        """Number of distinct values."""
        return len(self.levels)

    @property
    def mean(self) -> float:
        """Mean of the numbers."""
        return float(self.levels @ self.counts) / self.counts.sum()

    def skewness(self, in_logs: bool = False) -> float:
        """Third standardised moment of the finite numbers, or of their logarithms."""
        finite = np.isfinite(self.levels)
        values, counts = self.levels[finite], self.counts[finite]
        counts = counts / max(counts.sum(), 1)
        with np.errstate(all="ignore"):
            off = np.log(values) if in_logs else values
            off = off - counts @ off
            off /= np.abs(off).max(initial=0.0)
            found = counts @ (off * off * off) / (counts @ (off * off)) ** 1.5
        return float(found) if np.isfinite(found) else 0.0

    def rows_of(self, value: float) -> int:
        """Rows with a number."""
        return int(self.counts[self.levels == value].sum())

    @property
    def shown(self) -> list[str]:
        """The distinct values as text."""
        if self.is_bool:
            return [str(bool(level)) for level in self.levels]
        return [spelled(v) if self.kind == "number" else str(v) for v in self.levels]

    @property
    def span(self) -> str:
        """The lowest and the highest number, "0 to 4"."""
        return spelled_range(self.levels[0], self.levels[-1])

    def of_steps(self, low: int, high: int) -> np.ndarray:
        """Rows of every whole number from ``low`` to ``high``; all values are among them."""
        counts = np.zeros(high - low + 1)
        counts[self.levels.astype(int) - low] = self.counts
        return counts

    @property
    def is_whole(self) -> bool:
        """Whether all values are finite whole numbers."""
        return (
            self.kind == "number"
            and bool(np.all(np.floor(self.levels) == self.levels))
            and bool(np.all(np.isfinite(self.levels)))
        )

    def without(self, codes: Iterable[Any]) -> Self:
        """Return the facts with some values taken as missing: numbers of numbers, else by text."""
        if self.kind == "number":
            codes = [code for code in codes if not isinstance(code, str)]
            return self.keeping(~np.isin(self.levels, codes))
        texts = {str(code) for code in codes}
        return self.keeping(np.array([str(v) not in texts for v in self.levels], dtype=bool))

    def keeping(self, keep: np.ndarray) -> Self:
        """Return the facts with some levels only, (V,) of bool."""
        dropped = int(self.counts[~keep].sum())
        return replace(
            self,
            n_present=self.n_present - dropped,
            levels=self.levels[keep],
            counts=self.counts[keep],
        )


def look_at(column: pd.Series, name: str, is_text: bool = False) -> Facts:
    """Count what is in a column, which its file may have declared to be text."""
    if pd.api.types.is_complex_dtype(column.dtype):
        column = column.map(str).astype(object)  # without a cell they would stay complex
    if pd.api.types.is_integer_dtype(column.dtype) and (column.abs() > EXACT).any():
        column = column.astype("string")  # floating point would take several for one
    if pd.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        present = values[~np.isnan(values)]
        levels, counts = np.unique(present, return_counts=True)
        stored = Facts(name, "date", len(column), len(present), levels, counts, _rises(present))
        stored = replace(stored, is_bool=pd.api.types.is_bool_dtype(column.dtype))
        return stored if _are_digits_of_dates(levels) else _with_numbers(stored, levels)
    places, words = factorize(column)
    places = places[places >= 0]
    counts = np.bincount(places, minlength=len(words))
    rises = _rises(_as_numbers(words)[places])
    seen = counts > 0  # a category may have levels without a row
    stored = Facts(name, "date", len(column), len(places), words[seen], counts[seen])
    if is_textual(column.dtype):
        return _texts(replace(stored, rises=rises), is_text)
    return stored


def _are_digits_of_dates(levels: np.ndarray) -> bool:
    """Whether numbers are years, months and days, 20200131, or more than three months, 202001."""
    if not len(levels) or np.any(levels % 1):
        return False
    if len(levels) > 3 and 190001 <= levels[0] <= levels[-1] <= 210012:
        return bool(np.isin(levels % 100, range(1, 13)).all())
    if levels[0] < 19000101 or levels[-1] > 21001231:
        return False
    digits = pd.Series(levels.astype(int).astype(str))
    return bool(pd.to_datetime(digits, format="%Y%m%d", errors="coerce").notna().all())


def _rises(numbers: np.ndarray) -> bool:
    present = numbers[~np.isnan(numbers)]
    return present.size > 0 and bool((present[1:] > present[:-1]).all())


def _as_numbers(words: np.ndarray) -> np.ndarray:
    return pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(np.float64)


def _with_numbers(stored: Facts, values: np.ndarray, tokens: dict[str, int] | None = None) -> Facts:
    """Facts of a column whose stored levels read as these numbers, (V,), NaN for none."""
    are = ~np.isnan(values)
    # Adding 0 makes a 0 of -0, which rounding leaves.
    levels, places = np.unique(values[are] + 0.0, return_inverse=True)
    counts = np.bincount(places, stored.counts[are], len(levels)).astype(np.int64)
    rest = replace(stored.keeping(are), kind="number", tokens=tokens or {})
    return replace(rest, levels=levels, counts=counts)


def _texts(stored: Facts, is_text: bool) -> Facts:
    words, counts = stored.levels, stored.counts
    blank = np.fromiter(map(MissingCodes(()).holds, words), bool, len(words))
    if words.size and all(isinstance(word, bool | np.bool_) for word in words):
        return replace(_with_numbers(stored, words.astype(np.float64)), is_bool=True)
    texts = np.array([str(word).strip() for word in words], dtype=object)
    # Letters and digits of a column of text are codes, with signs or points many are amounts.
    is_few = len(texts) <= min(RATING_CEILING, stored.n_present / 2)
    is_code = are_codes([word.strip() for word in words[~blank] if isinstance(word, str)])
    is_code |= is_text and (is_few or all(text.isalnum() for text in texts[~blank]))
    as_number = np.full(len(words), np.nan) if is_code else _as_numbers(words)
    is_word = np.isnan(as_number) & ~blank
    tokens = {texts[j]: int(counts[j]) for j in np.flatnonzero(is_word)[:10]}
    numerals = {word: read_numeral(word, "decimal point") for word in tokens}
    limited = any(_BELOW.fullmatch(w) or (found and found.limit) for w, found in numerals.items())
    n_words, n_numbers = int(is_word.sum()), int((~np.isnan(as_number)).sum())
    few = n_numbers > RATING_CEILING and sum(tokens.values()) <= 0.1 * stored.n_rows
    are_tokens = n_words <= _MAX_TOKENS and (few or all(map(means_missing, tokens)))
    if n_numbers and not limited and are_tokens:
        return _with_numbers(stored, as_number, tokens)
    if not is_code and (facts := _written(stored, texts, blank)) is not None:
        return facts
    rest = stored.keeping(~blank)
    # Words that differ in surrounding blanks only are one.
    totals = pd.Series(rest.counts).groupby(texts[~blank], sort=False).sum()
    levels = totals.index.to_numpy(dtype=object)
    kind = "date" if are_dates(levels) else "text"
    return replace(rest, kind=kind, levels=levels, counts=totals.to_numpy(), rises=False)


def _written(stored: Facts, texts: np.ndarray, blank: np.ndarray) -> Facts | None:
    """Facts of a column whose cells are numbers as people write them, or None."""
    of = dict(zip(texts.tolist(), stored.counts.tolist(), strict=True))
    unknown = {text: of[text] for text in texts[~blank] if means_missing(text)}
    words = [word for word in texts[~blank].tolist() if word not in unknown]
    is_long = any(text[-1].isalpha() for text in words) and are_hours(words)  # 8 weeks, 2 years
    recur = stored.n_present >= 2 * len(words)
    is_order = recur and len(words) <= RATING_CEILING and in_known_order(words)
    if not words or (is_order and not is_long) or are_bands(words):
        return None
    if are_hours(words):
        facts = _with_numbers(stored, np.array([read_hours(text) for text in texts]), unknown)
        return replace(facts, reading=HOURS, remark="Clock times or durations, read as hours. ")
    numerals = None if are_dates(words) else read_numerals(words)
    if numerals is None or len(numerals.cells) == len(numerals.limits) or may_be_shares(numerals):
        return None
    read, limits = numerals.cells, {cell: of[cell] for cell in numerals.limits}
    others = {word: of[word] for word in words if word not in read}
    below = [word for word in others if _BELOW.fullmatch(word)]
    if len(others) == 1 and len(read) > RATING_CEILING:  # what so many cells say is an outcome
        below = below or [word for word in others if others[word] > 0.1 * stored.n_rows]
    if len(below) == 1 and not limits:
        limits[below[0]] = others.pop(below[0])
    if len(others) > _MAX_TOKENS or sum(others.values()) > 0.1 * stored.n_rows:
        return None
    values = [read[t].value if t in read and t not in limits else np.nan for t in texts.tolist()]
    facts = _with_numbers(stored, np.array(values), unknown | others)
    if not numerals.are_written:
        return replace(facts, limits=limits)
    return replace(facts, reading=numerals.convention, remark=numerals.sentence, limits=limits)


def spelled(value: Any) -> str:
    """Write a number without needless digits; thousands apart, except in what could be a year."""
    return _digits(value, "" if could_be_year(value) else ",")


def spelled_range(low: Any, high: Any) -> str:
    """Write "low to high"; thousands apart, unless both could be years."""
    separator = "" if could_be_year(low) and could_be_year(high) else ","
    return f"{_digits(low, separator)} to {_digits(high, separator)}"


def _digits(value: Any, separator: str) -> str:
    if abs(value) < 1e15 and (abs(value) >= 1000 or float(value).is_integer()):
        return f"{value:{separator}.0f}"
    return f"{value:.4g}"
