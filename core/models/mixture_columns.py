"""The columns of a finite mixture that stand on their own, spherical blocks among them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from ..families import FAMILIES, NormalPrior, Prior
from ..families.prior import mean_and_variance
from ..schema.encoded import Encoded, Unit

#: What a prior weighs where maximum likelihood was asked for: enough to keep every number finite.
VANISHING = 10.0 * np.finfo(np.float64).eps
#: Rows read at once: their squares stay in the cache, and no product of matrices takes threads.
ROWS = 1 << 11
LN_2PI = math.log(2.0 * math.pi)


class ColumnParameters(NamedTuple):
    """Mean about the measurements' centres and variance, (K, M); coefficients of counts, (K, R)."""

    mean: np.ndarray
    variance: np.ndarray
    coefficients: np.ndarray


class Chunk(NamedTuple):
    """Neighbouring rows, as the columns read them."""

    rows: slice
    #: float64, (M, n). Measurements about their centres, 0 where missing; 1 if there (None: all).
    real: np.ndarray
    seen: np.ndarray | None
    #: Shape (n, R). Counts of the cells, and the rest of every row's ln p.
    counts: sparse.csr_array
    rest: np.ndarray


class NormalPriors(NamedTuple):
    """Of M measurements: the mode of the variance is (scatter + squares)/(dof + n)."""

    location: np.ndarray
    count: np.ndarray | float
    dof: np.ndarray | float
    scatter: np.ndarray

    def modes(
        self, n: np.ndarray, total: np.ndarray, squares: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances (K, M), given how many cells (K, M or 1), their sums and squares."""
        mean = (self.count * self.location + total) / (self.count + n)
        around = np.maximum(squares - mean * (2.0 * total - n * mean), 0.0)
        around += self.scatter + self.count * np.square(mean - self.location)
        return mean, around / (self.dof + n)


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
    priors: NormalPriors
    #: Variances that are known, else NaN, (M,); what is added to every one that is found.
    fixed: np.ndarray
    floor: float
    #: Of counts and names: unit, prior, column, and which of the R coefficients are its own.
    discrete: tuple[tuple[Unit, Prior, int, slice], ...]
    #: float64, shape (R,). Their prior's counts.
    pseudo: np.ndarray

    Parameters: ClassVar = ColumnParameters

    @classmethod
    def of(
        cls, encoded: Encoded, units: Sequence[tuple[Unit, Prior, int]], floor: float | None
    ) -> Self:
        """Units with their priors and first columns; a floor asks for maximum likelihood."""
        real, columns, numbers, counted, pseudo = [], [], [np.empty((0, 5))], [], np.empty(0)
        for unit, prior, start in units:
            if FAMILIES[unit.family].is_real:
                real.append(unit)
                columns += range(start, start + len(unit.columns))
                numbers += [_normal_numbers(part) for part in prior.parts()]
            else:
                own = prior.pseudo_counts()
                counted.append((unit, prior, start, slice(pseudo.size, pseudo.size + own.size)))
                pseudo = np.append(pseudo, own)
        at = np.array(columns, dtype=np.int64)
        center = means(encoded.values, at)
        location, count, dof, scatter, fixed = np.vstack(numbers).T
        if floor is not None:
            pseudo, scatter = VANISHING * pseudo, VANISHING * scatter / dof
            count = dof = np.full(at.size, VANISHING)
        priors = NormalPriors(location - center, count, dof, scatter)
        return cls(tuple(real), at, center, priors, fixed, floor or 0.0, tuple(counted), pseudo)

    def read(self, values: np.ndarray) -> list[Chunk]:
        """Rows (N, M) of a table."""
        spans = (slice(start, start + ROWS) for start in range(0, len(values), ROWS))
        return [self._chunk(rows, values[rows]) for rows in spans]

    def _chunk(self, rows: slice, values: np.ndarray) -> Chunk:
        real = np.ascontiguousarray(values[:, self.columns].T) - self.center[:, None]
        gaps = np.isnan(real)
        real[gaps] = 0.0
        at, where, counts = [np.empty(0, np.int32)], [np.empty(0, np.int32)], [np.empty(0)]
        rest = np.zeros(len(values))
        for _, prior, j, own in self.discrete:
            there = np.flatnonzero(~np.isnan(values[:, j]))
            which, of_cells = prior.cell_counts(values[there, j])
            at.append(np.repeat(there, which.shape[1]))
            where.append(which.ravel() + own.start)
            counts.append(of_cells.ravel())
            rest[there] += prior.log_base_measure(values[there, j])
        places = np.concatenate(at), np.concatenate(where)
        shape = len(values), self.pseudo.size
        counted = sparse.csr_array((np.concatenate(counts), places), shape=shape)
        return Chunk(rows, real, (~gaps).astype(np.float64) if gaps.any() else None, counted, rest)

    def maximise(
        self, runs: list[Chunk], weight: np.ndarray, previous: ColumnParameters | None = None
    ) -> ColumnParameters:
        """M step under the responsibilities ``weight`` (K, N)."""
        n, total, squares = np.zeros((3, len(weight), self.columns.size))
        counts = np.tile(self.pseudo, (len(weight), 1))
        for run in runs:
            w = weight[:, run.rows]
            n += w.sum(axis=1, keepdims=True) if run.seen is None else w @ run.seen.T
            total += w @ run.real.T
            squares += w @ np.square(run.real).T
            if self.discrete:
                counts += (run.counts.T @ np.ascontiguousarray(w.T)).T
        mean, variance = self.priors.modes(n, total, squares)
        variance = np.where(np.isnan(self.fixed), variance + self.floor, self.fixed)
        coefficients = np.log(counts)
        for _, prior, _, own in self.discrete:
            if prior.is_rate:  # ln lambda and -lambda
                rate = counts[:, own.start] / counts[:, own.stop - 1]
                coefficients[:, own] = np.column_stack([np.log(rate), -rate])
            else:
                coefficients[:, own] -= np.log(counts[:, own].sum(axis=1, keepdims=True))
        return ColumnParameters(mean, variance, coefficients)

    def add_log_density(self, runs: list[Chunk], found: ColumnParameters, out: np.ndarray) -> None:
        """Add ln p of every row under every component to ``out`` (K, N)."""
        precision = 0.5 / found.variance
        constant = -0.5 * (LN_2PI + np.log(found.variance))
        by_count = np.ascontiguousarray(found.coefficients.T)
        for run in runs:
            whole = run.seen is None
            out[:, run.rows] += constant.sum(axis=1)[:, None] if whole else constant @ run.seen
            squares = np.empty_like(run.real)
            for k, mean in enumerate(found.mean):
                np.subtract(run.real, mean[:, None], out=squares)
                squares *= squares if whole else squares * run.seen
                out[k, run.rows] -= precision[k] @ squares
            if self.discrete:
                out[:, run.rows] += (run.counts @ by_count).T + run.rest

    def log_prior(self, found: ColumnParameters) -> float:
        """Log prior density of the parameters, in mu, ln tau, ln q and ln lambda."""
        location, count, dof, scatter = self.priors
        precision = 1.0 / found.variance
        pull = count * np.square(found.mean - location) * precision
        total = 0.5 * (np.log(count * precision) - LN_2PI - pull).sum()
        free = np.isnan(self.fixed)
        shape, rate, own = 0.5 * (dof[free] - 1.0), 0.5 * scatter[free], precision[:, free]
        total += (shape * np.log(rate * own) - rate * own - gammaln(shape)).sum()
        total += (found.coefficients @ self.pseudo).sum()
        for _, prior, _, own in self.discrete:
            total -= len(precision) * prior.log_normaliser(self.pseudo[own][:, None])[0]
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
        for unit, prior, _, own in self.discrete:
            numbers = parameters.coefficients[:, own]
            numbers = -numbers[:, 1:] if prior.is_rate else np.exp(numbers)
            found[unit.name] = prior.describe(numbers)
        return found


def _normal_numbers(prior: Prior) -> tuple[float, float, float, float, float]:
    if isinstance(prior, NormalPrior):
        return prior.mean, prior.mean_count, 2.0 * prior.shape + 1.0, 2.0 * prior.rate, np.nan
    return prior.mean, prior.variance / prior.mean_variance, 1.0, 0.0, prior.variance


def means(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Mean of the observed cells of some columns; 0 for a column without any."""
    return np.array([mean_and_variance(values[:, j])[0] for j in columns])
