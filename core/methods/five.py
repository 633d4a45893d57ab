"""The records of the five methods that Compare shows at first."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..inference.clusters import assignment_costs
from ..models.descent import Descent, Points
from ..models.dpmeans import DPMeans, dp_states, space_of
from ..models.em import MixtureEM
from ..models.gibbs import CollapsedGibbs
from ..models.kmeans import (
    CentroidEstimator,
    KMeansBIC,
    lloyd_states,
    order_by_content,
    plus_plus,
)
from ..models.mapdp import MAPDP
from ..partitions.scores import match_labels
from ..schema.encoded import Encoded
from ..wording import counted
from .record import (
    CHANCE,
    COUNT,
    DISTANCE,
    NATS,
    NEW,
    OTHER,
    PREDICTIVE,
    RowCosts,
    Summaries,
    called,
    capital,
    record_of,
)
from .settings import K_MAX, Settings, fewer
from .steps import MOST_SWEEPS, RunInputs, Step, posterior_summaries, snapshot

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


def _map_dp_sweeps(inputs: RunInputs) -> Iterator[Step]:
    """Published sweeps from one cluster until E converges, then the search's merges and splits."""
    random = inputs.random
    partition = Partition(inputs.packed, inputs.settings.concentration)
    yield snapshot(partition, "start: one cluster")
    order = random.permutation(inputs.packed.n_rows)
    for sweep in range(MOST_SWEEPS):
        if not partition.sweep(order, first=sweep == 0):
            break
        yield snapshot(partition, f"sweep {sweep + 1}")
    while len(partition.merge(most=1)):
        yield snapshot(partition, "merge")
    steps: list[Step] = []

    def report(kind: str) -> None:
        moved = steps and not np.array_equal(steps[-1].labels, partition.labels)
        if kind in ("merge", "split") or (kind == "sweep" and moved):
            steps.append(snapshot(partition, kind))

    Descent(partition, Points(inputs.packed, random), random, report).run()
    yield from steps
    yield snapshot(partition, "at rest: no row, merge or split lowers E")


MAP_DP = record_of(
    MAPDP,
    _map_dp_remark,
    {"MAPDP": _map_dp_sweeps},
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


def _iterations(inputs: RunInputs) -> Iterator[Step]:
    """Parameters and responsibilities in turn, from K-means on."""
    settings = inputs.settings
    k, power = settings.n_clusters, settings.likelihood_power
    model = MixtureEM(k, likelihood_power=power, random_state=settings.seed)
    for iteration, state in enumerate(model.states_encoded(inputs.sample)):
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
    together = np.delete(draw == draw[row], row)
    if not together.any():
        return NEW
    others = np.delete(shown, row)
    found = int(match_labels(others, np.delete(draw, row))[together.argmax()])
    there = others == found
    shared = (together & there).sum()
    return found if 2 * shared > min(together.sum(), there.sum()) else OTHER


def _gibbs_sweeps(inputs: RunInputs) -> Iterator[Step]:
    """Sequential draws, then sweeps, counting how often rows were together."""
    random, n = inputs.random, inputs.packed.n_rows
    partition = Partition(inputs.packed, inputs.settings.concentration, np.full(n, -1))
    paired = np.sort(random.choice(n, min(n, PAIRED_ROWS), replace=False))
    paired = paired[np.argsort(inputs.classes[paired], kind="stable")]
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
    explanation=lambda model: (
        f"{model.n_clusters_trace_.size:,} sweeps from MAP-DP's answer; shown is the draw nearest"
        " to all others."
    ),
    summaries=lambda model: posterior_summaries(model.clusters_),
    row_costs=_gibbs_row_costs,
)


_PLAIN_NUMBERS = """Runs on plain numbers: measurements, ratings and counts standardised, yes/no \
and categories as 0/1, a missing cell filled with the column's mean or its commonest level."""


def _k_means_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    low, high = (1, K_MAX) if settings.bic else (settings.n_clusters, settings.n_clusters)
    starts = fewer(10, 1, n_cells) * settings.effort
    return {"k_min": low, "k_max": high, "n_init": starts, "random_state": settings.seed}


def _k_means_remark(model: KMeansBIC) -> str:
    if model.k_min == model.k_max:
        return "K given"
    return "K at BIC's limit" if model.n_clusters_ == model.k_max else "K by BIC"


def _by_centres(model: CentroidEstimator, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
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


def _lloyd_passes(inputs: RunInputs) -> Iterator[Step]:
    seeds = plus_plus(inputs.points, inputs.settings.n_clusters, inputs.random)
    return inputs.centered(lloyd_states(inputs.points, seeds), "start: k-means++ centres")


def _from_chance(inputs: RunInputs) -> Iterator[Step]:
    points = inputs.points
    rows = inputs.random.choice(len(points), inputs.settings.n_clusters, replace=False)
    return inputs.centered(lloyd_states(points, points[rows]), "start: rows by chance")


def _from_truth(inputs: RunInputs) -> Iterator[Step]:
    states = lloyd_states(inputs.points, inputs.classes)
    return inputs.centered(states, "start: the true groups")


K_MEANS = record_of(
    KMeansBIC,
    _k_means_remark,
    {"KMeansBIC": _lloyd_passes, "chance": _from_chance, "truth": _from_truth},
    arguments=_k_means_arguments,
    explanation=lambda model: _PLAIN_NUMBERS,
    row_costs=_by_centres,
)


def _dp_means_arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    if settings.penalty is None:
        return {"n_clusters_hint": settings.n_clusters}
    return {"penalty": settings.penalty}


def _dp_means_passes(inputs: RunInputs) -> Iterator[Step]:
    order = order_by_content(inputs.sample.values)
    place = np.argsort(order)
    states = dp_states(space_of(inputs.points[order]), inputs.settings.penalty)
    states = (replace(state, labels=state.labels[place]) for state in states)
    return inputs.centered(states, "start: one cluster")


DP_MEANS = record_of(
    DPMeans,
    lambda model: f"λ = {model.penalty_:,.3g}",
    {"DPMeans": _dp_means_passes},
    arguments=_dp_means_arguments,
    explanation=lambda model: _PLAIN_NUMBERS,
    row_costs=_by_centres,
)
