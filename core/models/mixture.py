"""Finite mixtures of mixed columns: given the component, units are independent.

The prior is a density of mu, ln tau, ln lambda, ln q and, of blocks, ln(Sigma^-1), in which the M
step takes its modes. A block's missing cells are expected (Ghahramani and Jordan 1994).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import multigammaln

from ..engine.packed import check_prior
from ..families import FAMILIES, Prior
from ..inference.clusters import same_holes
from ..schema.encoded import Encoded, Unit
from .mixture_columns import LN_2PI, ROWS, VANISHING, MixtureColumns, NormalPriors, means


class MixtureParameters(NamedTuple):
    """Weights (K,), and one tuple of arrays (K, ...) for each part of the model."""

    weights: np.ndarray
    parts: tuple[NamedTuple, ...]

    def reordered(self, order: np.ndarray) -> Self:
        """The same components in another order."""
        parts = tuple(type(part)(*(array[order] for array in part)) for part in self.parts)
        return MixtureParameters(self.weights[order], parts)


class MixtureRows(NamedTuple):
    """A table as the parts of the model read it, and how often each row counts, (N,)."""

    parts: tuple[Any, ...]
    weights: np.ndarray


@dataclass(frozen=True)
class Mixture:
    """The model."""

    #: One of all columns, if there are any, and one for each block.
    parts: tuple[Any, ...]
    #: In the order of the table, each with its prior, in the user's units.
    units: tuple[Unit, ...]
    priors: Sequence[Prior]
    #: Not None for maximum likelihood: the variance added to every one, in squared units.
    floor: float | None = None
    #: Of every row's likelihood given its component.
    power: float = 1.0

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        priors: Sequence[Prior],
        floor: float | None = None,
        power: float = 1.0,
    ) -> Self:
        """The model of a table under a prior for each unit."""
        columns, blocks = [], []
        for unit, prior, start in zip(encoded.units, priors, encoded.starts, strict=True):
            check_prior(unit, prior)
            is_block = FAMILIES[unit.family].fills_missing
            (blocks if is_block else columns).append((unit, prior, start))
        parts: list[Any] = [MixtureColumns.of(encoded, columns, floor)] if columns else []
        parts += [MixtureBlock.of(encoded, *block, floor) for block in blocks]
        return cls(tuple(parts), encoded.units, priors, floor, power)

    def read(self, encoded: Encoded) -> MixtureRows:
        """Rows of a table with the fitted one's columns."""
        parts = tuple(part.read(encoded.values) for part in self.parts)
        weights = np.ones(len(encoded.values)) if encoded.weights is None else encoded.weights
        return MixtureRows(parts, weights)

    def maximise(
        self, rows: MixtureRows, weight: np.ndarray, previous: MixtureParameters | None = None
    ) -> MixtureParameters:
        """M step, given the responsibilities, shape (K, N), and the parameters they came from."""
        before = previous.parts if previous else (None,) * len(self.parts)
        weight = weight * rows.weights
        evidence = weight if self.power == 1.0 else self.power * weight
        every = zip(self.parts, rows.parts, before, strict=True)
        parts = tuple(part.maximise(data, evidence, old) for part, data, old in every)
        sizes = weight.sum(axis=1)
        return MixtureParameters(sizes / sizes.sum(), parts)

    def expect(
        self, rows: MixtureRows, parameters: MixtureParameters
    ) -> tuple[np.ndarray, np.ndarray]:
        """E step: responsibilities, shape (K, N), and ln p of every row's cells in users' units."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(parameters.weights)
        out = np.tile(log_weights[:, None] / self.power, rows.weights.size)
        for part, data, found in zip(self.parts, rows.parts, parameters.parts, strict=True):
            part.add_log_density(data, found, out)
        if self.power != 1.0:
            out *= self.power
        top = out.max(axis=0)
        out -= top
        np.exp(out, out=out)
        total = out.sum(axis=0)
        out /= total
        return out, top + np.log(total)

    def log_prior(self, parameters: MixtureParameters) -> float:
        """Log prior density of the parameters; 0 for maximum likelihood."""
        if self.floor is not None:
            return 0.0
        pairs = zip(self.parts, parameters.parts, strict=True)
        return sum(part.log_prior(found) for part, found in pairs)

    def describe(self, parameters: MixtureParameters) -> dict[str, dict[str, np.ndarray]]:
        """Every unit's parameters, stacked over the components, by the family's own names."""
        found = {}
        for part, numbers in zip(self.parts, parameters.parts, strict=True):
            found |= part.describe(numbers)
        return {unit.name: found[unit.name] for unit in self.units}


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
