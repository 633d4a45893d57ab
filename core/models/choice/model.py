"""A model of a table: what every column is, which vary together, and the priors; and its E."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...engine.columns import Columns, default_priors
from ...engine.partition import Partition
from ...families import FAMILIES, GaussianPrior, Prior
from ...families.prior import total_weight
from ...families.sufficient import Rows
from ...schema.encoded import Encoded, Unit
from ...schema.schema import Schema
from ..priors import EMPIRICAL_SCALE, SCALES
from .blocks import SetCosts, best_sets, block_name
from .candidates import Candidate, candidates_of, price


class Fitted(NamedTuple):
    """A unit's prior given groups, and what it costs, in nats."""

    prior: Prior
    #: -ln p of the cells under it, in the data's units.
    cells: float
    #: -ln p of the numbers that the prior takes from the data.
    price: float

    @property
    def cost(self) -> float:
        """What the unit adds to E."""
        return self.cells + self.price


@dataclass(frozen=True)
class Ground:
    """A table with all that its columns may be."""

    schema: Schema
    #: The table under it.
    encoded: Encoded
    #: Of every column whose likelihood may change, what it may be; as the schema says first.
    candidates: Mapping[str, tuple[Candidate, ...]]

    @classmethod
    def of(cls, frame: pd.DataFrame, schema: Schema, weights: np.ndarray | None = None) -> Ground:
        """Everything as numbers, once."""
        schema = schema.completed(frame)
        encoded = schema.encode(frame)
        if weights is not None:
            encoded = replace(encoded, weights=weights)
        return cls(schema, encoded, candidates_of(frame, schema))

    def rows(self, which: np.ndarray) -> Ground:
        """Some of the rows."""
        some = {name: tuple(c.rows(which) for c in all_) for name, all_ in self.candidates.items()}
        return replace(self, encoded=self.encoded.rows(which), candidates=some)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.encoded.values)

    @property
    def n_counted(self) -> float:
        """How often they count together, by which numbers taken from the data are paid for."""
        return total_weight(self.encoded.values, self.weight)

    @property
    def weights(self) -> np.ndarray | None:
        """How often each row counts."""
        return self.encoded.weights

    @property
    def weight(self) -> float | np.ndarray:
        """The same, for priors."""
        return 1.0 if self.weights is None else self.weights

    def fitted(self, labels: np.ndarray) -> dict[str, list[Fitted]]:
        """Every candidate of every column given the groups."""
        return {
            name: [Fitted(*c.given(labels, self.weight)) for c in candidates]
            for name, candidates in self.candidates.items()
        }


@dataclass(frozen=True)
class Model:
    """What every column is, and under which priors."""

    ground: Ground
    #: Of every column whose likelihood may change, which of its candidates it is.
    picks: Mapping[str, int]
    #: Columns of every block.
    blocks: tuple[tuple[str, ...], ...]
    #: By unit.
    priors: Mapping[str, Prior]
    #: -ln p of all that the priors take from the data.
    price: float

    def pick(self, name: str) -> Candidate:
        """What a column is."""
        return self.ground.candidates[name][self.picks[name]]

    def on(self, ground: Ground) -> Model:
        """The same model of other rows of the table."""
        return replace(self, ground=ground)

    @property
    def schema(self) -> Schema:
        """Its likelihoods, transforms and blocks."""
        given = self.ground.schema
        specs = (self.pick(n).spec if self.picks.get(n) else spec for n, spec in given.items())
        schema = Schema(specs, given.blocks.values(), given.questions)
        for columns in self.blocks:
            schema = schema.with_block(block_name(columns), columns, "gaussian")
        return schema

    @property
    def columns(self) -> Columns:
        """The table packed for the engine."""
        given, units = self.ground.encoded, self.schema.units
        cells = {unit.name: given.values[:, [*_places(given, u)]] for u, unit in _units(given)}
        cells |= {name: self.pick(name).values[:, None] for name in self.picks}
        joined = {block_name(names): [cells[name] for name in names] for names in self.blocks}
        cells |= {name: np.hstack(parts) for name, parts in joined.items()}
        values = np.ascontiguousarray(np.hstack([cells[unit.name] for unit in units]))
        encoded = Encoded(values, units, given.weights)
        return Columns.pack(encoded, [self.priors[unit.name] for unit in units])

    def objective(self, partition: Partition) -> float:
        """E of a partition and this model, in nats and the data's units."""
        weight = np.broadcast_to(self.ground.weight, self.ground.n_rows)
        jacobian = sum(float(weight @ self.pick(name).jacobian) for name in self.picks)
        return partition.objective() + self.price + jacobian


def _units(encoded: Encoded) -> Iterator[tuple[int, Unit]]:
    return enumerate(encoded.units)


def _places(encoded: Encoded, u: int) -> range:
    """Columns of ``values`` that a unit covers."""
    return range(encoded.starts[u], encoded.starts[u] + len(encoded.units[u].columns))


def suggested(ground: Ground, priors: Sequence[Prior] | None = None) -> Model:
    """The model of the schema as it is, under priors of its units; default ones without.

    Measurements are intervals here, too, so that its E compares with others'.
    """
    units = ground.encoded.units
    if priors is None:
        priors = default_priors(ground.encoded, EMPIRICAL_SCALE)
    by_unit = dict(zip((unit.name for unit in units), priors, strict=True))
    for name, candidates in ground.candidates.items():
        if candidates[0].is_normal:
            by_unit[name] = replace(by_unit[name], step=candidates[0].step)
    paid = sum(price(ground.n_counted, prior.n_learned) for prior in priors)
    return Model(ground, dict.fromkeys(ground.candidates, 0), (), by_unit, paid)


def best_model(ground: Ground, labels: np.ndarray, before: Model) -> Model:
    """The model of lowest E given the groups, from what it was before.

    The likelihood of every column is exact given the groups; which columns vary together is a local
    optimum, from single columns and from the blocks there were.
    """
    fitted = ground.fitted(labels)
    picks = {name: int(np.argmin([f.cost for f in of])) for name, of in fitted.items()}
    units = {name: of[picks[name]] for name, of in fitted.items()}
    for u, unit in _units(ground.encoded):
        if unit.name not in units:
            units[unit.name] = _unchanged(ground, u, labels)
    model = Model(ground, picks, (), {}, 0.0)
    blocks = _best_blocks(model, labels, before.blocks)
    for columns, joint in blocks.items():
        for name in columns:
            del units[name]
        units[block_name(columns)] = joint
    priors = {name: unit.prior for name, unit in units.items()}
    paid = sum(unit.price for unit in units.values())
    return replace(model, blocks=tuple(blocks), priors=priors, price=paid)


def _unchanged(ground: Ground, u: int, labels: np.ndarray) -> Fitted:
    """A unit whose likelihood stays, at the prior scale of highest evidence given the groups."""
    unit, values = ground.encoded.units[u], ground.encoded.unit_values(u)
    family, n_clusters = FAMILIES[unit.family], int(labels.max()) + 1
    found = []
    for scale in SCALES if family.is_real else SCALES[:1]:
        prior = family.default_prior(values, scale, ground.weight, **unit.options)
        statistic = prior.statistic(values, labels, n_clusters, ground.weight)
        cells = -float(prior.log_marginal_of(statistic).sum())
        found.append(Fitted(prior, cells, price(ground.n_counted, prior.n_learned)))
    return min(found, key=lambda fit: fit.cost)


def joinable(model: Model) -> list[str]:
    """Columns that may vary together: normal ones without a missing cell."""
    picks = {name: model.pick(name) for name in model.picks}
    return [n for n, pick in picks.items() if pick.is_normal and not np.isnan(pick.values).any()]


def set_costs(model: Model, labels: np.ndarray, names: Sequence[str]) -> SetCosts:
    """What sets of those of some columns cost, given the groups."""
    picks = [model.pick(name) for name in names]
    values = np.column_stack([pick.values for pick in picks])
    rows = Rows.of(values, labels, int(labels.max()) + 1, model.ground.weight)
    steps = np.array([pick.step for pick in picks])
    return SetCosts(rows.moments(), steps, model.ground.n_counted)


def _best_blocks(
    model: Model, labels: np.ndarray, before: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], Fitted]:
    """Blocks of measurements, each with its prior."""
    names = joinable(model)
    if len(names) < 2:
        return {}
    costs = set_costs(model, labels, names)
    place = {name: j for j, name in enumerate(names)}
    earlier = [tuple(sorted(place[c] for c in block if c in place)) for block in before]
    starts = [(), [columns for columns in earlier if len(columns) > 1]]
    tries = [best_sets(costs, start) for start in (starts if starts[1] else starts[:1])]
    found = {}
    for columns in min(tries, key=costs.total):
        if len(columns) > 1:
            pooled, paid = costs.prior(columns), costs.price(columns)
            joint = Fitted(GaussianPrior.of_pooled(pooled), -pooled.log_marginal, paid)
            found[tuple(names[j] for j in columns)] = joint
    return found
