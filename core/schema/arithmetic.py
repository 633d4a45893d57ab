"""Numbers that are computed from one or two other columns: b + c, b * c, b / c, k * b.

A difference is a sum told the other way round: of income, costs and profit the income is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .totals import MANY, RIGHT

#: Columns that are looked at, at most, and rows of the first, quick look.
MOST_COLUMNS, QUICK_ROWS = 150, 16
#: Share of those rows that agree, at least; chance makes none agree to the last digit.
QUICK_RIGHT = 0.5
#: A rounded multiple has less than this share of the other's distinct values.
LOST = 0.75
#: Of the rows in which both terms count for something, those that are right, at least.
RIGHT_OF_BOTH = 0.95
#: Share of the rows in which a column is known and what gives it is not, at most.
MOST_UNKNOWN = 0.1
#: Share of the rows in which a term counts for something, at least; rarer ones say nothing.
LEAST_HEARD = 0.2
#: Of a column's standard deviation, how far rounding may move its numbers.
MOST_ROUNDED = 0.1
#: Decimals of a number as it is printed, at most; with more it is not rounded.
MOST_DECIMALS = 6
_EXACT = 1e-6  # relative error of numbers that are not rounded

SUM, PRODUCT, RATIO, MULTIPLE = "sum", "product", "ratio", "multiple"


def find_computed(values: Mapping[str, np.ndarray]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Columns that others give, each with how they do and which these are.

    A blank of a sum counts as 0, and in a few rows the sum may slip; what rounding does to the
    numbers as they are printed is allowed for. No column is computed from what it computes.

    Parameters
    ----------
    values : mapping of str to ndarray, shape (N,)
        Columns of numbers as they are written, NaN where missing.
    """
    names = [name for name in values if np.unique(values[name]).size >= MANY]
    if not 2 <= len(names) <= MOST_COLUMNS:
        return {}
    table = np.column_stack([values[name] for name in names])
    heard = (np.nan_to_num(table) != 0.0).mean(axis=0) >= LEAST_HEARD
    names, table = (
        [name for name, is_one in zip(names, heard, strict=True) if is_one],
        table[:, heard],
    )
    if len(names) < 2:
        return {}
    unit = np.array([_unit(column) for column in table.T])
    found: dict[int, tuple[str, tuple[int, ...]]] = {}
    for how in (SUM, PRODUCT, RATIO, MULTIPLE):
        likely = _multiples(table, unit) if how == MULTIPLE else _likely(how, table, unit)
        # Of three numbers that give each other the one was computed that has the most digits.
        for place, of in sorted(likely, key=lambda one: unit[one[0]]) if how == RATIO else likely:
            used = _all_terms(of, found)
            if place not in found and place not in used and _is_right(how, place, of, table, unit):
                found[place] = how, of
    return {names[j]: (how, tuple(names[k] for k in of)) for j, (how, of) in found.items()}


def _unit(column: np.ndarray) -> float:
    """Step of the last digit that is printed, 0 where numbers are not rounded."""
    known = column[np.isfinite(column)]
    for decimals in range(MOST_DECIMALS + 1):
        if np.mean(np.abs(known - np.round(known, decimals)) <= 1e-9 * np.abs(known)) >= RIGHT:
            return 10.0**-decimals
    return 0.0


def _all_terms(of: tuple[int, ...], found: Mapping[int, tuple[str, tuple[int, ...]]]) -> set[int]:
    """Some columns and all that they are computed from."""
    terms = set(of)
    for place in of:
        if place in found:
            terms |= _all_terms(found[place][1], found)
    return terms


def _likely(how: str, table: np.ndarray, unit: np.ndarray) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Columns, each with those that give it in most of a few rows which have nearly all cells."""
    few = _few_rows(table)
    rounding = _rounding(few, unit)[:, None, :]
    every = np.arange(table.shape[1])
    for b in every:
        others = every[b + 1 :] if how in (SUM, PRODUCT) else every
        made, slack = _made(how, few, b, others, unit)
        made = np.where(np.isfinite(made + slack), made, np.nan)
        right = np.abs(few[:, None, :] - made[:, :, None]) <= rounding + slack[:, :, None]
        for c, a in np.argwhere(right.sum(axis=0) >= QUICK_RIGHT * len(few)):
            if len({int(a), int(b), int(others[c])}) == 3:
                yield int(a), (int(b), int(others[c]))


def _multiples(table: np.ndarray, unit: np.ndarray) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Columns, each with one that it may be a multiple of, rounded so that less is left of it.

    One of which nothing is lost is another scale, as ``repeats`` finds it.
    """
    n_levels = np.array([np.unique(column[np.isfinite(column)]).size for column in table.T])
    few = _few_rows(table)
    for a in np.argsort(-n_levels, kind="stable"):
        column = few[:, [a]]
        with np.errstate(all="ignore"):
            times = np.median(column / few, axis=0)
            near = np.abs(column - few * times) <= 2 * _rounding(column, unit[a])
        likely = (near.sum(axis=0) >= QUICK_RIGHT * len(few)) & (n_levels[a] < LOST * n_levels)
        yield from ((int(a), (int(b),)) for b in np.flatnonzero(likely))


def _few_rows(table: np.ndarray) -> np.ndarray:
    """Some rows of those that have the most cells which are neither blank nor 0."""
    full = np.argsort((np.nan_to_num(table) == 0.0).sum(axis=1), kind="stable")
    full = np.sort(full[: max(QUICK_ROWS, len(table) // 4)])
    return table[full[:: max(len(full) // QUICK_ROWS, 1)][:QUICK_ROWS]]


def _made(
    how: str, table: np.ndarray, b: int, c: int | np.ndarray, unit: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What two columns give, (N, C), and by how much their rounding may move that."""
    first, second = table[:, [b]], table[:, np.atleast_1d(c)]
    if how == SUM:
        made = np.nan_to_num(first) + np.nan_to_num(second)
        return made, np.zeros(made.shape)
    moved = np.where(unit < 1.0, unit / 2, 0.0)  # a whole number is no rounded one
    with np.errstate(all="ignore"):
        made = first * second if how == PRODUCT else first / second
        slack = np.abs(moved[b] / first) + np.abs(moved[np.atleast_1d(c)] / second)
        return made, np.abs(made) * slack


def _rounding(column: np.ndarray, unit: np.ndarray | float) -> np.ndarray:
    """How far numbers may lie from what was computed: half a step, or an error of computing."""
    return np.maximum(np.asarray(unit) * 0.5 * (1 + 1e-6), _EXACT * np.abs(column))


def _is_right(
    how: str, place: int, of: tuple[int, ...], table: np.ndarray, unit: np.ndarray
) -> bool:
    """Whether columns give another one in all rows but a few, and each of them has its share."""
    column, terms = table[:, place], table[:, list(of)]
    allowed = _rounding(column, unit[place])
    if how == MULTIPLE:
        made, slack = _times(column, allowed, terms[:, 0], unit[of[0]])
    else:
        made, slack = (part[:, 0] for part in _made(how, table, *of, unit))
    known = np.isfinite(column) & np.isfinite(made + slack) & np.isfinite(terms).any(axis=1)
    if known.sum() < max(2 * MANY, (1 - MOST_UNKNOWN) * np.isfinite(column).sum()):
        return False
    is_coarse = np.median((allowed + slack)[known]) > MOST_ROUNDED * np.std(column[known])
    if how != SUM and (is_coarse or _has_fewer_digits(how, place, of, unit)):
        return False
    right = np.abs(column - made) - slack <= allowed
    both = known & (np.nan_to_num(terms) != 0.0).all(axis=1)
    return bool(
        right[known].mean() >= RIGHT and both.sum() >= MANY and right[both].mean() >= RIGHT_OF_BOTH
    )


def _times(
    column: np.ndarray, allowed: np.ndarray, other: np.ndarray, unit: float
) -> tuple[np.ndarray, np.ndarray]:
    """The multiple of another column that rounds to this one in most rows."""
    moved = unit / 2 if unit < 1.0 else 0.0
    usable = np.isfinite(column) & (np.abs(other) > moved)
    size = np.abs(other[usable])
    signed = np.sign(other[usable]) * column[usable]
    ends = [(signed + way * allowed[usable]) / size for way in (-1, 1)]
    low, high = map(np.sort, ends)
    covered = np.searchsorted(low, low, "right") - np.searchsorted(high, low, "left")
    times = float(low[covered.argmax()]) * (1 + 1e-12) if usable.any() else np.nan
    return other * times, np.full(other.shape, moved * abs(times))


def _has_fewer_digits(how: str, place: int, of: tuple[int, ...], unit: np.ndarray) -> bool:
    """Whether a product has fewer digits than what it is said to be the product of."""
    return how == PRODUCT and (not unit[list(of)].all() or unit[place] > unit[list(of)].min())
