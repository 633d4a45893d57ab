"""How a prior is chosen: given, from the data at one scale, or by E on a grid of scales."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES, NormalPrior
from mapdp_studio.core.models.priors import SCALES, choose_prior
from tests.random_tables import random_table


def test_an_empirical_prior_is_the_default_at_a_tenth():
    rows = np.random.default_rng(0).normal(3.0, 2.0, (40, 2))
    model = MAPDP(prior="empirical", random_state=0).fit(rows)
    assert model.prior_ == tuple(NormalPrior.default(column, 0.1) for column in rows.T)


def test_a_given_prior_is_used_as_it_is():
    rows = np.random.default_rng(0).normal(size=(40, 1))
    prior = NormalPrior(1.0, 0.5, 3.0, 2.0)
    assert MAPDP(prior=prior, random_state=0).fit(rows).prior_ == (prior,)


def test_a_scale_of_the_grid_has_the_default_priors_at_that_scale():
    """Of every family; the widest scale is made to look best."""
    encoded, _ = random_table(np.random.default_rng(0), 60, list(FAMILIES), fill=True)
    left = iter(range(100, 0, -1))
    choice = choose_prior(
        "scale-grid",
        encoded,
        lambda columns, known: (np.zeros(60, dtype=np.int64), float(next(left))),
        np.random.default_rng(0),
    )
    assert choice.scale in (SCALES[0], SCALES[-1])
    wanted = default_priors(encoded, choice.scale)
    assert [prior.to_dict() for prior in choice.columns.priors] == [p.to_dict() for p in wanted]


def test_a_scale_chosen_on_a_sample_is_that_of_lowest_e_on_all_rows():
    """On this table the grid of a sample stops one scale short."""
    random = np.random.default_rng(9)
    n, k, d = 21_000, int(random.integers(3, 30)), int(random.integers(2, 6))
    middle, spread = random.normal(0, 6, (k, d)), random.uniform(0.2, 3, (k, d))
    group = random.choice(k, n, p=random.dirichlet(np.full(k, 0.5)))
    model = MAPDP(random_state=0).fit(middle[group] + spread[group] * random.normal(size=(n, d)))
    encoded = model.columns_.encoded
    objectives = {
        scale: Partition(
            Columns.pack(encoded, default_priors(encoded, scale)), 3.0, model.labels_
        ).objective()
        for scale in SCALES
    }
    assert model.objective_ == pytest.approx(min(objectives.values()), abs=1e-6)
    assert model.prior_scale_ == min(objectives, key=objectives.__getitem__)
    assert (np.diff(model.result_.objective_trace) < 1e-6).all()
