"""Cells of the plane around centres."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.comparing.voronoi import cells_in_view, voronoi_cells
from mapdp_studio.demo_datasets import SCENARIOS
from tests.classroom import room


def test_a_point_lies_in_the_cell_of_its_nearest_centre():
    random = np.random.default_rng(0)
    centers = random.normal(size=(7, 2))
    cells = voronoi_cells(centers, np.array([-3.0, -2.0]), np.array([3.0, 2.0]))
    areas = [_cross(cell[:-1], cell[1:]).sum() / 2 for cell in cells]
    assert sum(areas) == pytest.approx(24.0)
    points = random.uniform([-3, -2], [3, 2], size=(200, 2))
    nearest = np.square(points[:, None] - centers).sum(axis=2).argmin(axis=1)
    for point, k in zip(points, nearest, strict=True):
        for j, cell in enumerate(cells):
            inside = (_cross(cell[1:] - cell[:-1], point - cell[:-1]) >= 0).all()
            assert inside == (j == k)


@pytest.mark.parametrize("key", [key for key in SCENARIOS if key != "5.3"])  # centres far outside
def test_a_border_is_square_to_the_line_between_its_centres(key):
    """As panels of one unit show them, though K-means measures in standard deviations."""
    here = room(key, 600)
    model = KMeansBIC(k_min=3, k_max=3, random_state=0).fit(here.frame, here.schema)
    assert here.view.has_one_unit
    centres = model.cluster_centers_ * model.encoding_.scale + model.encoding_.center
    cells = cells_in_view(model, here.view)
    shared = 0
    for a, b in combinations(range(3), 2):
        corners = [one for one in cells[a][:-1] if np.abs(cells[b] - one).sum(1).min() < 1e-3]
        if len(corners) == 2:
            border, between = corners[1] - corners[0], centres[b] - centres[a]
            cosine = border @ between / np.linalg.norm(border) / np.linalg.norm(between)
            assert abs(np.degrees(np.arcsin(cosine))) < 2.5
            shared += 1
    assert shared >= 2


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
