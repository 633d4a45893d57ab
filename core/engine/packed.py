"""A table packed for the compiled engine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..families import FAMILIES
from ..families.family import MEASUREMENT
from ..families.prior import Prior, mean_and_variance
from ..schema.encoded import Encoded, Unit
from .calls import CODES, KERNELS, N_COLUMN_KERNELS, kernel_addresses, step_addresses
from .rows import Table

#: The largest number whose squares can still be added up.
LARGEST = 1e140


def check_sizes(values: np.ndarray) -> None:
    """Raise a ValueError for numbers whose squares overflow when added up."""
    cells = values.ravel()
    if cells.size and max(np.fmax.reduce(cells), -np.fmin.reduce(cells)) > LARGEST:
        raise ValueError("Some numbers are too large to be squared: scale their columns down.")


def default_priors(encoded: Encoded, scale: float) -> tuple[Prior, ...]:
    """Each unit's own prior, else a weak empirical-Bayes one at a scale."""
    weight = 1.0 if encoded.weights is None else encoded.weights

    def default(u: int, unit: Unit) -> Prior:
        values = encoded.unit_values(u)
        return FAMILIES[unit.family].default_prior(values, scale, weight, **unit.options)

    return tuple(
        default(u, unit) if unit.prior is None else unit.prior
        for u, unit in enumerate(encoded.units)
    )


@dataclass(frozen=True)
class PackedTable:
    """A table under its priors, packed for the engine; objectives are in the user's units."""

    encoded: Encoded
    #: One for each unit, in the user's units.
    priors: tuple[Prior, ...]
    #: float64, shape (M,). Engine value = (value - center) / scale.
    center: np.ndarray
    scale: np.ndarray
    table: Table
    n_state_rows: int

    @classmethod
    def pack(
        cls,
        encoded: Encoded,
        priors: Sequence[Prior],
        power: float = 1.0,
        rescaling: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Self:
        """Pack a table; a ValueError for a prior of another family.

        ``power`` is the likelihood's, ``rescaling`` centre and scale of every column if known.
        """
        center, scale = rescaling or _centers_and_scales(encoded)
        units, prior, n_rows = _pack_units(encoded, priors, center, scale)
        values, incomplete, missing = _rescaled(encoded, center, scale)
        table = Table(
            *(values, units, kernel_addresses(units), step_addresses(), prior, incomplete, missing),
            _weights(encoded),
            float(power),
        )
        return cls(encoded, tuple(priors), center, scale, table, n_rows)

    def with_priors(self, priors: Sequence[Prior]) -> Self:
        """The same table under other priors; the values are shared."""
        units, prior, n_rows = _pack_units(self.encoded, priors, self.center, self.scale)
        table = self.table._replace(units=units, calls=kernel_addresses(units), prior=prior)
        return replace(self, priors=tuple(priors), table=table, n_state_rows=n_rows)

    def with_power(self, power: float) -> Self:
        """The same table, its likelihood taken to another power."""
        return replace(self, table=self.table._replace(power=float(power)))

    def with_rows(self, encoded: Encoded) -> Self:
        """The same columns of other rows; a ValueError where squared distances would overflow."""
        values, incomplete, missing = _rescaled(encoded, self.center, self.scale)
        check_sizes(values)
        return self._with_rows(encoded, values, incomplete, missing)

    def subset(self, rows: np.ndarray) -> Self:
        """Some of the rows, under the same priors and scales."""
        table = self.table
        missing = table.missing[rows] if len(table.missing) else table.missing
        values, incomplete = table.values[rows], table.incomplete[rows]
        return self._with_rows(self.encoded.rows(rows), values, incomplete, missing)

    def _with_rows(
        self, encoded: Encoded, values: np.ndarray, incomplete: np.ndarray, missing: np.ndarray
    ) -> Self:
        table = self.table._replace(
            values=values, incomplete=incomplete, missing=missing, weights=_weights(encoded)
        )
        return replace(self, encoded=encoded, table=table)

    def with_drawn_cells(self, random: np.random.Generator) -> Self:
        """The same table with missing measurements drawn, as a start for the engine to refill.

        Draws from the prior predictive (R16 Appendix F, step 1), within the column's observed
        range. Counts and categories stay missing.
        """
        # Numbers of a two-part column are left out: its outcome decides about them.
        missing = np.isnan(self.encoded.values) & ~self.encoded.is_absent
        drawn = self.encoded.values.copy()
        for u, (unit, prior) in enumerate(zip(self.encoded.units, self.priors, strict=True)):
            columns = self.columns_of(range(u, u + 1))
            missing[:, columns] &= FAMILIES[unit.family].kind == MEASUREMENT
            for d, column in enumerate(drawn[:, columns].T):
                rows = np.flatnonzero(missing[:, columns.start + d])
                cells, seen = prior.draw(rows.size, random), column[~np.isnan(column)]
                cells = cells if cells.ndim == 1 else cells[:, d]
                column[rows] = np.clip(cells, seen.min(), seen.max()) if seen.size else cells
        values = _rescaled(replace(self.encoded, values=drawn), self.center, self.scale)[0]
        return self._with_rows(self.encoded, values, missing.any(axis=1), missing)

    def with_fixed_cells(self) -> Self:
        """The same table with its filled cells held fixed."""
        incomplete = np.zeros_like(self.table.incomplete)
        return replace(self, table=self.table._replace(incomplete=incomplete))

    def in_user_units(self, table: Table) -> np.ndarray:
        """Cells of a partition's table, filled ones included, in the user's units."""
        return table.values * self.scale + self.center

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.table.values.shape[0]

    @property
    def total_weight(self) -> float:
        """Sum of the rows' weights; without weights, their number."""
        return self.n_rows if self.encoded.weights is None else float(self.encoded.weights.sum())

    @property
    def is_unweighted(self) -> bool:
        """Whether every row has weight 1 and the likelihood power 1."""
        return self.table.power == 1.0 and self.encoded.weights is None

    def columns_of(self, units: range) -> slice:
        """Columns of ``values`` that a range of units covers."""
        starts = (*self.encoded.starts, self.scale.size)
        return slice(starts[units.start], starts[units.stop])

    def engine_units_of(self, units: range) -> np.ndarray:
        """Indices of the engine's units of some units: a spherical block has one a coordinate."""
        first, columns = self.table.units[:, 1], self.columns_of(units)
        return np.flatnonzero((first >= columns.start) & (first < columns.stop))

    @cached_property
    def statistic_rows(self) -> np.ndarray:
        """Rows of the state matrix that hold sufficient statistics, unit by unit."""
        return np.concatenate([self.statistic_rows_of(u) for u in range(len(self.priors))])

    def statistic_rows_of(self, u: int) -> np.ndarray:
        """The same of unit u."""
        units = self.table.units[self.engine_units_of(range(u, u + 1))]
        return np.concatenate(
            [row + np.array(KERNELS[code].statistics(n)) for code, _, n, row, _ in units]
        )

    def constants(self, units: range, values: np.ndarray) -> np.ndarray:
        """Part of ln p of rows, (n,), in nats, that depends on no cluster.

        The Jacobian of rescaling is in it. ``values`` has shape (n, M), NaN where a cell does not
        count; ``units`` are neighbouring ones.
        """
        total, starts = np.zeros(len(values)), self.encoded.starts
        for u in units:
            of_cells = self.priors[u].log_base_measure(values[:, starts[u]])
            total += np.nan_to_num(of_cells, nan=0.0) if np.ndim(of_cells) else of_cells
        columns = self.columns_of(units)
        for j in columns.start + np.flatnonzero(self.scale[columns] != 1.0):
            total[~np.isnan(values[:, j])] -= np.log(self.scale[j])
        return total

    @cached_property
    def has_base_measures(self) -> bool:
        """Whether ln h(x) of amounts differs from cell to cell, of those that are filled, too."""
        amounts = (prior for prior in self.priors if prior.is_real and not prior.is_block)
        return any(np.ndim(prior.log_base_measure(np.ones(1))) for prior in amounts)

    @cached_property
    def log_constant(self) -> float:
        """``constants`` of the whole table, weighted; filled cells of blocks count as observed."""
        of_rows = self.constants(range(len(self.priors)), self.table.values)
        weights = self.encoded.weights
        total = of_rows.sum() if weights is None else weights @ of_rows
        return float(self.table.power * total)


def _weights(encoded: Encoded) -> np.ndarray:
    if encoded.weights is None:
        return np.empty(0)
    return np.require(encoded.weights, np.float64, ["C", "W"])


def _centers_and_scales(encoded: Encoded) -> tuple[np.ndarray, np.ndarray]:
    """Centre and scale of every column; 0 and 1 where the engine counts the user's numbers.

    A column's own numbers serve where arithmetic on them loses at most three digits of sixteen.
    """
    n_columns = encoded.values.shape[1]
    center, scale = np.zeros(n_columns), np.ones(n_columns)
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        for j in range(start, start + len(unit.columns)) if FAMILIES[unit.family].is_real else ():
            mean, variance = mean_and_variance(encoded.values[:, j])
            deviation = np.sqrt(variance)
            keeps_digits = abs(mean) <= 1e3 * deviation and 1e-9 <= deviation <= 1e9
            if CODES[unit.family] >= N_COLUMN_KERNELS or not keeps_digits:
                center[j], scale[j] = mean, deviation
    return center, scale


def _rescaled(
    encoded: Encoded, center: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values that the engine reads, and which rows and cells it fills, of Gaussian blocks.

    Cells to be filled begin at their column's mean. No copy where nothing is rescaled or filled.
    """
    values = encoded.values
    if center.any() or (scale != 1.0).any():
        values = values - center
        values /= scale
    filled = [encoded.is_filled(u) for u in range(len(encoded.units))]
    incomplete, missing = np.logical_or.reduce(filled), np.zeros((0, values.shape[1]), dtype=bool)
    if incomplete.any():
        width = [len(unit.columns) for unit in encoded.units]
        missing = np.repeat(np.column_stack(filled), width, axis=1) & np.isnan(values)
        values = np.where(missing, 0.0, values)
    return np.require(values, requirements=["C", "W"]), incomplete, missing


def _pack_units(
    encoded: Encoded, priors: Sequence[Prior], center: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of ``Table.units``, the packed priors, and the rows of the state matrix."""
    rows, packed = [], []
    row = at = 0
    for unit, prior, start in zip(encoded.units, priors, encoded.starts, strict=True):
        check_prior(unit, prior)
        code, parts = CODES[unit.family], prior.parts()
        columns = np.arange(start, start + len(unit.columns))
        for part, at_columns in zip(parts, columns.reshape(len(parts), -1), strict=True):
            where = at_columns if code >= N_COLUMN_KERNELS else at_columns[0]
            packed.append(part.packed(center[where], scale[where]))
            rows.append((code, at_columns[0], part.size, row, at))
            row += KERNELS[code].statistics(part.size).stop
            at += packed[-1].size
    return np.array(rows, dtype=np.int64), np.concatenate(packed), row


def check_prior(unit: Unit, prior: Prior) -> None:
    """Raise a ValueError for a prior that is not of the unit's family."""
    expected = FAMILIES[unit.family]
    if not isinstance(prior, expected):
        raise ValueError(
            f"The prior of {unit.name!r} is a {type(prior).__name__}; its family"
            f" {unit.family!r} needs a {expected.__name__}."
        )
    if FAMILIES[unit.family].is_block and prior.mean.size != len(unit.columns):
        raise ValueError(
            f"The prior of {unit.name!r} has {prior.mean.size} dimensions where the block has"
            f" {len(unit.columns)}."
        )
    levels, trials = len(unit.options.get("levels", ())), unit.options.get("trials")
    if FAMILIES[unit.family].is_nominal and prior.top + 1 < levels:
        raise ValueError(
            f"The prior of {unit.name!r} counts {prior.top + 1} levels where the column has"
            f" {levels}: give one count a level."
        )
    if trials is not None and prior.top != trials:
        raise ValueError(
            f"The prior of {unit.name!r} has {prior.top} trials where the column has {trials}:"
            " give it as many."
        )
