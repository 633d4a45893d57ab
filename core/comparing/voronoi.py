"""Which part of a plane is nearest to each centre: the cells that K-means cuts it into."""

from __future__ import annotations

import numpy as np

from ..models.centroids import CentroidEstimator
from .projection import View


def voronoi_cells(centers: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Cells of centres, shape (K, 2), within the rectangle between two corners, shape (2,).

    A convex polygon for each centre, shape (C, 2), closed; empty where its cell misses the
    rectangle.
    """
    rectangle = np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=np.float64)
    cells = []
    for k, center in enumerate(centers):
        polygon = rectangle
        for other in np.delete(centers, k, axis=0):
            polygon = _nearer(polygon, center, other)
        cells.append(np.concatenate([polygon, polygon[:1]]))
    return cells


def cells_in_view(model: CentroidEstimator, view: View) -> tuple[np.ndarray, ...]:
    """Cells of a fitted K-means in a view of its two numeric columns, in the columns' own units.

    Nearness is measured in the coordinates that the model ran on, so on standardised columns a
    border need not stand at a right angle to the line between two centres.
    """
    encoding = model.encoding_
    low, high = np.array([(axis.low, axis.high) for axis in (view.x, view.y)]).T
    inside = [(corner - encoding.center) / encoding.scale for corner in (low, high)]
    cells = voronoi_cells(model.cluster_centers_, *inside)
    return tuple(
        (cell * encoding.scale + encoding.center).astype(np.float32) for cell in cells if len(cell)
    )


def centres_in_view(model: CentroidEstimator, view: View) -> tuple[np.ndarray, np.ndarray]:
    """Centres of a fitted K-means where they are, shape (K, 2), or at the edge of the view.

    And the ways of those at the edge, shape (A, 2, 2).
    """
    centres = model.cluster_centers_ * model.encoding_.scale + model.encoding_.center
    if view.edge is None:
        return centres.astype(np.float32), np.empty((0, 2, 2), dtype=np.float32)
    return view.edge.place(centres)


def _nearer(polygon: np.ndarray, center: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Part of a convex polygon that is at least as near to one point as to another."""
    normal = other - center
    beyond = polygon @ normal - (other + center) @ normal / 2.0
    corners = []
    for here in range(len(polygon)):
        before = here - 1
        if (beyond[here] <= 0.0) != (beyond[before] <= 0.0):
            share = beyond[before] / (beyond[before] - beyond[here])
            corners.append(polygon[before] + share * (polygon[here] - polygon[before]))
        if beyond[here] <= 0.0:
            corners.append(polygon[here])
    return np.array(corners).reshape(-1, 2)
