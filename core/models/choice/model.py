"""A model of a table: what every column is, which vary together, and the priors; and its E."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...engine.columns import Columns, default_priors
from ...engine.partition import Partition
from ...families import FAMILIES, GaussianPrior, Prior
from ...families.prior import total_weight
from ...families.sufficient import Rows
from ...schema.chosen import Chosen
from ...schema.encoded import Encoded
from ...schema.schema import Schema
from ...schema.spec import ColumnSpec
from ..estimator import counting_rows
from ..priors import EMPIRICAL_SCALE, SCALES
from .blocks import Panel, Set, SetCosts, best_sets, block_name
from .candidates import TRIED, Candidate, candidates_of, price


class Fitted(NamedTuple):
    """A unit's prior given groups; -ln p of its cells, and of what the prior takes from these."""

    prior: Prior
    cells: float
    price: float

    @property
    def cost(self) -> float:
        """What the unit adds to E."""
        return self.cells + self.price


@dataclass(frozen=True)
class Ground:
    """A table with all that its columns may be."""

    schema: Schema
    encoded: Encoded
    #: By column whose likelihood may change; as the schema says first.
    candidates: Mapping[str, tuple[Candidate, ...]]
    #: Priors beside those shaped by the groups, lest one column that none suits keep others back.
    usual: Mapping[str, Prior] = field(default_factory=dict)
    #: Columns that can stand in a block, and as which candidates, apart by where cells are missing.
    panels: tuple[Panel, ...] = ()

    @classmethod
    def of(cls, frame: pd.DataFrame, schema: Schema, weights: np.ndarray | None = None) -> Ground:
        """Everything as numbers, once."""
        schema = schema.completed(frame)
        encoded = schema.encode(frame)
        if weights is not None:
            encoded = replace(encoded, weights=weights)
        ground = cls(schema, encoded, {})
        candidates = candidates_of(frame, schema, ground.weight)
        return replace(ground, candidates=candidates, panels=_panels(candidates))

    def rows(self, which: np.ndarray) -> Ground:
        """Some of the rows."""
        some = {name: tuple(c.rows(which) for c in all_) for name, all_ in self.candidates.items()}
        return replace(self, encoded=self.encoded.rows(which), candidates=some)

    def counting(self) -> Ground:
        """The rows that count at all; the others have no say."""
        return self.rows(counting_rows(self.weights)) if self.encoded.has_silent_rows else self

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
        found = {
            name: [Fitted(*candidate.given(labels)) for candidate in candidates]
            for name, candidates in self.candidates.items()
        }
        for name in found.keys() & self.usual.keys():
            usual = Fitted(*self.candidates[name][0].under(self.usual[name], labels))
            found[name][0] = min(found[name][0], usual, key=lambda fit: fit.cost)
        return found


def _panels(candidates: Mapping[str, Sequence[Candidate]]) -> tuple[Panel, ...]:
    found: dict[bytes, list[tuple[str, int]]] = {}
    for name, of_column in candidates.items():
        for at, candidate in enumerate(of_column):
            if candidate.is_normal:
                missing = np.packbits(np.isnan(candidate.values)).tobytes()
                found.setdefault(missing, []).append((name, at))
    return tuple(tuple(panel) for panel in found.values() if len(dict(panel)) > 1)


@dataclass(frozen=True)
class Model:
    """What every column is, and under which priors."""

    ground: Ground
    #: By column, which of its candidates it is.
    picks: Mapping[str, int]
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
    def reading(self) -> tuple:
        """All of it but the numbers of its priors."""
        return tuple(self.picks.items()), self.blocks

    @property
    def schema(self) -> Schema:
        """Its likelihoods, transforms and blocks, without its priors."""
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
        cells = {
            unit.name: np.atleast_2d(given.unit_values(u).T).T for u, unit in enumerate(given.units)
        }
        cells |= {name: self.pick(name).values[:, None] for name in self.picks}
        joined = {block_name(names): [cells[name] for name in names] for names in self.blocks}
        cells |= {name: np.hstack(parts) for name, parts in joined.items()}
        values = np.ascontiguousarray(np.hstack([cells[unit.name] for unit in units]))
        encoded = Encoded(values, units, given.weights)
        return Columns.pack(encoded, [self.priors[unit.name] for unit in units])

    def objective(self, partition: Partition) -> float:
        """E of a partition and this model, in nats and the data's units."""
        jacobian = sum(self.pick(name).total_jacobian for name in self.picks)
        return partition.objective() + self.price + jacobian


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
    """The model of lowest E given the groups; of blocks, a local optimum from what there was."""
    fitted = ground.fitted(labels)
    picks = {name: int(np.argmin([f.cost for f in of])) for name, of in fitted.items()}
    units = {name: of[picks[name]] for name, of in fitted.items()}
    for u, unit in enumerate(ground.encoded.units):
        if unit.name not in units:
            units[unit.name] = _unchanged(ground, u, labels)
    panels = set_costs(ground, labels, fitted)
    blocks = [block for costs in panels for block in _best_blocks(costs, before)]
    for chosen, joint in blocks:
        for name in chosen:
            del units[name]
        picks |= chosen
        units[block_name(tuple(chosen))] = joint
    priors = {name: unit.prior for name, unit in units.items()}
    paid = sum(unit.price for unit in units.values())
    return Model(ground, picks, tuple(tuple(chosen) for chosen, _ in blocks), priors, paid)


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


def set_costs(
    ground: Ground, labels: np.ndarray, fitted: Mapping[str, Sequence[Fitted]]
) -> list[SetCosts]:
    """Of every panel, what its readings cost in blocks, from every column fitted alone."""
    found = []
    for readings in ground.panels:
        names = [*dict(readings)]
        picks = [ground.candidates[name][at] for name, at in readings]
        departures = price(ground.n_counted, 1) * np.array([pick.departs for pick in picks])
        values = np.column_stack([pick.values for pick in picks])
        costs = SetCosts(
            Rows.of(values, labels, int(labels.max()) + 1, ground.weight).moments(),
            np.array([pick.step for pick in picks]),
            ground.n_counted,
            np.array([names.index(name) for name, _ in readings]),
            np.array([TRIED.index(pick.spec.transform) for pick in picks]),
            np.array([pick.total_jacobian for pick in picks]) + departures,
            np.array([min(fit.cost for fit in fitted[name]) for name in names]),
            readings,
            departures,
        )
        found.append(costs)
    return found


def _best_blocks(costs: SetCosts, before: Model) -> list[tuple[dict[str, int], Fitted]]:
    """Blocks of measurements: the candidate that each of their columns is, and their priors."""
    known = [costs.set_of(before.picks, block) for block in before.blocks if costs.holds(block)]
    starts: list[list[Set]] = [[], known] if known else [[]]
    best = min((best_sets(costs, start) for start in starts), key=costs.total)
    found = []
    for readings in best:
        paid = costs.price(readings) + float(costs.departures[[*readings]].sum())
        prior = GaussianPrior.of_pooled(costs.prior(readings))
        picks = dict(costs.readings[r] for r in readings)
        found.append((picks, Fitted(prior, costs(readings) - paid, paid)))
    return found


def changes_of(model: Model, labels: np.ndarray) -> tuple[Chosen, ...]:
    """What differs from the schema as it was, the largest gain first."""
    fitted = model.ground.fitted(labels)
    panels = set_costs(model.ground, labels, fitted) if model.blocks else ()
    costs_of = {block: next(c for c in panels if c.holds(block)) for block in model.blocks}
    found = []
    for name, at in model.picks.items():
        if at:
            suggested, candidates = fitted[name][0], model.ground.candidates[name]
            block = next((block for block in model.blocks if name in block), None)
            if block is None:
                gain = suggested.cost - fitted[name][at].cost
            else:
                gain = _gain_within(costs_of[block], model, name, block, suggested.cost)
            first, now = candidates[0].spec, candidates[at].spec
            change, before = _difference(first, now), _difference(now, first)
            found.append(Chosen((name,), change, float(gain), before))
    for block, costs in costs_of.items():
        readings = costs.set_of(model.picks, block)
        found.append(Chosen(block, gain=float(costs.apart(readings) - costs(readings))))
    return tuple(sorted(found, key=lambda change: -change.gain))


def _gain_within(
    costs: SetCosts, model: Model, name: str, block: Sequence[str], suggested: float
) -> float:
    """E of a block's column as suggested (alone where it can join no block) less its E read so."""
    now = costs(costs.set_of(model.picks, block))
    if (name, 0) in costs.readings:
        return costs(costs.set_of({**model.picks, name: 0}, block)) - now
    rest = costs.set_of(model.picks, [other for other in block if other != name])
    return suggested + costs.part(rest) - now


def _difference(before: ColumnSpec, after: ColumnSpec) -> Mapping[str, Any]:
    """What is otherwise after, as for ``Schema.with_column``."""
    names = [option.name for option in fields(after) if option.compare]
    return {n: getattr(after, n) for n in names if getattr(after, n) != getattr(before, n)}
