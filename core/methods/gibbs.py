"""Gibbs sampling's record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..models.gibbs import CollapsedGibbs
from ..models.mapdp import MAPDP
from ..partitions.scores import match_labels
from ..schema.encoded import Encoded
from .record import Method
from .row_costs import CHANCE, NEW, OTHER, RowCosts, called
from .settings import Settings, fewer
from .steps import Ground, Procedure, Step, posterior_summaries, shown, snapshot

#: Sweeps of a restart, and the share left out: K and E settle in ten sweeps from MAP-DP's answer.
SWEEPS_EACH, BURN_IN = 125, 0.2
#: Sweeps to be watched, and rows of the co-assignment picture.
SWEEPS, PAIRED_ROWS = 100, 60


def _arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {
        "concentration": settings.concentration,
        "n_sweeps": fewer(SWEEPS_EACH, 20, n_cells) * settings.effort,
        "burn_in": BURN_IN,
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
        f"{model.n_clusters_trace_.size:,} sweeps from MAP-DP's answer, under its prior; shown is "
        f"the draw nearest to all others. After the burn-in K is {k} in 95 % of the draws."
    )


def _row_costs(model: CollapsedGibbs, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    """Posterior: the share of kept draws in which the row was in each of the clusters shown."""
    draws = np.concatenate([chain.draws for chain in model.chains_])
    clusters = (*map(int, numbers), OTHER, NEW)
    counts = np.zeros(len(clusters), dtype=np.int64)
    for draw in draws:
        counts[_place(draw, model.labels_, row)] += 1
    found = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
    where = ", ".join(f"in {called(clusters[k])} in {counts[k]:,}" for k in found)
    words = (
        f"The posterior: of {len(draws):,} draws that were kept the row was {where}. The clusters "
        "of every draw are matched with those shown by the rows they share."
    )
    return RowCosts(CHANCE, clusters, {CHANCE: counts / len(draws)}, int(counts.argmax()), words)


def _place(draw: np.ndarray, shown: np.ndarray, row: int) -> int:
    """Cluster shown that matches the row's in a draw; ``NEW`` where it is alone there.

    The row itself does not count. Clusters that share no more than half of the smaller one do not
    match: ``OTHER``.
    """
    company = np.delete(draw == draw[row], row)
    if not company.any():
        return NEW
    others = np.delete(shown, row)
    found = int(match_labels(others, np.delete(draw, row))[company.argmax()])
    there = others == found
    shared = (company & there).sum()
    return found if 2 * shared > min(company.sum(), there.sum()) else OTHER


def _sweeps(ground: Ground) -> Iterator[Step]:
    """Sequential draws, then sweeps, counting how often rows were together."""
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
        else:  # takes its place among the steps, without a picture
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
    is_first=True,
    quick={"n_sweeps": 2, "random_state": 0},
    remark=_remark,
    explanation=_explanation,
    restarts=f"{SWEEPS_EACH} sweeps of Gibbs",
    prior_of=MAPDP.__name__,
    given={"prior": "prior_", "init": "labels_"},
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
