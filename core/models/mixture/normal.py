"""The normal columns of a finite mixture: their density and their M step.

Model: x ~ N(mu, 1/tau) in each component. The M step takes the mode of the posterior in
(mu, ln tau), which exists whatever the prior: mean (c_0 m_0 + Sx)/c, variance 2 b/(2 a + 1) with
the posterior's a, b, c. A known variance stays as it is; a spherical block is a column for each
coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...families import FAMILIES, NormalPrior, Prior
from ...families.prior import mean_and_variance
from ...schema.encoded import Encoded, Unit

#: What a prior weighs where maximum likelihood was asked for: enough to keep every number finite.
VANISHING = 10.0 * np.finfo(np.float64).eps
#: Numbers of a temporary array that stay in the processor's cache.
CACHED = 1 << 15
_LN_2PI = math.log(2.0 * math.pi)


class NormalParameters(NamedTuple):
    """Mean about the columns' centres, and variance; both (K, M)."""

    mean: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True)
class RealRows:
    """Real columns side by side: values (M, N) about their centres, holes (M, N) or None.

    A missing cell holds 0.
    """

    values: np.ndarray
    holes: np.ndarray | None

    @classmethod
    def of(cls, values: np.ndarray, columns: np.ndarray, center: np.ndarray) -> RealRows:
        """Centre some columns of a table (N, all)."""
        centred = np.empty((columns.size, len(values)))
        for row, j, middle in zip(centred, columns, center, strict=True):
            np.subtract(values[:, j], middle, out=row)
        holes = np.isnan(centred)
        if not holes.any():
            return cls(centred, None)
        centred[holes] = 0.0
        return cls(centred, holes)

    def chunks(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray | None]]:
        """Yield runs of rows: where they are, their values, and 1 where seen (None: all seen)."""
        n_columns, n_rows = self.values.shape
        size = max(64, CACHED // n_columns)
        for start in range(0, n_rows, size):
            rows = slice(start, start + size)
            seen = None if self.holes is None else (~self.holes[:, rows]).astype(np.float64)
            yield rows, self.values[:, rows], seen


@dataclass(frozen=True)
class NormalColumns:
    """Independent normal columns under their priors; arrays of one number a column."""

    #: Columns and spherical blocks.
    units: tuple[Unit, ...]
    #: int64. Where they stand in ``Encoded.values``.
    columns: np.ndarray
    #: Their means, subtracted before any arithmetic.
    center: np.ndarray
    #: m_0 about the centre, and c_0.
    location: np.ndarray
    count: np.ndarray
    #: 2 a_0 + 1 and 2 b_0: the variance's mode is (scatter + squares)/(dof + n).
    dof: np.ndarray
    scatter: np.ndarray
    #: The known variance, NaN where it is to be found.
    known: np.ndarray
    #: Added to every variance that was found.
    floor: float

    Parameters: ClassVar = NormalParameters

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        positions: Sequence[int],
        priors: Sequence[Prior],
        floor: float | None,
    ) -> NormalColumns:
        """The units at these positions; a floor instead of None asks for maximum likelihood."""
        units = tuple(encoded.units[u] for u in positions)
        columns = np.array(
            [encoded.starts[u] + d for u in positions for d in range(len(encoded.units[u].columns))]
        )
        by_column = [part for prior in priors for part in prior.parts()]
        center = column_means(encoded.values, columns)
        numbers = np.array([_numbers(prior) for prior in by_column])
        location, count, dof, scatter, known = numbers.T
        if floor is not None:
            scatter = VANISHING * scatter / dof
            count = dof = np.full(columns.size, VANISHING)
        return cls(
            units, columns, center, location - center, count, dof, scatter, known, floor or 0.0
        )

    def read(self, encoded: Encoded) -> RealRows:
        """Rows of a table with the fitted one's columns."""
        return RealRows.of(encoded.values, self.columns, self.center)

    def maximise(
        self, rows: RealRows, weight: np.ndarray, previous: NormalParameters | None = None
    ) -> NormalParameters:
        """M step under the responsibilities ``weight`` (K, N)."""
        n = np.zeros((len(weight), 1))
        total = np.zeros((len(weight), self.center.size))
        for part, x, seen in rows.chunks():
            w = weight[:, part]
            total += w @ x.T
            n = n + (w.sum(axis=1, keepdims=True) if seen is None else w @ seen.T)
        mean = (self.count * self.location + total) / (self.count + n)
        squares = self.scatter + self.count * np.square(mean - self.location)
        # About the new means, in a second pass: sums of squares would lose their digits.
        for part, x, seen in rows.chunks():
            for k, d in enumerate(_squares(x, seen, mean)):
                squares[k] += d @ weight[k, part]
        variance = squares / (self.dof + n) + self.floor
        return NormalParameters(mean, np.where(np.isnan(self.known), variance, self.known))

    def add_log_density(
        self, rows: RealRows, parameters: NormalParameters, out: np.ndarray
    ) -> None:
        """Add ln p of every row under every component to ``out`` (K, N)."""
        half_precision = 0.5 / parameters.variance
        constant = -0.5 * (_LN_2PI + np.log(parameters.variance))
        for part, x, seen in rows.chunks():
            if seen is None:
                out[:, part] += constant.sum(axis=1, keepdims=True)
            else:
                out[:, part] += constant @ seen
            for k, d in enumerate(_squares(x, seen, parameters.mean)):
                out[k, part] -= half_precision[k] @ d

    def log_prior(self, parameters: NormalParameters) -> float:
        """Log prior density of the parameters in (mu, ln tau)."""
        from scipy.special import gammaln

        precision = 1.0 / parameters.variance
        pull = self.count * np.square(parameters.mean - self.location) * precision
        log_density = 0.5 * (np.log(self.count * precision) - _LN_2PI - pull)
        shape = 0.5 * (self.dof - 1.0)
        rate = 0.5 * self.scatter
        with np.errstate(invalid="ignore", divide="ignore"):
            gamma = shape * np.log(rate * precision) - rate * precision - gammaln(shape)
        return float(np.where(np.isnan(self.known), log_density + gamma, log_density).sum())

    def describe(self, parameters: NormalParameters) -> dict[str, dict[str, np.ndarray]]:
        """Mean and standard deviation of every unit in every component, in the user's units."""
        found, start = {}, 0
        means = parameters.mean + self.center
        for unit in self.units:
            stop = start + len(unit.columns)
            span = slice(start, stop) if FAMILIES[unit.family].is_block else start
            found[unit.name] = {
                "mean": means[:, span],
                "sd": np.sqrt(parameters.variance[:, start]),
            }
            start = stop
        return found


def _squares(x: np.ndarray, seen: np.ndarray | None, mean: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the squared deviations (M, n) from the means (K, M) of one component after another.

    0 where a cell is missing. Every array overwrites the one before.
    """
    d = np.empty_like(x)
    for center in mean:
        np.subtract(x, center[:, None], out=d)
        d *= d
        if seen is not None:
            d *= seen
        yield d


def column_means(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Mean of the observed cells of some columns; 0 for a column without any."""
    return np.array([mean_and_variance(values[:, j])[0] for j in columns])


def _numbers(prior: Prior) -> tuple[float, float, float, float, float]:
    """Location, count, dof, scatter and known variance of one column."""
    if isinstance(prior, NormalPrior):
        return prior.mean, prior.mean_count, 2.0 * prior.shape + 1.0, 2.0 * prior.rate, np.nan
    return prior.mean, prior.variance / prior.mean_variance, 1.0, 0.0, prior.variance
