"""The records of MAP-DP, E-M and Gibbs sampling, which have a likelihood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..inference.row_scores import assignment_costs
from ..models.descent import Descent, Points
from ..models.em import MixtureEM
from ..models.gibbs import CollapsedGibbs
from ..models.mapdp import MAPDP
from ..partitions.scores import match_labels
from ..schema.encoded import Encoded
from ..wording import counted
from .record import Summaries, record_of
from .row_costs import CHANCE, COUNT, NATS, NEW, OTHER, PREDICTIVE, RowCosts, called, capital
from .settings import Settings, fewer
from .steps import MOST_SWEEPS, Ground, Step, posterior_summaries, snapshot

#: Sweeps of a restart, and the share left out: K and E settle in ten sweeps from MAP-DP's answer.
SWEEPS_EACH, BURN_IN = 125, 0.2
#: Sweeps to be watched, and rows of the co-assignment picture.
SWEEPS, PAIRED_ROWS = 100, 60


def _map_dp_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {
        "concentration": settings.concentration,
        "n_init": settings.effort,
        **settings.tempering,
        "random_state": settings.seed,
    }


def _map_dp_remark(model: MAPDP) -> str:
    scaled = model.result_.details["scale_objectives"]
    return f"prior scale {100 * model.prior_scale_:g} % chosen by E" if scaled else "K found"


def _map_dp_row_costs(model: MAPDP, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
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
        against, decides = sorted(gaps, key=gaps.get)
        away = f", against the {against} ({-gaps[against]:.1f})" if gaps[against] < 0 else ""
        words = (
            f"{capital(called(clusters[winner]))} is cheapest, {sum(gaps.values()):.1f} log units "
            f"below {called(clusters[second])}. The {decides} decides ({gaps[decides]:.1f}){away}."
        )
    return RowCosts(NATS, clusters, terms, winner, words)


def _map_dp_sweeps(ground: Ground) -> Iterator[Step]:
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


MAP_DP = record_of(
    MAPDP,
    _map_dp_remark,
    {"MAPDP": _map_dp_sweeps, "rows": _row_by_row},
    arguments=_map_dp_arguments,
    explanation=lambda model: f"{capital(_map_dp_remark(model))}. Missing cells are left out.",
    summaries=lambda model: posterior_summaries(model.clusters_),
    row_costs=_map_dp_row_costs,
)


def _em_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    k = settings.n_clusters
    return {
        "n_components": k,
        "n_init": fewer(10, 1, n_cells * k // Settings().n_clusters) * settings.effort,
        **settings.tempering,
        "random_state": settings.seed,
    }


def _summaries(parameters: dict[str, dict[str, np.ndarray]], n_clusters: int) -> Summaries:
    """Parameters by unit, arrays over the components, as one mapping a component."""
    return [
        {
            name: {key: numbers[k] for key, numbers in summary.items()}
            for name, summary in parameters.items()
        }
        for k in range(n_clusters)
    ]


def _em_row_costs(model: MixtureEM, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    chances, clusters = model.responsibilities_[row, : len(numbers)], tuple(map(int, numbers))
    winner = int(np.argmax(chances))
    share = f"{100 * chances[winner]:.0f} %"
    words = f"{capital(called(clusters[winner]))} answers for {share} of the row."
    return RowCosts(CHANCE, clusters, {CHANCE: chances}, winner, words)


def _iterations(ground: Ground) -> Iterator[Step]:
    """Parameters and responsibilities in turn, from K-means on."""
    settings = ground.settings
    k, power = settings.n_clusters, settings.likelihood_power
    model = MixtureEM(k, likelihood_power=power, random_state=settings.seed)
    for iteration, state in enumerate(model.states_encoded(ground.sample)):
        kind = f"iteration {iteration}" if iteration else "start: from K-means"
        yield Step(kind, state.labels, state.objective, _summaries(state.parameters, k))


E_M = record_of(
    MixtureEM,
    lambda model: f"K given, best of {counted(model.n_init, 'start')}",
    {"MixtureEM": _iterations},
    arguments=_em_arguments,
    explanation=lambda model: f"Told K = {model.n_components:,}. Missing cells are left out.",
    summaries=lambda model: _summaries(model.parameters_, model.n_clusters_),
    row_costs=_em_row_costs,
)


def _gibbs_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {
        "concentration": settings.concentration,
        "n_sweeps": fewer(SWEEPS_EACH, 20, n_cells) * settings.effort,
        "burn_in": BURN_IN,
        **settings.tempering,
        "random_state": settings.seed,
        "read_out": "centre",
    }


def _gibbs_remark(model: CollapsedGibbs) -> str:
    low, high = model.likely_clusters()
    return f"K {low:,} in 95 % of draws" if low == high else f"K {low:,} to {high:,} likely"


def _gibbs_explanation(model: CollapsedGibbs) -> str:
    n_sweeps = f"{model.n_clusters_trace_.size:,}"
    return f"{n_sweeps} sweeps from MAP-DP's answer; shown is the draw nearest to all others."


def _gibbs_row_costs(
    model: CollapsedGibbs, one: Encoded, row: int, numbers: np.ndarray
) -> RowCosts:
    """Posterior: the share of kept draws in which the row was in each of the clusters shown."""
    draws = np.concatenate([chain.draws for chain in model.chains_])
    clusters = (*map(int, numbers), OTHER, NEW)
    counts = np.zeros(len(clusters), dtype=np.int64)
    for draw in draws:
        counts[_place(draw, model.labels_, row)] += 1
    found = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
    where = ", ".join(f"in {called(clusters[k])} in {counts[k]:,}" for k in found)
    words = f"Of {len(draws):,} draws that were kept the row was {where}."
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


def _gibbs_sweeps(ground: Ground) -> Iterator[Step]:
    """Sequential draws, then sweeps, counting how often rows were together."""
    random, n = ground.random, ground.columns.n_rows
    partition = Partition(ground.columns, ground.settings.concentration, np.full(n, -1))
    paired = np.sort(random.choice(n, min(n, PAIRED_ROWS), replace=False))
    paired = paired[np.argsort(ground.classes[paired], kind="stable")]
    together = np.zeros((paired.size, paired.size))
    for sweep in range(SWEEPS):
        partition.sweep(random.permutation(n), random.random(n))
        labels = partition.labels[paired]
        together += labels[:, None] == labels
        step = snapshot(partition, f"sweep {sweep + 1}")
        yield replace(step, together=together / (sweep + 1))


GIBBS = record_of(
    CollapsedGibbs,
    _gibbs_remark,
    {"CollapsedGibbs": _gibbs_sweeps},
    arguments=_gibbs_arguments,
    explanation=_gibbs_explanation,
    summaries=lambda model: posterior_summaries(model.clusters_),
    row_costs=_gibbs_row_costs,
)
