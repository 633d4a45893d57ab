"""Real values with known variance: x ~ N(mu, s^2), mu ~ N(mu_0, s_0^2); R16 Algorithm 2.

A spherical block is one such column for each coordinate, which is how the engine runs it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .family import MEASUREMENT
from .normal_kernels import KNOWN_KERNELS
from .prior import Moments, Predictive, Prior, Weight, spread_of
from .sufficient import Rows, Sums

_LN_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class _KnownVariance(Prior):
    """What columns and blocks share; statistics are (n, mean, squares) of every column."""

    kind = MEASUREMENT
    kernels = KNOWN_KERNELS

    mean: Any
    mean_variance: Any
    variance: float

    positive = ("mean_variance", "variance")
    scaled = ("variance",)

    @classmethod
    def default(cls, values: np.ndarray, scale: float = 0.1, weight: Weight = 1.0) -> Self:
        """Cluster means spread as the columns do on average, clusters ``scale`` of it wide."""
        mean, variances, _ = spread_of(values, weight)
        variance = float(np.mean(variances))
        return cls(mean, variance, scale * variance)

    @staticmethod
    def statistic_of(rows: Rows) -> Sums:
        totals = []
        for x in rows.values.T if rows.values.ndim == 2 else [rows.values]:
            found = Rows.of(x, rows.labels, rows.n_clusters, rows.weight).moments()
            totals += [found.n, found.mean[:, 0], found.products[:, 0, 0]]
        return Sums(np.array(totals))

    @staticmethod
    def read_statistic(state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Sums:
        columns = state.reshape(center.size, 3, -1)
        n, mean, squares = columns.transpose(1, 0, 2)
        center, scale = center[:, None], scale[:, None]
        found = np.stack([n, center + scale * mean, scale**2 * squares], axis=1)
        return Sums(found.reshape(state.shape))

    def _moments_of(self, statistic: Sums) -> tuple[np.ndarray, ...]:
        """(n, mean, squares), each of shape (D, K), and mu_0 and s_0^2, each (D, 1)."""
        columns = statistic.totals.reshape(-1, 3, statistic.totals.shape[1]).transpose(1, 0, 2)
        own = np.broadcast_arrays(self.mean, self.mean_variance)
        return (*columns, *(np.reshape(one, (-1, 1)) for one in own))

    def posterior_of(self, statistic: Sums) -> Self:
        n, mean, _, before, width = self._moments_of(statistic)
        v = 1.0 / (1.0 / width + n / self.variance)
        mean = v * (before / width + n * mean / self.variance)
        return replace(self, mean=mean[:, 0], mean_variance=v[:, 0])

    def log_marginal_of(self, statistic: Sums) -> np.ndarray:
        n, mean, squares, before, width = self._moments_of(statistic)
        widened = self.variance + n * width
        within = squares / self.variance + n * np.square(mean - before) / widened
        constant = n * (_LN_2PI + math.log(self.variance)) + np.log(widened / self.variance)
        return -0.5 * (constant + within).sum(axis=0)

    @property
    def n_learned(self) -> int:
        return np.size(self.mean) + 1

    def summary(self) -> dict[str, Any]:
        return {"mean": np.asarray(self.mean).tolist(), "sd": math.sqrt(self.variance)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        mean = np.atleast_1d(summary["mean"])
        return Moments(mean, summary["sd"] ** 2 * np.eye(mean.size))


@dataclass(frozen=True)
class NormalKnownVariancePrior(_KnownVariance):
    """Normal prior of a cluster mean, and the variance within clusters.

    ``mean`` and ``mean_variance``, mu_0 and s_0^2, are location and spread of the cluster means,
    ``variance``, s^2, is that of the values of one cluster.
    """

    name = "normal_known_variance"
    label = "measurement, known spread"
    help = "Real values whose spread within a cluster is known beforehand."
    options = ("transform",)

    def __post_init__(self) -> None:
        for name in ("mean", "mean_variance"):
            object.__setattr__(self, name, float(np.ravel(getattr(self, name))[0]))
        super().__post_init__()

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(mu_0, s_0^2, s^2) for rescaled data."""
        spreads = np.array([self.mean_variance, self.variance]) / scale**2
        return np.array([(self.mean - center) / scale, *spreads])

    def predictive(self) -> Predictive:
        return Predictive(self.mean, self.mean, self.mean_variance + self.variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return random.normal(self.mean, math.sqrt(self.mean_variance + self.variance), size)


@dataclass(frozen=True, eq=False)
class SphericalPrior(_KnownVariance):
    """The same for D columns, with one ``variance`` in all directions.

    ``mean`` has shape (D,). ``mean_variance`` is an array (D,) only in posteriors, where missing
    cells make directions differ.
    """

    name = "spherical"
    label = "block, known equal spread (spherical)"
    help = "Several real columns in one unit with one known spread: the model nearest K-means."
    is_block = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", np.atleast_1d(np.asarray(self.mean, dtype=np.float64)))
        super().__post_init__()

    def parts(self) -> list[NormalKnownVariancePrior]:
        spreads = np.broadcast_to(self.mean_variance, self.mean.shape)
        pairs = zip(self.mean, spreads, strict=True)
        return [NormalKnownVariancePrior(m, v, self.variance) for m, v in pairs]

    def without(self, row: np.ndarray, weight: float = 1.0) -> Self:
        return self

    def conditional(self, rows: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, shape (n, m), of missing cells; the others tell nothing of them."""
        shape = (len(rows), int(missing.sum()))
        spread = np.broadcast_to(self.mean_variance, self.mean.shape) + self.variance
        return np.broadcast_to(self.mean[missing], shape), np.broadcast_to(spread[missing], shape)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return np.stack([prior.draw(size, random) for prior in self.parts()], axis=1)
