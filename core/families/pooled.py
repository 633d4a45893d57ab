"""Priors of measurements from how they vary within given groups: the best on a grid.

``scatter = a nu W``, ``dof = nu + D + 1``, W the pooled covariance: large nu lets all groups share
it (mclust's EEE), small nu lets each have its own (VVV).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import multigammaln

from .sufficient import GroupMoments, Rows

#: nu and a of the grid.
AGREEMENTS = (3.0, 7.0, 20.0, 60.0, 200.0)
WIDTHS = (0.5, 1.0, 2.0)
#: Cells of the grid: nu, a, and two counts of the mean.
N_CELLS = len(AGREEMENTS) * len(WIDTHS) * 2
#: Share of W's diagonal that is added to it, as it may lack rank.
RIDGE = 1e-3
#: Least share of a column's variance that W may have.
LEAST_SHARE = 1e-6
#: Most numbers in memory when sets of columns are compared.
MOST_NUMBERS = 4_000_000
_LN_PI = float(np.log(np.pi))


@dataclass(frozen=True)
class Pooled:
    """Hyper-parameters of a normal-Wishart prior of D measurements."""

    mean: np.ndarray
    mean_count: float
    dof: float
    scatter: np.ndarray
    #: Recording steps, (D,); 0 where not known.
    steps: np.ndarray
    #: Ln p of all groups, in nats.
    log_marginal: float


@dataclass(frozen=True)
class PooledPriors:
    """Priors of highest evidence for sets of the R columns in K groups; ``steps`` is (R,)."""

    moments: GroupMoments
    steps: np.ndarray

    @cached_property
    def widened(self) -> GroupMoments:
        """Moments with the variance of a recording step added to each value."""
        return self.moments.widened(np.square(self.steps) / 12.0)

    @cached_property
    def _total(self) -> GroupMoments:
        return self.widened.together()

    @property
    def _spare(self) -> float:
        """Rows beyond one for each group."""
        return float(self._total.n[0]) - np.count_nonzero(self.widened.n)

    @cached_property
    def _within(self) -> tuple[np.ndarray, np.ndarray]:
        """Covariance within groups, (R, R), its diagonal above 0, and its part of that between."""
        spread = np.diag(self._total.products[0]) / max(float(self._total.n[0]), 1.0)
        within = self.widened.products.sum(axis=0) / max(self._spare, 1.0)
        least = np.maximum(np.maximum(LEAST_SHARE * spread, 1e-280), np.diag(within))
        own = (1.0 + RIDGE) * least
        between = np.maximum(spread - own, LEAST_SHARE * own)
        return within + np.diag(own - np.diag(within)), own / between

    def best(self, sets: np.ndarray) -> list[Pooled]:
        """The best prior of each of S sets of D columns; ``sets`` is int64, shape (S, D)."""
        d, n_groups = sets.shape[1], self.moments.n.size
        at_once = max(1, MOST_NUMBERS // (N_CELLS * n_groups * d))
        chunks = (sets[at : at + at_once] for at in range(0, len(sets), at_once))
        return [pooled for chunk in chunks for pooled in self._best(chunk)]

    def _best(self, sets: np.ndarray) -> list[Pooled]:
        d, n = sets.shape[1], self.moments.n
        within, ratio = self._within
        within = within[sets[:, :, None], sets[:, None, :]]
        if self._spare < 2 * d:  # too few for a full rank
            within = within * np.eye(d)
        inverse = np.linalg.inv(np.linalg.cholesky(within))
        log_det = -2.0 * np.log(np.diagonal(inverse, axis1=1, axis2=2)).sum(axis=1)
        nu, a = (axis.ravel() for axis in np.meshgrid(AGREEMENTS, WIDTHS, indexing="ij"))
        dof = nu + d + 1.0
        total_mean = self._total.mean[0][sets]
        gap = np.moveaxis(self.widened.mean[:, sets], 0, 1) - total_mean[:, None, :]
        gap = gap @ inverse.mT  # (S, K, D)
        products = self.widened.products[:, sets[:, :, None], sets[:, None, :]]
        products = inverse[:, None] @ np.moveaxis(products, 0, 1) @ inverse.mT[:, None]
        rise = multigammaln((dof[:, None] + n) / 2, d) - multigammaln(dof / 2, d)[:, None]
        before = log_det[:, None] + d * np.log(a * nu)
        shared = (rise - 0.5 * d * _LN_PI * n)[None] + 0.5 * (dof * before)[:, :, None]
        weak = np.full(len(sets), 10.0 / max(float(self._total.n[0]), 1.0))
        counts = np.array([weak, np.clip(ratio[sets].mean(axis=1), 1e-3, 1.0)])
        evidence = []
        for count in counts[:, :, None]:  # (S, 1)
            pull = (count * n / (count + n))[:, :, None, None] * gap[..., None] * gap[:, :, None]
            stretch = np.maximum(np.linalg.eigvalsh(products + pull), 0.0)  # (S, K, D)
            after = np.log((a * nu)[:, None, None] + stretch[:, None]).sum(axis=3)
            after += log_det[:, None, None]
            of_groups = shared + 0.5 * (
                (d * np.log(count / (count + n)))[:, None, :] - (dof[:, None] + n) * after
            )
            evidence.append(of_groups.sum(axis=2))
        found = np.concatenate(evidence, axis=1)  # (S, cells of the grid)
        return [
            Pooled(
                total_mean[s],
                float(counts[which, s]),
                float(dof[at]),
                a[at] * nu[at] * within[s],
                self.steps[sets[s]],
                float(found[s].max()),
            )
            for s, (which, at) in enumerate(
                zip(*np.divmod(found.argmax(axis=1), nu.size), strict=True)
            )
        ]


def best_pooled(
    values: np.ndarray,
    labels: np.ndarray,
    sets: np.ndarray,
    weight: float | np.ndarray = 1.0,
    steps: float | np.ndarray = 0.0,
) -> list[Pooled]:
    """The best prior of each of S sets of D columns, given groups.

    ``values`` is (N, R), of which rows that lack a cell are left out; ``labels``, int64 (N,), are
    0..K-1, -1 for rows in no group; ``sets`` is int64, (S, D); ``steps``, (R,), 0 where not known.
    """
    rows = Rows.of(values, labels, int(np.max(labels)) + 1, weight)
    moments = rows.moments(pairs=sets.shape[1] > 1)
    return PooledPriors(moments, np.broadcast_to(np.float64(steps), values.shape[1])).best(sets)
