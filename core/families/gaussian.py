"""Blocks of real columns with unknown mean and full covariance; prior normal-Wishart.

Predictive: Student t with a - D + 1 degrees of freedom. R16 eqs. (16) to (19), the scatter of (19)
summed over x_j.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import multigammaln

from .family import MEASUREMENT, Family, Support
from .gaussian_kernels import KERNELS
from .pooled import Pooled
from .prior import Moments, Prior, Spread, Weight
from .sufficient import GroupMoments, Rows

_LN_PI = math.log(math.pi)


@dataclass(frozen=True, eq=False)
class GaussianPrior(Prior):
    """Normal-Wishart prior.

    Parameters
    ----------
    mean : array-like, shape (D,)
        m_0, in the columns' units.
    mean_count : float
        c_0, how many observations that mean is worth.
    dof : float
        a_0, degrees of freedom of the Wishart; more than D - 1.
    scatter : array-like, shape (D, D)
        B_0^-1, symmetric and positive definite.
    steps : float or array-like, shape (D,)
        Recording steps in the columns' units, as of ``NormalPrior``; 0 where not known.
    """

    mean: np.ndarray
    mean_count: float
    dof: float
    scatter: np.ndarray
    steps: np.ndarray | float = 0.0

    positive = ("mean_count", "dof")
    scaled = ("scatter",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", np.atleast_1d(np.asarray(self.mean, dtype=np.float64)))
        scatter = np.atleast_2d(np.asarray(self.scatter, dtype=np.float64))
        object.__setattr__(self, "scatter", scatter)
        steps = np.broadcast_to(np.asarray(self.steps, dtype=np.float64), self.mean.shape)
        object.__setattr__(self, "steps", steps)
        super().__post_init__()
        size = self.mean.size
        if scatter.shape != (size, size) or not _positive_definite(scatter):
            raise ValueError(
                f"GaussianPrior: scatter must be a symmetric positive definite {size} x {size}"
                " matrix."
            )
        if self.dof <= size - 1:
            raise ValueError(f"GaussianPrior: dof must be above D - 1 = {size - 1}.")

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 0.1) -> GaussianPrior:
        """Mean of the columns, and a diagonal scatter of ``scale`` times their variances."""
        scatter = np.diag(scale * spread.variance)
        return cls(spread.mean, spread.weak_count, spread.mean.size + 8.0, scatter)

    @classmethod
    def of_pooled(cls, found: Pooled) -> GaussianPrior:
        return cls(found.mean, found.mean_count, found.dof, found.scatter, found.steps)

    @staticmethod
    def statistic_of(rows: Rows) -> GroupMoments:
        return rows.moments()

    def posterior_of(self, statistic: GroupMoments) -> GaussianPrior:
        n = float(statistic.n[0])
        if n == 0.0:
            return self
        count, deviation = self.mean_count + n, statistic.mean[0] - self.mean
        mean = self.mean + n * deviation / count
        scatter = self._scatter(statistic)[0]
        return GaussianPrior(mean, count, self.dof + n, scatter, self.steps)

    def log_marginal_of(self, statistic: GroupMoments) -> np.ndarray:
        n, d = statistic.n, self.mean.size
        dof = self.dof + n
        rise = multigammaln(dof / 2, d) - multigammaln(self.dof / 2, d)
        before = self.dof * np.linalg.slogdet(self.scatter)[1]
        after = dof * np.linalg.slogdet(self._scatter(statistic))[1]
        constant = d * (np.log(self.mean_count / (self.mean_count + n)) - n * _LN_PI)
        return rise + 0.5 * (before - after + constant)

    def _scatter(self, statistic: GroupMoments) -> np.ndarray:
        """B_n^-1 of every cluster, shape (K, D, D)."""
        statistic = statistic.widened(np.diag(self._widening))
        deviation = statistic.mean - self.mean
        pull = self.mean_count * statistic.n / (self.mean_count + statistic.n)
        between = pull[:, None, None] * deviation[:, :, None] * deviation[:, None, :]
        return self.scatter + statistic.products + between

    @property
    def _widening(self) -> np.ndarray:
        """What one row's recording steps add to the scatter, (D, D)."""
        return np.diag(np.square(self.steps) / 12.0)

    def packed(self, center: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """m_0, c_0, a_0, ln det B_0^-1, its lower triangle, what a row's steps add; rescaled."""
        scatter = self.scatter / np.outer(scale, scale)
        log_det = np.linalg.slogdet(scatter)[1]
        return np.concatenate(
            [
                (self.mean - center) / scale,
                [self.mean_count, self.dof, log_det],
                scatter[np.tril_indices(self.mean.size)],
                np.square(self.steps / scale) / 12.0,
            ]
        )

    @property
    def n_learned(self) -> int:
        return 2 * self.mean.size

    def summary(self) -> dict[str, list]:
        return {"mean": self.mean.tolist(), "covariance": (self.scatter / self.dof).tolist()}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments(np.array(summary["mean"]), np.array(summary["covariance"]))

    def of_columns(self, which: Sequence[int]) -> GaussianPrior:
        """Marginal prior of some columns; a_0 falls by 1 for each column left out."""
        at = [*which]
        dof = self.dof - (self.mean.size - len(at))
        scatter = self.scatter[np.ix_(at, at)]
        return GaussianPrior(self.mean[at], self.mean_count, dof, scatter, self.steps[at])

    @property
    def size(self) -> int:
        return self.mean.size

    def log_predictive(self, rows: np.ndarray, removed: Weight = 0.0) -> np.ndarray:
        """Log predictive density, (n,), of rows (n, D) with NaN in the same columns of every row.

        ``removed``, a number or shape (n,), are the rows' weights in this posterior: each is scored
        without itself.
        """
        there = ~np.isnan(rows[0])
        w = np.broadcast_to(np.asarray(removed, np.float64), len(rows))[:, None, None]
        deviation = (rows[:, there] - self.mean[there])[:, :, None]
        square, widening = deviation @ deviation.transpose(0, 2, 1), self._widening
        c, widening = self.mean_count, widening[np.ix_(there, there)]
        left = self.scatter[np.ix_(there, there)] - w * (widening + c / (c - w) * square)
        after = c - w
        joined = left + widening + np.square(c / after) * after / (after + 1.0) * square
        n_there, dof = int(there.sum()), self.dof - w[:, 0, 0] - self.mean.size + there.sum()
        rise = multigammaln((dof + 1.0) / 2, n_there) - multigammaln(dof / 2, n_there)
        constant = n_there * (np.log(after / (after + 1.0))[:, 0, 0] - _LN_PI)
        before, behind = np.linalg.slogdet(left)[1], np.linalg.slogdet(joined)[1]
        return rise + 0.5 * (constant + dof * before - (dof + 1.0) * behind)

    def without(self, row: np.ndarray, weight: float = 1.0) -> GaussianPrior:
        c, left = self.mean_count, self.mean_count - weight
        deviation = row - self.mean
        scatter = self.scatter - weight * c / left * np.outer(deviation, deviation)
        scatter = scatter - weight * self._widening
        mean = self.mean - weight * deviation / left
        return GaussianPrior(mean, left, self.dof - weight, scatter, self.steps)

    def conditional(self, rows: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, shape (n, m), of missing cells of rows (n, D) given the others."""
        there = ~missing
        n_there, dof = int(there.sum()), self.dof - self.mean.size + 1.0
        deviation = rows[:, there] - self.mean[there]
        scatter = self.scatter + self._widening
        between = scatter[np.ix_(there, missing)]
        gain = np.linalg.solve(scatter[np.ix_(there, there)], between)
        location = self.mean[missing] + deviation @ gain
        solved = np.linalg.solve(scatter[np.ix_(there, there)], deviation.T)
        q = np.einsum("no,on->n", deviation, solved)
        left = np.diag(scatter)[missing] - np.einsum("om,om->m", gain, between)
        freedom = dof + n_there
        freedom -= 2.0 if freedom > 2.0 else 0.0
        widen = (1.0 + 1.0 / self.mean_count + q) / freedom
        return location, widen[:, None] * left

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        dof = self.dof - self.mean.size + 1.0
        scatter = self.scatter + self._widening
        root = np.linalg.cholesky(scatter * (1.0 + 1.0 / self.mean_count) / dof)
        stretch = np.sqrt(dof / random.chisquare(dof, size))
        return self.mean + stretch[:, None] * (random.normal(size=(size, self.mean.size)) @ root.T)


def _positive_definite(matrix: np.ndarray) -> bool:
    if not np.allclose(matrix, matrix.T):
        return False
    return bool(np.linalg.eigvalsh(matrix).min() > 0)


GAUSSIAN = Family(
    name="gaussian",
    label="block of measurements (full covariance)",
    help="Several real columns that vary together, each cluster an ellipse of its own.",
    kind=MEASUREMENT,
    Prior=GaussianPrior,
    kernels=KERNELS,
    support=Support(),
    mixture="gaussian",
    is_block=True,
    is_real=True,
    is_imputed=True,
    fills_missing=True,
)
