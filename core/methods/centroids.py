"""The records of K-means and DP-means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..models.centroids import CentroidEstimator, lloyd_states, order_by_content, plus_plus
from ..models.dpmeans import DPMeans, dp_means_states
from ..models.kmeans import KMeansBIC
from ..schema.encoded import Encoded
from .record import record_of
from .row_costs import DISTANCE, NEW, RowCosts, called
from .settings import K_MAX, Settings, fewer
from .steps import Ground, Step


def _k_means_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    low, high = (1, K_MAX) if settings.bic else (settings.n_clusters, settings.n_clusters)
    starts = fewer(10, 1, n_cells) * settings.effort
    return {"k_min": low, "k_max": high, "n_init": starts, "random_state": settings.seed}


def _remark(model: KMeansBIC) -> str:
    if model.k_min == model.k_max:
        return "K given"
    return "K at BIC's limit" if model.n_clusters_ == model.k_max else "K by BIC"


def _row_costs(model: CentroidEstimator, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    """Squared distances to the centres, and the penalty of DP-means."""
    point = model.encoding_.apply(one.values)
    distances = np.square(model.cluster_centers_ - point).sum(axis=1)
    clusters, near = tuple(map(int, numbers)), int(np.argmin(distances))
    words = f"The centre of {called(clusters[near])} is nearest, at {distances[near]:.3g}"
    if isinstance(model, DPMeans):
        is_new = bool(distances[near] > model.penalty_)
        words += f", {'farther' if is_new else 'nearer'} than λ = {model.penalty_:.3g}"
        near = len(clusters) if is_new else near
        clusters, distances = (*clusters, NEW), np.append(distances, model.penalty_)
    words += "; neither the width nor the size of a cluster counts."
    return RowCosts(DISTANCE, clusters, {DISTANCE: distances}, near, words)


def _lloyd_passes(ground: Ground) -> Iterator[Step]:
    seeds = plus_plus(ground.points, ground.settings.n_clusters, ground.random)
    return ground.centered(lloyd_states(ground.points, seeds), "start: k-means++ centres")


def _from_chance(ground: Ground) -> Iterator[Step]:
    points = ground.points
    rows = ground.random.choice(len(points), ground.settings.n_clusters, replace=False)
    return ground.centered(lloyd_states(points, points[rows]), "start: rows by chance")


def _from_truth(ground: Ground) -> Iterator[Step]:
    states = lloyd_states(ground.points, ground.classes)
    return ground.centered(states, "start: the true groups")


K_MEANS = record_of(
    KMeansBIC,
    _remark,
    {"KMeansBIC": _lloyd_passes, "chance": _from_chance, "truth": _from_truth},
    arguments=_k_means_arguments,
    explanation=lambda model: model.encoding_.sentence,
    row_costs=_row_costs,
)


def _dp_means_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    if settings.penalty is None:
        return {"n_clusters_hint": settings.penalty_hint}
    return {"penalty": settings.penalty}


def _dp_means_passes(ground: Ground) -> Iterator[Step]:
    order = order_by_content(ground.sample.values)
    place = np.argsort(order)
    states = dp_means_states(ground.points[order], ground.settings.penalty)
    states = (replace(state, labels=state.labels[place]) for state in states)
    return ground.centered(states, "start: one cluster")


DP_MEANS = record_of(
    DPMeans,
    lambda model: f"λ = {model.penalty_:,.3g}",
    {"DPMeans": _dp_means_passes},
    arguments=_dp_means_arguments,
    explanation=lambda model: model.encoding_.sentence,
    row_costs=_row_costs,
)
