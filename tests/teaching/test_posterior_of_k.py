"""The posterior of K as it settles."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.models.gibbs import CollapsedGibbs
from mapdp_studio.core.plots.restaurant import posterior_figure
from mapdp_studio.core.teaching.posterior_of_k import (
    beside_posterior,
    fitted_posterior_of_k,
    posterior_of_k,
)
from mapdp_studio.core.teaching.prior_draws import BASE, draw_mixture


def test_shares_are_those_of_the_second_half_of_the_sweeps():
    draw = draw_mixture(60, 2.0, seed=4)
    shares = posterior_of_k(draw, 2.0, seed=1, sweeps=(10, 40))
    chain = CollapsedGibbs(
        2.0,
        likelihood="gaussian",
        prior=BASE,
        n_sweeps=40,
        burn_in=0.0,
        init=np.zeros(60, dtype=int),
        random_state=1,
    ).fit(draw.rows)
    for n in (10, 40):
        half = chain.n_clusters_trace_[n // 2 : n]
        for k in shares.index:
            assert shares.loc[k, n] == pytest.approx(np.mean(half == k))
    assert np.allclose(shares.sum(), 1.0)
    figure = posterior_figure(shares, 3)
    assert [trace.name for trace in figure.data] == ["10 sweeps", "40 sweeps"]
    assert figure.layout.shapes[0].x0 == 3


def test_the_first_rows_of_a_draw_are_a_draw():
    draw = draw_mixture(200, 3.0, seed=2)
    first = draw.first(50)
    np.testing.assert_array_equal(first.labels, draw.labels[:50])
    np.testing.assert_array_equal(first.rows, draw.rows[:50])
    assert len(first.means) == first.labels.max() + 1
    assert len(draw.first(1_000).rows) == 200


def test_the_posterior_of_a_fit_says_that_a_k_was_never_drawn():
    rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    model = CollapsedGibbs(n_sweeps=30, random_state=0).fit(rows)
    shares = fitted_posterior_of_k(model)
    after = model.n_clusters_trace_[15:]
    assert shares[15].to_dict() == {k: np.mean(after == k) for k in np.unique(after)}
    never = after.max() + 1
    said = beside_posterior(shares, never)
    assert said.startswith(f"MAP-DP finds K = {never}. Of Gibbs' 15 sweeps after the burn-in none")
    often = 100 * np.mean(after == after[0])
    assert f"{often:.0f} % have as many" in beside_posterior(shares, after[0])
    assert f"{after.min()} to {after.max()}" in said
