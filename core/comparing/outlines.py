"""Ellipses that show, in a view, where the model of a cluster expects its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..families import FAMILIES
from ..schema.encoded import Unit
from .projection import View

#: Squared radius of the disc that holds 95 % of a two-dimensional standard normal: -2 ln 0.05.
RADIUS = math.sqrt(-2.0 * math.log(0.05))
CORNERS = 72

Summary = Mapping[str, Any]


def outlines(view: View, clusters: Sequence[Mapping[str, Summary]]) -> list[np.ndarray]:
    """Outline, float32 of shape (73, 2), of each cluster's 95 % ellipse in a view with weights.

    The model's mean and covariance of the features, at the posterior's point estimate, are carried
    into the plane; the ellipse holds 95 % of a normal with these moments. A cluster is the summary
    of every unit's posterior, by the unit's name.
    """
    if not clusters:
        return []
    weights = np.column_stack([axis for axis, _ in view.weights])
    constant = np.array([constant for _, constant in view.weights])
    return [_outline(weights, constant, view.units, cluster) for cluster in clusters]


def _outline(
    weights: np.ndarray, constant: np.ndarray, units: Sequence[Unit], cluster: Mapping[str, Summary]
) -> np.ndarray:
    middle, covariance, at = constant.copy(), np.zeros((2, 2)), 0
    for unit in units:
        mean, spread = FAMILIES[unit.family].Prior.moments(cluster[unit.name])
        part = weights[at : at + len(mean)]
        middle += mean @ part
        covariance += part.T @ spread @ part
        at += len(mean)
    values, vectors = np.linalg.eigh(covariance)
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    circle = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)])
    return (middle + circle @ (vectors * np.sqrt(np.maximum(values, 0.0))).T).astype(np.float32)
