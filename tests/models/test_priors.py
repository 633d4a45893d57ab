"""How a prior is chosen: given, from the data at one scale, or by E on a grid of scales."""

from __future__ import annotations

import numpy as np

from core import MAPDP
from core.families import NormalPrior


def test_an_empirical_prior_is_the_default_at_a_tenth():
    rows = np.random.default_rng(0).normal(3.0, 2.0, (40, 2))
    model = MAPDP(prior="empirical", random_state=0).fit(rows)
    assert model.prior_ == tuple(NormalPrior.default(column, 0.1) for column in rows.T)


def test_a_given_prior_is_used_as_it_is():
    rows = np.random.default_rng(0).normal(size=(40, 1))
    prior = NormalPrior(1.0, 0.5, 3.0, 2.0)
    assert MAPDP(prior=prior, random_state=0).fit(rows).prior_ == (prior,)
