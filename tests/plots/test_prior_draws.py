"""The stick and the rows that the prior draws."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.plots.prior_draws import mixture_figure, stick_figure
from mapdp_studio.core.teaching.prior_draws import draw_mixture, stick_breaking


def test_the_pieces_of_the_stick_are_its_weights():
    weights = stick_breaking(3.0, 20, seed=1, discount=0.25)
    figure = stick_figure(weights)
    assert [bar.x[0] for bar in figure.data] == pytest.approx(100.0 * weights)
    assert [bar.orientation for bar in figure.data] == ["h"] * 20


def test_every_row_of_the_mixture_is_drawn_once_in_its_cluster():
    draw = draw_mixture(200, 2.0, seed=3)
    figure = mixture_figure(draw)
    assert [len(cloud.x) for cloud in figure.data] == np.bincount(draw.labels).tolist()
    np.testing.assert_array_equal(figure.data[0].x, draw.rows[draw.labels == 0, 0])
