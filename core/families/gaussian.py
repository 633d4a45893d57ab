"""Real values of unknown mean and spread, in columns and in blocks of full covariance.

Normal-Wishart prior: x ~ N(mu, Lambda^-1); mu | Lambda ~ N(m_0, (c_0 Lambda)^-1), Lambda ~
Wishart(a_0, B_0); R16 eqs. (16) to (19), the scatter of (19) summed over x_j, and R14 section 2.2.
The predictive is a Student t with a - D + 1 degrees of freedom. A value recorded in steps is an
interval: by Jensen, each adds step^2/12 to the sum of squares.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import multigammaln

from .family import MEASUREMENT
from .gaussian_kernels import KERNELS
from .normal_kernels import KERNELS as NORMAL_KERNELS
from .pooled import Pooled
from .prior import Moments, Predictive, Prior, Weight, spread_of
from .sufficient import GroupMoments, Rows

_LN_PI = math.log(math.pi)


class _Wishart(Prior):
    """What columns and blocks share: a column is a block of one."""

    #: m_0 (D,), c_0, a_0, B_0^-1 (D, D) and the steps (D,); ``_of`` makes a prior of these.
    _numbers: tuple[np.ndarray, float, float, np.ndarray, np.ndarray]
    _of: ClassVar[Any]

    @classmethod
    def of_pooled(cls, found: Pooled) -> Self:
        return cls._of(found.mean, found.mean_count, found.dof, found.scatter, found.steps)

    @staticmethod
    def statistic_of(rows: Rows) -> GroupMoments:
        return rows.moments()

    def posterior_of(self, statistic: GroupMoments) -> Self:
        n = float(statistic.n[0])
        if n == 0.0:
            return self
        before, mean_count, dof, _, steps = self._numbers
        mean = before + n * (statistic.mean[0] - before) / (mean_count + n)
        return self._of(mean, mean_count + n, dof + n, self._scatter(statistic)[0], steps)

    def log_marginal_of(self, statistic: GroupMoments) -> np.ndarray:
        n, (mean, mean_count, dof, scatter, _) = statistic.n, self._numbers
        d = mean.size
        rise = multigammaln((dof + n) / 2, d) - multigammaln(dof / 2, d)
        before = dof * np.linalg.slogdet(scatter)[1]
        after = (dof + n) * np.linalg.slogdet(self._scatter(statistic))[1]
        constant = d * (np.log(mean_count / (mean_count + n)) - n * _LN_PI)
        return rise + 0.5 * (before - after + constant)

    def _scatter(self, statistic: GroupMoments) -> np.ndarray:
        """B_n^-1 of every cluster, shape (K, D, D)."""
        mean, mean_count, _, scatter, steps = self._numbers
        statistic = statistic.widened(np.square(steps) / 12.0)
        deviation = statistic.mean - mean
        pull = mean_count * statistic.n / (mean_count + statistic.n)
        between = pull[:, None, None] * deviation[:, :, None] * deviation[:, None, :]
        return scatter + statistic.products + between


@dataclass(frozen=True)
class NormalPrior(_Wishart):
    """Normal-gamma prior.

    Parameters
    ----------
    mean : float
        m_0, prior mean of the cluster means, in the column's units.
    mean_count : float
        c_0, how many observations that mean is worth.
    shape, rate : float
        a_0 and b_0 of the gamma prior of the precision; ``rate`` in squared units.
    step : float
        Recorded values are multiples of it, in the column's units; 0 where not known.
    """

    name = "normal"
    label = "measurement (normal)"
    help = "Real values, each cluster with its own mean and spread; take logs if skewed."
    kind = MEASUREMENT
    kernels = NORMAL_KERNELS
    options = ("transform",)

    mean: float
    mean_count: float
    shape: float
    rate: float
    step: float = 0.0

    positive = ("mean_count", "shape", "rate")
    n_learned = 2  # mean and spread
    scaled = ("rate",)

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0, shape: float = 1.0
    ) -> Self:
        """R14's weak prior with its rate multiplied by ``scale``: b_0 = scale a_0 var."""
        mean, variance, weak_count = spread_of(values, weight)
        return cls(float(mean[0]), weak_count, shape, scale * shape * float(variance[0]))

    @property
    def _numbers(self) -> tuple[np.ndarray, float, float, np.ndarray, np.ndarray]:
        scatter = np.array([[2.0 * self.rate]])
        mean, steps = np.array([self.mean]), np.array([self.step])
        return mean, self.mean_count, 2.0 * self.shape, scatter, steps

    @classmethod
    def _of(
        cls, mean: np.ndarray, count: float, dof: float, scatter: np.ndarray, steps: np.ndarray
    ) -> Self:
        rate, step = 0.5 * float(scatter[0, 0]), float(steps[0])
        return cls(float(mean[0]), count, 0.5 * dof, rate, step)

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(m_0, c_0, a_0, b_0), half of what a row's step adds to b, for rescaled data."""
        squared = np.array([self.rate, self.step**2 / 24.0]) / scale**2
        return np.array([(self.mean - center) / scale, self.mean_count, self.shape, *squared])

    def summary(self) -> dict[str, float]:
        return {"mean": self.mean, "sd": math.sqrt(self.rate / self.shape)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["sd"] ** 2)

    def predictive(self) -> Predictive:
        """Student t with 2a degrees of freedom."""
        freedom = self.shape - 1.0 if self.shape > 1.0 else self.shape
        return Predictive(self.mean, self.mean, self._width / freedom)

    @property
    def _width(self) -> float:
        """The rate with what the step of one more value adds, for a mean that is not known."""
        return (self.rate + self.step**2 / 24.0) * (self.mean_count + 1.0) / self.mean_count

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        width = math.sqrt(self._width / self.shape)
        return self.mean + width * random.standard_t(2.0 * self.shape, size)


@dataclass(frozen=True, eq=False)
class GaussianPrior(_Wishart):
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

    name = "gaussian"
    label = "block of measurements (full covariance)"
    help = "Several real columns that vary together, each cluster an ellipse of its own."
    kind = MEASUREMENT
    kernels = KERNELS
    is_block = fills_missing = True

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
        is_symmetric = scatter.shape == (size, size) and np.allclose(scatter, scatter.T)
        if not is_symmetric or np.linalg.eigvalsh(scatter).min() <= 0:
            raise ValueError(
                f"GaussianPrior: scatter must be a symmetric positive definite {size} x {size}"
                " matrix."
            )
        if self.dof <= size - 1:
            raise ValueError(f"GaussianPrior: dof must be above D - 1 = {size - 1}.")

    @classmethod
    def default(cls, values: np.ndarray, scale: float = 0.1, weight: Weight = 1.0) -> Self:
        """Mean of the columns, and a diagonal scatter of ``scale`` times their variances."""
        mean, variance, weak_count = spread_of(values, weight)
        return cls(mean, weak_count, mean.size + 8.0, np.diag(scale * variance))

    @property
    def _numbers(self) -> tuple[np.ndarray, float, float, np.ndarray, np.ndarray]:
        return self.mean, self.mean_count, self.dof, self.scatter, self.steps

    @classmethod
    def _of(cls, *numbers: Any) -> Self:
        return cls(*numbers)

    @property
    def _next_scatter(self) -> np.ndarray:
        """The scatter with what the steps of one more row add, (D, D)."""
        return self.scatter + np.diag(np.square(self.steps) / 12.0)

    def packed(self, center: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """m_0, c_0, a_0, ln det B_0^-1, its lower triangle, what a row's steps add; rescaled."""
        scatter = self.scatter / np.outer(scale, scale)
        log_det = np.linalg.slogdet(scatter)[1]
        return np.concatenate(
            [
                (self.mean - center) / scale,
                [self.mean_count, self.dof, log_det],
                scatter[np.tril_indices(self.size)],
                np.square(self.steps / scale) / 12.0,
            ]
        )

    @property
    def n_learned(self) -> int:
        return 2 * self.size

    def summary(self) -> dict[str, list]:
        return {"mean": self.mean.tolist(), "covariance": (self.scatter / self.dof).tolist()}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments(np.array(summary["mean"]), np.array(summary["covariance"]))

    def of_columns(self, which: Sequence[int]) -> Self:
        """Marginal prior of some columns; a_0 falls by 1 for each column left out."""
        at = [*which]
        dof = self.dof - (self.size - len(at))
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
        there = np.flatnonzero(~np.isnan(rows[0]))
        marginal, w = self.of_columns(there), np.broadcast_to(np.float64(removed), len(rows))
        joined, left = (
            marginal.log_marginal_of(_rows_alone(rows[:, there], weight))
            for weight in (1.0 - w, -w)
        )
        return joined - left

    def without(self, row: np.ndarray, weight: float = 1.0) -> Self:
        return self.posterior_of(_rows_alone(row[None], np.array([-weight])))

    def conditional(self, rows: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance, shape (n, m), of missing cells of rows (n, D) given the others."""
        there = ~missing
        deviation = rows[:, there] - self.mean[there]
        scatter = self._next_scatter
        between = scatter[np.ix_(there, missing)]
        gain = np.linalg.solve(scatter[np.ix_(there, there)], between)
        solved = np.linalg.solve(scatter[np.ix_(there, there)], deviation.T)
        q = np.einsum("no,on->n", deviation, solved)
        left = np.diag(scatter)[missing] - np.einsum("om,om->m", gain, between)
        freedom = self.dof - self.size + 1.0 + int(there.sum())
        freedom -= 2.0 if freedom > 2.0 else 0.0
        widen = (1.0 + 1.0 / self.mean_count + q) / freedom
        return self.mean[missing] + deviation @ gain, widen[:, None] * left

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        dof = self.dof - self.size + 1.0
        scatter = self._next_scatter
        root = np.linalg.cholesky(scatter * (1.0 + 1.0 / self.mean_count) / dof)
        stretch = np.sqrt(dof / random.chisquare(dof, size))
        return self.mean + stretch[:, None] * (random.normal(size=(size, self.size)) @ root.T)


def _rows_alone(rows: np.ndarray, weight: np.ndarray) -> GroupMoments:
    """Moments of rows (n, D), each in a cluster of its own; a negative weight takes it out."""
    return GroupMoments(weight, rows, np.zeros((*rows.shape, rows.shape[1])))
