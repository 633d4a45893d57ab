"""The one condition of a cell: whether what is told of some patients on a column tells of few.

Everything may be told of patients on a column, or nothing: how many are observed, their levels,
events, mean and spread. So a table need not know what another one tells of the same cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from ..families.family import CATEGORY, COUNT, RATING, YES_NO
from ..statistics.suppression import OFF, thresholds_up_to
from ..statistics.variables import Variable

#: What the row or column of a table about all patients is called.
ALL = "All"
#: Numbers that range over so many values hide how many patients have each.
MOST_VALUES = 24


def is_fit(counts: Iterable[float], least: int) -> bool:
    """Whether counts may be told that nobody needs to be part of: none but 0 is small."""
    return all(count == 0 or count >= least for count in counts)


def tells_of_few(column: Variable, rows: np.ndarray, least: int) -> bool:
    """Whether a count below ``least`` follows from all that is told of some patients on a column.

    That is how many are observed, and of them the levels, the events, or the number, mean and
    standard deviation. "Follows": fewer than ``least`` whole numbers are left for it.

    Parameters
    ----------
    column : Variable
    rows : ndarray of bool, shape (N,)
    least : int
    """
    if least == OFF:
        return False
    return any(_part_tells(part, rows, least) for part in _parts(column))


def _part_tells(column: Variable, rows: np.ndarray, least: int) -> bool:
    inside = rows & column.observed
    n = int(inside.sum())
    if n < least or not is_fit([int(rows.sum()) - n], least):
        return True
    values = column.values[inside]
    if column.kind in (YES_NO, CATEGORY):
        return bool((_levels(column, values) < least).any())
    if column.events is not None:
        events = int(column.events[inside].sum())
        others = [] if column.others is None else [int(column.others[inside].sum())]
        return min(events, *others, n - events - sum(others)) < least
    if column.kind == COUNT and values.sum() < least:
        return True
    if column.kind == RATING:
        steps = values.sum()
        if min(steps, (len(column.levels) - 1) * n - steps) < least:
            return True
    return _moments_tell(column, inside, least)


def _parts(column: Variable) -> list[Variable]:
    """A column, and of one with special outcomes also what is told of each part of it."""
    return [column, *column.in_parts]


def _levels(column: Variable, values: np.ndarray) -> np.ndarray:
    return np.bincount(values.astype(np.int64), minlength=len(column.levels))


def _moments_tell(column: Variable, rows: np.ndarray, least: int) -> bool:
    """Whether the mean and spread of a few different values of observed patients tell of few."""
    values = column.values[rows]
    if column.kind == RATING:
        support, counts = column.scores, _levels(column, values)
    elif column.kind == COUNT:
        if np.ptp(values) >= MOST_VALUES:
            return False
        support = np.arange(values.min(), values.max() + 1.0)
        counts = np.bincount((values - support[0]).astype(np.int64))
    else:
        amounts = column.amounts
        support = np.unique(amounts[column.observed])
        if support.size > MOST_VALUES:
            return False
        values = amounts[rows]
        counts = np.bincount(np.searchsorted(support, values), minlength=support.size)
    # That nobody has so many events tells of nobody.
    is_small = (counts < least) & ((counts > 0) | (column.kind == RATING))
    return moments_tell(support, counts, is_small, least)


def moments_tell(support: np.ndarray, counts: np.ndarray, is_small: np.ndarray, least: int) -> bool:
    """Whether the number, mean and standard deviation of some values tell a small count.

    How many patients have each value is bounded by three sums; the bounds are reached at the
    corners of what the sums allow, where three values at most occur. A count is told where fewer
    than ``least`` whole numbers lie between its bounds, in the steps that equal sums allow.

    Parameters
    ----------
    support : ndarray of float64, shape (V,)
        Different values that a patient can have.
    counts : ndarray of int, shape (V,)
        Patients with each.
    is_small : ndarray of bool, shape (V,)
        Counts that must not be told.
    least : int
    """
    if not is_small.any():
        return False
    width = min(3, support.size)
    place = (support - support.min()) / (np.ptp(support) or 1.0)
    powers = np.array([place**0, place, place**2])[:width]
    corners = np.array([*combinations(range(support.size), width)])
    bases = powers[:, corners].transpose(1, 0, 2)
    sums = np.broadcast_to((powers @ counts)[:, None], (len(bases), width, 1))
    at = np.linalg.solve(bases, sums)[..., 0]
    allowed = (at > -1e-6).all(axis=1)
    each = np.zeros((int(allowed.sum()), support.size))
    np.put_along_axis(each, corners[allowed], at[allowed], axis=1)
    low, high = np.ceil(each.min(axis=0) - 1e-6), np.floor(each.max(axis=0) + 1e-6)
    left = (high - low) // _steps(support.size) + 1
    return bool((is_small & (left < least)).any())


def _steps(n_values: int) -> np.ndarray:
    """By how much each of so many counts changes at least if three sums of theirs stay.

    Changes are made up of 1, -3, 3, -1 on neighbours: what a cubic's third differences leave.
    """
    if n_values < 4:
        return np.ones(n_values)
    kernel = np.zeros((n_values - 3, n_values), dtype=np.int64)
    for place, row in enumerate(kernel):
        row[place : place + 4] = (1, -3, 3, -1)
    return np.gcd.reduce(kernel, axis=0)


def told_cells(
    column: Variable | Sequence[Variable],
    labels: np.ndarray,
    shown: Sequence[int],
    least: int,
    has_total: bool = False,
) -> np.ndarray:
    """Of which groups all may be told on a column, and whether it may of everybody.

    What is told of everybody tells, less what is told of some groups, of the others together. Under
    several thresholds, whoever has them all knows no more than under the lowest.

    Parameters
    ----------
    column : Variable or sequence of Variable
        Read in one or several ways, such as both parts of a column with special outcomes.
    labels : ndarray of int, shape (N,)
        Group of every patient, counted from 0 on.
    shown : sequence of int
        Groups whose size is told.
    least : int
    has_total : bool
        Whether everybody is told of in any case: of columns that made the groups, whose figures
        are in standard deviations of all patients.

    Returns
    -------
    ndarray of bool, shape (K + 1,)
        A group each, then everybody.
    """
    ways = [column] if isinstance(column, Variable) else list(column)
    groups = np.arange(int(labels.max()) + 1)
    sizes = np.bincount(labels)
    told, everybody = np.isin(groups, shown), True
    for step in thresholds_up_to(least):
        told &= [
            not any(tells_of_few(one, labels == k, step) for one in ways) if told[k] else False
            for k in groups
        ]
        everybody &= _total_is_safe(ways, labels, ~told, shown, step)
        while has_total and told.any() and not everybody:
            told[np.argmin(np.where(told, sizes, sizes.max() + 1))] = False
            everybody = _total_is_safe(ways, labels, ~told, shown, step)
    return np.append(told, everybody)


def _total_is_safe(
    ways: Sequence[Variable],
    labels: np.ndarray,
    hidden: np.ndarray,
    shown: Sequence[int],
    least: int,
) -> bool:
    """Whether the hidden groups are so mixed in their sum that it tells of none of them."""
    if least == OFF or not hidden.any():
        return True
    rows, has_size = hidden[labels], np.isin(np.flatnonzero(hidden), shown)
    return bool(hidden.sum() > 1) and not any(
        tells_of_few(one, rows, least) or _sum_tells(part, labels, rows, has_size, least)
        for one in ways
        for part in _parts(one)
    )


def _sum_tells(
    column: Variable, labels: np.ndarray, rows: np.ndarray, has_size: np.ndarray, least: int
) -> bool:
    """Whether a hidden group's count follows from the counts of all hidden ones and sizes told.

    Between its bounds, those of Fréchet, at least so many whole numbers must be left for a count.
    """
    if column.kind in (YES_NO, CATEGORY):
        kinds = column.values[rows]
    elif column.events is not None:
        ends = column.events + 2.0 * (0.0 if column.others is None else column.others)
        kinds = np.where(column.observed, ends, np.nan)[rows]
    else:
        kinds = np.where(column.observed[rows], 0.0, np.nan)
    codes = np.where(np.isnan(kinds), -1.0, kinds).astype(np.int64) + 1
    _, places = np.unique(labels[rows], return_inverse=True)
    crossed = np.zeros((places.max() + 1, codes.max() + 1), dtype=np.int64)
    np.add.at(crossed, (places, codes), 1)
    size, total = crossed.sum(axis=1, keepdims=True), crossed.sum(axis=0)
    unknown = size[~has_size].sum()  # any of those groups may have them all
    most = np.where(has_size[:, None], size, unknown)
    fewest = np.where(has_size[:, None], size, 0)
    low, high = np.maximum(0, total + fewest - crossed.sum()), np.minimum(total, most)
    # Where nobody at all lacks a value, or has a level, that nobody does tells of nobody.
    return bool(((crossed < least) & (total > 0) & (high - low + 1 < least)).any())
