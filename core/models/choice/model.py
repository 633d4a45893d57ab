"""A model of a table: what every column is, which vary together, and the priors; and its E."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...engine.columns import Columns, default_priors
from ...engine.partition import Partition
from ...families import FAMILIES, GaussianPrior, Prior
from ...families.sufficient import Rows
from ...schema.encoded import Encoded, Unit
from ...schema.schema import Schema
from .blocks import Set, SetCosts, best_sets
from .candidates import Candidate, candidates_of, price


@dataclass(frozen=True)
class Ground:
    """A table with all that its columns may be."""

    schema: Schema
    #: The table under the suggested schema.
    encoded: Encoded
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
        some = {
            name: tuple(
                replace(c, values=c.values[which], jacobian=c.jacobian[which]) for c in candidates
            )
            for name, candidates in self.candidates.items()
        }
        return replace(self, encoded=self.encoded.rows(which), candidates=some)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.encoded.values)

    @property
    def weights(self) -> np.ndarray | None:
        """How often each row counts."""
        return self.encoded.weights


@dataclass(frozen=True)
class Model:
    """What every column is, and under which priors.

    Units are named by their column, blocks by all of theirs.
    """

    ground: Ground
    picks: Mapping[str, Candidate]
    blocks: tuple[tuple[str, ...], ...]
    priors: Mapping[str, Prior]
    #: -ln p of the numbers that the priors take from the data, and the sum of -ln Jacobians.
    price: float
    jacobian: float

    @property
    def schema(self) -> Schema:
        """The schema of its likelihoods, transforms and blocks."""
        schema = self.ground.schema
        for name, pick in self.picks.items():
            if schema[name] != pick.spec:
                schema = schema._replacing(pick.spec)
        for columns in self.blocks:
            schema = schema.with_block(block_name(columns), columns, "gaussian")
        return schema

    @property
    def encoded(self) -> Encoded:
        """The table as numbers under it."""
        given = self.ground.encoded
        cells = {
            unit.name: given.values[:, start : start + len(unit.columns)]
            for unit, start in zip(given.units, given.starts, strict=True)
        }
        cells |= {name: pick.values[:, None] for name, pick in self.picks.items()}
        for columns in self.blocks:
            joined = [cells[name] for name in columns]
            cells[block_name(columns)] = np.hstack(joined)
        units = self.units
        values = np.ascontiguousarray(np.hstack([cells[unit.name] for unit in units]))
        return Encoded(values, units, given.weights)

    @property
    def units(self) -> tuple[Unit, ...]:
        """Columns and blocks, in the table's order."""
        return self.schema.units

    @property
    def columns(self) -> Columns:
        """The table packed for the engine."""
        encoded = self.encoded
        return Columns.pack(encoded, [self.priors[unit.name] for unit in encoded.units])

    def objective(self, partition: Partition) -> float:
        """E of a partition and this model, in nats and the data's units."""
        return partition.objective() + self.price + self.jacobian


def block_name(columns: Sequence[str]) -> str:
    """What a block of columns is called."""
    return " + ".join(columns)


def suggested(ground: Ground, scale: float, priors: Sequence[Prior] | None = None) -> Model:
    """The model of the suggested schema, its default priors at a prior scale."""
    encoded = ground.encoded
    priors = default_priors(encoded, scale) if priors is None else priors
    by_name = {unit.name: prior for unit, prior in zip(encoded.units, priors, strict=True)}
    picks = {name: candidates[0] for name, candidates in ground.candidates.items()}
    paid = sum(price(ground.n_rows, prior.n_learned) for prior in priors)
    return Model(ground, picks, (), by_name, paid, _jacobian(ground, picks))


def _jacobian(ground: Ground, picks: Mapping[str, Candidate]) -> float:
    weights = np.ones(ground.n_rows) if ground.weights is None else ground.weights
    return float(sum(weights @ pick.jacobian for pick in picks.values()))


def best_model(ground: Ground, labels: np.ndarray, before: Model) -> Model:
    """The model of lowest E given the groups, from what it was before.

    The likelihood of every column is exact given the groups; which columns vary together is a local
    optimum, from single columns and from the blocks there were.
    """
    n_clusters = int(labels.max()) + 1
    picks, priors, paid = {}, {}, 0.0
    costs = {}
    for name, candidates in ground.candidates.items():
        found = [c.best_prior(labels, n_clusters, ground.weights) for c in candidates]
        jacobians = [_jacobian(ground, {name: c}) for c in candidates]
        totals = [
            minus_log_p + prior_price + jacobian
            for (_, minus_log_p, prior_price), jacobian in zip(found, jacobians, strict=True)
        ]
        at = int(np.argmin(totals))
        picks[name], priors[name] = candidates[at], found[at][0]
        costs[name] = found[at][2]
    for u, unit in enumerate(ground.encoded.units):  # what is not to be chosen
        if unit.name not in picks:
            prior = _best_default(ground, u, labels, n_clusters)
            priors[unit.name], costs[unit.name] = prior, price(ground.n_rows, prior.n_learned)
    blocks = []
    for names in _joinable(picks):
        blocks += _best_blocks(ground, labels, n_clusters, picks, names, before, priors, costs)
    paid = sum(costs.values())
    return Model(ground, picks, tuple(blocks), priors, paid, _jacobian(ground, picks))


def _best_default(ground: Ground, u: int, labels: np.ndarray, n_clusters: int) -> Prior:
    """The default prior of a unit, at the prior scale of highest evidence given the groups."""
    unit, values = ground.encoded.units[u], ground.encoded.unit_values(u)
    weight = 1.0 if ground.weights is None else ground.weights
    family = FAMILIES[unit.family]
    scales = SCALES if family.is_real else (1.0,)
    priors = [family.default_prior(values, s, weight, **unit.options) for s in scales]
    return max(
        priors,
        key=lambda prior: prior.log_marginal_of(
            prior.statistic(values, labels, n_clusters, weight)
        ).sum(),
    )


#: Prior scales of units whose likelihood is not chosen.
SCALES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


def _joinable(picks: Mapping[str, Candidate]) -> list[list[str]]:
    """Sets of normal columns whose cells are missing together, which a block treats exactly."""
    by_holes: dict[bytes, list[str]] = {}
    for name, pick in picks.items():
        missing = np.isnan(pick.values)
        if pick.is_normal and not missing.any():
            by_holes.setdefault(missing.tobytes(), []).append(name)
    return [names for names in by_holes.values() if len(names) > 1]


def _best_blocks(
    ground: Ground,
    labels: np.ndarray,
    n_clusters: int,
    picks: Mapping[str, Candidate],
    names: list[str],
    before: Model,
    priors: dict[str, Prior],
    costs: dict[str, float],
) -> list[tuple[str, ...]]:
    """Blocks among some columns; their priors and prices take the place of the columns'."""
    values = np.column_stack([picks[name].values for name in names])
    weight = 1.0 if ground.weights is None else ground.weights
    moments = Rows.of(values, labels, n_clusters, weight).moments()
    set_costs = SetCosts(moments, ground.n_rows)
    place = {name: j for j, name in enumerate(names)}
    earlier = [tuple(place[c] for c in block if c in place) for block in before.blocks]
    tries = [best_sets(set_costs, len(names))]
    earlier = [columns for columns in earlier if len(columns) > 1]
    if earlier:
        tries.append(best_sets(set_costs, len(names), earlier))
    best = min(tries, key=lambda sets: _total(set_costs, sets, len(names)))
    found = []
    for columns in best:
        block = tuple(names[j] for j in columns)
        for name in block:
            del priors[name], costs[name]
        pooled = set_costs.prior(columns)
        priors[block_name(block)] = GaussianPrior.of_pooled(pooled)
        costs[block_name(block)] = set_costs(columns) + pooled.log_marginal
        found.append(block)
    return found


def _total(costs: SetCosts, sets: Sequence[Set], n_columns: int) -> float:
    inside = {column for columns in sets for column in columns}
    alone = [(column,) for column in range(n_columns) if column not in inside]
    return sum(map(costs, [*sets, *alone]))
