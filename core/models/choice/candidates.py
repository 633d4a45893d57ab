"""What a column may be: likelihoods and transforms whose E compares with that suggested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...families import FAMILIES, Prior
from ...families.family import CATEGORY, COUNT, MEASUREMENT, RATING
from ...families.pooled import N_CELLS, best_pooled
from ...families.prior import Weight
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
NEAR = 1e-6


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

    def rows(self, which: np.ndarray) -> Candidate:
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
        """Its best prior given the groups, or, for no cell of a grid, one from before them."""
        n_clusters = int(labels.max()) + 1
        if self.is_normal and usual is None:
            moments = Rows.of(self.values, labels, n_clusters, self.weight).moments()
            found, n_tried = best_pooled(moments, np.array([self.step])), N_CELLS
            prior, evidence = FAMILIES["normal"].Prior.of_pooled(found), found.log_marginal
        else:
            tried = self.priors if usual is None else [usual]
            statistic = tried[0].statistic(self.values, labels, n_clusters, self.weight)
            evidences = [float(prior.log_marginal_of(statistic).sum()) for prior in tried]
            n_tried, best = len(tried), int(np.argmax(evidences))
            prior, evidence = tried[best], evidences[best]
        paid = price(self.weight.sum(), prior.n_learned + self.departs, n_tried)
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
    """What a column may be, as it is first."""
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
        if np.abs(scaled - whole).max() < NEAR * max(1.0, np.abs(whole).max() * 1e-6):
            gaps = np.diff(whole).astype(np.int64)
            return float(np.gcd.reduce(gaps)) / 10.0**decimals
    return 0.0
