"""What a column may be: likelihoods and transforms whose E compares with that suggested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ...families import FAMILIES, Prior
from ...families.family import CATEGORY, COUNT, MEASUREMENT, RATING
from ...families.pooled import N_CELLS, best_pooled
from ...families.prior import Weight, total_weight
from ...families.sufficient import Rows
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
_NEAR = 1e-6


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
    #: How often each row counts: one number for all, or (N,).
    weight: Weight

    @property
    def is_normal(self) -> bool:
        """Whether it can join a block of full covariance."""
        return self.spec.family == "normal"

    def rows(self, which: np.ndarray) -> Candidate:
        """Some of the rows."""
        weight = self.weight[which] if isinstance(self.weight, np.ndarray) else self.weight
        values, jacobian = self.values[which], self.jacobian[which]
        return replace(self, values=values, jacobian=jacobian, weight=weight)

    @cached_property
    def total_jacobian(self) -> float:
        """What the transform adds to E."""
        return float(np.broadcast_to(self.weight, len(self.values)) @ self.jacobian)

    @cached_property
    def priors(self) -> list[Prior]:
        """The default prior at every strength; they do not depend on the groups."""
        family = FAMILIES[self.spec.family]
        default = family.default_prior(self.values, 1.0, self.weight, **self.unit.options)
        return [default.strengthened(factor) for factor in STRENGTHS]

    def given(self, labels: np.ndarray) -> tuple[Prior, float, float]:
        """Its prior given the groups, -ln p of its cells in the data's units, the prior's price."""
        n_clusters = int(labels.max()) + 1
        if self.is_normal:
            moments = Rows.of(self.values, labels, n_clusters, self.weight).moments()
            found = best_pooled(moments, np.array([self.step]))
            prior = FAMILIES[self.spec.family].Prior.of_pooled(found)
            evidence, cells = found.log_marginal, N_CELLS
        else:
            statistic = self.priors[0].statistic(self.values, labels, n_clusters, self.weight)
            evidences = [float(prior.log_marginal_of(statistic).sum()) for prior in self.priors]
            best, cells = int(np.argmax(evidences)), len(STRENGTHS)
            prior, evidence = self.priors[best], evidences[best]
        paid = price(total_weight(self.values, self.weight), prior.n_learned + self.departs, cells)
        return prior, self.total_jacobian - evidence, paid

    def under(self, prior: Prior, labels: np.ndarray) -> tuple[Prior, float, float]:
        """The same of a prior that was there before the groups: no cell of a grid is paid for."""
        statistic = prior.statistic(self.values, labels, int(labels.max()) + 1, self.weight)
        evidence = float(prior.log_marginal_of(statistic).sum())
        paid = price(total_weight(self.values, self.weight), prior.n_learned)
        return prior, self.total_jacobian - evidence, paid


def price(n_rows: float, numbers: int, cells: int = 1) -> float:
    """-ln p of numbers taken from the data, as BIC counts them, and of a cell of a grid."""
    return 0.5 * np.log(n_rows) * numbers + np.log(cells)


def candidates_of(
    frame: pd.DataFrame, schema: Schema, weight: Weight
) -> Mapping[str, tuple[Candidate, ...]]:
    """Candidates of columns outside blocks and without special outcomes, the suggested first."""
    in_block = {name for block in schema.blocks.values() for name in block.columns}
    found = {}
    for name in schema.names("cluster"):
        spec = schema[name]
        if name in in_block or spec.special:
            continue
        specs = [spec] if spec.reason.startswith(BY_HAND) else list(_specs(frame[name], spec))
        made = (_candidate(frame[name], other, spec, weight) for other in specs)
        found[name] = tuple(candidate for candidate in made if candidate is not None)
    return found


def _specs(column: pd.Series, spec: ColumnSpec) -> Iterator[ColumnSpec]:
    yield spec
    if spec.kind == MEASUREMENT and spec.reads("transform"):
        for transform in TRIED:
            if transform != spec.transform:
                yield spec.changed(transform=transform, reason=spec.reason)
    if spec.kind in (RATING, COUNT):
        for name, family in FAMILIES.items():
            if family.is_block or name == spec.family:
                continue
            is_count = family.kind == COUNT and (spec.kind == COUNT or spec.starts_at == 0)
            if name == "normal" and not any(isinstance(level, str) for level in spec.levels or ()):
                yield spec.changed(family=name, reason=spec.reason)
            if family.kind == CATEGORY or is_count:
                levels = {"levels": spec.levels} if family.kind == CATEGORY else {}
                yield spec.changed(family=name, reason=spec.reason, **levels)


def _candidate(
    column: pd.Series, spec: ColumnSpec, suggested: ColumnSpec, weight: Weight
) -> Candidate | None:
    try:
        spec = complete(column, spec)
        if spec.kind == CATEGORY and suggested.kind == COUNT and len(spec.levels) > MOST_VALUES:
            return None
        values = encode_column(column, spec)
        (unit,) = Schema([spec]).units
    except SchemaError:
        return None
    jacobian, step = np.zeros(len(values)), 0.0
    if spec.family == "normal":
        recorded = back(values, spec.transform)
        step = step_of(np.round(recorded, MOST_DECIMALS + 3))
        if suggested.kind in (RATING, COUNT):
            if np.unique(values[~np.isnan(values)]).size < LEAST_STEPS:
                return None
            jacobian -= np.log(step)  # an interval's probability, to compare with whole numbers'
        if spec != suggested and not _is_worth_trying(recorded, spec.transform, step):
            return None
        slopes = jacobian_of(values, spec.transform, step)
        squares = np.exp(-2.0 * slopes[~np.isnan(values)])
        jacobian = jacobian + slopes
        step *= float(np.sqrt(squares.mean())) if squares.size else 1.0
    jacobian = np.where(np.isnan(values), 0.0, jacobian)
    departs = spec != complete(column, suggested)
    return Candidate(spec, unit, values, jacobian, step, departs, weight)


def _is_worth_trying(recorded: np.ndarray, transform: str | None, step: float) -> bool:
    """Whether a column may be read so: roots of numbers that spread, and of 0 by its step alone."""
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
        if np.abs(scaled - whole).max() < _NEAR * max(1.0, np.abs(whole).max() * 1e-6):
            gaps = np.diff(whole).astype(np.int64)
            return float(np.gcd.reduce(gaps)) / 10.0**decimals
    return 0.0
