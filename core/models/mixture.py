"""The parts of a finite mixture: columns that stand on their own, and blocks.

The prior is a density of mu, ln tau, ln lambda, ln q and, of blocks, ln(Sigma^-1), in which the M
step takes its modes. A block's missing cells are expected (Ghahramani and Jordan 1994).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.special import gammaln, multigammaln

from ..families import FAMILIES, NormalPrior, Prior
from ..families.prior import mean_and_variance
from ..inference.clusters import same_holes
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


class BlockParameters(NamedTuple):
    """Mean about the block's centre (K, D), and covariance (K, D, D)."""

    mean: np.ndarray
    covariance: np.ndarray


class Pattern(NamedTuple):
    """Some hundred rows whose cells are missing in the same columns; those there, (d, n)."""

    seen: np.ndarray
    hidden: np.ndarray
    rows: slice | np.ndarray
    cells: np.ndarray


@dataclass(frozen=True)
class MixtureBlock:
    """One block of full covariance under its prior."""

    unit: Unit
    #: int64, shape (D,). Where they stand in ``Encoded.values``.
    columns: np.ndarray
    #: Shape (D,). Their means, subtracted before any arithmetic.
    center: np.ndarray
    #: m_0 about the centre (D,), c_0, a_0 + 1 and B_0^-1 (D, D).
    prior: NormalPriors
    #: Added to the diagonal of every covariance.
    floor: float

    Parameters: ClassVar = BlockParameters

    @classmethod
    def of(
        cls, encoded: Encoded, unit: Unit, prior: Prior, start: int, floor: float | None
    ) -> Self:
        """The unit with this first column; a floor instead of None asks for maximum likelihood."""
        columns = start + np.arange(len(unit.columns))
        center = means(encoded.values, columns)
        count, dof, scatter = prior.mean_count, prior.dof + 1.0, prior.scatter
        if floor is not None:
            count, dof, scatter = VANISHING, VANISHING, VANISHING * scatter / dof
        numbers = NormalPriors(prior.mean - center, count, dof, scatter)
        return cls(unit, columns, center, numbers, floor or 0.0)

    def read(self, values: np.ndarray) -> list[Pattern]:
        """Rows (N, M) of a table, those with the same holes together."""
        x, patterns = values[:, self.columns] - self.center, []
        most = max(64, 8 * ROWS // self.columns.size)
        for missing, alike in same_holes(x):
            seen, hidden = np.flatnonzero(~missing), np.flatnonzero(missing)
            for rows in np.array_split(alike, -(-alike.size // most)):
                cells = np.ascontiguousarray(x[rows][:, seen].T)
                if rows[-1] - rows[0] == rows.size - 1:  # neighbours are not copied
                    rows = slice(rows[0], rows[-1] + 1)
                patterns.append(Pattern(seen, hidden, rows, cells))
        return patterns

    def maximise(
        self,
        patterns: list[Pattern],
        weight: np.ndarray,
        previous: BlockParameters | None = None,
    ) -> BlockParameters:
        """M step under ``weight`` (K, N); missing cells are expected under ``previous``, if any."""
        before = self._by_column(patterns, weight) if previous is None else previous
        location, count, dof, scatter = self.prior
        n, total = weight.sum(axis=1), np.zeros_like(before.mean)
        squares = np.zeros_like(before.covariance)
        # About the means before: about the centre, squares would lose their digits.
        for seen, hidden, rows, x in patterns:
            w, d = weight[:, rows], x - before.mean[:, seen, None]
            order = np.concatenate([seen, hidden])
            if hidden.size:
                gain, doubt = _of_hidden(before.covariance, seen, hidden)
                d = np.concatenate([d, gain @ d], axis=1)
                inside = np.ix_(range(len(n)), hidden, hidden)
                squares[inside] += w.sum(axis=1)[:, None, None] * doubt
            weighted = d * w[:, None, :]
            total[:, order] += weighted.sum(axis=2)
            squares[np.ix_(range(len(n)), order, order)] += weighted @ d.transpose(0, 2, 1)
        sizes = (count + n)[:, None]
        mean = (count * location + n[:, None] * before.mean + total) / sizes
        pull, moved = mean - location, mean - before.mean
        squares += n[:, None, None] * _outer(moved, moved) - _outer(moved, total)
        squares += scatter + count * _outer(pull, pull) - _outer(total, moved)
        covariance = squares / (dof + n)[:, None, None]
        return BlockParameters(mean, covariance + self.floor * np.eye(self.center.size))

    def _by_column(self, patterns: list[Pattern], weight: np.ndarray) -> BlockParameters:
        """What the columns say each by itself, to expect missing cells at first."""
        n, total, squares = np.zeros((3, len(weight), self.center.size))
        for seen, _, rows, x in patterns:
            w = weight[:, rows]
            n[:, seen] += w.sum(axis=1, keepdims=True)
            total[:, seen] += w @ x.T
            squares[:, seen] += w @ np.square(x).T
        prior = self.prior._replace(scatter=np.diag(self.prior.scatter))
        mean, variance = prior.modes(n, total, squares)
        return BlockParameters(mean, (variance + self.floor)[:, :, None] * np.eye(mean.shape[1]))

    def add_log_density(
        self, patterns: list[Pattern], parameters: BlockParameters, out: np.ndarray
    ) -> None:
        """Add ln p of every row's cells under every component to ``out`` (K, N)."""
        for seen, _, rows, x in patterns:
            whitening, log_det = _whitening(parameters.covariance[:, seen[:, None], seen])
            y = whitening @ (x - parameters.mean[:, seen, None])
            constant = -0.5 * (seen.size * LN_2PI + log_det)[:, None]
            out[:, rows] += constant - 0.5 * np.einsum("kdn,kdn->kn", y, y)

    def log_prior(self, parameters: BlockParameters) -> float:
        """Log prior density of the parameters, in mu and ln(Sigma^-1)."""
        location, count, dof, scatter = self.prior
        whitening, log_det = _whitening(parameters.covariance)
        pull = (whitening @ (parameters.mean - location)[:, :, None])[:, :, 0]
        spread = np.einsum("kli,klj,ij->k", whitening, whitening, scatter)
        quadratic = count * np.square(pull).sum(axis=1) + spread
        size, a_0 = self.center.size, dof - 1.0
        constant = 0.5 * size * (np.log(count) - LN_2PI - a_0 * math.log(2.0))
        constant += 0.5 * a_0 * np.linalg.slogdet(scatter)[1] - multigammaln(0.5 * a_0, size)
        return float((constant - 0.5 * (dof * log_det + quadratic)).sum())

    def describe(self, parameters: BlockParameters) -> dict[str, dict[str, np.ndarray]]:
        """Means and covariances by component, in the user's units."""
        mean = parameters.mean + self.center
        return {self.unit.name: {"mean": mean, "covariance": parameters.covariance}}


def _whitening(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverse Cholesky factors of covariances (K, d, d), and their ln det, (K,)."""
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise ValueError(
            "The covariance of a component has become singular: raise covariance_floor, ask for"
            " fewer components, or use prior='empirical'."
        ) from None
    log_det = 2.0 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    return np.linalg.inv(lower), log_det


def _of_hidden(
    covariance: np.ndarray, seen: np.ndarray, hidden: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Regression of hidden coordinates on those seen (K, h, d), and what it leaves (K, h, h)."""
    whitening = _whitening(covariance[:, seen[:, None], seen])[0]
    across = whitening @ covariance[:, seen[:, None], hidden]
    gain = across.transpose(0, 2, 1) @ whitening
    return gain, covariance[:, hidden[:, None], hidden] - across.transpose(0, 2, 1) @ across


def _outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, :, None] * b[:, None, :]
