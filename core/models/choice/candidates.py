"""What a column may be: every likelihood and transform whose E compares with that suggested.

Compared are probabilities of whole numbers with each other, and densities of measurements after
their Jacobians; nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...families import FAMILIES, Prior
from ...families.family import CATEGORY, COUNT, MEASUREMENT, RATING
from ...families.pooled import N_CELLS, best_pooled
from ...families.sufficient import Rows
from ...schema.encode import complete, encode_column
from ...schema.encoded import Unit
from ...schema.schema import Schema
from ...schema.spec import BY_HAND, ColumnSpec, SchemaError

#: A count of more distinct values than this is no category.
MOST_VALUES = 12
#: Transforms of a measurement.
TRANSFORMS = (None, "log")


@dataclass(frozen=True)
class Candidate:
    """One likelihood of one column, and its cells as numbers."""

    spec: ColumnSpec
    unit: Unit
    #: float64, shape (N,).
    values: np.ndarray
    #: -ln |dx'/dx| of every row, (N,): what the transform adds to E; 0 where the cell is missing.
    jacobian: np.ndarray

    @property
    def is_normal(self) -> bool:
        """Whether it can join a block of full covariance."""
        return self.spec.family == "normal"

    def best_prior(
        self, labels: np.ndarray, n_clusters: int, weights: np.ndarray | None
    ) -> tuple[Prior, float, float]:
        """Its prior given the groups, -ln p of its cells under it, and the prior's price."""
        weight = 1.0 if weights is None else weights
        family = FAMILIES[self.spec.family]
        if self.is_normal:
            found = best_pooled(Rows.of(self.values, labels, n_clusters, weight).moments())
            prior, evidence = family.Prior.of_pooled(found), found.log_marginal
            numbers, cells = 2, N_CELLS
        else:
            prior = family.default_prior(self.values, 1.0, weight, **self.unit.options)
            statistic = prior.statistic(self.values, labels, n_clusters, weight)
            evidence = float(prior.log_marginal_of(statistic).sum())
            numbers, cells = prior.n_learned, 1
        return prior, -evidence, price(len(self.values), numbers, cells)


def price(n_rows: int, numbers: int, cells: int = 1) -> float:
    """-ln p of numbers taken from the data, as BIC counts them, and of a cell of a grid."""
    return 0.5 * np.log(n_rows) * numbers + np.log(cells)


def candidates_of(frame: pd.DataFrame, schema: Schema) -> Mapping[str, tuple[Candidate, ...]]:
    """Of every column that makes groups, the suggested likelihood first.

    One alone where a person chose it, where special outcomes stand beside the numbers, and within
    blocks. Columns in blocks are left out.
    """
    units = {unit.name: unit for unit in schema.units}
    in_block = {name for block in schema.blocks.values() for name in block.columns}
    found = {}
    for name in schema.names("cluster"):
        spec = schema[name]
        if name in in_block or spec.special:
            continue
        specs = [spec] if spec.reason.startswith(BY_HAND) else list(_specs(frame[name], spec))
        made = (_candidate(frame[name], spec, units[name]) for spec in specs)
        found[name] = tuple(candidate for candidate in made if candidate is not None)
    return found


def _specs(column: pd.Series, spec: ColumnSpec) -> Iterator[ColumnSpec]:
    """The suggested spec, and what else the column may be."""
    yield spec
    if spec.kind == MEASUREMENT and spec.reads("transform"):
        for transform in TRANSFORMS:
            if transform != spec.transform:
                yield spec.changed(transform=transform, reason=spec.reason)
    if spec.kind in (RATING, COUNT):
        for name, family in FAMILIES.items():
            if family.is_block or name == spec.family:
                continue
            is_count = family.kind == COUNT and spec.levels is None and not spec.offset
            if family.kind == CATEGORY or is_count:
                levels = {"levels": _levels(spec)} if family.kind == CATEGORY else {}
                yield spec.changed(family=name, reason=spec.reason, **levels)


def _levels(spec: ColumnSpec) -> tuple | None:
    """The steps of a rating; those of a count are found among its cells."""
    if spec.levels is not None:
        return spec.levels
    if spec.trials is not None:
        return tuple(spec.offset + step for step in range(spec.trials + 1))
    return None


def _candidate(column: pd.Series, spec: ColumnSpec, unit: Unit) -> Candidate | None:
    """The column as that likelihood reads it; None where it cannot."""
    try:
        spec = complete(column, spec)
        if spec.kind == CATEGORY and unit.kind == COUNT and len(spec.levels) > MOST_VALUES:
            return None
        values = encode_column(column, spec)
        (unit,) = Schema([spec]).units
    except SchemaError:
        return None
    logged = values if spec.transform == "log" else np.zeros(len(values))
    return Candidate(spec, replace(unit), values, np.nan_to_num(logged))
