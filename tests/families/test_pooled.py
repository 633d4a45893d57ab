"""Priors shaped by the groups: the best cell of the grid, found the slow way."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mapdp_studio.core.families import GaussianPrior
from mapdp_studio.core.families.pooled import AGREEMENTS, RIDGE, WIDTHS, PooledPriors
from mapdp_studio.core.families.sufficient import GroupMoments


def _grid(x: np.ndarray, labels: np.ndarray, steps: np.ndarray) -> list[float]:
    """Ln p of all groups in every cell of the grid, from the definition."""
    n, d = x.shape
    sizes = np.bincount(labels)
    interval = np.diag(np.square(steps) / 12.0)
    of_group = [x[labels == k] for k in np.unique(labels)]
    within = sum(len(g) * (np.cov(g.T, bias=True).reshape(d, d) + interval) for g in of_group)
    within = within / max(n - np.count_nonzero(sizes), 1)
    if n - np.count_nonzero(sizes) < 2 * d:
        within = np.diag(np.diag(within))
    within = within + RIDGE * np.diag(np.diag(within))
    total = np.var(x, axis=0) + np.square(steps) / 12.0
    ratio = np.mean(np.diag(within) / np.maximum(total - np.diag(within), 1e-6 * np.diag(within)))
    found = []
    for count, nu, a in product((10.0 / n, np.clip(ratio, 1e-3, 1.0)), AGREEMENTS, WIDTHS):
        prior = GaussianPrior(tuple(x.mean(axis=0)), count, nu + d + 1.0, a * nu * within, steps)
        found.append(sum(prior.log_marginal(g) for g in of_group))
    return found


@pytest.mark.parametrize("n", [9, 60])
def test_of_several_sets_at_once_each_has_its_best_cell(n):
    random = np.random.default_rng(n)
    x = random.normal(size=(n, 4)) @ random.normal(size=(4, 4))
    labels = np.arange(n) % 3
    steps = np.array([0.0, 0.1, 0.5, 0.0])
    priors = PooledPriors(GroupMoments.of(x, labels, 3, np.ones(n)), steps)
    for sets in ([(0,), (2,)], [(0, 1), (1, 2), (0, 3)], [(0, 1, 2, 3)]):
        for columns, best in zip(sets, priors.best(np.array(sets)), strict=True):
            cells = _grid(x[:, columns], labels, steps[list(columns)])
            assert best.log_marginal == pytest.approx(max(cells), rel=1e-9)
            evidence = sum(
                GaussianPrior.of_pooled(best).log_marginal(x[labels == k][:, columns])
                for k in range(3)
            )
            assert evidence == pytest.approx(max(cells), rel=1e-9)
