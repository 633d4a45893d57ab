"""Values among numbers that may mean something else: -1, 0, 9, 99, 999, 1900-01-01."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np

from ..reading.dates import is_month_first, read_dates
from .facts import RATING_CEILING, Facts
from .vocabulary import names_amount

#: Numbers that may stand for something else.
NINES = tuple(10**k - 1 for k in range(1, 7))
ANSWERS = (7, 8, 77, 88, 97, 98, 777, 888, 997, 998)  # "refused", "does not know", beside a 9
BELOW = (-1, -2, -3, -7, -8, -9, -77, -88, -98, -99, -888, -998, -999, -9999, -99999)
CODES = (0, *NINES, *ANSWERS, *BELOW)
_DAYS = tuple(
    date(*day)
    for day in (
        *((1800, 1, 1), (1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1901, 1, 1), (1970, 1, 1)),
        *((2099, 12, 31), (2100, 1, 1), (2999, 12, 31), (9999, 12, 31), (1, 1, 1), (1111, 11, 11)),
    )
)
_FAR = 5.0  # steps between neighbours that make a value stand apart
_NEAR = 10  # values on each side of a code that it is compared with
_SPIKE = 4.0  # times as frequent as any value near it


def find_special(facts: Facts) -> tuple[float, ...]:
    """Values that stand apart from the other numbers of a column, in increasing order.

    A value is one of the numbers used as codes, stands in two rows at least, and either lies
    outside of the rest, or in a gap of it, farther than its neighbours lie from one another; or it
    is far more frequent than any value near it, whole ones among decimals, which no smooth spread
    makes, nor one that whole numbers are rounded to.
    """
    if facts.kind != "number" or facts.is_bool or facts.n_present < 10:
        return ()
    levels, counts = facts.levels, facts.counts
    usable = np.isin(levels, CODES) & (counts > 1)
    if facts.answers is not None:  # the file says that these are steps of a scale
        low, high = facts.answers
        usable &= (levels < low) | (levels > high)
    # One value only beside the candidates is no scale that they could stand apart from.
    pool = [float(c) for c in levels[usable]]
    found: list[float] = []
    for code in sorted(pool, key=abs, reverse=True):
        if code in found:
            continue
        for run in ([code], _run_below(code, pool)):
            rest = ~np.isin(levels, [*found, *run]) & np.isfinite(levels)
            if rest.sum() >= 2 and _stands_apart(run[-1], facts, rest):
                found += run
                break
    if not any(code in NINES for code in found):
        found = [code for code in found if code not in ANSWERS or _is_far(code, levels, found)]
    return tuple(sorted({*found, *_one_digit(facts)}))


def _run_below(code: float, pool: list[float]) -> list[float]:
    """A positive code and the codes right below it, as 9, 8 and 7: they stand apart together."""
    run = [code]
    while code > 0 and run[-1] - 1 in pool and run[-1] - 1 in ANSWERS:
        run.append(run[-1] - 1)
    return run


def _is_far(code: float, levels: np.ndarray, found: list[float]) -> bool:
    """Whether a code lies farther beyond the other numbers than they lie from one another."""
    rest = levels[~np.isin(levels, found) & np.isfinite(levels)]
    return bool(code - rest[-1] > rest[-1] - rest[0])


def _one_digit(facts: Facts) -> tuple[float, ...]:
    """The highest of whole numbers where it is one digit again and again, far beyond the rest."""
    if facts.n_distinct <= RATING_CEILING or not np.isfinite(facts.levels[-1]):
        return ()
    *_, second, top = facts.levels
    digits = f"{top:.0f}"
    far = top > 2 * second > 0 and top == np.floor(top)
    return (float(top),) if far and len(digits) > 3 and len(set(digits)) == 1 else ()


def _stands_apart(code: float, facts: Facts, rest: np.ndarray) -> bool:
    counts = facts.counts
    others, rows = facts.levels[rest], int(counts[facts.levels == code][0])
    if rows > 0.6 * facts.n_present:
        return False
    low, high = others[0], others[-1]
    if code < 0 <= low:
        few = len(others) <= 2 and rows > 0.2 * facts.n_present  # -1, 0, 1 may be a scale
        return not few or high > 1
    short = len(others) <= RATING_CEILING and np.all(others == np.floor(others))
    if short:
        return _apart_from_scale(code, others, counts[rest], rows)
    return _apart_from_measurements(code, others, counts[rest], rows)


def _apart_from_scale(code: float, others: np.ndarray, counts: np.ndarray, rows: int) -> bool:
    """Beside few whole numbers: two steps or more beyond its ends, and no thin tail."""
    gap = float(np.min(np.abs(others - code)))
    widest = float(np.max(np.diff(others)))
    outside = code > others[-1] or code < min(others[0], 0.0)
    if outside and gap >= 2 and gap > widest:
        end = counts[-1] if code > others[-1] else counts[0]
        near = code > others[-1] and gap <= 2 * (others[-1] - others[0])
        falling = near and others[0] == 0 and counts[-1] < 0.1 * counts.max()
        return rows > 2 * end if falling else True
    return code == 0 and _is_hole_below_one(others, counts, rows)


def _is_hole_below_one(others: np.ndarray, counts: np.ndarray, rows: int) -> bool:
    """Whether 0 below whole numbers from 1 on goes against the way their counts run.

    1 is rarer than both 0 and 2; or all steps of a scale are about as frequent, and 0 is not.
    """
    if len(others) < 3 or others[0] != 1 or others[1] != 2 or rows < 0.01 * counts.sum():
        return False
    rare = rows < 0.25 * counts.sum()  # what many rows have is a value like the others
    if rare and rows > 2 * counts[0] + 3 and counts[1] > counts[0] + np.sqrt(counts[0]):
        return True
    level = counts.mean()
    freedom = len(others) - 1  # chi-squared of even counts, within four standard deviations
    spread = float(((counts - level) ** 2 / level).sum())
    even = freedom > 2 and spread < freedom + 4 * np.sqrt(2 * freedom)
    return bool(even and abs(rows - level) > 2.5 * np.sqrt(level + rows))


def _apart_from_measurements(
    code: float, others: np.ndarray, counts: np.ndarray, rows: int
) -> bool:
    place = int(np.searchsorted(others, code))
    near = slice(max(place - _NEAR, 0), place + _NEAR)
    steps = np.diff(others[near])
    usual = float(np.median(steps)) if len(steps) else 0.0
    gap = float(np.min(np.abs(others - code)))
    inside = 0 < place < len(others)
    is_spike = rows >= max(3, _SPIKE * _most_near(code, others, counts))
    if code == 0 and not inside and _is_hole_below_one(others, counts, rows):
        return True
    if inside or code == 0:
        # Within the range a gap alone proves nothing where values are thin.
        return (is_spike and (gap > usual or _are_fine(others))) or gap >= 2 * _FAR * usual > 0
    if gap >= _FAR * usual and gap > np.max(steps, initial=0.0):
        return True
    return is_spike and (gap >= usual or _are_fine(others))


def _most_near(code: float, others: np.ndarray, counts: np.ndarray) -> int:
    """Rows of the most frequent value near a code, of all values and of the whole ones, as it is.

    Where some people write whole numbers and others decimals, every whole number is frequent.
    """
    most = 0
    for comparable in (slice(None), others == np.floor(others)):
        values, rows = others[comparable], counts[comparable]
        place = int(np.searchsorted(values, code))
        most = max(most, int(rows[max(place - _NEAR, 0) : place + _NEAR].max(initial=0)))
    return most


def _are_fine(values: np.ndarray) -> bool:
    """Whether values are decimals, which hardly ever repeat."""
    return bool(np.any(values != np.floor(values)))


def is_amount_of_none(facts: Facts) -> bool:
    """Whether 0 is likely an amount of none rather than a hole: money, days, areas, counts.

    Amounts run down towards 0, and many rows have none; where the others stay away from 0, as
    blood pressures do, nothing is none.
    """
    above = facts.levels > 0
    if above.sum() < 2 or facts.levels[0] < 0 or names_amount(facts.name):
        return True
    shares = np.cumsum(facts.counts[above]) / facts.counts[above].sum()
    low, middle = (facts.levels[above][np.searchsorted(shares, at)] for at in (0.05, 0.5))
    zeros = facts.counts[facts.levels == 0].sum() / facts.n_present
    whole = facts.is_whole and facts.n_distinct <= RATING_CEILING
    return bool(not whole and low < (0.7 if zeros > 0.3 else 0.25) * middle)


def wrong_sign(facts: Facts) -> tuple[float, ...]:
    """A few numbers below 0 where no other is 0 or near it, as if a sign had slipped in."""
    if facts.kind != "number" or facts.n_present < 30:
        return ()
    levels, counts = facts.levels[np.isfinite(facts.levels)], facts.counts
    below = levels < 0
    few = 0 < below.sum() <= _NEAR and counts[: len(levels)][below].sum() <= 0.02 * facts.n_present
    if not few or np.isin(levels[below], CODES).any() or below.sum() >= len(levels) - 1:
        return ()
    least, top = levels[~below][0], levels[-1]
    usual = float(np.median(np.diff(levels[~below])))
    apart = least > 0 and least >= _FAR * usual and top > RATING_CEILING
    alike = -np.median(levels[below]) >= 0.2 * np.median(levels[~below])
    return tuple(levels[below].tolist()) if apart and alike else ()


#: Robust standard deviations from the middle, and from the next value, of what lies far away.
_FAR_AWAY, _ALONE = 10.0, 2.0
#: Rows of it at most: so many, or this share; and distinct values and rows of a column, at least.
_MOST_ROWS, _MOST_SHARE, _LEAST_VALUES, _LEAST_ROWS = 3, 0.003, 8, 100


def far_away(facts: Facts, family: str | None, is_log: bool) -> tuple[float, ...]:
    """A few numbers far from all others, as if a digit had slipped in.

    In quartiles of the column, or of its logarithms where those are what is measured, or of the
    square roots of counts, which spread alike about few and many.
    """
    known = np.isfinite(facts.levels) if facts.kind == "number" else np.zeros(0, dtype=bool)
    levels, counts = facts.levels[known], facts.counts[known]
    if levels.size < _LEAST_VALUES or counts.sum() < _LEAST_ROWS or (is_log and levels[0] <= 0):
        return ()
    places = np.log(levels) if is_log else np.sqrt(levels) if family == "poisson" else levels
    lower, middle, upper = np.percentile(np.repeat(places, counts), (25, 50, 75))
    deviation = (upper - lower) / 1.349  # of a normal distribution with these quartiles
    is_far = np.abs(places - middle) > _FAR_AWAY * deviation
    rows = int(counts[is_far].sum())
    if not deviation or not 0 < rows <= max(_MOST_ROWS, _MOST_SHARE * counts.sum()):
        return ()
    edges = np.diff(is_far.astype(int)) != 0
    return (
        tuple(levels[is_far].tolist())
        if np.all(np.diff(places)[edges] > _ALONE * deviation)
        else ()
    )


def is_certainly_missing(code: float, facts: Facts) -> bool:
    """Whether a special value can only be a hole: negative among others that are not, or far off.

    Everything else is asked about and left as it is until somebody answers.
    """
    if facts.counts[facts.levels == code].sum() < 2:
        return False
    rest = facts.levels[(facts.levels != code) & np.isfinite(facts.levels)]
    low, high = rest[0], rest[-1]
    outside = min(abs(code - low), abs(code - high)) if not low <= code <= high else 0.0
    if code < 0 <= low:
        return True
    if code == 0:
        return False
    short = facts.is_whole and len(rest) <= RATING_CEILING
    return bool(outside >= 2 if short else outside > high - low)


def find_special_days(cells: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    """Dates, as they are written, that stand for none: far from the others, or in many rows."""
    month_first = is_month_first(cells)
    days = dict(zip(cells, read_dates(cells, month_first), strict=True))
    rows = dict(zip(cells, counts, strict=True))
    found = []
    for cell, day in days.items():
        if day not in _DAYS or rows[cell] < 2:
            continue
        others = [d for c, d in days.items() if d is not None and d not in _DAYS]
        if not others:
            continue
        far = min(abs((day - d).days) for d in others) > 365
        often = rows[cell] >= _SPIKE * max(rows[c] for c, d in days.items() if d in set(others))
        if far or often:
            found.append(cell)
    return tuple(found)
