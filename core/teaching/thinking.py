"""What each algorithm weighs when it places one row: the cost of every cluster, and what decides.

Costs are those of the fitted model at rest, the row itself left out of its own cluster wherever
the algorithm leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..comparing.comparison import ALGORITHMS, FitError, Results, Task, matched
from ..inference.row_scores import RowScores
from ..models.gibbs import CollapsedGibbs
from ..models.mapdp import MAPDP
from ..schema.encoded import Encoded

NATS, DISTANCE, CHANCE = "nats", "squared distance", "probability"
PREDICTIVE, COUNT = "predictive term", "count term"
NEW = -1


@dataclass(frozen=True)
class Deliberation:
    """One algorithm's view of one row.

    Parameters
    ----------
    title : str
        The algorithm.
    measure : str
        What the numbers are: "nats", "squared distance" or "probability".
    clusters : tuple of int, length C
        The candidates as they are numbered in the panels, from 0; -1 is a new cluster.
    terms : mapping of str to ndarray, shape (C,)
        What adds up to the number of each candidate.
    winner : int
        Place of the chosen candidate: the lowest cost, or the highest probability.
    words : str
        What decides, in a sentence or two.
    """

    title: str
    measure: str
    clusters: tuple[int, ...]
    terms: Mapping[str, np.ndarray]
    winner: int
    words: str

    @property
    def totals(self) -> np.ndarray:
        """Sum of the terms, shape (C,)."""
        return np.sum(list(self.terms.values()), axis=0)


def deliberations(
    results: Results,
    wanted: Mapping[str, Task],
    encoded: Encoded,
    row: int,
    reference: np.ndarray,
) -> list[Deliberation]:
    """What every fitted algorithm weighs for one row, in the order of the panels.

    Parameters
    ----------
    wanted : mapping of str to Task
        The fitted task of each algorithm; those without a model are left out.
    encoded : Encoded
        The table.
    row : int
        Its row.
    reference : ndarray of int, shape (N,)
        Classes after which the clusters are numbered in the panels.
    """
    one = replace(encoded, values=encoded.values[row : row + 1])
    found = []
    for algorithm, task in wanted.items():
        model = results.get(task)
        if model is None or isinstance(model, FitError):
            continue
        numbers = np.full(model.n_clusters_, NEW)
        numbers[model.labels_] = matched(reference, model.labels_)
        weigh = _WEIGHINGS[algorithm]
        found.append(replace(weigh(model, one, row, numbers), title=ALGORITHMS[algorithm]))
    return found


def _name(cluster: int) -> str:
    return "a new cluster" if cluster == NEW else f"cluster {cluster + 1}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _mapdp(model: MAPDP, one: Encoded, row: int, numbers: np.ndarray) -> Deliberation:
    scores, label = RowScores.of(model.partition_), model.labels_[row : row + 1]
    log_weights = scores.log_weights(label)[0]
    possible = np.isfinite(log_weights)
    predictive = -scores.log_predictive(one, label)[0][possible]
    total = len(model.labels_) - 1 + model.concentration
    count = -log_weights[possible] - np.log(total)
    own = np.flatnonzero(possible)
    sizes = model.result_.sizes[: len(numbers)]
    alone = sizes[label[0]] == 1
    clusters = tuple(
        NEW if k == len(numbers) or (alone and k == label[0]) else int(numbers[k]) for k in own
    )
    terms = {PREDICTIVE: predictive, COUNT: count}
    winner = int(np.argmin(predictive + count))
    return Deliberation("", NATS, clusters, terms, winner, _in_nats(clusters, terms, winner))


def _in_nats(clusters: tuple[int, ...], terms: Mapping[str, np.ndarray], winner: int) -> str:
    """Which of the two terms decides between the cheapest and the second cheapest candidate."""
    totals = terms[PREDICTIVE] + terms[COUNT]
    if totals.size == 1:
        return f"{_capital(_name(clusters[winner]))} is the only candidate."
    second = int(np.argsort(totals, kind="stable")[1])
    gaps = {name: float(term[second] - term[winner]) for name, term in terms.items()}
    decides, other = sorted(gaps, key=gaps.get, reverse=True)
    rival = _name(clusters[second])
    said = (
        f"{_capital(_name(clusters[winner]))} is cheapest, {sum(gaps.values()):.1f} nats below "
        f"{rival}. The {decides} decides ({gaps[decides]:.1f} nats in its favour)"
    )
    against = gaps[other] < 0.0
    turn = f"against the {other}" if against else f"and the {other} agrees"
    return f"{said}, {turn} ({abs(gaps[other]):.1f})."


def _distances(model: Any, one: Encoded) -> np.ndarray:
    point = model.encoding_.apply(one.values)
    return np.square(model.cluster_centers_ - point).sum(axis=1)


def _dp_means(model: Any, one: Encoded, row: int, numbers: np.ndarray) -> Deliberation:
    distances = np.append(_distances(model, one), model.penalty_)
    clusters = (*map(int, numbers), NEW)
    winner = int(np.argmin(distances))
    near = int(np.argmin(distances[:-1]))
    is_new = winner == len(numbers)
    words = (
        f"The nearest centre, of {_name(clusters[near])}, lies at a squared distance of "
        f"{distances[near]:.3g}, "
        + ("farther" if is_new else "nearer")
        + f" than λ = {model.penalty_:.3g}: "
        + ("the row founds a cluster." if is_new else "no new cluster. Distance alone decides.")
    )
    return Deliberation("", DISTANCE, clusters, {DISTANCE: distances}, winner, words)


def _k_means(model: Any, one: Encoded, row: int, numbers: np.ndarray) -> Deliberation:
    distances = _distances(model, one)
    clusters = tuple(map(int, numbers))
    order = np.argsort(distances, kind="stable")
    words = f"The centre of {_name(clusters[order[0]])} is nearest, at {distances[order[0]]:.3g}"
    if order.size > 1:
        words += f" against {distances[order[1]]:.3g} for {_name(clusters[order[1]])}"
    words += ". Neither the width nor the size of a cluster counts."
    return Deliberation("", DISTANCE, clusters, {DISTANCE: distances}, int(order[0]), words)


def _e_m(model: Any, one: Encoded, row: int, numbers: np.ndarray) -> Deliberation:
    chances = model.responsibilities_[row, : len(numbers)]
    clusters = tuple(map(int, numbers))
    winner = int(np.argmax(chances))
    words = (
        f"{_capital(_name(clusters[winner]))} answers for {100 * chances[winner]:.0f} % of the "
        "row: its density here times its weight, over the sum of all. The row counts in every "
        "cluster by its share."
    )
    return Deliberation("", CHANCE, clusters, {CHANCE: chances}, winner, words)


def _gibbs(model: CollapsedGibbs, one: Encoded, row: int, numbers: np.ndarray) -> Deliberation:
    label = model.labels_[row : row + 1]
    joint = RowScores.of(model.partition_).log_joint(one, label)[0]
    chances = np.exp(joint - np.logaddexp.reduce(joint))
    clusters = (*map(int, numbers), NEW)
    winner = int(np.argmax(chances))
    words = (
        "The same costs as MAP-DP's turned into chances: from the draw shown, the next one puts "
        f"the row in {_name(clusters[winner])} with {100 * chances[winner]:.0f} %, and now and "
        "then elsewhere."
    )
    return Deliberation("", CHANCE, clusters, {CHANCE: chances}, winner, words)


_WEIGHINGS = {
    "MAPDP": _mapdp,
    "DPMeans": _dp_means,
    "KMeansBIC": _k_means,
    "MixtureEM": _e_m,
    "CollapsedGibbs": _gibbs,
}
