"""Where the model comes from: the restaurant, draws from the prior, and back to K."""

import numpy as np
import pytest
from scipy.special import psi

from mapdp_studio.core.models.dpmeans import DPMeans
from mapdp_studio.core.models.gibbs import CollapsedGibbs
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.teaching import posterior_figure
from mapdp_studio.core.teaching import prior
from mapdp_studio.core.teaching.small_variance import spherical_fit
from tests.classroom import room


@pytest.mark.parametrize("concentration", [0.5, 3.0])
def test_tables_fill_as_the_restaurant_says(concentration):
    evenings = [prior.seat(200, concentration, seed) for seed in range(400)]
    counts = np.array([evening.n_tables[-1] for evening in evenings])
    error, first = counts.std() / np.sqrt(counts.size), evenings[0]
    assert abs(counts.mean() - first.expected[-1]) < 4 * error
    assert counts.std() == pytest.approx(first.deviation[-1], rel=0.15)
    exact = concentration * (psi(concentration + first.numbers) - psi(concentration))
    np.testing.assert_allclose(first.expected, exact)
    # Any two rows share a table with chance 1 / (N_0 + 1); so does any later row with the first.
    chance = 1 / (concentration + 1)
    firsts = np.array([evening.sizes(200)[0] - 1 for evening in evenings]) / 199
    assert abs(firsts.mean() - chance) < 4 * firsts.std() / np.sqrt(400)
    assert (first.newcomer(0), first.newcomer(1)) == (1.0, concentration / (concentration + 1))
    assert first.numbers[:12].tolist() == list(range(1, 13))


@pytest.mark.parametrize("concentration", [0.5, 4.0])
def test_sticks_are_weights(concentration):
    draws = np.array([prior.stick_breaking(concentration, 400, seed) for seed in range(2000)])
    assert (draws >= 0.0).all()
    assert (draws.sum(axis=1) <= 1.0 + 1e-12).all()
    assert draws[:, 0].mean() == pytest.approx(1 / (1 + concentration), abs=0.02)
    # Two rows share a cluster with chance 1 / (1 + N_0): the sum of the squared weights.
    pairs = np.square(draws).sum(axis=1).mean()
    assert pairs == pytest.approx(1 / (1 + concentration), abs=0.02)


def test_mixtures_are_drawn_from_their_base():
    draw = prior.draw_mixture(1000, 2.0, seed=3)
    assert np.array_equal(draw.labels, prior.seat(1000, 2.0, 3).labels)
    # Two rows of one cluster each time: within it, and where it lies.
    pairs = np.array([prior.draw_mixture(2, 1e-9, seed).rows for seed in range(600)])
    within = prior.BASE.scatter / (prior.BASE.dof - 3)
    assert np.allclose(np.cov((pairs[:, 0] - pairs[:, 1]).T) / 2, within, atol=0.2)
    spread = within * (1 + 1 / prior.BASE.mean_count)
    assert np.allclose(np.cov(pairs[:, 0].T), spread, atol=0.15 * spread.max())


def test_the_posterior_of_a_fit_says_that_a_k_was_never_drawn():
    rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    model = CollapsedGibbs(n_sweeps=30, random_state=0).fit(rows)
    shares = prior.fitted_posterior_of_k(model)
    after = model.n_clusters_trace_[15:]
    assert shares[15].to_dict() == {k: np.mean(after == k) for k in np.unique(after)}
    figure = posterior_figure(shares, 3)
    assert [trace.name for trace in figure.data] == ["15 sweeps"]
    assert figure.layout.shapes[0].x0 == 3
    for k in (after[0], after.max() + 1):
        said = f"K = {k}, as {100 * np.mean(after == k):.0f} % of Gibbs' 15 sweeps after"
        assert said in prior.beside_posterior(shares, k)


@pytest.mark.parametrize("key", ["5.4", "5.5"])
def test_a_shrinking_width_ends_at_dp_means(key):
    here = room(key, 600)
    limit = DPMeans(penalty=4.0).fit(here.frame, here.schema).labels_
    narrow, wide = (spherical_fit(here.encoded, 4.0, sd) for sd in (0.06, 1.0))
    assert nmi(limit, narrow.labels) > 0.98
    assert wide.n_clusters < narrow.n_clusters == narrow.labels.max() + 1
    # One cluster of one row more, at squared distance 4 of the others, costs the same either way.
    variance = narrow.sd**2
    log_ratio = narrow.log_concentration - np.log1p(1.0 / variance)
    assert log_ratio * -2.0 * variance == pytest.approx(4.0)
