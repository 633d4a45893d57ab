"""Columns that say what another one says: a code and its word, a number and its band, a total.

Told twice, a fact counts twice: rows that share it look more alike than they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..families import FAMILIES
from ..families.family import CATEGORY
from .arithmetic import PRODUCT, RATIO, SUM, find_computed
from .encode import encode_column, numbers
from .spec import ColumnSpec, SchemaError
from .ties import crossed
from .totals import find_totals

#: Rows that are looked at, at most.
ROWS = 2_000
#: Share of the rows that may say otherwise, and of those that are not of the most frequent value.
MOST_WRONG, MOST_WRONG_OF_RARE = 0.01, 0.05
#: Rows that are not of the most frequent value, at least: a rarer trait may agree by chance.
LEAST_RARE = 5
#: A column that says less than this share of what another one says is a fact of its own: of a
#: country, its continent.
LEAST_SHARE = 0.5
#: Share of the rows in which a copy is known and what it copies is not: without it they would say
#: nothing.
MOST_UNKNOWN = 0.1
#: Two numbers are one on another scale from this correlation on, of themselves or of logarithms.
SAME_SCALE = 0.99995
#: In all rows but this share: no two numbers agree by chance to the last digit, so that more may
#: slip than where a value foretells a level. The line is sought so often.
MOST_SLIPS, TRIMS = 0.02, 4
#: Distinct values from which on a number may be cut into bands.
MANY = 10
#: Columns that are compared with each other at most, and rows of the first, quick look.
MOST_COLUMNS, QUICK_ROWS = 1_000, 400


@dataclass(frozen=True)
class Repeat:
    """A column that others say.

    Parameters
    ----------
    name : str
        The copy.
    of : tuple of str
        The column that says the same, or those that it is computed from.
    how : str
        What it is of several: their "sum", or the "product" or "ratio" of two.
    """

    name: str
    of: tuple[str, ...]
    how: str = SUM

    @property
    def words(self) -> str:
        """Whose fact it is."""
        first, last = (f"\u201c{name}\u201d" for name in (self.of[0], self.of[-1]))
        if len(self.of) == 1:
            return first
        if self.how == RATIO:
            return f"{first} divided by {last}"
        if self.how == PRODUCT:
            return f"{first} times {last}"
        return f"the sum of {first} {'and' if len(self.of) == 2 else 'to'} {last}"


def find_repeats(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> list[Repeat]:
    """Columns to cluster on of which another one says the same, in the table's order.

    Of columns that say the same the most detailed stays, of those as detailed the one in words,
    and then the first. One says what another says where each of its values goes with one value of
    the other, in all rows but a few, every row foretold by others: so a column whose values hardly
    recur foretells nothing. What a total says its parts do.
    """
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    values = dict(_numbers(some, specs))
    codes = {name: _codes(numbers) for name, numbers in values.items()}
    written = dict(_as_written(some, specs))
    totals = find_totals(written)
    computed = {n: how_of for n, how_of in find_computed(written).items() if n not in totals}
    hows = {name: how for name, (how, _) in computed.items()}
    totals |= {name: of for name, (_, of) in computed.items()}
    detail = {name: _detail(code) for name, code in codes.items() if name not in totals}
    order = {name: (_in_digits(specs[name]), place) for place, name in enumerate(values)}
    may_say = _may_say(codes)
    told_by: dict[str, str] = {}
    kept: list[str] = []
    for name in sorted(detail, key=detail.__getitem__, reverse=True):
        likely = [k for k in kept if (k, name) in may_say]
        source = next((k for k in likely if _says(k, name, values, codes, specs)), None)
        if source is None:
            kept.append(name)
        elif order[name] < order[source] and _says(name, source, values, codes, specs):
            kept[kept.index(source)] = name
            told_by = {n: name if by == source else by for n, by in told_by.items()}
            told_by[source] = name
        else:
            told_by[name] = source
    for total, items in totals.items():
        likely = [k for k in kept if k not in items and (total, k) in may_say]
        told_by |= {k: total for k in likely if _says(total, k, values, codes, specs)}
    found = totals | {name: (source,) for name, source in told_by.items()}
    return [Repeat(n, found[n], hows.get(n, SUM)) for n in specs if n in found]


def without_repeats(
    specs: Mapping[str, ColumnSpec], repeats: Iterable[Repeat]
) -> dict[str, ColumnSpec]:
    """The columns with those left aside that repeat others."""
    aside = {
        repeat.name: specs[repeat.name].changed(
            role="ignore",
            reason=f"The same fact as {repeat.words}. {specs[repeat.name].reason}",
        )
        for repeat in repeats
    }
    return {**specs, **aside}


def codes_of(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> dict[str, np.ndarray]:
    """Whole numbers from 0 for the values of every column to cluster on, -1 where missing."""
    return {name: _codes(values) for name, values in _numbers(frame, specs)}


def _numbers(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]
) -> Iterator[tuple[str, np.ndarray]]:
    """The columns to cluster on as numbers, NaN where missing."""
    for name, spec in specs.items():
        if spec.role != "cluster" or spec.family not in FAMILIES or spec.special:
            continue
        try:
            values = encode_column(frame[name], spec, new_rows=True)
        except SchemaError:  # it is refused later, with its reason
            continue
        if np.unique(values[np.isfinite(values)]).size > 1:
            yield name, np.where(np.isfinite(values), values, np.nan)


def _codes(values: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 for the distinct values, -1 where missing."""
    return np.where(np.isnan(values), -1, np.unique(values, return_inverse=True)[1])


def _in_digits(spec: ColumnSpec) -> bool:
    """Whether its cells are numbers, not words."""
    return not any(isinstance(level, str) for level in spec.levels or ())


def _as_written(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]
) -> Iterator[tuple[str, np.ndarray]]:
    """The numbers to cluster on as they stand in the cells, in whatever scale they are fitted."""
    for name, spec in specs.items():
        if spec.role == "cluster" and spec.family in FAMILIES and _in_digits(spec):
            try:
                values = numbers(frame[name], spec.changed(special={}))
            except SchemaError:  # words or limits among them: no numbers as they stand
                continue
            values = np.where(np.isfinite(values), values, np.nan)
            if np.unique(values[np.isfinite(values)]).size > 1:
                yield name, values


def _detail(codes: np.ndarray) -> float:
    """Entropy of a column's values, in nats."""
    shares = np.bincount(codes[codes >= 0]) / max((codes >= 0).sum(), 1)
    shares = shares[shares > 0.0]
    return float(-(shares * np.log(shares)).sum())


def _may_say(codes: Mapping[str, np.ndarray]) -> set[tuple[str, str]]:
    """Pairs of which the first may tell the second, told quickly from a few hundred rows.

    In the order of a column what it tells changes only where it does itself, or as often as it has
    bands, but for a few rows; another scale rises, or falls, throughout.
    """
    if not 2 <= len(codes) <= MOST_COLUMNS:
        return set()
    names = list(codes)
    table = np.column_stack([codes[name] for name in names])
    table = table[:: max(len(table) // QUICK_ROWS, 1)]
    slack = min(4, len(table) // 10) + int(4 * MOST_WRONG * len(table))
    is_there = table >= 0
    n_levels = np.array([np.unique(c[c >= 0]).size for c in table.T])
    found = set()
    for a, of_a in enumerate(table.T):
        order = np.argsort(of_a, kind="stable")
        steps = np.diff(table[order], axis=0)
        steps *= is_there[order][1:] & is_there[order][:-1]
        own = np.count_nonzero(steps[:, a])
        changes = np.count_nonzero(steps, axis=0)
        few = changes <= np.maximum(own if own < len(table) // 2 else 0, n_levels - 1) + slack
        one_way = np.minimum((steps > 0).sum(axis=0), (steps < 0).sum(axis=0)) <= slack
        found |= {(names[a], names[b]) for b in np.flatnonzero(few | one_way) if b != a}
    return found


def _says(
    a: str,
    b: str,
    values: Mapping[str, np.ndarray],
    codes: Mapping[str, np.ndarray],
    specs: Mapping[str, ColumnSpec],
) -> bool:
    """Whether column a tells column b."""
    both = (codes[a] >= 0) & (codes[b] >= 0)
    known = int((codes[b] >= 0).sum())
    if known - both.sum() > MOST_UNKNOWN * known:
        return False
    if 2 * both.sum() < max((codes[a] >= 0).sum(), (codes[b] >= 0).sum()):
        return False
    if _is_in_order(specs[a]):
        if min(codes[a].max(), codes[b].max()) >= MANY and _is_in_order(specs[b]):
            return _is_another_scale(values[a][both], values[b][both])
        is_cut = _is_cut_into(values[a][both], codes[a][both], codes[b][both])
        if is_cut or codes[a].max() >= MANY:
            return is_cut
    if _detail(codes[b]) < LEAST_SHARE * _detail(codes[a]):
        return False
    return _is_told(codes[a][both], codes[b][both])


def _is_in_order(spec: ColumnSpec) -> bool:
    """Whether its values are steps or numbers, not names."""
    return FAMILIES[spec.family].kind != CATEGORY


def _is_told(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the rows that share a value of a foretell each row's b."""
    if _are_too_many(a, b):
        return False
    table = crossed(a, b)
    table = table[table.sum(axis=1) > 1]  # a value alone foretells nothing
    most = table.max(axis=1, initial=0)
    wrong = int((table.sum(axis=1) - most).sum())
    return len(b) <= 2 * table.sum() and _are_few(wrong, table.sum(axis=0))


def _are_too_many(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two columns have so many values that a table of them would be nearly empty."""
    n_pairs = np.count_nonzero(np.bincount(a)) * np.count_nonzero(np.bincount(b))
    return n_pairs > 100 * len(a) + 10_000


def _are_few(wrong: int, counts: np.ndarray) -> bool:
    rare = int(counts.sum() - counts.max(initial=0))
    return (
        rare >= LEAST_RARE
        and wrong <= MOST_WRONG * counts.sum()
        and wrong <= MOST_WRONG_OF_RARE * rare
    )


def _is_cut_into(number: np.ndarray, code: np.ndarray, band: np.ndarray) -> bool:
    """Whether a number's order has the bands one after another, without a gap between them.

    Groups that lie apart are in order, too, but nobody cut them. ``code`` stands for the number.
    """
    if _are_too_many(code, band):
        return False
    table = crossed(code, band)
    of_level = table.argmax(axis=1)
    ends = np.flatnonzero(np.diff(of_level))
    wrong = int(table.sum() - table.max(axis=1).sum())
    counts = table.sum(axis=0)
    if ends.size != counts.size - 1 or not _are_few(wrong, counts):
        return False
    gaps = np.diff(np.unique(number))
    return bool(np.median(gaps[ends]) <= 2.0 * np.median(gaps))


def _is_another_scale(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two numbers are one in other units, or one of them in logarithms, slips aside."""
    of_a, of_b = (
        [_scaled(x), np.log(x)] if x.min(initial=np.inf) > 0.0 else [_scaled(x)] for x in (a, b)
    )
    return any(_is_one_line(x, y) for x in of_a for y in of_b)


def _scaled(x: np.ndarray) -> np.ndarray:
    """In units of the largest, as the squares of numbers of any size are no numbers."""
    largest = np.abs(x).max(initial=0.0)
    return x / largest if largest > 0.0 else x


def _is_one_line(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether all rows but a few lie on a line, found as that of the rows nearest to the last."""
    near = np.arange(x.size)
    for _ in range(TRIMS):
        slope, level = _line(x[near], y[near])
        far = np.abs(y - level - slope * x)
        near = np.argsort(far, kind="stable")[: x.size - int(MOST_SLIPS * x.size)]
    return abs(_correlation(x[near], y[near])) >= SAME_SCALE


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope and level of least squares."""
    apart = x - x.mean()
    slope = float(apart @ (y - y.mean()) / max(apart @ apart, 1e-300))
    return slope, float(y.mean() - slope * x.mean())


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / max(np.sqrt((x @ x) * (y @ y)), 1e-300))
