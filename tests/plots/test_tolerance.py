"""K against the tolerance, as it is drawn."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.plots.settings import SMALL, tolerance_figure

COUNTS = np.array([9, 3, 3, 3, 3, 3, 3, 1, 1, 1])
POWERS = np.geomspace(1.0, 0.2, 10)
LABELS = [np.arange(90) * k // 90 for k in COUNTS]
PATH = TolerancePath(POWERS, tuple(LABELS), np.zeros(10), COUNTS)


def test_the_plateau_is_shaded_and_the_slider_stands_where_it_is():
    figure = tolerance_figure(PATH, 0.5, height=SMALL)
    band, slider = figure.layout.shapes
    assert (band.x0, band.x1) == (POWERS[6], POWERS[1])
    assert slider.x0 == 0.5
    assert list(figure.data[0].customdata) == POWERS.tolist()
    assert figure.layout.xaxis.range[0] > figure.layout.xaxis.range[1]


def test_without_a_plateau_nothing_is_shaded():
    path = TolerancePath(POWERS, (np.zeros(90, int),) * 10, PATH.objectives, COUNTS)
    (slider,) = tolerance_figure(path, 1.0).layout.shapes
    assert slider.x0 == 1.0
