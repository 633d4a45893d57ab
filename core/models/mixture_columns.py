"""The columns of a finite mixture that stand on their own, spherical blocks among them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from ..families import FAMILIES, NormalPrior, Prior
from ..families.prior import mean_and_variance
from ..schema.encoded import Encoded, Unit

#: What a prior weighs where maximum likelihood was asked for: enough to keep every number finite.
VANISHING = 10.0 * np.finfo(np.float64).eps
#: Numbers of a temporary array that stay in the processor's cache, and rows at once at least.
CACHED, LEAST_ROWS = 1 << 15, 1 << 11
LN_2PI = math.log(2.0 * math.pi)


class ColumnParameters(NamedTuple):
    """Mean about the measurements' centres and variance, (K, M); coefficients of counts, (K, R)."""

    mean: np.ndarray
    variance: np.ndarray
    coefficients: np.ndarray


class Run(NamedTuple):
    """Neighbouring rows, as the columns read them."""

    rows: slice
    #: float64, (M, n). Measurements about their centres, 0 where missing; 1 if there (None: all).
    real: np.ndarray
    seen: np.ndarray | None
    #: Shape (n, R). Counts of the cells, and the rest of every row's ln p.
    counts: sparse.csr_array
    rest: np.ndarray


@dataclass(frozen=True)
class MixtureColumns:
    """Columns, and spherical blocks, under their priors.

    ln p of a cell of counts or names is linear in a few numbers of it (choice: sum s_v ln q_v;
    rate: e ln(lambda) - lambda t), to which a conjugate prior adds its own.
    """

    #: Units of measurements, where their M columns stand in ``Encoded.values``, and their means.
    real: tuple[Unit, ...]
    columns: np.ndarray
    center: np.ndarray
    #: Shape (M, 5), by column.
    #: m_0 about the centre, c_0, then 2 a_0 + 1 and 2 b_0, by which the variance's mode is (2 b_0 +
    #: squares)/(2 a_0 + 1 + n), and a known variance, else NaN.
    numbers: np.ndarray
    #: Added to every variance that was found.
    floor: float
    #: Of counts and names: unit, prior, column, and which of the R coefficients are its own.
    counted: tuple[tuple[Unit, Prior, int, slice], ...]
    #: float64, shape (R,). Their prior's counts.
    pseudo: np.ndarray

    Parameters: ClassVar = ColumnParameters

    @classmethod
    def of(
        cls, encoded: Encoded, units: Sequence[tuple[Unit, Prior, int]], floor: float | None
    ) -> MixtureColumns:
        """Units with their priors and first columns; a floor asks for maximum likelihood."""
        real, columns, numbers, counted, pseudo = [], [], [np.empty((0, 5))], [], np.empty(0)
        for unit, prior, start in units:
            if FAMILIES[unit.family].mixture == "normal":
                real.append(unit)
                columns += range(start, start + len(unit.columns))
                numbers += [_normal_numbers(part) for part in prior.parts()]
            else:
                own = prior.pseudo_counts()
                counted.append((unit, prior, start, slice(pseudo.size, pseudo.size + own.size)))
                pseudo = np.append(pseudo, own)
        at, normals = np.array(columns, dtype=np.int64), np.vstack(numbers)
        center = means(encoded.values, at)
        normals[:, 0] -= center
        if floor is not None:
            pseudo = VANISHING * pseudo
            normals[:, 3] *= VANISHING / normals[:, 2]
            normals[:, 1:3] = VANISHING
        return cls(tuple(real), at, center, normals, floor or 0.0, tuple(counted), pseudo)

    def read(self, values: np.ndarray) -> tuple[Run, ...]:
        """Rows (N, M) of a table, or ValueError where a cell cannot be."""
        for unit, prior, j, _ in self.counted:
            _check_cells(unit, prior, values[:, j])
        size = max(LEAST_ROWS, CACHED // max(self.columns.size, 1))
        spans = (slice(start, start + size) for start in range(0, len(values), size))
        return tuple(self._run(rows, values[rows]) for rows in spans)

    def _run(self, rows: slice, values: np.ndarray) -> Run:
        real = np.ascontiguousarray(values[:, self.columns].T) - self.center[:, None]
        holes = np.isnan(real)
        seen = (~holes).astype(np.float64) if holes.any() else None
        real[holes] = 0.0
        at, where, counts = [np.empty(0, np.int32)], [np.empty(0, np.int32)], [np.empty(0)]
        rest = np.zeros(len(values))
        for _, prior, j, own in self.counted:
            there = np.flatnonzero(~np.isnan(values[:, j]))
            cells = prior.cell_counts(values[there, j], np.ones(there.size))
            at.append(np.repeat(there, cells.where.shape[1]))
            where.append(cells.where.ravel() + own.start)
            counts.append(cells.counts.ravel())
            rest[there] += cells.rest
        places = np.concatenate(at), np.concatenate(where)
        shape = len(values), self.pseudo.size
        counted = sparse.csr_array((np.concatenate(counts), places), shape=shape)
        return Run(rows, real, seen, counted, rest)

    def maximise(
        self, runs: tuple[Run, ...], weight: np.ndarray, previous: Any = None
    ) -> ColumnParameters:
        """M step under the responsibilities ``weight`` (K, N)."""
        location, count, dof, scatter, known = self.numbers.T
        n, total, squares = np.zeros((3, len(weight), self.columns.size))
        counts = np.tile(self.pseudo, (len(weight), 1))
        for run in runs:
            w = weight[:, run.rows]
            total += w @ run.real.T
            squares += w @ np.square(run.real).T
            n += w.sum(axis=1, keepdims=True) if run.seen is None else w @ run.seen.T
            if self.counted:
                counts += (run.counts.T @ np.ascontiguousarray(w.T)).T
        mean = (count * location + total) / (count + n)
        squares = np.maximum(squares - mean * (2.0 * total - n * mean), 0.0)
        squares += scatter + count * np.square(mean - location)
        variance = np.where(np.isnan(known), squares / (dof + n) + self.floor, known)
        coefficients = np.log(counts)
        for _, prior, _, own in self.counted:
            if prior.is_rate:  # ln lambda and -lambda
                rate = counts[:, own.start] / counts[:, own.stop - 1]
                coefficients[:, own] = np.column_stack([np.log(rate), -rate])
            else:
                coefficients[:, own] -= np.log(counts[:, own].sum(axis=1, keepdims=True))
        return ColumnParameters(mean, variance, coefficients)

    def add_log_density(
        self, runs: tuple[Run, ...], parameters: ColumnParameters, out: np.ndarray
    ) -> None:
        """Add ln p of every row under every component to ``out`` (K, N)."""
        half_precision = 0.5 / parameters.variance
        constant = -0.5 * (LN_2PI + np.log(parameters.variance))
        by_count = np.ascontiguousarray(parameters.coefficients.T)
        for run in runs:
            whole = run.seen is None
            out[:, run.rows] += constant.sum(axis=1)[:, None] if whole else constant @ run.seen
            for k, d in enumerate(_squares(run, parameters.mean)):
                out[k, run.rows] -= half_precision[k] @ d
            if self.counted:
                out[:, run.rows] += (run.counts @ by_count).T + run.rest

    def log_prior(self, parameters: ColumnParameters) -> float:
        """Log prior density of the parameters, in mu, ln tau, ln q and ln lambda."""
        location, count, dof, scatter, known = self.numbers.T
        precision = 1.0 / parameters.variance
        pull = count * np.square(parameters.mean - location) * precision
        total = 0.5 * (np.log(count * precision) - LN_2PI - pull).sum()
        found = np.isnan(known)
        shape, rate, own = 0.5 * (dof[found] - 1.0), 0.5 * scatter[found], precision[:, found]
        total += (shape * np.log(rate * own) - rate * own - gammaln(shape)).sum()
        total += (parameters.coefficients @ self.pseudo).sum()
        for _, prior, _, own in self.counted:
            seen = self.pseudo[own]
            inside = seen[0] * np.log(seen[1]) if prior.is_rate else gammaln(seen.sum())
            total += len(precision) * (inside - gammaln(seen[:1] if prior.is_rate else seen).sum())
        return float(total)

    def describe(self, parameters: ColumnParameters) -> dict[str, dict[str, np.ndarray]]:
        """Every unit's means, deviations and probabilities by component, in the user's units."""
        found, start = {}, 0
        means, deviations = parameters.mean + self.center, np.sqrt(parameters.variance)
        for unit in self.real:
            stop = start + len(unit.columns)
            span = slice(start, stop) if FAMILIES[unit.family].is_block else start
            found[unit.name] = {"mean": means[:, span], "sd": deviations[:, start]}
            start = stop
        for unit, prior, _, own in self.counted:
            numbers = parameters.coefficients[:, own]
            found[unit.name] = prior.described(
                -numbers[:, 1:] if prior.is_rate else np.exp(numbers)
            )
        return found


def _normal_numbers(prior: Prior) -> tuple[float, float, float, float, float]:
    if isinstance(prior, NormalPrior):
        return prior.mean, prior.mean_count, 2.0 * prior.shape + 1.0, 2.0 * prior.rate, np.nan
    return prior.mean, prior.variance / prior.mean_variance, 1.0, 0.0, prior.variance


def means(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
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


def _check_cells(unit: Unit, prior: Prior, column: np.ndarray) -> None:
    """Refuse values that the family does not have; codes must not point outside their tables."""
    support = FAMILIES[unit.family].support
    for wrong, _, _ in support.faults(column, prior.top):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"Column {unit.name!r} holds {column[row]:g} in row {row}: {unit.family!r} takes"
                f" {support.described(prior.top)}."
            )
