"""Finite mixtures of mixed columns: given the component, units are independent.

The prior is a density of mu, ln tau, ln lambda and ln q, in which the M step takes its modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...engine.columns import check_prior
from ...families import FAMILIES, Prior
from ...schema.encoded import Encoded
from .blocks import GaussianBlock
from .columns import MixtureColumns

_ROWS = 4096


class MixtureParameters(NamedTuple):
    """Weights (K,), and one tuple of arrays (K, ...) for each part of the model."""

    weights: np.ndarray
    parts: tuple[NamedTuple, ...]

    def reordered(self, order: np.ndarray) -> MixtureParameters:
        """The same components in another order."""
        parts = tuple(type(part)(*(array[order] for array in part)) for part in self.parts)
        return MixtureParameters(self.weights[order], parts)


class MixtureRows(NamedTuple):
    """A table as the parts of the model read it, its rows, and how often each counts (or None)."""

    parts: tuple[Any, ...]
    n_rows: int
    weights: np.ndarray | None = None


@dataclass(frozen=True)
class Mixture:
    """The model."""

    #: One of all columns, if there are any, and one for each block.
    parts: tuple[Any, ...]
    #: In the order of the table.
    names: tuple[str, ...]
    #: False for maximum likelihood, whose objective is the likelihood's alone.
    has_prior: bool
    #: Of every row's likelihood given its component.
    power: float = 1.0

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        priors: Sequence[Prior],
        floor: float | None = None,
        power: float = 1.0,
    ) -> Mixture:
        """The model of a table under a prior for each unit, in the user's units.

        A floor, in squared units, asks for maximum likelihood and is added to every variance found.
        """
        for unit, prior in zip(encoded.units, priors, strict=True):
            check_prior(unit, prior)
        units = enumerate(encoded.units)
        blocks = [u for u, unit in units if FAMILIES[unit.family].mixture == "gaussian"]
        columns = [u for u in range(len(priors)) if u not in blocks]
        parts = [GaussianBlock.of(encoded, u, priors[u], floor) for u in blocks]
        if columns:
            own = [priors[u] for u in columns]
            parts.insert(0, MixtureColumns.of(encoded, columns, own, floor))
        names = tuple(unit.name for unit in encoded.units)
        return cls(tuple(parts), names, floor is None, power)

    def read(self, encoded: Encoded) -> MixtureRows:
        """Rows of a table with the fitted one's columns."""
        parts = tuple(part.read(encoded) for part in self.parts)
        return MixtureRows(parts, len(encoded.values), encoded.weights)

    def maximise(
        self, rows: MixtureRows, weight: np.ndarray, previous: MixtureParameters | None = None
    ) -> MixtureParameters:
        """M step, given the responsibilities, shape (K, N), and the parameters they came from."""
        before = previous.parts if previous else (None,) * len(self.parts)
        if rows.weights is not None:
            weight = weight * rows.weights
        evidence = weight if self.power == 1.0 else self.power * weight
        parts = tuple(
            part.maximise(data, evidence, old)
            for part, data, old in zip(self.parts, rows.parts, before, strict=True)
        )
        sizes = weight.sum(axis=1)
        return MixtureParameters(sizes / sizes.sum(), parts)

    def expect(
        self, rows: MixtureRows, parameters: MixtureParameters
    ) -> tuple[np.ndarray, np.ndarray]:
        """E step: responsibilities, shape (K, N), and ln p of every row's cells in users' units."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(parameters.weights)
        out = np.tile(log_weights[:, None] / self.power, rows.n_rows)
        for part, data, found in zip(self.parts, rows.parts, parameters.parts, strict=True):
            part.add_log_density(data, found, out)
        if self.power != 1.0:
            out *= self.power
        log_density = np.empty(rows.n_rows)
        for start in range(0, rows.n_rows, _ROWS):
            chunk = out[:, start : start + _ROWS]
            top = chunk.max(axis=0)
            chunk -= top
            np.exp(chunk, out=chunk)
            total = chunk.sum(axis=0)
            chunk /= total
            log_density[start : start + _ROWS] = top + np.log(total)
        return out, log_density

    def log_prior(self, parameters: MixtureParameters) -> float:
        """Log prior density of the parameters; 0 for maximum likelihood."""
        if not self.has_prior:
            return 0.0
        pairs = zip(self.parts, parameters.parts, strict=True)
        return sum(part.log_prior(found) for part, found in pairs)

    def describe(self, parameters: MixtureParameters) -> dict[str, dict[str, np.ndarray]]:
        """Every unit's parameters, stacked over the components, by the family's own names."""
        found = {}
        for part, numbers in zip(self.parts, parameters.parts, strict=True):
            found.update(part.describe(numbers))
        return {name: found[name] for name in self.names}
