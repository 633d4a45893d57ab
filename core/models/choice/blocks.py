"""Which measurements vary together within the groups: a greedy search among sets of columns.

Given the groups, the gain of modelling two sets jointly is exact: ln p of both together less ln p
of each, under the best pooled prior of each (``families.pooled``), less the price of the
covariances that the joint prior takes from the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...families.pooled import N_CELLS, Pooled, best_pooled
from ...families.sufficient import GroupMoments
from .candidates import price

#: Columns of a set, in order.
Set = tuple[int, ...]
#: Widest block.
MOST_COLUMNS = 25


@dataclass
class SetCosts:
    """-ln p of sets of columns under their best pooled priors, with these priors' prices."""

    moments: GroupMoments
    #: Of which the values of every column are multiples, (D,).
    steps: np.ndarray
    n_rows: float
    known: dict[Set, Pooled] = field(default_factory=dict)

    def __call__(self, columns: Set) -> float:
        """What a set adds to E, in nats."""
        return self.price(columns) - self.prior(columns).log_marginal

    def price(self, columns: Set) -> float:
        """-ln p of the set: what its prior takes from the data, and that it is these columns.

        A set has one cell of the grid where its columns have one each; were that less a gain,
        independent columns would join for its sake. Of D columns there are so many sets of d that
        some pair of independent ones always seems to go together: each set is as probable as any
        other of its size (the extended BIC of Chen and Chen 2008).
        """
        d = len(columns)
        paid = d * price(self.n_rows, 2, N_CELLS) + price(self.n_rows, d * (d - 1) // 2)
        return paid + (math.log(math.comb(self.steps.size, d)) if d > 1 else 0.0)

    def prior(self, columns: Set) -> Pooled:
        """The best pooled prior."""
        if columns not in self.known:
            which = list(columns)
            found = best_pooled(self.moments.of_columns(which), self.steps[which])
            self.known[columns] = found
        return self.known[columns]

    def total(self, sets: Iterable[Set]) -> float:
        """What all sets add to E."""
        return sum(map(self, sets))

    def may_gain(self) -> np.ndarray:
        """Pairs whose correlation within groups is worth its price, bool (D, D)."""
        within = self.moments.widened(np.square(self.steps) / 12.0).products.sum(axis=0)
        spread = np.sqrt(np.maximum(np.diag(within), 1e-300))
        squared = np.minimum(np.square(within / np.outer(spread, spread)), 1.0 - 1e-12)
        return -0.5 * self.n_rows * np.log1p(-squared) > 0.5 * price(self.n_rows, 1)


def block_name(columns: Sequence[str]) -> str:
    """What a block of columns is called."""
    return " + ".join(columns)


def best_sets(costs: SetCosts, start: Iterable[Set] = ()) -> tuple[Set, ...]:
    """All columns in sets, many of one, that no join of two and no removal improves.

    ``start`` are sets to begin from; columns in none of them begin alone.
    """
    sets = list(start)
    inside = {column for columns in sets for column in columns}
    sets += [(column,) for column in range(costs.steps.size) if column not in inside]
    linked = costs.may_gain()
    while True:
        sets, joined = _join(costs, sets, linked)
        sets, parted = _take_out(costs, sets)
        if not (joined and parted):
            return tuple(sets)


def _join(costs: SetCosts, sets: Sequence[Set], linked: np.ndarray) -> tuple[list[Set], bool]:
    """Join the two sets that gain most, until none do."""
    sets, gains, changed = list(sets), {}, False
    while True:
        for i, a in enumerate(sets):
            for b in sets[:i]:
                if (a, b) not in gains and linked[np.ix_(a, b)].any():
                    gains[a, b] = _gain(costs, a, b)
        live = {pair: gain for pair, gain in gains.items() if pair[0] in sets and pair[1] in sets}
        best = max(live, key=live.__getitem__, default=None)
        if best is None or live[best] <= 0.0:
            return sets, changed
        sets = [columns for columns in sets if columns not in best]
        sets.append(tuple(sorted(best[0] + best[1])))
        changed = True


def _gain(costs: SetCosts, a: Set, b: Set) -> float:
    if len(a) + len(b) > MOST_COLUMNS:
        return -np.inf
    return costs(a) + costs(b) - costs(tuple(sorted(a + b)))


def _take_out(costs: SetCosts, sets: Sequence[Set]) -> tuple[list[Set], bool]:
    """Take single columns out of their sets where E falls; they stand alone."""
    sets, changed = list(sets), False
    for at, columns in enumerate(sets):
        while len(columns) > 1:
            gains: Mapping[int, float] = {
                c: costs(columns) - costs((c,)) - costs(tuple(x for x in columns if x != c))
                for c in columns
            }
            column = max(gains, key=gains.__getitem__)
            if gains[column] <= 1e-9:
                break
            columns = tuple(x for x in columns if x != column)
            sets[at], changed = columns, True
            sets.append((column,))
    return sets, changed
