"""What is counted in a column, or in a part of one; parts are joined without another look.

A column of many distinct values is thinned to those of the smallest hashes, which are the same
whoever counts them first, and those at its ends and beside the numbers used as codes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .cells import factorize, is_textual, plain

#: Distinct values that are kept of a column that comes in parts, and of a thinned one.
MOST_LEVELS = 10_000
FEWEST_LEVELS = 4_096
#: Values that are kept at each end of a thinned column and on each side of a code.
NEIGHBOURS = 64
#: Numbers that may stand for something else, see ``special_values``.
NINES = tuple(10**k - 1 for k in range(1, 7))
ANSWERS = (7, 8, 77, 88, 97, 98, 777, 888, 997, 998)  # "refused", "does not know", beside a 9
BELOW = (-1, -2, -3, -7, -8, -9, -77, -88, -98, -99, -888, -998, -999, -9999, -99999)
CODES = (0, *NINES, *ANSWERS, *BELOW)


class Shape(NamedTuple):
    """Sums that tell mean and skewness of numbers; those of parts are joined exactly."""

    n: float
    mean: float
    #: Sums of squared and of cubed deviations from the mean.
    squares: float
    cubes: float

    @classmethod
    def of(cls, values: np.ndarray, counts: np.ndarray) -> Shape:
        """Of finite values, each in so many rows."""
        n = float(counts.sum())
        if n == 0.0:
            return cls(0.0, 0.0, 0.0, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):  # beyond it, ``skewness`` is 0
            mean = float((values * counts).sum()) / n
            deviation = values - mean
            # Products: a third power, and sums that keep a second thread waiting, take far longer.
            squares = counts * deviation * deviation
            return cls(n, mean, float(squares.sum()), float((squares * deviation).sum()))

    def joined(self, other: Shape) -> Shape:
        """Of both together (Pébay, Sandia report SAND2008-6212, 2008)."""
        n = self.n + other.n
        if n == 0.0:
            return self
        gap, a, b = other.mean - self.mean, self.n, other.n
        # Products, as a power beyond floating point is an error where a product is inf.
        squares = self.squares + other.squares + gap * gap * a * b / n
        cubes = self.cubes + other.cubes + gap * gap * gap * a * b * (a - b) / n**2
        cubes += 3.0 * gap * (a * other.squares - b * self.squares) / n
        return Shape(n, self.mean + gap * b / n, squares, cubes)

    @property
    def skewness(self) -> float:
        """Third standardised moment; 0 where there is no spread, or none within floating point."""
        if self.squares <= 0.0 or not math.isfinite(self.cubes):
            return 0.0
        sd = math.sqrt(self.squares / self.n)
        return self.cubes / self.n / sd / sd / sd if sd > 0.0 else 0.0


class Run(NamedTuple):
    """How the numbers of a column run from row to row."""

    first: float
    last: float
    #: Whether each is above the one before.
    rises: bool


@dataclass(frozen=True)
class Tally:
    """Counts of the cells of a column, or of some of its rows, as they are stored."""

    #: "number", "text" or "date", by how the column is stored.
    kind: str
    n_rows: int
    n_present: int
    #: Shape (V,). Distinct cells: float64 in increasing order, or objects as they first came.
    levels: np.ndarray
    #: int64, shape (V,). Rows of each.
    counts: np.ndarray
    #: Stored as True and False.
    is_bool: bool = False
    #: Of its numbers, and of text that reads as plain numbers; None without any.
    run: Run | None = None
    #: Of a thinned column of numbers: of the finite ones, and of the logarithms of those above 0.
    shapes: tuple[Shape, Shape] | None = None
    #: Hashes, as shares of the largest one, up to which plain numbers, and words, are kept.
    kept: tuple[float, float] = (1.0, 1.0)

    @property
    def is_thinned(self) -> bool:
        """Whether some distinct values were dropped."""
        return min(self.kept) < 1.0

    @property
    def n_levels(self) -> int:
        """Number of distinct values; of a thinned column an estimate (Bar-Yossef et al. 2002)."""
        if not self.is_thinned:
            return len(self.levels)
        hashes, is_word = _hashes(self)
        inside = hashes <= np.where(is_word, self.kept[1], self.kept[0])
        if (self.counts[inside] == 1).all():
            return self.n_present
        per_kind = [(inside & (is_word == word)).sum() / self.kept[word] for word in (0, 1)]
        return min(round(sum(per_kind)), self.n_present - 1)


def tally_of(column: pd.Series) -> Tally:
    """Count the cells of a column."""
    dtype, n_rows = column.dtype, len(column)
    if pd.api.types.is_complex_dtype(dtype):
        column, dtype = column.map(str), np.dtype(object)
    if pd.api.types.is_numeric_dtype(dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        present = values[~np.isnan(values)]
        levels, counts = np.unique(present, return_counts=True)
        is_bool = pd.api.types.is_bool_dtype(dtype)
        return Tally("number", n_rows, present.size, levels, counts, is_bool, _run(present))
    places, words = factorize(column)
    counts = np.bincount(places[places >= 0], minlength=len(words))
    seen = counts > 0  # a category may have levels without a row
    kind = "text" if is_textual(dtype) else "date"
    numbers = as_numbers(words)[places[places >= 0]]
    run = _run(numbers[~np.isnan(numbers)])
    return Tally(kind, n_rows, int(counts.sum()), words[seen], counts[seen], run=run)


def as_numbers(words: np.ndarray) -> np.ndarray:
    """What words read as, where they are plain numbers; NaN elsewhere."""
    return pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(np.float64)


def join(tallies: Sequence[Tally], most: int = MOST_LEVELS) -> Tally:
    """The tally of parts that follow each other, thinned to ``most`` distinct values or fewer."""
    n_rows = sum(tally.n_rows for tally in tallies)
    filled = [tally for tally in tallies if tally.n_present]
    if not filled:
        return replace(tallies[0], n_rows=n_rows)
    kinds = {tally.kind for tally in filled}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    levels, counts = _joined_levels(filled, kind)
    shapes = None
    if kind == "number" and any(tally.is_thinned for tally in filled):
        plain, logs = zip(*(tally.shapes or _shapes(tally) for tally in filled), strict=True)
        shapes = _joined_shapes(plain), _joined_shapes(logs)
    kept = tuple(min(tally.kept[word] for tally in filled) for word in (0, 1))
    whole = Tally(
        kind,
        n_rows,
        sum(tally.n_present for tally in filled),
        levels,
        counts,
        all(tally.is_bool for tally in filled),
        _joined_run(filled),
        shapes,
        kept,
    )
    return _thinned(whole) if len(levels) > most or whole.is_thinned else whole


def _joined_levels(tallies: Sequence[Tally], kind: str) -> tuple[np.ndarray, np.ndarray]:
    counts = np.concatenate([tally.counts for tally in tallies])
    if kind == "number":
        levels, places = np.unique(
            np.concatenate([tally.levels for tally in tallies]), return_inverse=True
        )
    else:
        words = [tally.levels if tally.kind != "number" else _spelled(tally) for tally in tallies]
        places, levels = factorize(pd.Series(np.concatenate(words), dtype=object))
    return levels, np.bincount(places, counts, len(levels)).astype(np.int64)


def _spelled(tally: Tally) -> np.ndarray:
    """Numbers as the words they would be, beside words."""
    words: list[Any] = [str(plain(level)) for level in tally.levels.tolist()]
    if tally.is_bool:
        words = [bool(level) for level in tally.levels]
    return np.array(words, dtype=object)


def _joined_shapes(shapes: Sequence[Shape]) -> Shape:
    total = shapes[0]
    for shape in shapes[1:]:
        total = total.joined(shape)
    return total


def _joined_run(tallies: Sequence[Tally]) -> Run | None:
    total: Run | None = None
    for run in (tally.run for tally in tallies):
        if total is None or run is None:
            total = total or run
        else:
            rises = total.rises and run.rises and total.last < run.first
            total = Run(total.first, run.last, rises)
    return total


def _run(present: np.ndarray) -> Run | None:
    if not present.size:
        return None
    rises = bool((present[1:] > present[:-1]).all())
    return Run(float(present[0]), float(present[-1]), rises)


def _shapes(tally: Tally) -> tuple[Shape, Shape]:
    finite = np.isfinite(tally.levels)
    values, counts = tally.levels[finite], tally.counts[finite]
    above = values > 0.0
    return Shape.of(values, counts), Shape.of(np.log(values[above]), counts[above])


def _thinned(tally: Tally) -> Tally:
    """The same with the levels of the smallest hashes, and the exact surroundings of codes."""
    hashes, is_word = _hashes(tally)
    kept = list(tally.kept)
    stays = np.zeros(len(hashes), dtype=bool)
    for word in (False, True):
        of_kind = np.flatnonzero((is_word == word) & (hashes <= kept[word]))
        if of_kind.size > FEWEST_LEVELS:
            kept[word] = float(np.partition(hashes[of_kind], FEWEST_LEVELS)[FEWEST_LEVELS])
        stays[of_kind[hashes[of_kind] <= kept[word]]] = True
    shapes = None
    if tally.kind == "number":
        shapes = tally.shapes or _shapes(tally)
        stays |= _beside_codes(tally.levels)
    return replace(
        tally,
        levels=tally.levels[stays],
        counts=tally.counts[stays],
        shapes=shapes,
        kept=(kept[0], kept[1]),
    )


def _hashes(tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """Hash of every level as a share of the largest, and which levels are no plain numbers."""
    if tally.kind == "number":
        hashes, is_word = pd.util.hash_array(tally.levels), np.zeros(len(tally.levels), dtype=bool)
    else:
        texts = np.array([str(word) for word in tally.levels], dtype=object)
        hashes, is_word = pd.util.hash_array(texts), np.isnan(as_numbers(tally.levels))
    return hashes / 2.0**64, is_word


def _beside_codes(levels: np.ndarray) -> np.ndarray:
    """Which levels are at an end, or near a number that may be a code."""
    stays = np.zeros(len(levels), dtype=bool)
    for place in (0, len(levels), *np.searchsorted(levels, CODES)):
        stays[max(place - NEIGHBOURS, 0) : place + NEIGHBOURS] = True
    return stays
