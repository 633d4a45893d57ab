"""Columns that are computed from others: a sum, a difference, an average, a product, a ratio."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .words import says

#: Distinct values of what is computed, at least; columns, at most.
_MANY, _MOST_COLUMNS = 10, 500
#: Share of the rows that may slip, and how often the weights are sought without these.
_MOST_SLIPS, _TRIMS = 0.02, 4
#: Share of the rows in which a column is known and what gives it is not, at most.
_MOST_UNKNOWN = 0.1
#: R^2 by which others give a column but for slips, and from which on they leave nothing of it.
_GIVEN, _NOTHING_LEFT = 0.9, 1 - 1e-7
_OFF, _CLEAR = 0.03, 0.1  # SDs that a row may lie off, and of what a term says, at least
_SUM, _PRODUCT, _RATIO, _COMPUTED = "sum", "product", "ratio", "computed"
_WORDS = {
    _SUM: "the sum of {first} {to} {last}",
    _COMPUTED: "what {first} {to} {last} give",
    _PRODUCT: "{first} times {last}",
    _RATIO: "{first} divided by {last}",
}


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
        to = "and" if len(self.of) == 2 else "to"
        return _WORDS[self.how].format(first=first, to=to, last=last)


def scaled(x: np.ndarray) -> np.ndarray:
    """In units of the largest, as the squares of numbers of any size are no numbers."""
    largest = np.nanmax(np.abs(x), initial=0.0)
    return x / largest if largest > 0.0 else x


def find_computed(values: Mapping[str, np.ndarray]) -> dict[str, Copy]:
    """Columns that others give, by name; numbers as they are written, (n,), NaN where missing."""
    found: dict[str, Copy] = {}
    detail = {name: _detail(x[~np.isnan(x)]) for name, x in values.items()}
    # What is computed is named so, or has more digits and values.
    names = sorted(values, key=lambda name: (says("derived", name), detail[name]))
    for how in (_SUM, _PRODUCT):
        if how == _PRODUCT:
            names = [n for n in names if detail[n][1] >= _MANY and n not in found]
        if not 3 <= len(names) <= _MOST_COLUMNS:
            continue
        table = np.column_stack([values[name] for name in names])
        if how == _PRODUCT:
            logs = np.log(table, out=np.full(table.shape, np.nan), where=table > 0)
            table = logs[:, usable := np.isnan(logs).mean(axis=0) <= _MOST_UNKNOWN]
            names = [name for name, is_usable in zip(names, usable, strict=True) if is_usable]
        may_be = np.array([detail[name][1] >= _MANY for name in names])
        if len(names) < 3:
            continue
        for target, of, weights in _given(table, may_be, how):
            terms = sorted(
                zip((names[k] for k in of), weights, strict=True),
                key=lambda t: [*values].index(t[0]),
            )
            found[names[target]] = Copy(names[target], *_named(terms, how))
    return found


def _detail(observed: np.ndarray) -> tuple[int, int, float]:
    """Digits behind the point of nearly all numbers, 7 for more than six; how many; their range."""
    off = (np.abs(observed - np.round(observed, d)) > 1e-9 * np.abs(observed) for d in range(7))
    decimals = (d for d, wrong in enumerate(off) if wrong.mean() <= _MOST_SLIPS)
    return next(decimals, 7), np.unique(observed).size, float(np.ptp(observed))


def _given(table: np.ndarray, may_be: np.ndarray, how: str) -> Iterator[tuple]:
    """Columns that those before them give, the places of these, and their weights."""
    rows = table[~np.isnan(table).any(axis=1)]
    if 2 * len(rows) < len(table):
        rows = np.nan_to_num(table)  # a blank of a sum counts as 0
    rows = np.apply_along_axis(scaled, 0, rows)
    largest = np.nanmax(np.abs(table), axis=0)
    sd = rows.std(axis=0)
    z = (rows - rows.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    r = z.T @ z / len(z)
    basis: list[int] = []
    for j in np.flatnonzero(sd > 0).tolist():
        share = np.linalg.solve(r[np.ix_(basis, basis)], r[basis, j])
        r2 = float(share @ r[basis, j])
        if r2 > _GIVEN and len(basis) > 1 and may_be[j]:
            weights = share * sd[j] * largest[j] / (sd[basis] * largest[basis])
            exact = _exact(table, j, [basis[i] for i in _terms(weights, share, how)], how)
            if exact is not None:
                yield j, *exact
                continue
        if r2 < _NOTHING_LEFT and len(basis) < len(z) // 3:
            basis.append(j)


def _terms(weights: np.ndarray, share: np.ndarray, how: str) -> np.ndarray:
    """Places of the weights that arithmetic may have, by those that clearly say something."""
    size, clear = np.abs(weights), np.abs(share) > _CLEAR
    if how == _PRODUCT:
        return np.flatnonzero(size > 0.3)
    usual = np.median(size[clear]) if clear.any() else np.inf
    alike = (size[clear] > usual / 1.5).all() and (size[clear] < 1.5 * usual).all()
    return np.flatnonzero(size > usual / 2) if alike else np.zeros(0, dtype=int)


def _exact(table: np.ndarray, target: int, of: list[int], how: str) -> tuple | None:
    """The terms that give a column, and their weights, where these are those of arithmetic."""
    for _ in range(2):  # once more without what has no weight after all
        if len(of) < 2:
            return None
        part = table[:, [target, *of]]
        found = weights_of(part)
        weights = weights_of(np.nan_to_num(part)) if found is None and how == _SUM else found
        if weights is None:
            return None
        weights = weights[:-1]
        size = np.abs(weights)
        stays = size > (size.max() / 2 if how == _SUM else 0.4)
        if stays.all():
            break
        of = [k for k, does in zip(of, stays, strict=True) if does]
    if how == _SUM:
        is_plain = size.min() > 0.97 * size.max()
    else:
        is_plain = np.all(np.abs(2 * size - np.round(2 * size)) < 0.05) and size.min() > 0.4
    return (of, weights) if is_plain else None


def _named(terms: list[tuple[str, float]], how: str) -> tuple[tuple[str, ...], str]:
    """The names of what gives a column, and how it does."""
    names, weights = zip(*terms, strict=True)
    are_one = np.abs(np.abs(weights) - 1).max() < 0.1
    if how == _SUM:
        return names, _SUM if are_one and (
            min(weights) > 0 or (len(names) > 2 and sum(weights) > 0)
        ) else _COMPUTED
    if not are_one or len(names) > 2:
        return names, _COMPUTED
    if min(weights) > 0:
        return names, _PRODUCT
    return (names if weights[0] > 0 else names[::-1]), _RATIO


def weights_of(table: np.ndarray) -> np.ndarray | None:
    """Weights of the other columns, and a constant, that give the first in nearly all rows."""
    observed = table[~np.isnan(table).any(axis=1)]
    if len(observed) < max(2 * _MANY, (1 - _MOST_UNKNOWN) * (~np.isnan(table[:, 0])).sum()):
        return None
    y, terms = observed[:, 0], np.column_stack([observed[:, 1:], np.ones(len(observed))])
    near = np.arange(len(y))
    for _ in range(_TRIMS):
        weights = np.linalg.lstsq(terms[near], y[near], rcond=None)[0]
        far = np.abs(y - terms @ weights)
        near = np.argsort(far, kind="stable")[: len(y) - int(_MOST_SLIPS * len(y))]
    return weights if far[near].max() <= _OFF * y[near].std() else None
