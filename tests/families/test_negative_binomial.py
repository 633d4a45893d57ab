"""Counts that vary more than Poisson: every dispersion, how one is chosen, and what K it gives."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mapdp_studio.core import MAPDP, ColumnSpec, Schema
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import GaussianPrior, NegativeBinomialPrior, PoissonPrior
from mapdp_studio.core.families.counts import DISPERSIONS
from mapdp_studio.core.families.pooled import AGREEMENTS, RIDGE, WIDTHS, PooledPriors
from mapdp_studio.core.families.sufficient import GroupMoments
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.reference import log_marginal

COUNTS = np.array([0.0, 3.0, 1.0, 7.0, 2.0, 12.0, 5.0, 1.0])
every_dispersion = pytest.mark.parametrize("dispersion", DISPERSIONS)


@every_dispersion
def test_marginals_and_predictives_agree_with_scipy(dispersion):
    prior = NegativeBinomialPrior(2.3, 1.7, dispersion)
    encoded = Encoded(COUNTS[:, None].copy(), (Unit("a", "negative_binomial", ("a",)),))
    partition = Partition(Columns.pack(encoded, [prior]), 1.0)
    expected = log_marginal("negative_binomial", prior, COUNTS)
    assert prior.log_marginal(COUNTS) == pytest.approx(expected, abs=1e-9)
    alone = np.log(COUNTS.size)  # the restaurant's part of E at N_0 = 1
    assert partition.objective() == pytest.approx(alone - expected, abs=1e-9)


@pytest.mark.parametrize("r", [0.5, 2.0, 16.0])
def test_the_dispersion_is_that_of_the_column(r):
    counts = stats.nbinom.rvs(r, r / (r + 8.0), size=3000, random_state=1).astype(float)
    prior = NegativeBinomialPrior.default(counts)
    assert 0.5 <= r * prior.dispersion <= 2.0
    assert prior.predictive().mean == pytest.approx(counts.mean())


def test_poisson_counts_have_no_dispersion_and_poisson_s_prior():
    counts = np.random.default_rng(0).poisson(5.0, 4000).astype(float)
    prior = NegativeBinomialPrior.default(counts)
    assert prior.dispersion == 0.0
    limit = PoissonPrior.default(counts)
    assert (prior.failures, prior.successes) == (limit.shape, limit.rate)


@pytest.mark.parametrize("r", [1, 2, 4])
def test_one_dispersed_population_is_one_group(r):
    for seed in range(2):
        random = np.random.default_rng([seed, 4 * r])
        frame = pd.DataFrame(random.normal(size=(300, 3)), columns=list("abc"))
        frame["visits"] = random.negative_binomial(r, r / (r + 6.0), 300)
        normal = [ColumnSpec(name, "normal") for name in "abc"]
        schema = Schema([*normal, ColumnSpec("visits", "negative_binomial")])
        assert MAPDP(random_state=0).fit(frame, schema).n_clusters_ == 1


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
