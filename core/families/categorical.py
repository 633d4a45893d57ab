"""Priors that are pseudo-counts, and categories: x ~ Categorical(pi), pi ~ Dirichlet(alpha_1..V).

R16 Appendix A.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln

from .count_kernels import CATEGORY_KERNELS
from .family import CATEGORY, Support
from .prior import Moments, Predictive, Prior, Weight, observed_cells
from .sufficient import Rows, Sums


@dataclass(frozen=True)
class CountedPrior(Prior):
    """A conjugate prior that is pseudo-counts: Dirichlet, beta or gamma.

    A subclass names them in ``pseudo`` and adds ``cell_counts(x)``, to which of them cells add,
    (n, 1 or 2), and how much, and ``describe(parameters)``, plain numbers of clusters whose
    parameters are q, shape (K, V), or lambda, shape (K, 1).
    """

    is_real = False
    #: Fields that are pseudo-counts, in the order of the counts of a cell.
    pseudo: ClassVar[tuple[str, ...]]
    #: Whether the parameter is a rate of events, not a chance.
    is_rate: ClassVar[bool] = False

    def pseudo_counts(self) -> np.ndarray:
        """Pseudo-counts, shape (V,)."""
        return np.hstack([getattr(self, name) for name in self.pseudo])

    def summary(self) -> dict[str, Any]:
        counts = self.pseudo_counts()
        mean = counts[:1] / counts[1] if self.is_rate else counts / counts.sum()
        return {name: found[0].tolist() for name, found in self.describe(mean[None]).items()}

    def with_pseudo_counts(self, counts: np.ndarray) -> Self:
        return replace(self, **dict(zip(self.pseudo, counts.tolist(), strict=True)))

    def strengthened(self, factor: float) -> Self:
        return self.with_pseudo_counts(factor * self.pseudo_counts())

    def statistic_of(self, rows: Rows) -> Sums:
        """Counts of every cluster, and the part of ln p that depends on no parameter."""
        n_clusters, n_counts = rows.n_clusters, self.pseudo_counts().size
        where, counts = self.cell_counts(rows.values)
        totals = np.zeros(n_counts * n_clusters)
        for place, count in zip(where.T, counts.T, strict=True):
            at = place * n_clusters + rows.labels
            totals += np.bincount(at, rows.weight * count, totals.size)
        rests = np.bincount(
            rows.labels, rows.weight * self.log_base_measure(rows.values), n_clusters
        )
        return Sums(np.vstack([totals.reshape(n_counts, n_clusters), rests]))

    def posterior_of(self, statistic: Sums) -> Self:
        return self.with_pseudo_counts(self.pseudo_counts() + statistic.totals[:-1, 0])

    @cached_property
    def _before(self) -> tuple[np.ndarray, np.ndarray]:
        """The pseudo-counts, (V, 1), and their normaliser."""
        counts = self.pseudo_counts()[:, None]
        return counts, self.log_normaliser(counts)

    def log_marginal_of(self, statistic: Sums) -> np.ndarray:
        before, normaliser = self._before
        return (
            self.log_normaliser(before + statistic.totals[:-1]) - normaliser + statistic.totals[-1]
        )

    @classmethod
    def evidences(cls, tried: Sequence[Self], statistic: Sums) -> np.ndarray:
        before, normalisers = (np.array(of) for of in zip(*(p._before for p in tried), strict=True))
        gained = tried[0].log_normaliser(before + statistic.totals[:-1]) - normalisers
        return (gained + statistic.totals[-1]).sum(axis=1)

    def log_normaliser(self, counts: np.ndarray) -> np.ndarray:
        """Ln of the likelihood of these counts, (..., V, K), integrated over the parameters."""
        if self.is_rate:
            events, exposure = counts[..., 0, :], counts[..., 1, :]
            return gammaln(events) - events * np.log(exposure)
        return gammaln(counts).sum(axis=-2) - gammaln(counts.sum(axis=-2))

    def packed(self, center: float, scale: float) -> np.ndarray:
        return self.pseudo_counts()


@dataclass(frozen=True)
class CategoricalPrior(CountedPrior):
    """Dirichlet prior of the level probabilities; ``counts``: alpha, one for each of V levels."""

    name = "categorical"
    label = "category"
    help = "Names without an order, or a rating whose spread no binomial fits."
    kind = CATEGORY
    is_nominal = True
    kernels = CATEGORY_KERNELS
    support = Support("a level", starts_at_zero=True, is_whole=True)
    options = prior_options = ("levels",)

    counts: tuple[float, ...]

    positive = pseudo = ("counts",)

    @classmethod
    def default(
        cls,
        values: np.ndarray,
        scale: float = 1.0,
        weight: Weight = 1.0,
        levels: tuple[object, ...] = (),
    ) -> Self:
        """Two pseudo-counts, spread as the column's frequencies, none of them zero."""
        x, w = observed_cells(values, weight)
        codes = x.astype(np.int64)
        size = max(len(levels), int(codes.max(initial=0)) + 1)
        share = (np.bincount(codes, w, size) + 0.5) / (w.sum() + 0.5 * size)
        return cls(tuple((2.0 * share).tolist()))

    def with_pseudo_counts(self, counts: np.ndarray) -> Self:
        return CategoricalPrior(tuple(counts.tolist()))

    @property
    def size(self) -> int:
        return len(self.counts)

    @property
    def top(self) -> int:
        return self.size - 1

    n_learned = top

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        p = np.array(summary["probabilities"])
        return Moments(p, np.diag(p) - np.outer(p, p))

    def cell_counts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[:, None].astype(np.int64), np.ones((x.size, 1))

    def read_statistic(self, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Sums:
        return Sums(np.vstack([state[1:], np.zeros_like(state[0])]))

    @staticmethod
    def describe(parameters: np.ndarray) -> dict[str, np.ndarray]:
        return {"probabilities": parameters}

    def predictive(self) -> Predictive:
        return Predictive.of_levels(self.pseudo_counts() / sum(self.counts))

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        counts = self.pseudo_counts()
        return random.choice(counts.size, size, p=counts / counts.sum()).astype(np.float64)
