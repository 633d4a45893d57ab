"""The columns of a finite mixture that stand on their own: their densities and their M step.

Modes in (mu, ln tau), ln q and ln lambda. ln p of a cell is linear in a few counts (choice: sum s_v
ln q_v; rate: e ln(lambda) - lambda t), to which a conjugate prior adds its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from ...families import FAMILIES, NormalPrior, Prior
from ...families.prior import CellCounts, mean_and_variance
from ...schema.encoded import Encoded, Unit

#: What a prior weighs where maximum likelihood was asked for: enough to keep every number finite.
VANISHING = 10.0 * np.finfo(np.float64).eps
#: Numbers of a temporary array that stay in the processor's cache, and rows at once at least.
CACHED, LEAST_ROWS = 1 << 15, 1 << 11
_LN_2PI = math.log(2.0 * math.pi)


class ColumnParameters(NamedTuple):
    """Mean about the measurements' centres and variance, (K, M); coefficients of counts, (K, R)."""

    mean: np.ndarray
    variance: np.ndarray
    coefficients: np.ndarray


class Run(NamedTuple):
    """Some neighbouring rows of a table, as the columns read them."""

    rows: slice
    #: float64, (M, n). Measurements about their centres, 0 where missing; 1 if there (None: all).
    real: np.ndarray
    seen: np.ndarray | None
    #: Shape (n, R). Counts of the cells, and the rest of every row's ln p.
    counts: sparse.csr_array
    rest: np.ndarray


class _Counted(NamedTuple):
    """A column of counts or names: its prior, its place, its first count and the one after."""

    unit: Unit
    prior: Prior
    column: int
    first: int
    stop: int


@dataclass(frozen=True)
class MixtureColumns:
    """Columns, and spherical blocks, under their priors."""

    #: Units of measurements, where their M columns stand in ``Encoded.values``, and their means.
    real: tuple[Unit, ...]
    columns: np.ndarray
    center: np.ndarray
    #: Shape (M,). m_0 about the centre, and c_0.
    location: np.ndarray
    count: np.ndarray
    #: Shape (M,). 2 a_0 + 1 and 2 b_0: the variance's mode is (scatter + squares)/(dof + n).
    dof: np.ndarray
    scatter: np.ndarray
    #: Shape (M,). The known variance, NaN where it is to be found.
    known: np.ndarray
    #: Added to every variance that was found.
    floor: float
    counted: tuple[_Counted, ...]
    #: float64, shape (R,). Their prior's counts.
    pseudo: np.ndarray

    Parameters: ClassVar = ColumnParameters

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        positions: Sequence[int],
        priors: Sequence[Prior],
        floor: float | None,
    ) -> MixtureColumns:
        """The units at these positions; a floor instead of None asks for maximum likelihood."""
        real, columns, numbers, counted, pseudo = [], [], [], [], [np.empty(0)]
        for u, prior in zip(positions, priors, strict=True):
            unit, start = encoded.units[u], encoded.starts[u]
            if FAMILIES[unit.family].mixture == "normal":
                real.append(unit)
                columns += range(start, start + len(unit.columns))
                numbers += map(_numbers, prior.parts())
            else:
                first = sum(counts.size for counts in pseudo)
                pseudo.append(prior.pseudo_counts())
                counted.append(_Counted(unit, prior, start, first, first + pseudo[-1].size))
        columns, seen = np.array(columns, dtype=np.int64), np.concatenate(pseudo)
        center = column_means(encoded.values, columns)
        location, count, dof, scatter, known = np.array(numbers).reshape(-1, 5).T
        if floor is not None:
            scatter, seen = VANISHING * scatter / dof, VANISHING * seen
            count = dof = np.full(columns.size, VANISHING)
        return cls(
            *(tuple(real), columns, center, location - center, count, dof, scatter, known),
            *(floor or 0.0, tuple(counted), seen),
        )

    def read(self, encoded: Encoded) -> tuple[Run, ...]:
        """Rows of a table with the fitted one's columns, or ValueError where a cell cannot be."""
        values = encoded.values
        for unit, prior, j, *_ in self.counted:
            _check_cells(unit, prior, values[:, j])
        size = max(LEAST_ROWS, CACHED // max(self.columns.size, 1))
        starts = range(0, len(values), size)
        return tuple(self._run(values, slice(start, start + size)) for start in starts)

    def _run(self, values: np.ndarray, rows: slice) -> Run:
        part = values[rows]
        centred, seen = centre(part, self.columns, self.center)
        n, rest = len(part), np.zeros(len(part))
        where, counts = [np.empty((n, 0), dtype=np.int32)], [np.empty((n, 0))]
        for _, prior, j, first, _ in self.counted:
            cells = _counts(prior, part[:, j])
            where.append(cells.where + np.int32(first))
            counts.append(cells.counts)
            rest += cells.rest
        where, counts = np.hstack(where), np.hstack(counts)
        width = where.shape[1]
        ends = np.arange(n + 1, dtype=np.int32) * width
        shape = n, self.pseudo.size
        run = sparse.csr_array((counts.ravel(), where.ravel(), ends), shape=shape)
        return Run(rows, centred, seen, run, rest)

    def maximise(
        self,
        runs: tuple[Run, ...],
        weight: np.ndarray,
        previous: ColumnParameters | None = None,
    ) -> ColumnParameters:
        """M step under the responsibilities ``weight`` (K, N)."""
        n, total = np.zeros((len(weight), 1)), np.zeros((len(weight), self.columns.size))
        counts = np.tile(self.pseudo, (len(weight), 1))
        for run in runs:
            w = weight[:, run.rows]
            total += w @ run.real.T
            n = n + (w.sum(axis=1, keepdims=True) if run.seen is None else w @ run.seen.T)
            if self.counted:
                counts += (run.counts.T @ np.ascontiguousarray(w.T)).T
        mean = (self.count * self.location + total) / (self.count + n)
        squares = self.scatter + self.count * np.square(mean - self.location)
        # About the new means, in a second pass: sums of squares would lose their digits.
        for run in runs:
            for k, d in enumerate(_squares(run, mean)):
                squares[k] += d @ weight[k, run.rows]
        variance = squares / (self.dof + n) + self.floor
        variance = np.where(np.isnan(self.known), variance, self.known)
        return ColumnParameters(mean, variance, self._coefficients(counts))

    def _coefficients(self, counts: np.ndarray) -> np.ndarray:
        """Of counts in every component, (K, R): ln q, or ln lambda and -lambda."""
        coefficients = np.log(counts)
        for _, prior, _, first, stop in self.counted:
            own = coefficients[:, first:stop]
            if prior.is_rate:
                own[:, 0] -= own[:, 1]
                own[:, 1] = -np.exp(own[:, 0])
            else:
                own -= np.log(counts[:, first:stop].sum(axis=1, keepdims=True))
        return coefficients

    def add_log_density(
        self, runs: tuple[Run, ...], parameters: ColumnParameters, out: np.ndarray
    ) -> None:
        """Add ln p of every row under every component to ``out`` (K, N)."""
        half_precision = 0.5 / parameters.variance
        constant = -0.5 * (_LN_2PI + np.log(parameters.variance))
        by_count = np.ascontiguousarray(parameters.coefficients.T)
        for run in runs:
            if run.seen is None:
                out[:, run.rows] += constant.sum(axis=1, keepdims=True)
            else:
                out[:, run.rows] += constant @ run.seen
            for k, d in enumerate(_squares(run, parameters.mean)):
                out[k, run.rows] -= half_precision[k] @ d
            if self.counted:
                out[:, run.rows] += (run.counts @ by_count).T + run.rest

    def log_prior(self, parameters: ColumnParameters) -> float:
        """Log prior density of the parameters, in mu, ln tau, ln q and ln lambda."""
        precision = 1.0 / parameters.variance
        pull = self.count * np.square(parameters.mean - self.location) * precision
        normal = 0.5 * (np.log(self.count * precision) - _LN_2PI - pull)
        shape, rate = 0.5 * (self.dof - 1.0), 0.5 * self.scatter
        with np.errstate(invalid="ignore", divide="ignore"):
            gamma = shape * np.log(rate * precision) - rate * precision - gammaln(shape)
        real = np.where(np.isnan(self.known), normal + gamma, normal).sum()
        constant = 0.0
        for _, prior, _, first, stop in self.counted:
            seen = self.pseudo[first:stop]
            if prior.is_rate:
                constant += seen[0] * np.log(seen[1]) - gammaln(seen[0])
            else:
                constant += gammaln(seen.sum()) - gammaln(seen).sum()
        coefficients = parameters.coefficients
        return float(real + (coefficients @ self.pseudo).sum() + len(coefficients) * constant)

    def describe(self, parameters: ColumnParameters) -> dict[str, dict[str, np.ndarray]]:
        """Every unit's means, deviations and probabilities by component, in the user's units."""
        found, start = {}, 0
        means = parameters.mean + self.center
        for unit in self.real:
            stop = start + len(unit.columns)
            span = slice(start, stop) if FAMILIES[unit.family].is_block else start
            sd = np.sqrt(parameters.variance[:, start])
            found[unit.name] = {"mean": means[:, span], "sd": sd}
            start = stop
        for unit, prior, _, first, stop in self.counted:
            own = parameters.coefficients[:, first:stop]
            found[unit.name] = prior.described(-own[:, 1:] if prior.is_rate else np.exp(own))
        return found


def centre(
    values: np.ndarray, columns: np.ndarray, center: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Some columns of rows about their centres, (M, n), 0 where missing; 1 where seen, or None."""
    centred = np.ascontiguousarray(values[:, columns].T) - center[:, None]
    holes = np.isnan(centred)
    if not holes.any():
        return centred, None
    centred[holes] = 0.0
    return centred, (~holes).astype(np.float64)


def column_means(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Mean of the observed cells of some columns; 0 for a column without any."""
    return np.array([mean_and_variance(values[:, j])[0] for j in columns])


def _squares(run: Run, mean: np.ndarray) -> Iterator[np.ndarray]:
    """Yield one array of squared deviations (M, n) from each component's means, 0 where missing."""
    d = np.empty_like(run.real)
    for center in mean:
        np.subtract(run.real, center[:, None], out=d)
        d *= d
        if run.seen is not None:
            d *= run.seen
        yield d


def _numbers(prior: Prior) -> tuple[float, float, float, float, float]:
    if isinstance(prior, NormalPrior):
        return prior.mean, prior.mean_count, 2.0 * prior.shape + 1.0, 2.0 * prior.rate, np.nan
    return prior.mean, prior.variance / prior.mean_variance, 1.0, 0.0, prior.variance


def _counts(prior: Prior, column: np.ndarray) -> CellCounts:
    """The counts of a column's cells; a missing one, which no support has, counts nothing."""
    seen = ~np.isnan(column)
    cells = prior.cell_counts(column[seen], np.ones(np.count_nonzero(seen)))
    shape = column.size, cells.where.shape[1]
    where, counts, rest = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(column.size)
    where[seen], counts[seen], rest[seen] = cells
    return CellCounts(where, counts, rest)


def _check_cells(unit: Unit, prior: Prior, column: np.ndarray) -> None:
    """Refuse values that the family does not have; codes must not point outside their tables."""
    support, top = FAMILIES[unit.family].support, prior.top
    for wrong, _, _ in support.faults(column, top):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"Column {unit.name!r} holds {column[row]:g} in row {row}: {unit.family!r} takes"
                f" {support.described(top)}."
            )
