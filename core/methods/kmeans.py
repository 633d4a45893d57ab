"""K-means' record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..models.centroids import lloyd_states, plus_plus
from ..models.kmeans import KMeansBIC
from ..schema.encoded import Encoded
from .record import Method
from .row_costs import DISTANCE, RowCosts, called, squared_distances
from .settings import K_MAX, Settings, fewer
from .steps import Ground, Procedure, Step


def _arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    low, high = (1, K_MAX) if settings.bic else (settings.n_clusters, settings.n_clusters)
    starts = fewer(10, 1, n_cells) * settings.effort
    return {"k_min": low, "k_max": high, "n_init": starts, "random_state": settings.seed}


def _is_at_limit(model: KMeansBIC) -> bool:
    return model.k_min < model.k_max == model.n_clusters_


def _remark(model: KMeansBIC) -> str:
    if _is_at_limit(model):
        return "K at BIC's limit"
    return "K given" if model.k_min == model.k_max else "K by BIC"


def _explanation(model: KMeansBIC) -> str:
    said = "BIC still rises at the largest K tried. " if _is_at_limit(model) else ""
    return said + model.encoding_.sentence


def _row_costs(model: KMeansBIC, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    distances = squared_distances(model, one)
    clusters = tuple(map(int, numbers))
    order = np.argsort(distances, kind="stable")
    words = f"The centre of {called(clusters[order[0]])} is nearest, at {distances[order[0]]:.3g}"
    if order.size > 1:
        words += f" against {distances[order[1]]:.3g} for {called(clusters[order[1]])}"
    words += ". Neither the width nor the size of a cluster counts."
    return RowCosts(DISTANCE, clusters, {DISTANCE: distances}, int(order[0]), words)


def _passes(ground: Ground) -> Iterator[Step]:
    seeds = plus_plus(ground.points, ground.settings.n_clusters, ground.random)
    return ground.centered(lloyd_states(ground.points, seeds), "start: k-means++ centres")


def _from_chance(ground: Ground) -> Iterator[Step]:
    points = ground.points
    rows = ground.random.choice(len(points), ground.settings.n_clusters, replace=False)
    return ground.centered(lloyd_states(points, points[rows]), "start: rows by chance")


def _from_truth(ground: Ground) -> Iterator[Step]:
    states = lloyd_states(ground.points, ground.classes)
    return ground.centered(states, "start: the true groups")


K_MEANS = Method(
    title="K-means",
    glossary=(
        "K-means",
        "Groups around centres, by squared distance. Takes groups for round, equally wide and "
        "equally large, and cannot have missing cells.",
    ),
    estimator=KMeansBIC,
    arguments=_arguments,
    reads=("n_clusters", "bic", "effort", "seed"),
    is_first=True,
    quick={"k_max": 2, "n_init": 1, "random_state": 0},
    remark=_remark,
    explanation=_explanation,
    restarts="ten starts of K-means for each K",
    table="on plain numbers",
    row_costs=_row_costs,
    procedures={
        "KMeansBIC": Procedure(
            "K-means",
            "squared error",
            "Rows go to the nearest centre, centres to the mean of their rows; nothing else is "
            "ever looked at. This is one start, which may rest higher than the best of several "
            "on Watch.",
            _passes,
        ),
        "chance": Procedure(
            "K-means from chance rows",
            "squared error",
            "Started at rows drawn by chance, as it was first described: a centre never leaves its "
            "surroundings, so what is missed at the start stays missed.",
            _from_chance,
        ),
        "truth": Procedure(
            "K-means from the truth",
            "squared error",
            "Started from the true groups: where K-means does not rest there, watch it leave them "
            "while its squared error falls.",
            _from_truth,
            needs_truth=True,
        ),
    },
)
