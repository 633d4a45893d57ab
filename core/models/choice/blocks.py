"""Which measurements vary together within the groups: a greedy search of exact gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby

import numpy as np

from ...families.pooled import N_CELLS, Pooled, PooledPriors
from ...families.sufficient import GroupMoments
from .candidates import price

#: Readings of a set, of a column each, in order.
Set = tuple[int, ...]
MOST_COLUMNS = 25
#: Sets that a set is tried with: of many columns, looking at all pairs would take minutes.
MOST_PARTNERS = 25
#: Nats.
LEAST_GAIN = 1e-9


@dataclass
class SetCosts:
    """Readings that may stand in blocks; what sets of them add to E: -ln p and priors' prices."""

    #: Of all R readings, complete and normal, missing in the same rows.
    moments: GroupMoments
    #: Of which the values of every reading are multiples, (R,).
    steps: np.ndarray
    n_rows: float
    #: The column that each reading is of, and how it is read, int (R,).
    column: np.ndarray
    transform: np.ndarray
    #: What each adds by its Jacobian, and whether it is not what the schema says, (R,).
    jacobian: np.ndarray
    departs: np.ndarray
    #: What every one of the D columns costs by itself, under its best likelihood, (D,).
    alone: np.ndarray
    #: Of every reading its column's name, and which of its candidates it is.
    readings: tuple[tuple[str, int], ...] = ()
    known: dict[Set, Pooled] = field(default_factory=dict)

    def set_of(self, picks: Mapping[str, int], columns: Iterable[str]) -> Set:
        """The readings of columns, as a model has them."""
        return tuple(sorted(self.readings.index((name, picks[name])) for name in columns))

    @cached_property
    def priors(self) -> PooledPriors:
        """Of any sets of the readings."""
        return PooledPriors(self.moments, self.steps)

    def __call__(self, readings: Set) -> float:
        """What a set adds to E as a block, in nats."""
        cells = self.jacobian[[*readings]].sum() - self.prior(readings).log_marginal
        return self.price(readings) + cells

    def price(self, readings: Set) -> float:
        """-ln p of what the set's prior takes from the data, and of these columns among all.

        A grid cell for each column, lest independent ones join for its sake; every set of its size
        is as probable (extended BIC, Chen and Chen 2008).
        """
        d, departures = len(readings), int(self.departs[[*readings]].sum())
        paid = d * price(self.n_rows, 2, N_CELLS)
        paid += price(self.n_rows, d * (d - 1) // 2 + departures)
        return paid + (math.log(math.comb(self.alone.size, d)) if d > 1 else 0.0)

    def prior(self, readings: Set) -> Pooled:
        """The best pooled prior of these readings."""
        self.look_at([readings])
        return self.known[readings]

    def look_at(self, sets: Iterable[Set]) -> None:
        """Find the best pooled priors of sets at once, which takes far less than one by one."""
        unknown = sorted({readings for readings in sets if readings not in self.known}, key=len)
        for _, group in groupby(unknown, key=len):
            same_size = list(group)
            self.known |= zip(same_size, self.priors.best(np.array(same_size)), strict=True)

    def cheapest(self, sets: Iterable[Set]) -> Set:
        """The set that costs least."""
        sets = list(sets)
        self.look_at(sets)
        return min(sets, key=self)

    def apart(self, readings: Set) -> float:
        """What the columns of a set add to E, each alone."""
        return float(self.alone[self.column[[*readings]]].sum())

    def part(self, readings: Set) -> float:
        """What a block adds to E, or a column alone."""
        return self(readings) if len(readings) > 1 else self.apart(readings)

    def total(self, sets: Iterable[Set]) -> float:
        """What all columns add to E, those in no set alone."""
        sets = list(sets)
        inside = [self.column[r] for readings in sets for r in readings]
        return sum(map(self.part, sets)) + float(np.delete(self.alone, inside).sum())

    def links(self) -> np.ndarray:
        """What the correlation of pairs within groups is worth beyond its price, about, (R, R)."""
        within = self.priors.widened.products.sum(axis=0)
        spread = np.sqrt(np.maximum(np.diag(within), 1e-300))
        squared = np.minimum(np.square(within / np.outer(spread, spread)), 1.0 - 1e-12)
        return -0.5 * self.n_rows * np.log1p(-squared) - 0.5 * price(self.n_rows, 1)

    def favourites(self) -> list[Set]:
        """Of every column, the reading that costs least by itself."""
        singles = [(r,) for r in range(self.column.size)]
        self.look_at(singles)
        order = np.lexsort(([*map(self, singles)], self.column))
        first = np.unique(self.column[order], return_index=True)[1]
        return [singles[r] for r in order[first]]


def block_name(columns: Sequence[str]) -> str:
    """What a block of columns is called."""
    return " + ".join(columns)


def best_sets(costs: SetCosts, start: Iterable[Set] = ()) -> tuple[Set, ...]:
    """Sets of two readings and more that no join, reading or removal betters, from ``start`` on."""
    sets, links, favourites = list(start), costs.links(), costs.favourites()
    before = np.inf
    while costs.total(sets) < before - LEAST_GAIN:
        before = costs.total(sets)
        inside = {costs.column[r] for readings in sets for r in readings}
        alone = [one for one in favourites if costs.column[one[0]] not in inside]
        joined = [s for s in _joined(costs, [*sets, *alone], links) if len(s) > 1]
        sets = [_without_strangers(costs, _best_read(costs, readings)) for readings in joined]
        sets = [s for s in sets if len(s) > 1]
    return tuple(sets)


def _joined(costs: SetCosts, sets: Sequence[Set], links: np.ndarray) -> list[Set]:
    """Sets joined in turn, the pair that lowers E most first."""
    kept, added = list(sets), {}  # what joining a pair adds to E

    def consider(pairs: Sequence[tuple[Set, Set]]) -> None:
        costs.look_at(_union(a, b) for a, b in pairs)
        for a, b in pairs:
            added[a, b] = costs(_union(a, b)) - costs.part(a) - costs.part(b)

    consider([pair for i, a in enumerate(sets) for pair in _pairs(a, sets[:i], links)])
    while added and min(added.values()) < -LEAST_GAIN:
        a, b = min(added, key=added.__getitem__)
        kept = [readings for readings in kept if readings not in (a, b)]
        added = {pair: cost for pair, cost in added.items() if not {a, b} & {*pair}}
        consider(_pairs(_union(a, b), kept, links))
        kept.append(_union(a, b))
    return kept


def _pairs(a: Set, others: Sequence[Set], links: np.ndarray) -> list[tuple[Set, Set]]:
    """A set with those of the others that it may be joined to, the most closely linked first."""
    others = [b for b in others if len(a) + len(b) <= MOST_COLUMNS]
    if not others:
        return []
    near = links[[*a]].max(axis=0)[[*chain.from_iterable(others)]]
    link = np.maximum.reduceat(near, np.cumsum([0, *map(len, others[:-1])]))
    closest = np.argsort(-link, kind="stable")[:MOST_PARTNERS]
    return [(a, others[i]) for i in closest if link[i] > 0.0]


def _union(a: Set, b: Set) -> Set:
    return tuple(sorted(a + b))


def _best_read(costs: SetCosts, readings: Set) -> Set:
    """The same columns, one after the other or all at once read as costs least: a local optimum."""
    inside = np.isin(costs.column, costs.column[[*readings]])
    ways = (inside & (costs.transform == way) for way in np.unique(costs.transform))
    whole = [tuple(np.flatnonzero(way).tolist()) for way in ways if way.sum() == len(readings)]
    while True:
        others = [
            tuple(sorted((*readings[:i], other, *readings[i + 1 :])))
            for i, r in enumerate(readings)
            for other in np.flatnonzero(costs.column == costs.column[r]).tolist()
            if other != r
        ]
        best = costs.cheapest([readings, *others, *whole])
        if costs(best) >= costs(readings) - LEAST_GAIN:
            return readings
        readings = best


def _without_strangers(costs: SetCosts, readings: Set) -> Set:
    """Without the columns that cost less alone, taken out one by one."""
    while len(readings) > 1:
        rests = {r: tuple(x for x in readings if x != r) for r in readings}
        costs.look_at(rests.values())
        split = {r: costs.part((r,)) + costs.part(rest) for r, rest in rests.items()}
        r = min(split, key=split.__getitem__)
        if split[r] >= costs(readings) - LEAST_GAIN:
            return readings
        readings = rests[r]
    return readings
