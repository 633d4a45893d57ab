"""Draws from the prior: what their averages must be, and Pitman-Yor beside the restaurant."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.teaching.prior_draws import BASE, draw_mixture, stick_breaking
from mapdp_studio.core.teaching.restaurant import seat
from tests.expected_clusters import expected_clusters


def _dirichlet_restaurant(n, concentration, seed):
    """The seating as it was before there was a discount."""
    random = np.random.default_rng(seed)
    labels, n_tables = np.zeros(n, dtype=np.int64), 0
    for i, (chance, row) in enumerate(zip(random.random(n), random.random(n), strict=True)):
        if chance * (concentration + i) < concentration:
            labels[i] = n_tables
            n_tables += 1
        else:
            labels[i] = labels[int(row * i)]
    return labels


@pytest.mark.parametrize("seed", range(30))
def test_without_a_discount_every_label_is_the_restaurant_s(seed):
    evening = seat(700, 0.5 + seed, seed)
    assert np.array_equal(evening.labels, _dirichlet_restaurant(700, 0.5 + seed, seed))
    expected = [expected_clusters(0.5 + seed, int(n)) for n in evening.numbers]
    assert np.allclose(evening.expected, expected)


def test_pitman_yor_seats_in_proportion_to_its_weights():
    discount, concentration = 0.5, 1.0
    evenings = [seat(200, concentration, seed, discount) for seed in range(400)]
    counts = np.array([evening.n_tables[-1] for evening in evenings])
    error = counts.std() / np.sqrt(counts.size)
    assert abs(counts.mean() - evenings[0].expected[-1]) < 4 * error
    assert counts.std() == pytest.approx(evenings[0].deviation[-1], rel=0.15)
    # The second row sits down beside the first with chance (1 - d) / (N_0 + 1), and so does any.
    chance = (1 - discount) / (concentration + 1)
    together = np.mean([evening.labels[7] == evening.labels[150] for evening in evenings])
    assert abs(together - chance) < 4 * np.sqrt(chance * (1 - chance) / 400)
    assert evenings[0].newcomer(0) == 1.0
    assert evenings[0].newcomer(1) == pytest.approx((concentration + discount) / 2.0)
    with pytest.raises(ValueError, match=r"^discount=.* is not allowed"):
        seat(5, 1.0, discount=1.0)


@pytest.mark.parametrize(("concentration", "discount"), [(0.5, 0.0), (4.0, 0.0), (1.0, 0.4)])
def test_sticks_are_weights(concentration, discount):
    draws = np.array([stick_breaking(concentration, 400, seed, discount) for seed in range(2000)])
    assert np.all(draws >= 0.0)
    assert np.all(draws.sum(axis=1) <= 1.0 + 1e-12)
    first = (1 - discount) / (1 + concentration)
    assert draws[:, 0].mean() == pytest.approx(first, abs=0.02)
    # Two rows share a cluster with chance (1 - d) / (1 + N_0): the sum of the squared weights.
    assert np.square(draws).sum(axis=1).mean() == pytest.approx(first, abs=0.02)


def test_mixtures_are_drawn_from_their_base():
    draw = draw_mixture(1000, 2.0, seed=3)
    assert draw.rows.shape == (1000, 2)
    assert np.array_equal(draw.labels, seat(1000, 2.0, 3).labels)
    k = int(np.bincount(draw.labels).argmax())
    members = draw.rows[draw.labels == k]
    error = np.sqrt(np.diag(draw.covariances[k]) / len(members))
    assert np.all(np.abs(members.mean(axis=0) - draw.means[k]) < 4 * error)
    assert np.allclose(np.cov(members.T), draw.covariances[k], rtol=0.5, atol=0.1)
    many = [draw_mixture(1, 1.0, seed) for seed in range(600)]
    spread = np.mean([one.covariances[0] for one in many], axis=0)
    assert np.allclose(spread, BASE.scatter / (BASE.dof - 3), atol=0.2)
