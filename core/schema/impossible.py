"""Numbers that cannot be, by what their column is called: ages of 150, births of 1890, 130 %."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..reading.dates import is_month_first, read_dates
from ..wording import could_be_year
from .facts import RATING_CEILING, Facts
from .vocabulary import names_age, names_birth, names_percent

#: Rows that a mistake is in at most: so many, or this share; and rows of a column, at least.
_MOST_ROWS, _MOST_SHARE, _LEAST_ROWS = 3, 0.01, 50
#: Nobody grew older; hardly anybody is that old, and those who are stand beside others as old.
_OLDEST, _VERY_OLD, _GAP = 122.0, 100.0, 5.0
#: Lowest number of a column whose 0 is none of them: so far above 0, in its own lower spread.
_FAR_FROM_ZERO = 1.0
#: Share of the rows that have one value where numbers are settings, not measured.
_MOST_USUAL = 0.4
#: Distinct dates of a column that are read for its last year, about.
_MOST_DATES = 500


def cannot_be(facts: Facts, last_year: float) -> tuple[str, tuple[float, ...]]:
    """Where a few impossible numbers of a column lie, and which they are; else "" and none.

    Parameters
    ----------
    facts : Facts
    last_year : float
        From ``last_year_of``: the year in which the rows were written, or before.
    """
    if facts.kind != "number" or facts.is_bool or facts.n_present < _LEAST_ROWS:
        return "", ()
    known = np.isfinite(facts.levels)
    levels, counts = facts.levels[known], facts.counts[known]
    if levels.size <= RATING_CEILING:
        return "", ()
    for where, odd in _rules(facts, levels, counts, last_year):
        rows = int(counts[odd].sum())
        if 0 < rows <= max(_MOST_ROWS, _MOST_SHARE * counts.sum()):
            return where, tuple(levels[odd].tolist())
    return "", ()


def _rules(
    facts: Facts, levels: np.ndarray, counts: np.ndarray, last_year: float
) -> list[tuple[str, np.ndarray]]:
    middle = float(np.median(np.repeat(levels, counts)))
    found = []
    if names_age(facts.name) and 5 <= middle <= 90:
        found += [("above any age", levels > _OLDEST), ("below 0", levels < 0)]
    if names_birth(facts.name) and could_be_year(middle):
        last = max(last_year, levels[-1])
        old = _far_end(last - levels, _VERY_OLD)
        found.append((f"over {_VERY_OLD:.0f} years before {last:.0f}", old))
    if names_percent(facts.name) and levels[0] >= 0 and 1 < middle <= 100:
        found.append(("above 100 %", levels > 100))
    if _is_zero_apart(levels, counts):
        found.append(("at 0, far below all others,", levels == 0))
    return found


def _far_end(ages: np.ndarray, most: float) -> np.ndarray:
    """Which ages are very high, where there is a gap below them."""
    old = ages > most
    rest = ages[~old]
    is_apart = old.any() and rest.size and ages[old].min() - rest.max() >= _GAP
    return old if is_apart else np.zeros(ages.size, dtype=bool)


def _is_zero_apart(levels: np.ndarray, counts: np.ndarray) -> bool:
    """Whether 0 is farther below the lowest other number than that is below their middle."""
    if levels[0] != 0 or counts.max() > _MOST_USUAL * counts.sum():
        return False
    others = np.repeat(levels[1:], counts[1:])
    return bool(others[0] > _FAR_FROM_ZERO * (np.median(others) - others[0]))


def last_year_of(facts: Mapping[str, Facts]) -> float:
    """The last year that a column of a table names, in numbers or dates; 0 where none does."""
    years = [
        float(f.levels[-1])
        for f in facts.values()
        if f.kind == "number"
        and f.is_whole
        and f.levels.size
        and could_be_year(f.levels[0])
        and could_be_year(f.levels[-1])
    ]
    # Of a birth, two digits of a year may be those of another century.
    years += [_late_year(f) for f in facts.values() if f.kind == "date" and not names_birth(f.name)]
    return max((year for year in years if year <= 2100), default=0.0)


def _late_year(facts: Facts) -> float:
    """The year by which nearly all dates of a column are past: a slip is in some; 0 for none."""
    some = slice(None, None, max(len(facts.levels) // _MOST_DATES, 1))
    cells, counts = list(map(str, facts.levels[some])), facts.counts[some]
    month_first = is_month_first(cells)
    days = read_dates(cells, month_first)
    rows = [(day.year, n) for day, n in zip(days, counts, strict=True) if day is not None]
    if not rows:
        return 0.0
    years, counts = np.array(rows).T
    return float(np.quantile(np.repeat(years, counts), 1.0 - _MOST_SHARE, method="lower"))
