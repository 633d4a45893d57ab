"""Cells of the plane around centres."""

from __future__ import annotations

import numpy as np
import pytest

from core.comparing.voronoi import voronoi_cells


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


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
