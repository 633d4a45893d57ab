"""The stick and the rows that the prior draws."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.plots.restaurant import mixture_figure, stick_figure
from mapdp_studio.core.plots.template import colour_of
from mapdp_studio.core.teaching.prior_draws import draw_mixture, stick_breaking


def test_the_pieces_of_the_stick_are_its_weights():
    weights = stick_breaking(3.0, 20, seed=1, discount=0.25)
    figure = stick_figure(weights)
    (stick,) = figure.data
    np.testing.assert_allclose(stick.x, 100.0 * weights)
    starts = np.array(stick.base, dtype=float)
    np.testing.assert_allclose(starts, 100.0 * (weights.cumsum() - weights))


def test_every_row_of_the_mixture_is_drawn_once_in_its_cluster():
    draw = draw_mixture(200, 2.0, seed=3)
    figure = mixture_figure(draw)
    (cloud,) = figure.data
    np.testing.assert_array_equal(np.column_stack([cloud.x, cloud.y]), draw.rows)
    assert list(cloud.marker.color) == [colour_of(k) for k in draw.labels]
    sizes = np.bincount(draw.labels)
    assert list(cloud.text) == [f"cluster {k + 1}, {sizes[k]:,} rows" for k in draw.labels]
