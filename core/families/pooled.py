"""Priors of measurements shaped by how they vary within given groups.

``scatter = a nu W``, ``dof = nu + D + 1``: a group's covariance is expected to be a W, W the
pooled covariance within the groups, and nu says how nearly. Large nu lets all groups share one
covariance (mclust's EEE), small nu lets each have its own (VVV). nu, a and the mean's count are
those of highest evidence given the groups. A diagonal scatter, the default prior's, makes every
group of a correlated block pay for its correlations anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import multigammaln

from .sufficient import GroupMoments

#: nu and a of the grid.
AGREEMENTS = (3.0, 7.0, 20.0, 60.0, 200.0)
WIDTHS = (0.5, 1.0, 2.0)
#: Part of the diagonal that is added to W, which may lack rank.
RIDGE = 1e-3
#: Least part of a column's variance that W may have.
LEAST_SHARE = 1e-6
_LN_PI = float(np.log(np.pi))


@dataclass(frozen=True)
class Pooled:
    """Hyper-parameters of a normal-Wishart prior of D measurements."""

    mean: np.ndarray
    mean_count: float
    dof: float
    scatter: np.ndarray
    #: Of which the values are multiples, (D,); 0 where not known.
    steps: np.ndarray
    #: Ln p of all groups under it, in nats.
    log_marginal: float


#: Cells of the grid: nu, a, and two counts of the mean.
N_CELLS = len(AGREEMENTS) * len(WIDTHS) * 2


def pooled_covariance(moments: GroupMoments) -> np.ndarray:
    """Covariance within the groups, (D, D), of full rank.

    Its diagonal alone where there are fewer than 2 D rows to spare.
    """
    total = moments.together()
    d, rows = moments.mean.shape[1], float(total.n[0])
    spare = rows - np.count_nonzero(moments.n)
    within = moments.products.sum(axis=0) / max(spare, 1.0)
    if spare < 2 * d:
        within = np.diag(np.diag(within))
    spread = np.diag(total.products[0]) / max(rows, 1.0)
    floor = np.maximum(LEAST_SHARE * spread, 1e-280)
    diagonal = np.diag(within)
    lacking = np.maximum(floor - diagonal, 0.0)
    return within + np.diag(lacking + RIDGE * (diagonal + lacking))


def best_pooled(moments: GroupMoments, steps: np.ndarray) -> Pooled:
    """The prior of highest evidence on the grid, given the groups.

    Parameters
    ----------
    moments : GroupMoments
        Of D columns in K groups.
    steps : ndarray, shape (D,)
        Of which the values are multiples; 0 where not known.
    """
    moments = moments.widened(np.square(steps) / 12.0)
    n, d = moments.n, moments.mean.shape[1]
    total = moments.together()
    rows, mean = float(total.n[0]), total.mean[0]
    within = pooled_covariance(moments)
    between = np.diag(total.products[0]) / max(rows, 1.0) - np.diag(within)
    ratio = np.mean(np.diag(within) / np.maximum(between, LEAST_SHARE * np.diag(within)))
    inverse = np.linalg.inv(np.linalg.cholesky(within))
    log_det = -2.0 * float(np.log(np.diag(inverse)).sum())
    nu, a = (axis.ravel() for axis in np.meshgrid(AGREEMENTS, WIDTHS, indexing="ij"))
    dof = nu + d + 1.0
    rise = multigammaln((dof[:, None] + n) / 2, d) - multigammaln(dof / 2, d)[:, None]
    best: Pooled | None = None
    for count in dict.fromkeys((10.0 / max(rows, 1.0), float(np.clip(ratio, 1e-3, 1.0)))):
        gap = (moments.mean - mean) @ inverse.T
        pull = (count * n / (count + n))[:, None, None] * gap[:, :, None] * gap[:, None, :]
        stretch = np.linalg.eigvalsh(inverse @ moments.products @ inverse.T + pull)  # (K, D)
        after = log_det + np.log((a * nu)[:, None, None] + np.maximum(stretch, 0.0)).sum(axis=2)
        before = log_det + d * np.log(a * nu)
        of_groups = rise + 0.5 * (
            (dof * before)[:, None]
            - (dof[:, None] + n) * after
            + d * (np.log(count / (count + n)) - n * _LN_PI)
        )
        evidence = of_groups.sum(axis=1)
        at = int(evidence.argmax())
        if best is None or evidence[at] > best.log_marginal:
            scatter = a[at] * nu[at] * within
            best = Pooled(
                mean, count, float(dof[at]), scatter, np.asarray(steps), float(evidence[at])
            )
    assert best is not None
    return best
