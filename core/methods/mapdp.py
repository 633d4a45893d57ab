"""MAP-DP's record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..inference.row_scores import assignment_costs
from ..models.descent import Descent, Points
from ..models.mapdp import MAPDP
from ..schema.encoded import Encoded
from .record import Method
from .row_costs import COUNT, NATS, NEW, PREDICTIVE, RowCosts, called, capital
from .settings import Settings
from .steps import MOST_SWEEPS, Ground, Procedure, Step, posterior_summaries, snapshot

FEW_ROWS = 150


def _arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {
        "concentration": settings.concentration,
        "n_init": settings.effort,
        **settings.tempering,
        "random_state": settings.seed,
    }


def _remark(model: MAPDP) -> str:
    scaled = model.result_.details["scale_objectives"]
    return f"prior scale {100 * model.prior_scale_:g} % chosen by E" if scaled else "K found"


def _explanation(model: MAPDP) -> str:
    scales = sorted(model.result_.details["scale_objectives"])
    how = ". No column is a measurement, so no prior scale had to be chosen"
    if model.prior_scale_ is None:
        how = ", under the priors that came with the columns"
    elif scales:
        listed = ", ".join(f"{100 * scale:g}" for scale in scales)
        how = f". Prior scale {100 * model.prior_scale_:g} % chosen by E: the lowest of {listed} %"
    return f"Finds K{how}. Missing cells are left out."


def _row_costs(model: MAPDP, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    """The two terms of every candidate, and which decides between the two cheapest."""
    predictive, count = assignment_costs(model.partition_, row)
    names = [*map(int, numbers), NEW]
    if np.isinf(count[-1]):
        names[model.labels_[row]] = NEW
    possible = np.flatnonzero(np.isfinite(count))
    clusters = tuple(names[k] for k in possible)
    terms = {PREDICTIVE: predictive[possible], COUNT: count[possible]}
    totals = terms[PREDICTIVE] + terms[COUNT]
    winner, *others = np.argsort(totals, kind="stable").tolist()
    words = f"{capital(called(clusters[winner]))} is the only candidate."
    if others:
        second = others[0]
        gaps = {name: float(term[second] - term[winner]) for name, term in terms.items()}
        decides, other = sorted(gaps, key=gaps.get, reverse=True)
        turn = f"against the {other}" if gaps[other] < 0.0 else f"and the {other} agrees"
        words = (
            f"{capital(called(clusters[winner]))} is cheapest, {sum(gaps.values()):.1f} log units "
            f"below {called(clusters[second])}. The {decides} decides ({gaps[decides]:.1f} log "
            f"units in its favour), {turn} ({abs(gaps[other]):.1f})."
        )
    return RowCosts(NATS, clusters, terms, winner, words)


def _sweeps(ground: Ground) -> Iterator[Step]:
    """Published sweeps from one cluster until E rests, then the search's merges and splits."""
    random = ground.random
    partition = Partition(ground.columns, ground.settings.concentration)
    yield snapshot(partition, "start: one cluster")
    order = random.permutation(ground.columns.n_rows)
    for sweep in range(MOST_SWEEPS):
        if not partition.sweep(order, first=sweep == 0):
            break
        yield snapshot(partition, f"sweep {sweep + 1}")
    while len(partition.merge(most=1)):
        yield snapshot(partition, "merge")
    steps: list[Step] = []

    def record(kind: str) -> float:
        moved = not steps or not np.array_equal(steps[-1].labels, partition.labels)
        if kind != "sweep" or (moved and steps):
            steps.append(snapshot(partition, kind))
        return partition.objective()

    Descent(partition, Points(ground.columns, random), random, record).run()
    yield from steps
    yield snapshot(partition, "at rest: no row, merge or split lowers E")


def _row_by_row(ground: Ground) -> Iterator[Step]:
    partition = Partition(ground.columns, ground.settings.concentration)
    yield snapshot(partition, "start: one cluster")
    order = ground.random.permutation(ground.columns.n_rows)
    # The same as a whole sweep: the first cluster keeps index 0, under which its size counts as 1,
    # while it holds rows that were not visited.
    for row in order:
        partition.sweep(order[order == row], first=True)
        yield snapshot(partition, "row visited", int(row))
    for sweep in range(1, MOST_SWEEPS):
        moves = partition.sweep(order)
        yield snapshot(partition, f"sweep {sweep + 1}")
        if not moves:
            return


MAP_DP = Method(
    title="MAP-DP",
    glossary=(
        "MAP-DP",
        "Looks for the most probable grouping under a Dirichlet process mixture: as simple as "
        "K-means, but K is found, every column keeps its own likelihood, and missing cells are "
        "left out.",
    ),
    estimator=MAPDP,
    arguments=_arguments,
    reads=("concentration", "effort", "seed", "likelihood_power"),
    is_first=True,
    quick={"n_init": 1, "random_state": 0},
    remark=_remark,
    explanation=_explanation,
    restarts="searches of MAP-DP",
    is_saved=True,
    summaries=lambda model: posterior_summaries(model.clusters_),
    row_costs=_row_costs,
    procedures={
        "MAPDP": Procedure(
            "MAP-DP, sweep by sweep",
            "E, log units",
            "Rows move one by one to the cluster that costs least; then whole clusters are merged "
            "and split, which no single row's move can do.",
            _sweeps,
        ),
        "rows": Procedure(
            "MAP-DP, row by row",
            "E, log units",
            "In the first sweep each row either joins the cluster it fits best or founds one of "
            "its own, which costs minus ln N₀ plus how odd the row is under the prior.",
            _row_by_row,
            FEW_ROWS,
            is_whole=True,
        ),
    },
)
