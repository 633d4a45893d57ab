"""A model of a table: what every column is, which vary together, and the priors; and its E."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ...engine.packed import PackedTable, default_priors
from ...engine.partition import Partition
from ...families import FAMILIES, Prior
from ...families.prior import best_prior
from ...families.sufficient import Rows
from ...schema.chosen import Chosen
from ...schema.encoded import Encoded
from ...schema.schema import Schema
from ...schema.spec import ColumnSpec
from ..priors import EMPIRICAL_SCALE, SCALES
from .candidates import (
    TRIED,
    Candidate,
    Fitted,
    SetCosts,
    best_sets,
    block_name,
    candidates_of,
    price,
)


@dataclass(frozen=True)
class Dataset:
    """A table with the candidates of its columns."""

    schema: Schema
    encoded: Encoded
    #: By column whose likelihood may change; as the schema says first.
    candidates: Mapping[str, tuple[Candidate, ...]]
    #: Normal candidates, which can stand in a block, apart by where cells are missing.
    joinable: tuple[tuple[tuple[str, int], ...], ...]
    #: Priors tried beside those fitted to the groups, lest one ill-fitting column hold back others.
    usual: Mapping[str, Prior] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pd.DataFrame, schema: Schema, weights: np.ndarray | None = None) -> Self:
        """Encode a frame, and every candidate of its columns."""
        schema = schema.completed(frame)
        encoded, joinable = schema.encode(frame), defaultdict(list)
        if weights is not None:
            encoded = replace(encoded, weights=weights)
        weight = 1.0 if encoded.weights is None else encoded.weights
        candidates = candidates_of(frame, schema, weight)
        for name, of_column in candidates.items():
            for at, candidate in enumerate(of_column):
                if candidate.is_normal:
                    joinable[np.isnan(candidate.values).tobytes()].append((name, at))
        return cls(schema, encoded, candidates, tuple(map(tuple, joinable.values())))

    def rows(self, which: np.ndarray) -> Self:
        """Some of the rows."""
        some = {name: tuple(c.rows(which) for c in all_) for name, all_ in self.candidates.items()}
        return replace(self, encoded=self.encoded.rows(which), candidates=some)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.encoded.values)

    @cached_property
    def weight(self) -> np.ndarray:
        """How often each row counts, (N,)."""
        weights = self.encoded.weights
        return np.ones(self.n_rows) if weights is None else weights

    def price(self, numbers: int) -> float:
        """-ln p of numbers taken from the data."""
        return price(self.weight.sum(), numbers)

    def given(self, labels: np.ndarray) -> tuple[dict[str, list[Fitted]], list[SetCosts]]:
        """Every candidate of every column given the groups, and what sets of them cost as blocks.

        Sets are of readings that lack the same rows, apart by these.
        """
        joinable, found = [self._set_costs(labels, readings) for readings in self.joinable], {}
        normal = {
            reading: costs.fitted((r,))
            for costs in joinable
            for r, reading in enumerate(costs.readings)
        }
        for name, candidates in self.candidates.items():
            found[name] = [
                normal.get((name, at)) or candidate.given(labels)
                for at, candidate in enumerate(candidates)
            ]
            if name in self.usual:
                usual = candidates[0].given(labels, self.usual[name])
                found[name][0] = min(found[name][0], usual, key=lambda fit: fit.cost)
        for costs in joinable:
            costs.alone = np.array([min(f.cost for f in found[n]) for n in dict(costs.readings)])
        return found, [costs for costs in joinable if costs.alone.size > 1]

    def _set_costs(self, labels: np.ndarray, readings: Sequence[tuple[str, int]]) -> SetCosts:
        """What sets of readings cost, found one by one, without what columns cost alone."""
        names = [*dict(readings)]
        picks = [self.candidates[name][at] for name, at in readings]
        values = np.column_stack([pick.values for pick in picks])
        costs = SetCosts(
            Rows.of(values, labels, int(labels.max()) + 1, self.weight).moments(),
            np.array([pick.step for pick in picks]),
            self.weight.sum(),
            np.array([names.index(name) for name, _ in readings]),
            np.array([TRIED.index(pick.spec.transform) for pick in picks]),
            np.array([pick.total_jacobian for pick in picks]),
            np.array([pick.departs for pick in picks]),
            tuple(readings),
        )
        costs.find_priors((r,) for r in range(len(picks)))
        return costs


@dataclass(frozen=True)
class Model:
    """The candidates chosen for all columns, their blocks and priors."""

    data: Dataset
    #: By column, the index of the chosen candidate.
    picks: Mapping[str, int]
    blocks: tuple[tuple[str, ...], ...]
    #: By unit.
    priors: Mapping[str, Prior]
    #: -ln p of all that the priors take from the data.
    price: float

    def pick(self, name: str) -> Candidate:
        """The candidate chosen for a column."""
        return self.data.candidates[name][self.picks[name]]

    @property
    def schema(self) -> Schema:
        """Its likelihoods, transforms and blocks, without its priors."""
        given = self.data.schema
        specs = (self.pick(n).spec if self.picks.get(n) else spec for n, spec in given.items())
        schema = Schema(specs, given.blocks.values(), given.questions)
        for columns in self.blocks:
            schema = schema.with_block(block_name(columns), columns, "gaussian")
        return schema

    @cached_property
    def packed(self) -> PackedTable:
        """The table packed for the engine."""
        given, units = self.data.encoded, self.schema.units
        cells = {unit.name: given.unit_values(u) for u, unit in enumerate(given.units)}
        cells |= {name: self.pick(name).values for name in self.picks}
        for names in self.blocks:
            cells[block_name(names)] = np.column_stack([cells[name] for name in names])
        values = np.ascontiguousarray(np.column_stack([cells[unit.name] for unit in units]))
        priors = [self.priors[unit.name] for unit in units]
        return PackedTable.pack(Encoded(values, units, given.weights), priors)

    def objective(self, partition: Partition) -> float:
        """E of a partition and this model, in nats and the data's units."""
        jacobian = sum(self.pick(name).total_jacobian for name in self.picks)
        return partition.objective() + self.price + jacobian


def suggested(data: Dataset, priors: Sequence[Prior] | None = None) -> Model:
    """The model of the schema as it is, under priors of its units; default ones without.

    Measurements are intervals here, too, so that its E compares with others'.
    """
    if priors is None:
        priors = default_priors(data.encoded, EMPIRICAL_SCALE)
    names = (unit.name for unit in data.encoded.units)
    by_unit = dict(zip(names, priors, strict=True))
    for name, candidates in data.candidates.items():
        if candidates[0].is_normal:
            by_unit[name] = replace(by_unit[name], step=candidates[0].step)
    paid = sum(data.price(prior.n_learned) for prior in priors)
    return Model(data, dict.fromkeys(data.candidates, 0), (), by_unit, paid)


def best_model(data: Dataset, labels: np.ndarray, before: Model) -> Model:
    """The model of lowest E given the groups; of blocks, a local optimum from what there was."""
    (fitted, joinable), blocks = data.given(labels), []
    picks = {name: int(np.argmin([f.cost for f in of])) for name, of in fitted.items()}
    units = {name: of[picks[name]] for name, of in fitted.items()}
    for u, unit in enumerate(data.encoded.units):
        if unit.name not in units:
            units[unit.name] = _unchanged(data, u, labels)
    for costs in joinable:
        inside = dict(costs.readings)
        old = [costs.set_of(before.picks, block) for block in before.blocks if block[0] in inside]
        starts = [[], old] if old else [[]]
        for readings in min((best_sets(costs, start) for start in starts), key=costs.total):
            chosen = dict(costs.readings[r] for r in readings)
            picks |= chosen
            blocks.append(tuple(chosen))
            for name in chosen:
                del units[name]
            units[block_name(blocks[-1])] = costs.fitted(readings)
    priors = {name: unit.prior for name, unit in units.items()}
    return Model(data, picks, tuple(blocks), priors, sum(unit.price for unit in units.values()))


def _unchanged(data: Dataset, u: int, labels: np.ndarray) -> Fitted:
    """A unit whose likelihood stays, at the prior scale of highest evidence given the groups."""
    unit, values = data.encoded.units[u], data.encoded.unit_values(u)
    family = FAMILIES[unit.family]
    scales = SCALES if family.is_real else SCALES[:1]
    tried = [family.default_prior(values, s, data.weight, **unit.options) for s in scales]
    prior, evidence = best_prior(tried, values, labels, data.weight)
    return Fitted(prior, -evidence, data.price(prior.n_learned))


def changes_of(model: Model, labels: np.ndarray) -> tuple[Chosen, ...]:
    """Changes from the schema as it was, the largest gain first.

    A gain is by how much higher E is with a column as suggested, in its block if it can join it,
    or with the columns of a block apart.
    """
    data, picks, found = model.data, model.picks, []
    fitted, joinable = data.given(labels)
    gains = {name: fitted[name][0].cost - fitted[name][at].cost for name, at in picks.items()}
    for block in model.blocks:
        costs = next(costs for costs in joinable if block[0] in dict(costs.readings))
        readings = costs.set_of(picks, block)
        found.append(Chosen(block, gain=float(costs.apart(readings) - costs(readings))))
        for name in block:
            if (name, 0) in costs.readings:
                otherwise = costs(costs.set_of({**picks, name: 0}, block))
            else:
                rest = costs.set_of(picks, {*block} - {name})
                otherwise = fitted[name][0].cost + costs.part(rest)
            gains[name] = otherwise - costs(readings)
    for name, at in picks.items():
        if at:
            first, now = data.candidates[name][0].spec, model.pick(name).spec
            change, before = _difference(first, now), _difference(now, first)
            found.append(Chosen((name,), change, float(gains[name]), before))
    return tuple(sorted(found, key=lambda change: -change.gain))


def _difference(before: ColumnSpec, after: ColumnSpec) -> Mapping[str, Any]:
    """Options that differ ``after``, as for ``Schema.with_column``."""
    names = [option.name for option in fields(after) if option.compare]
    return {n: getattr(after, n) for n in names if getattr(after, n) != getattr(before, n)}
