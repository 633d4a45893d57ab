"""Candidates of columns, alone or in blocks that vary together within the groups.

Likelihoods and transforms whose E compares with that suggested, and a greedy search of blocks.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from ...families import FAMILIES, Prior
from ...families.family import CATEGORY, COUNT, MEASUREMENT, RATING
from ...families.pooled import N_CELLS, Pooled, PooledPriors
from ...families.prior import Weight, best_prior
from ...families.sufficient import GroupMoments
from ...schema.encode import complete, encode_column
from ...schema.encoded import Unit
from ...schema.schema import Schema
from ...schema.spec import BY_HAND, ColumnSpec, SchemaError
from ...schema.transforms import TRANSFORMS, back
from ...schema.transforms import jacobian as jacobian_of

#: A count of more distinct values than this is no category.
MOST_VALUES = 12
#: A rating or count of fewer distinct values than this is no measurement.
LEAST_STEPS = 5
#: How many times the observations of its default prior a prior of counts or names may be worth.
STRENGTHS = (0.5, 1.0, 2.5, 6.0, 15.0, 40.0, 100.0)
TRIED = (None, *TRANSFORMS)
#: Least ratio of largest to smallest number for roots, which else hardly differ from logarithms.
WIDE = 4.0
#: Values with more decimals than this have no step that matters.
MOST_DECIMALS = 6
#: How far, in its last decimal, a value may lie from a round number.
NEAR = 1e-6
#: Readings of a set, of a column each, in order.
Set = tuple[int, ...]
MOST_COLUMNS = 25
#: Sets that a set is tried with: of many columns, looking at all pairs would take minutes.
MOST_PARTNERS = 25
#: Nats.
LEAST_GAIN = 1e-9


class Fitted(NamedTuple):
    """A unit's prior given groups; -ln p of its cells, and of what the prior takes from these."""

    prior: Prior
    cells: float
    price: float

    @property
    def cost(self) -> float:
        """What the unit adds to E."""
        return self.cells + self.price


def price(n_rows: float, numbers: int, cells: int = 1) -> float:
    """-ln p of numbers taken from the data, as BIC counts them, and of a cell of a grid."""
    return 0.5 * np.log(n_rows) * numbers + np.log(cells)


@dataclass(frozen=True)
class Candidate:
    """One likelihood of one column, and its cells as numbers."""

    spec: ColumnSpec
    unit: Unit
    #: float64, shape (N,).
    values: np.ndarray
    #: -ln |dx'/dx| of every row, (N,): what the transform adds to E; 0 where the cell is missing.
    jacobian: np.ndarray
    #: Of which the values are multiples; 0 where not known, and of other likelihoods.
    step: float
    #: Whether it is not what the schema says, which a choice pays for as for one number.
    departs: bool
    #: float64, shape (N,). How often each row counts.
    weight: np.ndarray

    @property
    def is_normal(self) -> bool:
        """Whether it can join a block of full covariance."""
        return self.spec.family == "normal"

    def rows(self, which: np.ndarray) -> Self:
        """Some of the rows."""
        of_rows = ("values", "jacobian", "weight")
        return replace(self, **{name: getattr(self, name)[which] for name in of_rows})

    @cached_property
    def total_jacobian(self) -> float:
        """What the transform adds to E."""
        return float(self.weight @ self.jacobian)

    @cached_property
    def priors(self) -> list[Prior]:
        """The default prior at every strength; they do not depend on the groups."""
        family = FAMILIES[self.spec.family]
        default = family.default_prior(self.values, 1.0, self.weight, **self.unit.options)
        return [default.strengthened(factor) for factor in STRENGTHS]

    def given(self, labels: np.ndarray, usual: Prior | None = None) -> Fitted:
        """Its best prior given the groups, not of a normal, or one from before them."""
        tried = self.priors if usual is None else [usual]
        prior, evidence = best_prior(tried, self.values, labels, self.weight)
        paid = price(self.weight.sum(), prior.n_learned + self.departs, len(tried))
        return Fitted(prior, self.total_jacobian - evidence, paid)


def candidates_of(
    frame: pd.DataFrame, schema: Schema, weight: Weight
) -> Mapping[str, tuple[Candidate, ...]]:
    """Candidates of columns outside blocks and without special outcomes, the suggested first."""
    in_block = {name for block in schema.blocks.values() for name in block.columns}
    weights, found = np.broadcast_to(np.float64(weight), len(frame)), {}
    for name in schema.names("cluster"):
        spec = schema[name]
        if name not in in_block and not spec.special:
            specs = [spec] if spec.reason.startswith(BY_HAND) else _specs(spec)
            made = (_candidate(frame[name], other, spec, weights) for other in specs)
            found[name] = tuple(candidate for candidate in made if candidate is not None)
    return found


def _specs(spec: ColumnSpec) -> Iterator[ColumnSpec]:
    """Specifications that a column may have, its own first."""
    yield spec
    if spec.kind == MEASUREMENT and spec.reads("transform"):
        for transform in TRIED:
            if transform != spec.transform:
                yield spec.changed(transform=transform, reason=spec.reason)
    if spec.kind in (RATING, COUNT):
        in_words = any(isinstance(level, str) for level in spec.levels or ())
        for name, family in FAMILIES.items():
            is_count = family.kind == COUNT and (spec.kind == COUNT or spec.starts_at == 0)
            is_number = name == "normal" and not in_words
            if name == spec.family or family.is_block:
                continue
            if family.kind == CATEGORY:
                yield spec.changed(family=name, reason=spec.reason, levels=spec.levels)
            elif is_count or is_number:
                yield spec.changed(family=name, reason=spec.reason)


def _candidate(
    column: pd.Series, spec: ColumnSpec, suggested: ColumnSpec, weight: np.ndarray
) -> Candidate | None:
    try:
        spec = complete(column, spec)
        if spec.kind == CATEGORY and suggested.kind == COUNT and len(spec.levels) > MOST_VALUES:
            return None
        values = encode_column(column, spec)
        (unit,) = Schema([spec]).units
    except SchemaError:
        return None
    seen = ~np.isnan(values)
    jacobian, step = np.zeros(len(values)), 0.0
    if spec.family == "normal":
        recorded = back(values, spec.transform)
        step = step_of(np.round(recorded, MOST_DECIMALS + 3))
        if suggested.kind in (RATING, COUNT):
            if np.unique(values[seen]).size < LEAST_STEPS:
                return None
            jacobian[seen] -= np.log(step)  # an interval's probability, as whole numbers have one
        if spec != suggested and not _is_worth_trying(recorded, spec.transform, step):
            return None
        slopes = jacobian_of(values, spec.transform, step)
        jacobian += slopes
        step *= float(np.sqrt(np.exp(-2.0 * slopes[seen]).mean())) if seen.any() else 1.0
    departs = spec != complete(column, suggested)
    return Candidate(spec, unit, values, jacobian, step, departs, weight)


def _is_worth_trying(recorded: np.ndarray, transform: str | None, step: float) -> bool:
    """Whether a transform is worth trying: roots need a wide range, and a step where there is 0."""
    if transform is None or not TRANSFORMS[transform].takes_zero:
        return True
    low, high = np.nanmin(recorded), np.nanmax(recorded)
    return bool(high > WIDE * low and (low > 0.0 or step > 0.0))


def step_of(values: np.ndarray) -> float:
    """The largest step of which all values (N,), NaN missing, are multiples up to a shift, or 0."""
    distinct = np.unique(values[~np.isnan(values)])
    if distinct.size < 2 or np.abs(distinct).max() > 1e9:
        return 0.0
    for decimals in range(MOST_DECIMALS + 1):
        scaled = distinct * 10.0**decimals
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() < NEAR * max(1.0, np.abs(whole).max() * 1e-6):
            gaps = np.diff(whole).astype(np.int64)
            return float(np.gcd.reduce(gaps)) / 10.0**decimals
    return 0.0


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
    #: Of every reading its column's name, and which of its candidates it is.
    readings: tuple[tuple[str, int], ...] = ()
    #: What every one of the D columns costs by itself, under its best likelihood, (D,).
    alone: np.ndarray = field(default_factory=lambda: np.empty(0))
    pooled: dict[Set, Pooled] = field(default_factory=dict)
    _costs: dict[Set, float] = field(default_factory=dict, init=False)

    def set_of(self, picks: Mapping[str, int], columns: Iterable[str]) -> Set:
        """The readings of columns, as a model has them."""
        return tuple(sorted(self.readings.index((name, picks[name])) for name in columns))

    @cached_property
    def priors(self) -> PooledPriors:
        """Of any sets of the readings."""
        return PooledPriors(self.moments, self.steps)

    def __call__(self, readings: Set) -> float:
        """What a set adds to E as a block, in nats."""
        if readings not in self._costs:
            cells = self.jacobian[[*readings]].sum() - self.prior(readings).log_marginal
            self._costs[readings] = self.price(readings) + cells
        return self._costs[readings]

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
        self.find_priors([readings])
        return self.pooled[readings]

    def fitted(self, readings: Set) -> Fitted:
        """A set as one unit."""
        family = FAMILIES["gaussian" if len(readings) > 1 else "normal"]
        paid = self.price(readings)
        prior = family.of_pooled(self.prior(readings))
        return Fitted(prior, self(readings) - paid, paid)

    def find_priors(self, sets: Iterable[Set]) -> None:
        """Find the best pooled priors of sets at once, which takes far less than one by one."""
        unknown = sorted({readings for readings in sets if readings not in self.pooled}, key=len)
        for _, group in groupby(unknown, key=len):
            same_size = list(group)
            self.pooled |= zip(same_size, self.priors.best(np.array(same_size)), strict=True)

    def cheapest(self, sets: Iterable[Set]) -> Set:
        """The set that costs least."""
        sets = list(sets)
        self.find_priors(sets)
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

    def best_singles(self) -> list[Set]:
        """Of every column, the reading that costs least by itself."""
        singles = [(r,) for r in range(self.column.size)]
        order = np.lexsort(([*map(self, singles)], self.column))
        first = np.unique(self.column[order], return_index=True)[1]
        return [singles[r] for r in order[first]]


def block_name(columns: Sequence[str]) -> str:
    """Name of a block of columns."""
    return " + ".join(columns)


def best_sets(costs: SetCosts, start: Iterable[Set] = ()) -> tuple[Set, ...]:
    """Sets of two readings and more that no join, reading or removal betters, from ``start`` on."""
    sets, links, singles = list(start), costs.links(), costs.best_singles()
    before = np.inf
    while costs.total(sets) < before - LEAST_GAIN:
        before = costs.total(sets)
        inside = {costs.column[r] for readings in sets for r in readings}
        alone = [one for one in singles if costs.column[one[0]] not in inside]
        joined = [s for s in _joined(costs, [*sets, *alone], links) if len(s) > 1]
        sets = [_pruned(costs, _best_read(costs, readings)) for readings in joined]
        sets = [s for s in sets if len(s) > 1]
    return tuple(sets)


def _joined(costs: SetCosts, sets: Sequence[Set], links: np.ndarray) -> list[Set]:
    """Sets joined in turn, the pair that lowers E most first."""
    current, added = list(sets), {}  # what joining a pair adds to E
    pairs = [pair for i, a in enumerate(sets) for pair in _pairs(a, sets[:i], links)]
    while True:
        costs.find_priors(_union(a, b) for a, b in pairs)
        added |= {(a, b): costs(_union(a, b)) - costs.part(a) - costs.part(b) for a, b in pairs}
        best = min(added, key=added.__getitem__, default=())
        if not best or added[best] >= -LEAST_GAIN:
            return current
        current = [readings for readings in current if readings not in best]
        added = {pair: cost for pair, cost in added.items() if not {*pair} & {*best}}
        pairs = _pairs(_union(*best), current, links)
        current.append(_union(*best))


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
    masks = (inside & (costs.transform == code) for code in np.unique(costs.transform))
    whole = [tuple(np.flatnonzero(mask).tolist()) for mask in masks if mask.sum() == len(readings)]
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


def _pruned(costs: SetCosts, readings: Set) -> Set:
    """Without the columns that cost less alone, taken out one by one."""
    while len(readings) > 1:
        remaining = {r: tuple(x for x in readings if x != r) for r in readings}
        costs.find_priors(remaining.values())
        split = {r: costs.part((r,)) + costs.part(rest) for r, rest in remaining.items()}
        r = min(split, key=split.__getitem__)
        if split[r] >= costs(readings) - LEAST_GAIN:
            return readings
        readings = remaining[r]
    return readings
