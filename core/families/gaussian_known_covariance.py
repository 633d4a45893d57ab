"""A block of real columns with unknown mean and a known covariance.

Model: x ~ N(mu, S) in D dimensions, S given. Prior: mu ~ N(mu_0, Sigma_0). Predictive:
N(mu_n, V_n + S). R16 Appendix A.

The statistics are natural parameters, so that a row with missing cells enters with exactly what it
has: with o its observed coordinates it adds S_oo^-1 and S_oo^-1 x_o in their places. State rows of
a cluster: sum of precisions (T = D(D+1)/2), sum of precision times value (D), sum of x'S^-1 x, of
ln det S and of the number of observed cells; then cached: mu_n (D) and V_n (T).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import inner, spliced
from .family import MEASUREMENT, Family, Kernels, Support
from .gaussian import _positive_definite
from .linear_algebra import cholesky, invert, solve_lower
from .prior import Moments, Prior, Spread
from .sufficient import Rows, Sums

_LN_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class GaussianKnownCovariancePrior(Prior):
    """Normal prior of a cluster mean, and the covariance within clusters.

    Parameters
    ----------
    mean : array-like, shape (D,)
        mu_0.
    mean_covariance, covariance : array-like, shape (D, D)
        Sigma_0 and S, symmetric and positive definite.
    """

    mean: np.ndarray
    mean_covariance: np.ndarray
    covariance: np.ndarray

    scaled = ("covariance",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", np.atleast_1d(np.asarray(self.mean, dtype=np.float64)))
        for name in ("mean_covariance", "covariance"):
            matrix = np.atleast_2d(np.asarray(getattr(self, name), dtype=np.float64))
            object.__setattr__(self, name, matrix)
        super().__post_init__()
        size = self.mean.size
        for name in ("mean_covariance", "covariance"):
            matrix = getattr(self, name)
            if matrix.shape != (size, size) or not _positive_definite(matrix):
                raise ValueError(
                    f"GaussianKnownCovariancePrior: {name} must be a symmetric positive definite"
                    f" {size} x {size} matrix."
                )

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 0.1) -> GaussianKnownCovariancePrior:
        """Cluster means spread as the columns do, clusters ``scale`` of their variances wide."""
        variance = np.diag(spread.variance)
        return cls(spread.mean, variance, scale * variance)

    def statistic_of(self, rows: Rows) -> Sums:
        """Sums of S_oo^-1 (D x D), S_oo^-1 x_o (D), x_o'S_oo^-1 x_o, ln det S_oo and cells o."""
        size, x = self.mean.size, rows.values
        features = np.zeros((size * (size + 1) + 3, len(x)))
        patterns, which = np.unique(~np.isnan(x), axis=0, return_inverse=True)
        for p, pattern in enumerate(patterns):
            seen, of_pattern = np.flatnonzero(pattern), which.reshape(-1) == p
            covariance = self.covariance[np.ix_(seen, seen)]
            inverse, there = np.linalg.inv(covariance), x[of_pattern][:, seen]
            pulls = there @ inverse
            places = (seen[:, None] * size + seen).ravel()
            features[np.ix_(places, of_pattern)] = inverse.ravel()[:, None]
            features[np.ix_(size * size + seen, of_pattern)] = pulls.T
            features[-3, of_pattern] = (pulls * there).sum(axis=1)
            features[-2, of_pattern] = np.linalg.slogdet(covariance)[1]
            features[-1, of_pattern] = seen.size
        return Sums.of(features, rows.labels, rows.n_clusters, rows.weight)

    def posterior_of(self, statistic: Sums) -> GaussianKnownCovariancePrior:
        """Prior updated with the cells of one cluster."""
        precision, pull = self._natural(statistic)
        spread = np.linalg.inv(precision[0])
        mean = spread @ pull[0]
        return GaussianKnownCovariancePrior(mean, (spread + spread.T) / 2, self.covariance)

    def log_marginal_of(self, statistic: Sums) -> np.ndarray:
        """Ln p of the cells of every cluster, shape (K,)."""
        precision, pull = self._natural(statistic)
        prior = np.linalg.inv(self.mean_covariance)
        after = np.einsum("kd,kd->k", pull, np.linalg.solve(precision, pull[..., None])[..., 0])
        gain = np.linalg.slogdet(prior)[1] - np.linalg.slogdet(precision)[1]
        squares, log_dets, cells = statistic.totals[-3:]
        before = self.mean @ prior @ self.mean + squares + log_dets + cells * _LN_2PI
        return 0.5 * (gain + after - before)

    def _natural(self, statistic: Sums) -> tuple[np.ndarray, np.ndarray]:
        """Precision and precision times mean of every cluster's posterior, (K, D, D), (K, D)."""
        size, prior = self.mean.size, np.linalg.inv(self.mean_covariance)
        totals = statistic.totals.T
        precision = prior + totals[:, : size * size].reshape(-1, size, size)
        return precision, prior @ self.mean + totals[:, size * size : -3]

    def packed(self, center: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Sigma_0^-1 mu_0, mu_0'Sigma_0^-1 mu_0, ln det Sigma_0, Sigma_0^-1, S, ln det S.

        Of the matrices the lower parts.
        """
        outer = np.outer(scale, scale)
        mean = (self.mean - center) / scale
        precision = np.linalg.inv(self.mean_covariance / outer)
        lower = np.tril_indices(mean.size)
        log_det = -np.linalg.slogdet(precision)[1]
        return np.concatenate(
            [
                precision @ mean,
                [mean @ precision @ mean, log_det],
                precision[lower],
                (self.covariance / outer)[lower],
                [np.linalg.slogdet(self.covariance / outer)[1]],
            ]
        )

    @property
    def n_learned(self) -> int:
        """Means and spreads."""
        return 2 * self.mean.size

    def summary(self) -> dict[str, list]:
        """Mean, and the known covariance."""
        return {"mean": self.mean.tolist(), "covariance": self.covariance.tolist()}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and covariance of the columns at the point estimate."""
        return Moments(np.array(summary["mean"]), np.array(summary["covariance"]))

    @property
    def size(self) -> int:
        """Columns of the block."""
        return self.mean.size

    def without(self, row: np.ndarray, weight: float = 1.0) -> GaussianKnownCovariancePrior:
        """Posterior without one of its rows, shape (D,), whose missing cells are NaN."""
        seen = np.flatnonzero(~np.isnan(row))
        precision = np.linalg.inv(self.mean_covariance)
        pull = precision @ self.mean
        inverse = weight * np.linalg.inv(self.covariance[np.ix_(seen, seen)])
        precision[np.ix_(seen, seen)] -= inverse
        pull[seen] -= inverse @ row[seen]
        spread = np.linalg.inv(precision)
        return GaussianKnownCovariancePrior(spread @ pull, (spread + spread.T) / 2, self.covariance)

    def conditional(self, rows: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, shape (n, m), of the missing cells of rows (n, D) given the others."""
        total = self.mean_covariance + self.covariance
        there = ~missing
        between = total[np.ix_(there, missing)]
        gain = np.linalg.solve(total[np.ix_(there, there)], between)
        location = self.mean[missing] + (rows[:, there] - self.mean[there]) @ gain
        spread = np.diag(total)[missing] - np.einsum("om,om->m", gain, between)
        return location, np.broadcast_to(spread, location.shape)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Rows from the predictive, shape (size, D)."""
        return random.multivariate_normal(self.mean, self.mean_covariance + self.covariance, size)


def rows(size: int) -> int:
    """State rows of a block of that many columns."""
    return size * (size + 1) + 2 * size + 3


def n_statistics(size: int) -> int:
    """How many of them, the first ones, are sufficient statistics; ``refresh`` makes the rest."""
    return size * (size + 1) // 2 + size + 3


@inner
def _observed_covariance(size, x, first, prior, p, work, at):
    """S of the observed coordinates in ``work[:n]``, their places in ``work[at]``; return n."""
    covariance = p + size + 2 + size * (size + 1) // 2
    n_seen = 0
    for j in range(size):
        if not math.isnan(x[first + j]):
            work[at, n_seen] = j
            n_seen += 1
    for a in range(n_seen):
        j = int(work[at, a])
        for b in range(a + 1):
            work[a, b] = prior[covariance + j * (j + 1) // 2 + int(work[at, b])]
    return n_seen


@inner
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Put a row into the statistics of cluster k, so many times; take it out where below 0."""
    at = 3 * size
    n_seen = _observed_covariance(size, x, first, prior, p, work, at)
    if n_seen == 0:
        return
    pull = row + size * (size + 1) // 2
    log_det = -invert(work, 0, n_seen)
    for a in range(n_seen):
        j = int(work[at, a])
        total = 0.0
        for b in range(n_seen):
            i = int(work[at, b])
            total += work[a, b] * x[first + i]
            if b <= a:
                state[row + j * (j + 1) // 2 + i, k] += weight * work[a, b]
        state[pull + j, k] += weight * total
        state[pull + size, k] += weight * total * x[first + j]
    state[pull + size + 1, k] += weight * log_det
    state[pull + size + 2, k] += weight * n_seen


@inner
def merge(state, row, size, k, other):
    """Add the statistics of one cluster to those of cluster k."""
    for i in range(row, row + size * (size + 1) // 2 + size + 3):
        state[i, k] += state[i, other]


@inner
def _posterior(state, row, size, k, other, prior, p, work):
    """V in ``work[:size]`` and mu in ``work[size]`` of two clusters together.

    Returns ln det V and mu'V^-1 mu.
    """
    triangle = size * (size + 1) // 2
    packed = 0
    for j in range(size):
        for i in range(j + 1):
            work[j, i] = (
                prior[p + size + 2 + packed] + state[row + packed, k] + state[row + packed, other]
            )
            packed += 1
    log_det = invert(work, 0, size)
    pull = row + triangle
    quadratic = 0.0
    for j in range(size):
        mean = 0.0
        for i in range(size):
            mean += work[j, i] * (prior[p + i] + state[pull + i, k] + state[pull + i, other])
        work[size, j] = mean
        quadratic += mean * (prior[p + j] + state[pull + j, k] + state[pull + j, other])
    return log_det, quadratic


@inner
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior of the mean of cluster k; ``empty`` is a cluster without rows."""
    _posterior(state, row, size, k, empty, prior, p, work)
    mean = row + size * (size + 1) // 2 + size + 3
    packed = mean + size
    for j in range(size):
        state[mean + j, k] = work[size, j]
        for i in range(j + 1):
            state[packed, k] = work[j, i]
            packed += 1


@inner
def _log_constant(size, x, first, weight, prior, p, work):
    """By how much ln N(x | mu, S)^w exceeds ln N(x | mu, S/w), whatever the cluster."""
    if weight == 1.0:
        return 0.0
    n_seen, log_det = size, prior[p + size + 2 + size * (size + 1)]
    for j in range(size):
        if math.isnan(x[first + j]):
            n_seen = _observed_covariance(size, x, first, prior, p, work, 3 * size)
            log_det = cholesky(work, 0, n_seen)
            break
    return 0.5 * ((1.0 - weight) * (n_seen * _LN_2PI + log_det) - n_seen * math.log(weight))


@inner
def _log_density(state, row, size, k, x, first, weight, prior, p, work):
    """Log predictive density of the observed coordinates of x in cluster k, but for a constant."""
    at, widen = 3 * size, 1.0 / weight
    n_seen = _observed_covariance(size, x, first, prior, p, work, at)
    mean = row + size * (size + 1) // 2 + size + 3
    spread = mean + size
    for a in range(n_seen):
        j = int(work[at, a])
        work[at + 1, a] = x[first + j] - state[mean + j, k]
        for b in range(a + 1):
            place = spread + j * (j + 1) // 2 + int(work[at, b])
            work[a, b] = widen * work[a, b] + state[place, k]
    log_det = cholesky(work, 0, n_seen)
    length = solve_lower(work, 0, n_seen, at + 1)
    return -0.5 * (n_seen * _LN_2PI + log_det + length)


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive density of the observed coordinates of x under every cluster."""
    constant = _log_constant(size, x, first, weight, prior, p, work)
    for k in range(n_states):
        out[k] += constant + _log_density(state, row, size, k, x, first, weight, prior, p, work)


@spliced
def score_without(state, row, size, k, empty, x, first, weight, prior, p, work):
    """Log predictive density of x, one of cluster k's rows, given the others."""
    add(state, row, size, k, x, first, -weight, prior, p, work)
    refresh(state, row, size, k, empty, weight, prior, p, work)
    density = _log_constant(size, x, first, weight, prior, p, work)
    density += _log_density(state, row, size, k, x, first, weight, prior, p, work)
    add(state, row, size, k, x, first, weight, prior, p, work)
    refresh(state, row, size, k, empty, weight, prior, p, work)
    return density


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set the missing coordinates of x to where its score is highest in cluster k.

    With C = V + S / weight, x_m = mu_m + C_mo C_oo^-1 (x_o - mu_o).
    """
    at, widen = 3 * size, 1.0 / weight
    for j in range(size):
        if missing[first + j]:
            x[first + j] = np.nan
    n_seen = _observed_covariance(size, x, first, prior, p, work, at)
    mean = row + size * (size + 1) // 2 + size + 3
    spread = mean + size
    covariance = p + size + 2 + size * (size + 1) // 2
    for a in range(n_seen):
        j = int(work[at, a])
        work[at + 1, a] = x[first + j] - state[mean + j, k]
        for b in range(a + 1):
            place = spread + j * (j + 1) // 2 + int(work[at, b])
            work[a, b] = widen * work[a, b] + state[place, k]
    cholesky(work, 0, n_seen)
    solve_lower(work, 0, n_seen, at + 1)
    for a in range(n_seen - 1, -1, -1):
        for b in range(a + 1, n_seen):
            work[at + 1, a] -= work[b, a] * work[at + 1, b]
        work[at + 1, a] /= work[a, a]
    for j in range(size):
        if missing[first + j]:
            x[first + j] = state[mean + j, k]
            for a in range(n_seen):
                i = int(work[at, a])
                low, high = min(i, j), max(i, j)
                place = high * (high + 1) // 2 + low
                x[first + j] += work[at + 1, a] * (
                    widen * prior[covariance + place] + state[spread + place, k]
                )


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the rows of clusters k and l together, for every l."""
    sums = row + size * (size + 1) // 2 + size
    for other in range(n_states):
        log_det, quadratic = _posterior(state, row, size, k, other, prior, p, work)
        square = state[sums, k] + state[sums, other]
        log_det_s = state[sums + 1, k] + state[sums + 1, other]
        cells = state[sums + 2, k] + state[sums + 2, other]
        out[other] += 0.5 * (log_det - prior[p + size + 1] - log_det_s - cells * _LN_2PI) - 0.5 * (
            square + prior[p + size] - quadratic
        )


KERNELS = Kernels(rows, n_statistics, add, merge, refresh, score, score_without, log_marginal, fill)

FAMILY = Family(
    name="gaussian_known_covariance",
    label="block, known covariance",
    help="Several real columns whose covariance within a cluster is known beforehand.",
    kind=MEASUREMENT,
    Prior=GaussianKnownCovariancePrior,
    kernels=KERNELS,
    support=Support(),
    mixture="known covariance",
    is_block=True,
    is_real=True,
)
