"""Priors of likelihoods whose logarithm is linear in counts of the cell.

ln p(x) = sum_v s_v(x) c_v + rest(x), of two kinds. A *choice* spreads its counts s_v over v with
probabilities q_v, c_v = ln q_v; a *rate* lambda has s_1 events in an exposure s_2, c = (ln lambda,
-lambda). A conjugate prior, Dirichlet or gamma, is such counts seen beforehand: the posterior adds
both up, and the evidence is the ratio of the two's normalisers (R16 Appendix A).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln

from .prior import Prior
from .sufficient import Rows, Sums


@dataclass(frozen=True)
class CountedPrior(Prior):
    """Pseudo-counts, to which those of the cells are added.

    A subclass names its pseudo-counts in ``pseudo`` and adds, beside what every prior offers,

    - ``cell_counts(x, present)``: what cells that are there (``present`` is 1) count;
    - ``described(parameters)``: plain numbers that describe clusters by their parameters, q of
      shape (K, V) or lambda of shape (K, 1): its ``summary``, and that of E-M's components.
    """

    #: Fields that are pseudo-observations, in the order of the counts of a cell.
    pseudo: ClassVar[tuple[str, ...]]
    #: Whether it is a rate of events, and not a choice.
    is_rate: ClassVar[bool]

    def pseudo_counts(self) -> np.ndarray:
        """The counts seen beforehand, shape (V,)."""
        return np.hstack([getattr(self, name) for name in self.pseudo])

    def summary(self) -> dict[str, Any]:
        """Plain numbers at the mean of the parameters."""
        counts = self.pseudo_counts()
        mean = counts[:1] / counts[1] if self.is_rate else counts / counts.sum()
        return {name: found[0].tolist() for name, found in self.described(mean[None]).items()}

    def with_pseudo_counts(self, counts: np.ndarray) -> Self:
        """The same prior with other counts, shape (V,)."""
        return replace(self, **dict(zip(self.pseudo, counts.tolist(), strict=True)))

    def strengthened(self, factor: float) -> Self:
        """The same expectation, worth so many times as many observations."""
        return self.with_pseudo_counts(factor * self.pseudo_counts())

    def statistic_of(self, rows: Rows) -> Sums:
        """Counts of every cluster, and what of its ln p depends on no parameter."""
        n_clusters, n_counts = rows.n_clusters, self.pseudo_counts().size
        where, counts, rest = self.cell_counts(rows.values, np.ones(len(rows.values)))
        totals = np.zeros(n_counts * n_clusters)
        for place, count in zip(where.T, counts.T, strict=True):
            at = place * n_clusters + rows.labels
            totals += np.bincount(at, rows.weight * count, totals.size)
        rests = np.bincount(rows.labels, rows.weight * rest, n_clusters)
        return Sums(np.vstack([totals.reshape(n_counts, n_clusters), rests]))

    def posterior_of(self, statistic: Sums) -> Self:
        """Prior updated with the cells of one cluster."""
        return self.with_pseudo_counts(self.pseudo_counts() + statistic.totals[:-1, 0])

    def log_marginal_of(self, statistic: Sums) -> np.ndarray:
        """Ln p of the cells of every cluster, shape (K,)."""
        before = self.pseudo_counts()[:, None]
        after = before + statistic.totals[:-1]
        return self._log_normaliser(after) - self._log_normaliser(before) + statistic.totals[-1]

    def _log_normaliser(self, counts: np.ndarray) -> np.ndarray:
        """Ln of the integral of the likelihood of so many counts, (V, K), over its parameters."""
        if self.is_rate:
            events, exposure = counts
            return gammaln(events) - events * np.log(exposure)
        return gammaln(counts).sum(axis=0) - gammaln(counts.sum(axis=0))

    def packed(self, center: float, scale: float) -> np.ndarray:
        """The counts; the data are not rescaled."""
        return self.pseudo_counts()
