"""Full-covariance blocks of a finite mixture, with missing cells (Ghahramani and Jordan 1994).

The M step takes the mode in mu and ln(Sigma^-1): mean (c_0 m_0 + Sx)/c, covariance Psi/(a + 1).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import multigammaln

from ...families import Prior
from ...schema.encoded import Encoded, Unit
from .columns import CACHED, VANISHING, centre, column_means

_LN_2PI = math.log(2.0 * math.pi)


class BlockParameters(NamedTuple):
    """Mean about the block's centre (K, D), and covariance (K, D, D)."""

    mean: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True)
class BlockRows:
    """Rows of a block (D, N), those with the same holes side by side; a missing cell holds 0.

    ``order``: the table's row of each column here, None if all is complete; ``patterns``: runs of
    these columns and the coordinates (D,) that are there.
    """

    values: np.ndarray
    order: np.ndarray | None
    patterns: tuple[tuple[int, int, np.ndarray], ...]

    @classmethod
    def of(cls, values: np.ndarray, seen: np.ndarray | None) -> BlockRows:
        """Sort rows by their holes."""
        n_columns, n_rows = values.shape
        if seen is None:
            whole = np.ones(n_columns, dtype=bool)
            return cls(values, None, ((0, n_rows, whole),))
        packed = np.packbits(seen == 0.0, axis=0)
        order = np.lexsort(packed)
        changes = np.flatnonzero((np.diff(packed[:, order].astype(np.int16)) != 0).any(axis=0)) + 1
        edges = [0, *changes.tolist(), n_rows]
        patterns = tuple(
            (start, stop, seen[:, order[start]] > 0.0) for start, stop in itertools.pairwise(edges)
        )
        return cls(np.ascontiguousarray(values[:, order]), order, patterns)

    def chunks(
        self, start: int, stop: int, n_components: int
    ) -> Iterator[tuple[slice | np.ndarray, np.ndarray]]:
        """Yield runs of a pattern: rows of the table, and their values (D, n)."""
        size = max(64, 2 * CACHED // (n_components * len(self.values)))
        for first in range(start, stop, size):
            part = slice(first, min(first + size, stop))
            yield part if self.order is None else self.order[part], self.values[:, part]


@dataclass(frozen=True)
class GaussianBlock:
    """One block under its prior."""

    unit: Unit
    #: int64, shape (D,). Where they stand in ``Encoded.values``.
    columns: np.ndarray
    #: Shape (D,). Their means, subtracted before any arithmetic.
    center: np.ndarray
    #: m_0 about the centre, shape (D,), and c_0.
    location: np.ndarray
    count: float
    #: a_0 + 1 and B_0^-1, shape (D, D): the covariance's mode is (scatter + squares)/(dof + n).
    dof: float
    scatter: np.ndarray
    #: Added to the diagonal of every covariance.
    floor: float

    Parameters: ClassVar = BlockParameters

    @classmethod
    def of(cls, encoded: Encoded, u: int, prior: Prior, floor: float | None) -> GaussianBlock:
        """The unit at this position; a floor instead of None asks for maximum likelihood."""
        unit = encoded.units[u]
        columns = encoded.starts[u] + np.arange(len(unit.columns))
        if prior.mean.size != columns.size:
            raise ValueError(
                f"The prior of {unit.name!r} has {prior.mean.size} dimensions where the block has"
                f" {columns.size}."
            )
        center = column_means(encoded.values, columns)
        count, dof, scatter = prior.mean_count, prior.dof + 1.0, prior.scatter
        if floor is not None:
            scatter = VANISHING * scatter / dof
            count = dof = VANISHING
        location = prior.mean - center
        return cls(unit, columns, center, location, count, dof, scatter, floor or 0.0)

    def read(self, encoded: Encoded) -> BlockRows:
        """Rows of a table with the fitted one's columns."""
        return BlockRows.of(*centre(encoded.values, self.columns, self.center))

    def maximise(
        self, rows: BlockRows, weight: np.ndarray, previous: BlockParameters | None = None
    ) -> BlockParameters:
        """M step under ``weight`` (K, N); missing cells are expected under ``previous``, if any."""
        if previous is None and rows.order is not None:
            previous = self._by_column(rows, weight)
        filler = None if previous is None or rows.order is None else Filler.of(previous)
        patterns = [(*span, Holes.of(filler, seen)) for *span, seen in rows.patterns]
        n, total = weight.sum(axis=1), np.zeros((len(weight), self.center.size))
        for start, stop, holes in patterns:
            for part, x in rows.chunks(start, stop, len(weight)):
                total += (holes.filled(x) @ weight[:, part, None])[:, :, 0]
        mean = (self.count * self.location + total) / (self.count + n[:, None])
        pull = mean - self.location
        squares = self.scatter + self.count * pull[:, :, None] * pull[:, None, :]
        for start, stop, holes in patterns:
            heard = np.zeros(len(n))
            for part, x in rows.chunks(start, stop, len(weight)):
                w, d = weight[:, part], holes.filled(x) - mean[:, :, None]
                squares += (d * w[:, None, :]) @ d.transpose(0, 2, 1)
                heard += w.sum(axis=1)
            hidden = np.ix_(range(len(n)), holes.hidden, holes.hidden)
            squares[hidden] += heard[:, None, None] * holes.doubt
        covariance = squares / (self.dof + n)[:, None, None]
        return BlockParameters(mean, covariance + self.floor * np.eye(self.center.size))

    def _by_column(self, rows: BlockRows, weight: np.ndarray) -> BlockParameters:
        x, w = rows.values, weight[:, rows.order]
        seen = np.zeros(x.shape)
        for start, stop, there in rows.patterns:
            seen[:, start:stop] = there[:, None]
        n, total, squares = w @ seen.T, w @ x.T, w @ np.square(x).T
        mean = (self.count * self.location + total) / (self.count + n)
        pull = self.count * np.square(mean - self.location)
        around = np.maximum(squares - mean * (2.0 * total - n * mean), 0.0)
        spread = (np.diag(self.scatter) + pull + around) / (self.dof + n) + self.floor
        return BlockParameters(mean, spread[:, :, None] * np.eye(self.center.size))

    def add_log_density(
        self, rows: BlockRows, parameters: BlockParameters, out: np.ndarray
    ) -> None:
        """Add ln p of every row's cells under every component to ``out`` (K, N)."""
        filler = Filler.of(parameters)
        shift = filler.whitening @ parameters.mean[:, :, None]
        for start, stop, seen in rows.patterns:
            holes = Holes.of(filler, seen)
            log_det = filler.log_det + holes.log_det
            constant = -0.5 * (seen.sum() * _LN_2PI + log_det)[:, None]
            for part, x in rows.chunks(start, stop, len(out)):
                y = filler.whitening @ holes.filled(x)
                y -= shift
                out[:, part] += constant - 0.5 * np.einsum("kdn,kdn->kn", y, y)

    def log_prior(self, parameters: BlockParameters) -> float:
        """Log prior density of the parameters, in mu and ln(Sigma^-1)."""
        found = Filler.of(parameters)
        pull = (found.whitening @ (parameters.mean - self.location)[:, :, None])[:, :, 0]
        spread = np.einsum("kij,ij->k", found.precision, self.scatter)
        quadratic = self.count * np.square(pull).sum(axis=1) + spread
        size, a_0 = self.center.size, self.dof - 1.0
        constant = 0.5 * size * (np.log(self.count) - _LN_2PI - a_0 * math.log(2.0))
        constant += 0.5 * a_0 * np.linalg.slogdet(self.scatter)[1] - multigammaln(0.5 * a_0, size)
        return float((constant - 0.5 * (self.dof * found.log_det + quadratic)).sum())

    def describe(self, parameters: BlockParameters) -> dict[str, dict[str, np.ndarray]]:
        """Mean (K, D) and covariance (K, D, D) in the user's units."""
        mean = parameters.mean + self.center
        return {self.unit.name: {"mean": mean, "covariance": parameters.covariance}}


class Filler(NamedTuple):
    """Inverse Cholesky factors, precisions (K, D, D), ln det of the covariances, and means."""

    whitening: np.ndarray
    precision: np.ndarray
    log_det: np.ndarray
    mean: np.ndarray

    @classmethod
    def of(cls, parameters: BlockParameters) -> Filler:
        """Factorise the covariances, or raise ValueError where one is singular."""
        try:
            lower = np.linalg.cholesky(parameters.covariance)
        except np.linalg.LinAlgError:
            raise ValueError(
                "The covariance of a component has become singular: raise covariance_floor, ask for"
                " fewer components, or use prior='empirical'."
            ) from None
        whitening = np.linalg.inv(lower)
        log_det = 2.0 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        return cls(whitening, whitening.transpose(0, 2, 1) @ whitening, log_det, parameters.mean)


class Holes(NamedTuple):
    """One pattern of holes, and what every component expects there given the rest.

    With P the precision, h hidden, o seen: expected is m_h - P_hh^-1 P_ho (x_o - m_o), with
    covariance P_hh^-1; ln det Sigma_oo = ln det Sigma + ln det P_hh; a filled row has the squared
    Mahalanobis distance of its seen cells alone.
    """

    hidden: np.ndarray
    seen: np.ndarray
    mean: np.ndarray
    regression: np.ndarray
    doubt: np.ndarray
    log_det: np.ndarray

    @classmethod
    def of(cls, filler: Filler | None, seen: np.ndarray) -> Holes:
        """The pattern with the coordinates ``seen`` (D,); complete rows need no filler."""
        hidden, seen = np.flatnonzero(~seen), np.flatnonzero(seen)
        if not hidden.size:
            nothing = np.zeros((1, 0, 0))
            return cls(hidden, seen, nothing, nothing, nothing, np.zeros(1))
        own = filler.precision[:, hidden[:, None], hidden]
        doubt = np.linalg.inv(own)
        regression = -doubt @ filler.precision[:, hidden[:, None], seen]
        log_det = np.linalg.slogdet(own)[1]
        return cls(hidden, seen, filler.mean[:, :, None], regression, doubt, log_det)

    def filled(self, x: np.ndarray) -> np.ndarray:
        """Rows (D, n) with their holes filled by every component: (K, D, n), or (1, D, n)."""
        if not self.hidden.size:
            return x[None]
        full = np.empty((len(self.mean), *x.shape))
        full[:, self.seen] = x[self.seen]
        away = x[self.seen] - self.mean[:, self.seen]
        full[:, self.hidden] = self.mean[:, self.hidden] + self.regression @ away
        return full
