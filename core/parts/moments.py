"""What priors and posteriors need to know of many rows: counts of codes, means and products.

Every prior of the library learns from a column by its mean, variance or counts alone, so that a
few rows with weights, which have the same, stand for all rows (``Moments.stand_ins``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..families import FAMILIES
from ..schema.encoded import Encoded, Unit


@dataclass(frozen=True)
class UnitMoments:
    """Of one unit of D columns in each of K clusters; those of parts are joined exactly.

    Rows that lack a cell of a unit count in ``n_rows`` alone.
    """

    #: float64, shape (K,). Rows, and rows without a missing cell.
    n_rows: np.ndarray
    n: np.ndarray
    #: float64, shape (K, D) and (K, D, D). Means; products of deviations from them, added up.
    mean: np.ndarray
    products: np.ndarray
    #: float64, shape (K, V). Of names, rows of every code; None of other units.
    codes: np.ndarray | None

    @classmethod
    def of(cls, unit: Unit, values: np.ndarray, labels: np.ndarray, k: int) -> UnitMoments:
        """Of the rows with labels 0..K-1; values of shape (N, D)."""
        n_rows = np.bincount(labels, minlength=k).astype(np.float64)
        seen = ~np.isnan(values).any(axis=1)
        x, labels = values[seen], labels[seen]
        n = np.bincount(labels, minlength=k).astype(np.float64)
        least = np.maximum(n, 1.0)
        mean = np.column_stack([np.bincount(labels, column, k) / least for column in x.T])
        centred = x - mean[labels]
        d = x.shape[1]
        products = np.empty((k, d, d))
        for i in range(d):
            for j in range(i + 1):
                of_pair = np.bincount(labels, centred[:, i] * centred[:, j], k)
                products[:, i, j] = products[:, j, i] = of_pair
        codes = None
        if unit.is_nominal:
            size = max(len(unit.options.get("levels", ())), 2)
            places = labels * size + x[:, 0].astype(np.int64)
            codes = np.bincount(places, minlength=k * size).reshape(k, size).astype(np.float64)
        return cls(n_rows, n, mean, products, codes)

    def joined(self, other: UnitMoments) -> UnitMoments:
        """Of both together (Chan, Golub and LeVeque 1983)."""
        n = self.n + other.n
        share = np.divide(other.n, n, out=np.zeros_like(n), where=n > 0)
        gap = other.mean - self.mean
        between = (self.n * share)[:, None, None] * gap[:, :, None] * gap[:, None, :]
        codes = None if self.codes is None else self.codes + other.codes
        return UnitMoments(
            self.n_rows + other.n_rows,
            n,
            self.mean + share[:, None] * gap,
            self.products + other.products + between,
            codes,
        )

    def stand_ins(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """A few rows (R, D) and their weights (R,) with these moments, the last one missing."""
        d, n = self.mean.shape[1], self.n[k]
        if self.codes is not None:
            found = np.flatnonzero(self.codes[k])
            rows, weights = found[:, None].astype(np.float64), self.codes[k][found]
        elif n == 0.0:
            rows, weights = np.empty((0, d)), np.empty(0)
        else:
            root = np.sqrt(d) * _root(self.products[k] / n).T
            rows = np.concatenate([self.mean[k] + root, self.mean[k] - root])
            weights = np.full(2 * d, n / (2 * d))
        missing = self.n_rows[k] - n
        return np.vstack([rows, np.full((1, d), np.nan)]), np.append(weights, missing)


#: Of every unit of a table.
Moments = tuple[UnitMoments, ...]


def moments_of(encoded: Encoded, labels: np.ndarray, n_clusters: int) -> Moments:
    """Moments of the units of some rows with labels 0..K-1."""
    return tuple(
        UnitMoments.of(unit, _columns(encoded, u), labels, n_clusters)
        for u, unit in enumerate(encoded.units)
    )


def joined(parts: Sequence[Moments]) -> Moments:
    """Moments of parts together, in their order."""
    total = parts[0]
    for part in parts[1:]:
        total = tuple(a.joined(b) for a, b in zip(total, part, strict=True))
    return total


def values_for(unit: Unit, rows: np.ndarray) -> np.ndarray:
    """Rows of a unit as its prior reads them: (n,) of a column, (n, D) of a block."""
    return rows if FAMILIES[unit.family].is_block else rows[:, 0]


def _columns(encoded: Encoded, u: int) -> np.ndarray:
    start = encoded.starts[u]
    return encoded.values[:, start : start + len(encoded.units[u].columns)]


def _root(covariance: np.ndarray) -> np.ndarray:
    """A square root of a covariance that may lack rank."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))
