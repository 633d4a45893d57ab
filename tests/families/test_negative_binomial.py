"""Counts that vary more than Poisson: every dispersion, how one is chosen, and what K it gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mapdp_studio.core import MAPDP, ColumnSpec, Schema
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import NegativeBinomialPrior, PoissonPrior
from mapdp_studio.core.families.events import DISPERSIONS
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.reference import log_marginal, log_predictive

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


@every_dispersion
def test_mode_mean_and_variance_are_those_of_the_predictive(dispersion):
    prior = NegativeBinomialPrior(2.3, 1.7, dispersion).posterior(COUNTS)
    x = np.arange(4000.0)
    log_p = [log_predictive("negative_binomial", prior, COUNTS[:0], value) for value in x[:40]]
    predictive = prior.predictive()
    assert predictive.mode == np.argmax(log_p)
    draws = prior.draw(40_000, np.random.default_rng(0))
    error = np.sqrt(predictive.variance / draws.size)
    assert draws.mean() == pytest.approx(predictive.mean, abs=4 * error)
    assert np.mean(draws == predictive.mode) == pytest.approx(np.exp(np.max(log_p)), abs=0.015)


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
    assert prior.limit == PoissonPrior.default(counts)


@pytest.mark.parametrize("r", [1, 2, 4])
def test_one_dispersed_population_is_one_group(r):
    for seed in range(2):
        random = np.random.default_rng([seed, 4 * r])
        frame = pd.DataFrame(random.normal(size=(300, 3)), columns=list("abc"))
        frame["visits"] = random.negative_binomial(r, r / (r + 6.0), 300)
        normal = [ColumnSpec(name, "normal") for name in "abc"]
        schema = Schema([*normal, ColumnSpec("visits", "negative_binomial")])
        assert MAPDP(random_state=0).fit(frame, schema).n_clusters_ == 1
