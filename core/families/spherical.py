"""A block of real columns with unknown mean and one known variance in every direction.

Model: x ~ N(mu, s^2 I), s^2 given. Prior: mu ~ N(mu_0, s_0^2 I). R16 Algorithm 2. Every quantity
is a sum over coordinates, so the engine runs one ``normal_known_variance`` column for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .family import MEASUREMENT, Family, Support
from .normal_known_variance import KERNELS, NormalKnownVariancePrior
from .prior import Moments, Prior, Spread
from .sufficient import Rows, Several


@dataclass(frozen=True, eq=False)
class SphericalPrior(Prior):
    """Spherical normal prior of a cluster mean, and the variance within clusters.

    Parameters
    ----------
    mean : array-like, shape (D,)
        mu_0.
    mean_variance : float or array-like, shape (D,)
        s_0^2; an array only in posteriors, where missing cells make directions differ.
    variance : float
        s^2, the same in every direction.
    """

    mean: np.ndarray
    mean_variance: float | np.ndarray
    variance: float

    positive = ("mean_variance", "variance")
    scaled = ("variance",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", np.atleast_1d(np.asarray(self.mean, dtype=np.float64)))
        super().__post_init__()

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 0.1) -> SphericalPrior:
        """Cluster means spread as the columns do on average, clusters ``scale`` of it wide."""
        variance = float(np.mean(spread.variance))
        return cls(spread.mean, variance, scale * variance)

    def parts(self) -> list[NormalKnownVariancePrior]:
        """The same prior, one coordinate at a time."""
        spreads = np.broadcast_to(self.mean_variance, self.mean.shape)
        return [
            NormalKnownVariancePrior(float(m), float(v), self.variance)
            for m, v in zip(self.mean, spreads, strict=True)
        ]

    def statistic_of(self, rows: Rows) -> Several:
        """Moments of every coordinate, of the rows that have it."""
        return Several(
            tuple(
                p.statistic(x, rows.labels, rows.n_clusters, rows.weight)
                for p, x in zip(self.parts(), rows.values.T, strict=True)
            )
        )

    def posterior_of(self, statistic: Several) -> SphericalPrior:
        """Prior updated with the cells of one cluster."""
        after = [p.posterior_of(s) for p, s in zip(self.parts(), statistic.parts, strict=True)]
        return SphericalPrior(
            np.array([p.mean for p in after]),
            np.array([p.mean_variance for p in after]),
            self.variance,
        )

    def log_marginal_of(self, statistic: Several) -> np.ndarray:
        """Ln p of the cells of every cluster, shape (K,)."""
        parts = zip(self.parts(), statistic.parts, strict=True)
        return np.sum([p.log_marginal_of(s) for p, s in parts], axis=0)

    @property
    def n_learned(self) -> int:
        """Means, and one spread."""
        return self.mean.size + 1

    def summary(self) -> dict[str, object]:
        """Mean, and the known standard deviation."""
        return {"mean": self.mean.tolist(), "sd": self.variance**0.5}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and covariance of the columns at the point estimate."""
        mean = np.array(summary["mean"])
        return Moments(mean, summary["sd"] ** 2 * np.eye(mean.size))

    def without(self, row: np.ndarray, weight: float = 1.0) -> SphericalPrior:
        """Posterior without one of its rows: coordinates that the row lacks are as they were."""
        return self

    def conditional(self, rows: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, shape (n, m), of missing cells: the others tell nothing of them."""
        shape = (len(rows), int(missing.sum()))
        spread = np.broadcast_to(self.mean_variance, self.mean.shape) + self.variance
        return np.broadcast_to(self.mean[missing], shape), np.broadcast_to(spread[missing], shape)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Rows from the predictive, shape (size, D)."""
        return np.stack([prior.draw(size, random) for prior in self.parts()], axis=1)


FAMILY = Family(
    name="spherical",
    label="block, known equal spread (spherical)",
    help="Several real columns in one unit with one known spread: the model nearest K-means.",
    kind=MEASUREMENT,
    Prior=SphericalPrior,
    kernels=KERNELS,
    support=Support(),
    mixture="normal",
    is_block=True,
    is_real=True,
)
