"""Numbers that are the total of other columns: of those beside them, or the score of some items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

#: Distinct values of a total, at least.
MANY = 10
#: Columns that are looked at, at most.
MOST_COLUMNS, MOST_ITEMS = 1_000, 300
#: Rows by which a total is told at first, about.
FIRST_ROWS = 50
#: Share of the rows in which a total is right, at least, and of those rows wrong, at most.
RIGHT, FIRST_WRONG = 0.98, 0.1
#: How far a few slips may move the weight of an item.
NEAR = 0.3
#: Items that make a total, at least.
LEAST_ITEMS = 3
#: Items of which one says what another one says, by their correlation.
SAME_ITEM = 1.0 - 1e-9


def find_totals(values: Mapping[str, np.ndarray]) -> dict[str, tuple[str, ...]]:
    """Totals, each with the columns that it is the sum of, some of them perhaps reversed.

    Parameters
    ----------
    values : mapping of str to ndarray, shape (N,)
        Columns of numbers, NaN where missing.
    """
    names = list(values)
    if not LEAST_ITEMS < len(names) <= MOST_COLUMNS:
        return {}
    table = np.column_stack([values[name] for name in names])
    n_levels = [np.unique(column[~np.isnan(column)]).size for column in table.T]
    beside = dict(_sums_beside(names, table, n_levels))
    return dict(_scores(names, table, n_levels)) | beside


def _sums_beside(
    names: list[str], table: np.ndarray, n_levels: list[int]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Numbers that are the sum of the columns right before them, or right after."""
    complete = table[~np.isnan(table).any(axis=1)]
    if len(complete) < FIRST_ROWS:
        complete = np.nan_to_num(table)
    first = complete[:: max(len(complete) // FIRST_ROWS, 1)]
    for place, name in enumerate(names):
        if n_levels[place] < MANY:
            continue
        for items in (np.arange(place)[::-1], np.arange(place + 1, len(names))):
            sums = np.cumsum(first[:, items], axis=1)
            wrong = (~np.isclose(sums, first[:, [place]])).sum(axis=0)[LEAST_ITEMS - 1 :]
            likely = np.flatnonzero(wrong <= FIRST_WRONG * len(first)) + LEAST_ITEMS
            right = {n: _right(table[:, [place, *items[:n]]]) for n in likely}
            best = max(right, key=right.__getitem__, default=0)
            if best and right[best] >= RIGHT:
                yield name, tuple(names[j] for j in sorted(items[:best]))


def _right(table: np.ndarray) -> float:
    """Share of the rows in which the first column is the sum of the others; 0 if few have all.

    Where a blank of the others counts as 0, of the rows that have some of them.
    """
    complete = ~np.isnan(table).any(axis=1)
    some = ~np.isnan(table[:, 0]) & ~np.isnan(table[:, 1:]).all(axis=1)
    shares = [0.0]
    for known in (complete, some):
        if 2 * known.sum() > len(table):
            of_them = np.nan_to_num(table[known])
            shares.append(float(np.isclose(of_them[:, 1:].sum(axis=1), of_them[:, 0]).mean()))
    return max(shares)


def _scores(
    names: list[str], table: np.ndarray, n_levels: list[int]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Numbers that are the sum of items on short scales, wherever they stand, some reversed."""
    whole = np.all(np.isnan(table) | (table == np.floor(table)), axis=0)
    short = [j for j in np.flatnonzero(whole) if n_levels[j] < MANY]
    if not LEAST_ITEMS <= len(short) <= MOST_ITEMS:
        return
    items = _without_copies(short, table)
    if len(items) < LEAST_ITEMS:  # none at all, where no row has them all
        return
    for j in np.flatnonzero(whole):
        if n_levels[j] < MANY:
            continue
        both = table[~np.isnan(table[:, [j, *items]]).any(axis=1)]
        if len(both) < 2 * len(items) or 2 * len(both) < len(table):
            continue
        terms = np.column_stack([both[:, items], np.ones(len(both))])
        weights = np.linalg.lstsq(terms, both[:, j], rcond=None)[0]
        plain = np.round(weights[:-1])
        is_sum = np.abs(plain).max() == 1.0 and np.allclose(weights[:-1], plain, atol=NEAR)
        of = tuple(names[items[k]] for k in np.flatnonzero(plain))
        rest = both[:, j] - both[:, items] @ plain
        right = np.isclose(rest, np.median(rest)).mean()
        if is_sum and len(of) >= LEAST_ITEMS and right >= RIGHT:
            yield names[j], of


def _without_copies(items: list[int], table: np.ndarray) -> list[int]:
    """The items but those that an earlier one tells, as the same reversed."""
    complete = table[~np.isnan(table[:, items]).any(axis=1)][:, items]
    complete = complete - complete.mean(axis=0) if len(complete) else complete
    lengths = np.sqrt((complete**2).sum(axis=0))
    kept: list[int] = []
    for j in np.flatnonzero(lengths > 0.0):
        told = (
            np.abs(complete[:, kept].T @ complete[:, j]) >= SAME_ITEM * lengths[kept] * lengths[j]
        )
        if not told.any():
            kept.append(int(j))
    return [items[j] for j in kept]
