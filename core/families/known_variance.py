"""Real values with known variance: x ~ N(mu, s^2), mu ~ N(mu_0, s_0^2); R16 Algorithm 2.

The engine runs a spherical block as one such column for each coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import inner, spliced
from ..special import fast_log
from .family import MEASUREMENT, Family, Kernels, Support, always
from .prior import Moments, Predictive, Prior, Spread
from .statistics import N_MOMENTS, add_to_moments, joint_moments, merge_moments
from .sufficient import GroupMoments, Rows, Several

N_ROWS = 6
_N, _MEAN, _SPREAD, _LOCATION, _HALF_PRECISION, _CONSTANT = range(N_ROWS)
_LN_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class NormalKnownVariancePrior(Prior):
    """Normal prior of a cluster mean, and the variance within clusters.

    Parameters
    ----------
    mean, mean_variance : float
        mu_0 and s_0^2, location and spread of the cluster means.
    variance : float
        s^2, variance of the values of one cluster.
    """

    mean: float
    mean_variance: float
    variance: float

    positive = ("mean_variance", "variance")
    n_learned = 2  # mean and spread
    scaled = ("variance",)

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 0.1) -> NormalKnownVariancePrior:
        """Cluster means spread as the column does, clusters ``scale`` of its variance wide."""
        variance = float(spread.variance[0])
        return cls(float(spread.mean[0]), variance, scale * variance)

    @staticmethod
    def statistic_of(rows: Rows) -> GroupMoments:
        return rows.moments()

    def posterior_of(self, statistic: GroupMoments) -> NormalKnownVariancePrior:
        n, mean = float(statistic.n[0]), float(statistic.mean[0, 0])
        v = 1.0 / (1.0 / self.mean_variance + n / self.variance)
        mean = v * (self.mean / self.mean_variance + n * mean / self.variance)
        return NormalKnownVariancePrior(mean, v, self.variance)

    def log_marginal_of(self, statistic: GroupMoments) -> np.ndarray:
        n, deviation = statistic.n, statistic.mean[:, 0] - self.mean
        widened = self.variance + n * self.mean_variance
        within = statistic.products[:, 0, 0] / self.variance + n * np.square(deviation) / widened
        constant = n * (_LN_2PI + math.log(self.variance)) + np.log(widened / self.variance)
        return -0.5 * (constant + within)

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(mu_0, s_0^2, s^2) for rescaled data."""
        return np.array(
            [
                (self.mean - center) / scale,
                self.mean_variance / scale**2,
                self.variance / scale**2,
            ]
        )

    def summary(self) -> dict[str, float]:
        return {"mean": self.mean, "sd": math.sqrt(self.variance)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["sd"] ** 2)

    def predictive(self) -> Predictive:
        return Predictive(self.mean, self.mean, self.mean_variance + self.variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return random.normal(self.mean, math.sqrt(self.mean_variance + self.variance), size)


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
        spreads = np.broadcast_to(self.mean_variance, self.mean.shape)
        return [
            NormalKnownVariancePrior(float(m), float(v), self.variance)
            for m, v in zip(self.mean, spreads, strict=True)
        ]

    def statistic_of(self, rows: Rows) -> Several:
        return Several(
            tuple(
                p.statistic(x, rows.labels, rows.n_clusters, rows.weight)
                for p, x in zip(self.parts(), rows.values.T, strict=True)
            )
        )

    def statistic_in(self, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Several:
        columns = zip(np.split(state, center.size), center, scale, strict=True)
        return Several(tuple(GroupMoments.of_state(s, c[None], d[None]) for s, c, d in columns))

    def posterior_of(self, statistic: Several) -> SphericalPrior:
        after = [p.posterior_of(s) for p, s in zip(self.parts(), statistic.parts, strict=True)]
        return SphericalPrior(
            np.array([p.mean for p in after]),
            np.array([p.mean_variance for p in after]),
            self.variance,
        )

    def log_marginal_of(self, statistic: Several) -> np.ndarray:
        parts = zip(self.parts(), statistic.parts, strict=True)
        return np.sum([p.log_marginal_of(s) for p, s in parts], axis=0)

    @property
    def n_learned(self) -> int:
        return self.mean.size + 1

    def summary(self) -> dict[str, object]:
        return {"mean": self.mean.tolist(), "sd": self.variance**0.5}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        mean = np.array(summary["mean"])
        return Moments(mean, summary["sd"] ** 2 * np.eye(mean.size))

    def without(self, row: np.ndarray, weight: float = 1.0) -> SphericalPrior:
        return self

    def conditional(self, rows: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, shape (n, m), of missing cells; the others tell nothing of them."""
        shape = (len(rows), int(missing.sum()))
        spread = np.broadcast_to(self.mean_variance, self.mean.shape) + self.variance
        return np.broadcast_to(self.mean[missing], shape), np.broadcast_to(spread[missing], shape)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return np.stack([prior.draw(size, random) for prior in self.parts()], axis=1)


@inner
def _posterior(n, mean, prior, p):
    v = 1.0 / (1.0 / prior[p + 1] + n / prior[p + 2])
    return v * (prior[p] / prior[p + 1] + n * mean / prior[p + 2]), v


@inner
def _power_constant(weight, s2):
    """Ln of N(x | mu, s^2)^weight by N(x | mu, s^2/weight): 0 for a weight of 1."""
    if weight == 1.0:  # nearly always, and it saves two logarithms
        return 0.0
    return 0.5 * ((1.0 - weight) * (_LN_2PI + math.log(s2)) - math.log(weight))


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its moments."""
    location, v = _posterior(state[row + _N, k], state[row + _MEAN, k], prior, p)
    state[row + _LOCATION, k] = location
    variance = v + prior[p + 2] / weight
    state[row + _HALF_PRECISION, k] = 0.5 / variance
    state[row + _CONSTANT, k] = _power_constant(weight, prior[p + 2]) - 0.5 * (
        _LN_2PI + math.log(variance)
    )


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive density of x under every cluster."""
    value = x[first]
    for k in range(n_states):
        deviation = value - state[row + _LOCATION, k]
        out[k] += state[row + _CONSTANT, k] - state[row + _HALF_PRECISION, k] * (
            deviation * deviation
        )


@spliced
def score_without(state, row, size, k, x, first, weight, prior, p, work):
    """Log predictive density of x, one of cluster k's values, given the others."""
    n = state[row + _N, k] - weight
    mean = state[row + _MEAN, k]
    mean -= weight * (x[first] - mean) / max(n, weight)
    location, v = _posterior(n, mean, prior, p)
    variance = v + prior[p + 2] / weight
    deviation = x[first] - location
    return _power_constant(weight, prior[p + 2]) - 0.5 * (
        _LN_2PI + math.log(variance) + deviation * deviation / variance
    )


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive density of the values of many rows under every cluster."""
    for v in range(u, end):
        x, row, size, p = cells[v - u], units[v, 3], units[v, 2], units[v, 4]
        for k in range(n_states):
            line, constant = lines[k], state[row + _CONSTANT, k]
            location, half = state[row + _LOCATION, k], state[row + _HALF_PRECISION, k]
            for b in range(n):
                deviation = x[b] - location
                score = constant - half * (deviation * deviation)
                line[b] += score if x[b] == x[b] else 0.0
        for b in range(n):
            if x[b] == x[b]:
                within[b] += score_without(
                    state, row, size, own[b], x, np.int64(b), weight, prior, p, spare
                )


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set a missing cell to the mode of the predictive of cluster k."""
    x[first] = state[row + _LOCATION, k]


@spliced
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    mu_0, s2_0, s2 = prior[p], prior[p + 1], prior[p + 2]
    per_value = _LN_2PI + math.log(s2)
    for other in range(n_states):
        n, mean, spread = joint_moments(state, row, k, other)
        width = s2 + n * s2_0
        out[other] += -0.5 * (
            n * per_value
            + fast_log(width / s2)
            + spread / s2
            + n * (mean - mu_0) * (mean - mu_0) / width
        )


rows = always(N_ROWS)
n_statistics = always(N_MOMENTS)
add = add_to_moments
merge = merge_moments
KERNELS = Kernels.of(globals())

KNOWN_VARIANCE = Family(
    name="normal_known_variance",
    label="measurement, known spread",
    help="Real values whose spread within a cluster is known beforehand.",
    kind=MEASUREMENT,
    Prior=NormalKnownVariancePrior,
    kernels=KERNELS,
    support=Support(),
    mixture="normal",
    options=("transform",),
    is_real=True,
    is_imputed=True,
)

SPHERICAL = Family(
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
    is_imputed=True,
)
