"""Ellipses that show, in a view, where the model of a cluster expects its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..schema.encoded import Unit
from .projection import View

#: Squared radius of the disc that holds 95 % of a two-dimensional standard normal: -2 ln 0.05.
RADIUS = math.sqrt(-2.0 * math.log(0.05))
CORNERS = 72

Summary = Mapping[str, Any]
Moments = tuple[np.ndarray, np.ndarray]


def outlines(view: View, clusters: Sequence[Mapping[str, Summary]]) -> list[np.ndarray]:
    """Outline of each cluster's 95 % ellipse in a view.

    The model's mean and covariance of the features, at the posterior's point estimate, are carried
    into the plane; the ellipse holds 95 % of a normal with these moments.

    Parameters
    ----------
    view : View
        One with weights.
    clusters : sequence of mapping
        For each cluster the summary of every unit's posterior, by the unit's name.

    Returns
    -------
    list of ndarray of float32, shape (73, 2)
        One for each cluster, closed.
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
        mean, spread = _MOMENTS[unit.family](cluster[unit.name])
        part = weights[at : at + len(mean)]
        middle += mean @ part
        covariance += part.T @ spread @ part
        at += len(mean)
    values, vectors = np.linalg.eigh(covariance)
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    circle = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)])
    return (middle + circle @ (vectors * np.sqrt(np.maximum(values, 0.0))).T).astype(np.float32)


def _single(variance: Callable[[Summary], float]) -> Callable[[Summary], Moments]:
    def moments(summary: Summary) -> Moments:
        return np.array([summary["mean"]]), np.array([[variance(summary)]])

    return moments


def _yes_no(summary: Summary) -> Moments:
    p = summary["probability"]
    return np.array([p]), np.array([[p * (1.0 - p)]])


def _levels(summary: Summary) -> Moments:
    p = np.array(summary["probabilities"])
    return p, np.diag(p) - np.outer(p, p)


def _block(summary: Summary) -> Moments:
    return np.array(summary["mean"]), np.array(summary["covariance"])


def _round_block(summary: Summary) -> Moments:
    mean = np.array(summary["mean"])
    return mean, summary["sd"] ** 2 * np.eye(mean.size)


#: Mean and covariance of a unit's features, from the summary of its posterior.
_MOMENTS: Mapping[str, Callable[[Summary], Moments]] = {
    "normal": _single(lambda s: s["sd"] ** 2),
    "normal_known_variance": _single(lambda s: s["sd"] ** 2),
    "exponential": _single(lambda s: s["mean"] ** 2),
    "poisson": _single(lambda s: s["mean"]),
    "geometric": _single(lambda s: s["mean"] * (1.0 + s["mean"])),
    "binomial": _single(lambda s: s["mean"] * (1.0 - s["probability"])),
    "bernoulli": _yes_no,
    "categorical": _levels,
    "gaussian": _block,
    "gaussian_known_covariance": _block,
    "spherical": _round_block,
}
