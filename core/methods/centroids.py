"""The records of K-means and DP-means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..models.centroids import lloyd_states, order_by_content, plus_plus
from ..models.dpmeans import DPMeans, dp_means_states
from ..models.kmeans import KMeansBIC
from ..schema.encoded import Encoded
from .record import Method
from .row_costs import DISTANCE, NEW, RowCosts, called, squared_distances
from .settings import K_MAX, Settings, fewer
from .steps import Ground, Procedure, Step


def _k_means_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    low, high = (1, K_MAX) if settings.bic else (settings.n_clusters, settings.n_clusters)
    starts = fewer(10, 1, n_cells) * settings.effort
    return {"k_min": low, "k_max": high, "n_init": starts, "random_state": settings.seed}


def _is_at_limit(model: KMeansBIC) -> bool:
    return model.k_min < model.k_max == model.n_clusters_


def _remark(model: KMeansBIC) -> str:
    if model.k_min == model.k_max:
        return "K given"
    return "K at BIC's limit" if _is_at_limit(model) else "K by BIC"


def _explanation(model: KMeansBIC) -> str:
    said = "BIC still rises at the largest K tried. " if _is_at_limit(model) else ""
    return said + model.encoding_.sentence


def _k_means_costs(model: KMeansBIC, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    distances = squared_distances(model, one)
    clusters = tuple(map(int, numbers))
    order = np.argsort(distances, kind="stable")
    words = f"The centre of {called(clusters[order[0]])} is nearest, at {distances[order[0]]:.3g}"
    if order.size > 1:
        words += f" against {distances[order[1]]:.3g} for {called(clusters[order[1]])}"
    words += ". Neither the width nor the size of a cluster counts."
    return RowCosts(DISTANCE, clusters, {DISTANCE: distances}, int(order[0]), words)


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


K_MEANS = Method(
    title="K-means",
    glossary=(
        "K-means",
        "Groups around centres, by squared distance. Takes groups for round, equally wide and "
        "equally large, and cannot have missing cells.",
    ),
    estimator=KMeansBIC,
    arguments=_k_means_arguments,
    reads=("n_clusters", "bic", "effort", "seed"),
    is_first=True,
    quick={"k_max": 2, "n_init": 1, "random_state": 0},
    remark=_remark,
    explanation=_explanation,
    restarts="ten starts of K-means for each K",
    table="on plain numbers",
    row_costs=_k_means_costs,
    procedures={
        "KMeansBIC": Procedure(
            "K-means",
            "squared error",
            "Rows go to the nearest centre, centres to the mean of their rows; nothing else is "
            "ever looked at. This is one start, which may rest higher than the best of several "
            "on Watch.",
            _lloyd_passes,
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


def _dp_means_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    if settings.penalty is None:
        return {"n_clusters_hint": settings.penalty_hint}
    return {"penalty": settings.penalty}


def _dp_means_costs(model: DPMeans, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    distances = np.append(squared_distances(model, one), model.penalty_)
    clusters = (*map(int, numbers), NEW)
    winner = int(np.argmin(distances))
    near = int(np.argmin(distances[:-1]))
    is_new = winner == len(numbers)
    words = (
        f"The nearest centre, of {called(clusters[near])}, lies at a squared distance of "
        f"{distances[near]:.3g}, "
        + ("farther" if is_new else "nearer")
        + f" than λ = {model.penalty_:.3g}: "
        + ("the row founds a cluster." if is_new else "no new cluster. Distance alone decides.")
    )
    return RowCosts(DISTANCE, clusters, {DISTANCE: distances}, winner, words)


def _dp_means_passes(ground: Ground) -> Iterator[Step]:
    order = order_by_content(ground.sample.values)
    place = np.argsort(order)
    states = dp_means_states(ground.points[order], ground.settings.penalty)
    states = (replace(state, labels=state.labels[place]) for state in states)
    return ground.centered(states, "start: one cluster")


DP_MEANS = Method(
    title="DP-means",
    glossary=(
        "DP-means",
        "K-means with a price on groups: a row farther than λ from every centre founds one.",
    ),
    estimator=DPMeans,
    arguments=_dp_means_arguments,
    reads=("penalty", "penalty_hint"),
    is_first=True,
    quick={"n_clusters_hint": 2},
    remark=lambda model: f"λ = {model.penalty_:,.3g}",
    explanation=lambda model: model.encoding_.sentence,
    table="on plain numbers",
    row_costs=_dp_means_costs,
    procedures={
        "DPMeans": Procedure(
            "DP-means",
            "squared error + λ K",
            "Rows are visited from left to right. A row farther than √λ from "
            "every centre founds a cluster at once; in the end of a pass all centres move to the "
            "mean of their rows.",
            _dp_means_passes,
        )
    },
)
