"""DP-means' record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..models.centroids import order_by_content
from ..models.dpmeans import DPMeans, dp_means_states
from ..schema.encoded import Encoded
from .record import Method
from .row_costs import DISTANCE, NEW, RowCosts, called, squared_distances
from .settings import Settings
from .steps import Ground, Procedure, Step


def _arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    if settings.penalty is None:
        return {"n_clusters_hint": settings.penalty_hint}
    return {"penalty": settings.penalty}


def _row_costs(model: DPMeans, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
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


def _passes(ground: Ground) -> Iterator[Step]:
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
    arguments=_arguments,
    reads=("penalty", "penalty_hint"),
    is_first=True,
    quick={"n_clusters_hint": 2},
    remark=lambda model: f"λ = {model.penalty_:,.3g}",
    explanation=lambda model: model.encoding_.sentence,
    table="on plain numbers",
    row_costs=_row_costs,
    procedures={
        "DPMeans": Procedure(
            "DP-means",
            "squared error + λ K",
            "Rows are visited from left to right. A row farther than √λ from "
            "every centre founds a cluster at once; in the end of a pass all centres move to the "
            "mean of their rows.",
            _passes,
        )
    },
)
