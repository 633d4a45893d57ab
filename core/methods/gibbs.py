"""Gibbs sampling's record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..models.gibbs import CollapsedGibbs
from ..models.mapdp import MAPDP
from ..schema.encoded import Encoded
from .record import Method
from .row_costs import CHANCE, NEW, RowCosts, called
from .settings import Settings, fewer
from .steps import Ground, Procedure, Step, posterior_summaries, shown, snapshot

#: Sweeps to be watched, and rows of the picture of who is together.
SWEEPS, PAIRED_ROWS = 100, 60


def _arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {
        "concentration": settings.concentration,
        "n_sweeps": fewer(200, 20, n_cells) * settings.effort,
        **settings.tempering,
        "random_state": settings.seed,
        "read_out": "centre",
    }


def _remark(model: CollapsedGibbs) -> str:
    low, high = model.likely_clusters()
    return f"K {low:,} in 95 % of draws" if low == high else f"K {low:,} to {high:,} likely"


def _explanation(model: CollapsedGibbs) -> str:
    low, high = model.likely_clusters()
    k = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return (
        f"{model.n_clusters_trace_.size:,} sweeps under MAP-DP's prior; shown is the draw nearest "
        f"to all others. After the burn-in K is {k} in 95 % of the draws."
    )


def _row_costs(model: CollapsedGibbs, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    """The posterior: where the row was in the draws that were kept."""
    draws = np.concatenate([chain.draws for chain in model.chains_])
    with_it = draws == draws[:, [row]]
    with_it[:, row] = False
    company = with_it @ np.eye(model.n_clusters_)[model.labels_]
    alone = model.n_clusters_
    places = np.where(company.any(axis=1), company.argmax(axis=1), alone)
    counts = np.bincount(places, minlength=alone + 1)
    clusters = (*map(int, numbers), NEW)
    found = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
    where = ", ".join(f"{counts[k]:,} in {called(clusters[k])}" for k in found)
    words = (
        f"The posterior: of {len(draws):,} draws that were kept the row was {where}, told by most "
        "of the rows it was with."
    )
    return RowCosts(CHANCE, clusters, {CHANCE: counts / len(draws)}, int(counts.argmax()), words)


def _sweeps(ground: Ground) -> Iterator[Step]:
    """Sequential draws, then sweep after sweep; rows that were together are counted."""
    random, n = ground.random, ground.columns.n_rows
    partition = Partition(ground.columns, ground.settings.concentration, np.full(n, -1))
    paired = np.sort(random.choice(n, min(n, PAIRED_ROWS), replace=False))
    paired = paired[np.argsort(ground.classes[paired], kind="stable")]
    together = np.zeros((paired.size, paired.size))
    drawn = set(shown(SWEEPS))
    for sweep in range(SWEEPS):
        partition.sweep(random.permutation(n), random.random(n))
        labels = partition.labels[paired]
        together += labels[:, None] == labels
        kind = f"sweep {sweep + 1}"
        if sweep in drawn:
            yield replace(snapshot(partition, kind), together=together / (sweep + 1))
        else:  # takes its place among the steps, and needs no picture
            yield Step(kind, partition.labels.copy(), partition.objective())


GIBBS = Method(
    title="Gibbs",
    glossary=(
        "Gibbs sampling",
        "Draws groupings from the posterior instead of looking for the best one: slower, but it "
        "tells how sure the grouping is.",
    ),
    estimator=CollapsedGibbs,
    arguments=_arguments,
    reads=("concentration", "effort", "seed", "likelihood_power"),
    quick={"n_sweeps": 2, "random_state": 0},
    remark=_remark,
    explanation=_explanation,
    restarts="200 sweeps of Gibbs",
    prior_of=MAPDP.__name__,
    is_saved=True,
    summaries=lambda model: posterior_summaries(model.clusters_),
    row_costs=_row_costs,
    procedures={
        "CollapsedGibbs": Procedure(
            "Gibbs",
            "E, log units",
            "Rows are drawn, not sent to the cheapest cluster, so small clusters come and go for "
            "ever; what stays is who is together.",
            _sweeps,
        )
    },
)
