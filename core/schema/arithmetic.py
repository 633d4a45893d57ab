"""Columns that are computed from others: a sum, a difference, an average, a product, a ratio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

#: Rows that are looked at, at least; columns, at most, and of those that two others give.
_LEAST_ROWS, _MOST_COLUMNS, _MOST_COMPUTED = 20, 1_000, 150
#: Distinct values of a sum, at least.
_MANY = 10
#: Share of the rows that may slip, and how often the weights are sought without these.
_MOST_SLIPS, _TRIMS = 0.02, 4
#: Share of the rows in which a column is known and what gives it is not, at most.
_MOST_UNKNOWN = 0.1
#: Rows of a sample that hardly holds a slip, and how many of these are drawn.
_SAMPLE, _DRAWS = 40, 5
#: Share of the variance that two others may leave, and SDs that a row may lie off, at most.
_LEFT, _OFF = 4e-5, 0.03
#: How far slips may move the weight of an item of a score; items of a score or sum, at least.
_NEAR, _LEAST_ITEMS, _MOST_ITEMS = 0.3, 3, 300
_SUM, _PRODUCT, _RATIO = "sum", "product", "ratio"


@dataclass(frozen=True)
class Copy:
    """A column that others say."""

    name: str
    #: The column that says the same, or those that it is computed from.
    of: tuple[str, ...]
    #: What it is of several: their "sum", or the "product" or "ratio" of two, or "computed".
    how: str = _SUM

    @property
    def words(self) -> str:
        """Whose fact it is."""
        first, last = (f"\u201c{name}\u201d" for name in (self.of[0], self.of[-1]))
        if len(self.of) == 1:
            return first
        between = {_RATIO: "divided by", _PRODUCT: "times"}.get(self.how)
        if between:
            return f"{first} {between} {last}"
        if self.how == _SUM:
            return f"the sum of {first} {'and' if len(self.of) == 2 else 'to'} {last}"
        return f"what {first} and {last} give"


def find_computed(values: Mapping[str, np.ndarray]) -> dict[str, Copy]:
    """Columns that others give, by name; numbers as they are written, (n,), NaN where missing."""
    return {copy.name: copy for copy in (*_totals(values), *_of_two(values))}


def scaled(x: np.ndarray) -> np.ndarray:
    """In units of the largest, as the squares of numbers of any size are no numbers."""
    largest = np.abs(x).max(initial=0.0)
    return x / largest if largest > 0.0 else x


def _of_two(values: Mapping[str, np.ndarray]) -> Iterator[Copy]:
    """Columns that two others give: a sum, difference or average; a product, ratio or power."""
    names = [n for n in values if np.unique(values[n][~np.isnan(values[n])]).size >= _MANY]
    if not 3 <= len(names) <= _MOST_COMPUTED:
        return
    table = np.column_stack([values[name] for name in names])
    detail = [(_decimals(column), np.unique(column[~np.isnan(column)]).size) for column in table.T]
    used: dict[int, set[int]] = {}
    for how in (_SUM, _PRODUCT):
        with np.errstate(all="ignore"):
            # A blank of a sum counts as 0.
            scaled = (
                np.nan_to_num(table) if how == _SUM else np.where(table > 0, np.log(table), np.nan)
            )
        for target, pair in _likely(scaled):
            if target in used or detail[target] < max(detail[j] for j in pair):
                continue
            terms = set(pair).union(*(used.get(j, set()) for j in pair))
            weights = weights_of(scaled[:, [target, *pair]])
            if target in terms or weights is None or not _are_plain(weights[:2], how):
                continue
            used[target] = terms
            by = tuple(names[j] for j in pair)
            low = weights[:2].min()
            is_plain = np.abs(np.abs(weights[:2]) - 1).max() < 0.1
            if how == _PRODUCT and weights[0] < 0:
                by = by[::-1]
            of = _RATIO if how == _PRODUCT and low < 0 else how
            is_known = is_plain and (how == _PRODUCT or low > 0)
            yield Copy(names[target], by, of if is_known else "computed")


def _likely(table: np.ndarray) -> list[tuple[int, tuple[int, int]]]:
    """Columns with the pairs that leave hardly anything of them in some sample of rows."""
    found: dict[tuple[int, tuple[int, int]], float] = {}
    usable = np.flatnonzero(np.isnan(table).mean(axis=0) <= _MOST_UNKNOWN)
    rows = table[:, usable]
    rows = rows[~np.isnan(rows).any(axis=1)]
    if len(usable) < 3 or len(rows) < _LEAST_ROWS:
        return []
    random = np.random.default_rng(0)
    for _ in range(_DRAWS):
        some = rows[random.permutation(len(rows))[:_SAMPLE]]
        varies = np.flatnonzero(some.std(axis=0) > 0.0)
        c = np.corrcoef(scaled(some[:, varies]).T)
        for i in range(len(varies)):
            beside = c[i][:, None]  # of the second of a pair, (J, 1), against targets, (1, A)
            with np.errstate(all="ignore"):
                told = (c[i] ** 2 + c**2 - 2 * c[i] * c * beside) / (1 - beside**2)
            single = np.maximum(c[i] ** 2, c**2)
            good = (told > 1 - _LEFT) & (single < 1 - 10 * _LEFT) & (np.abs(beside) < 0.9999)
            for j, a in np.argwhere(good):
                if j > i and len({i, j, a}) == 3:
                    key = int(usable[varies[a]]), (int(usable[varies[i]]), int(usable[varies[j]]))
                    found[key] = max(found.get(key, 0.0), float(told[j, a]))
    return sorted(found, key=found.__getitem__, reverse=True)


def _decimals(column: np.ndarray) -> int:
    """Digits behind the point of nearly all numbers as they are printed, 7 for more than six."""
    known = column[~np.isnan(column)]
    off = (np.abs(known - np.round(known, d)) > 1e-9 * np.abs(known) for d in range(7))
    return next((d for d, wrong in enumerate(off) if wrong.mean() <= _MOST_SLIPS), 7)


def weights_of(table: np.ndarray) -> np.ndarray | None:
    """Weights of the other columns, and a constant, that give the first in nearly all rows."""
    known = table[~np.isnan(table).any(axis=1)]
    if len(known) < max(2 * _MANY, (1 - _MOST_UNKNOWN) * (~np.isnan(table[:, 0])).sum()):
        return None
    y, terms = known[:, 0], np.column_stack([known[:, 1:], np.ones(len(known))])
    near = np.arange(len(y))
    for _ in range(_TRIMS):
        weights = np.linalg.lstsq(terms[near], y[near], rcond=None)[0]
        far = np.abs(y - terms @ weights)
        near = np.argsort(far, kind="stable")[: len(y) - int(_MOST_SLIPS * len(y))]
    return weights if far[near].max() <= _OFF * y[near].std() else None


def _are_plain(weights: np.ndarray, how: str) -> bool:
    """Whether weights are those of arithmetic: alike but for their sign, or small powers."""
    size = np.abs(weights)
    if how == _SUM:
        return bool(size.min() > 0.97 * size.max())
    return bool(np.all(np.abs(2 * size - np.round(2 * size)) < 0.05) and size.min() > 0.4)


def _totals(values: Mapping[str, np.ndarray]) -> Iterator[Copy]:
    """Totals of the columns beside them, and scores of items, some of them reversed."""
    names = list(values)
    if not _LEAST_ITEMS < len(names) <= _MOST_COLUMNS:
        return
    table = np.column_stack([values[name] for name in names])
    n_levels = np.array([np.unique(column[~np.isnan(column)]).size for column in table.T])
    beside = {j: _sum_beside(j, table) for j in np.flatnonzero(n_levels >= _MANY)}
    scores = _scores(table, n_levels)
    for j in sorted({*beside, *scores}):
        items = beside.get(j) or scores.get(j)
        if items:
            yield Copy(names[j], tuple(names[k] for k in items))


def _sum_beside(place: int, table: np.ndarray, first_rows: int = 50) -> list[int]:
    """The columns right before one, or right after it, of which it is the sum; none."""
    complete = table[~np.isnan(table).any(axis=1)]
    if len(complete) < first_rows:
        complete = np.nan_to_num(table)
    first = complete[:: max(len(complete) // first_rows, 1)]
    for items in (np.arange(place)[::-1], np.arange(place + 1, table.shape[1])):
        sums = np.cumsum(first[:, items], axis=1)
        right = np.isclose(sums, first[:, [place]]).mean(axis=0)
        for n in np.flatnonzero(right >= 0.9) + 1:
            of = table[:, [place, *items[:n]]]
            known = ~np.isnan(of[:, 0]) & ~np.isnan(of[:, 1:]).all(axis=1)
            is_sum = np.isclose(np.nan_to_num(of[known, 1:]).sum(axis=1), of[known, 0])
            if n >= _LEAST_ITEMS and 2 * known.sum() > len(of) and is_sum.mean() >= 1 - _MOST_SLIPS:
                return sorted(items[:n].tolist())
    return []


def _scores(table: np.ndarray, n_levels: np.ndarray) -> dict[int, list[int]]:
    """Numbers that are the sum of items on short scales, wherever they stand, some reversed."""
    whole = np.all(np.isnan(table) | (table == np.floor(table)), axis=0)
    short = np.flatnonzero(whole & (n_levels < _MANY))
    if not _LEAST_ITEMS <= len(short) <= _MOST_ITEMS:
        return {}
    items = _apart(short, table)
    found = {}
    for j in np.flatnonzero(whole & (n_levels >= _MANY)):
        both = table[~np.isnan(table[:, [j, *items]]).any(axis=1)]
        if len(items) < _LEAST_ITEMS or len(both) < max(2 * len(items), len(table) / 2):
            continue
        terms = np.column_stack([both[:, items], np.ones(len(both))])
        weights = np.linalg.lstsq(terms, both[:, j], rcond=None)[0][:-1]
        plain = np.round(weights)
        rest = both[:, j] - both[:, items] @ plain
        right = np.isclose(rest, np.median(rest)).mean() >= 1 - _MOST_SLIPS
        is_sum = np.abs(plain).max() == 1.0 and np.allclose(weights, plain, atol=_NEAR)
        if is_sum and right and np.count_nonzero(plain) >= _LEAST_ITEMS:
            found[int(j)] = [items[k] for k in np.flatnonzero(plain)]
    return found


def _apart(items: np.ndarray, table: np.ndarray) -> list[int]:
    """The items but those that an earlier one tells, as the same reversed."""
    complete = table[~np.isnan(table[:, items]).any(axis=1)][:, items]
    if not len(complete):
        return []
    with np.errstate(all="ignore"):
        alike = np.abs(np.corrcoef(complete.T)) >= 1.0 - 1e-9
    return [
        int(item)
        for j, item in enumerate(items)
        if np.ptp(complete[:, j]) > 0.0 and not alike[j, :j].any()
    ]
