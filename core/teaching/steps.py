"""Every algorithm step by step: the partition after each, and what happened in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..comparing.comparison import Settings
from ..comparing.outlines import outlines
from ..comparing.projection import View
from ..engine.columns import Columns, default_priors
from ..engine.partition import Partition
from ..inference.clusters import describe_clusters
from ..models.centroids import CentroidState
from ..models.descent import Descent, Points
from ..models.dpmeans import dp_means_states
from ..models.em import MixtureEM
from ..models.kmeans import lloyd_states, plus_plus
from ..models.numeric import NumericEncoding, numeric_encoding
from ..models.rows import Rows
from ..partitions.scores import match_labels
from ..schema.encoded import Encoded

#: Rows drawn, and rows of the first sweep that is shown one by one.
MOST_ROWS, FEW_ROWS = 2_000, 150
#: Steps drawn of a run with more.
MOST_STEPS = 30
#: Sweeps of Gibbs, and rows of its co-assignment picture.
GIBBS_SWEEPS, PAIRED_ROWS = 100, 60
MOST_SWEEPS = 40

#: What can be watched, and the name of its objective.
WALKS = {
    "MAPDP": ("MAP-DP, sweep by sweep", "E, nats"),
    "rows": ("MAP-DP, row by row", "E, nats"),
    "DPMeans": ("DP-means", "squared error + λ K"),
    "KMeansBIC": ("K-means", "squared error"),
    "truth": ("K-means from the truth", "squared error"),
    "MixtureEM": ("E-M", "negative log posterior, nats"),
    "CollapsedGibbs": ("Gibbs", "E, nats"),
}


@dataclass(frozen=True)
class Step:
    """The state after one step.

    Parameters
    ----------
    kind : str
        What was done, such as "sweep" or "merge".
    labels : ndarray of int64, shape (n,)
        Cluster of every row, a cluster keeping its number from step to step.
    objective : float
        The algorithm's own.
    curves : tuple of ndarray, shape (C, 2)
        95 % ellipses of the clusters that have a model.
    centers : ndarray, shape (K, 2), or None
        Of the clusters, where the algorithm has centres.
    together : ndarray of float, shape (R, R), or None
        How often rows have shared a cluster so far (Gibbs).
    row : int or None
        The row just visited.
    born, died : int
        Clusters that came and went since the step before.
    """

    kind: str
    labels: np.ndarray
    objective: float
    curves: tuple[np.ndarray, ...] = ()
    centers: np.ndarray | None = None
    together: np.ndarray | None = None
    row: int | None = None
    born: int = 0
    died: int = 0

    @property
    def n_clusters(self) -> int:
        """K."""
        return np.unique(self.labels).size

    @property
    def event(self) -> str:
        """What happened to the clusters: "merged", "split", "born", "died" or nothing."""
        if self.kind in ("merge", "split"):
            return {"merge": "merged", "split": "split"}[self.kind]
        return "born" if self.born else "died" if self.died else ""

    @property
    def words(self) -> str:
        """The step in a few words."""
        changes = [
            f"{count:,} {what}"
            for count, what in ((self.born, "born"), (self.died, "gone"))
            if count
        ]
        return ", ".join([self.kind, *changes])


@dataclass(frozen=True)
class Walk:
    """A run to be watched.

    Parameters
    ----------
    title, measure : str
        The algorithm, and the name of its objective.
    view : View
        Of the rows that took part.
    note : str
        What was left out, in a sentence.
    """

    title: str
    measure: str
    view: View
    steps: tuple[Step, ...]
    note: str


@dataclass(frozen=True)
class Ground:
    """What a run is made of: the arguments of ``walk``, on the rows that take part."""

    sample: Encoded
    view: View
    classes: np.ndarray
    settings: Settings
    prior_scale: float
    random: np.random.Generator

    @cached_property
    def columns(self) -> Columns:
        """The rows under the prior of MAP-DP and Gibbs."""
        return Columns.pack(self.sample, default_priors(self.sample, self.prior_scale))

    @cached_property
    def encoding(self) -> NumericEncoding:
        """The way to the plain numbers that K-means and DP-means run on."""
        return numeric_encoding(self.sample)

    @cached_property
    def points(self) -> Rows:
        """Those numbers."""
        return Rows.of(self.encoding.apply(self.sample.values))


def walk(
    name: str,
    encoded: Encoded,
    view: View,
    classes: np.ndarray,
    settings: Settings,
    prior_scale: float,
) -> Walk:
    """Run one algorithm on a sample of the rows and keep what it goes through.

    Parameters
    ----------
    name : str
        Key of ``WALKS``.
    encoded : Encoded
        A table of two numeric columns.
    view : View
        Of all its rows, in the columns' own units.
    classes : ndarray of int64, shape (N,)
        True group of every row: for the start from the truth, and for the clusters' numbers.
    prior_scale : float
        Of the prior under which MAP-DP and Gibbs run.
    """
    random = np.random.default_rng(settings.seed)
    n = len(encoded.values)
    size = min(n, FEW_ROWS if name == "rows" else MOST_ROWS)
    rows = np.sort(random.choice(n, size, replace=False)) if size < n else np.arange(n)
    sample = replace(encoded, values=encoded.values[rows])
    seen = replace(view, points=view.points[rows], rows=rows)
    ground = Ground(sample, seen, classes[rows], settings, prior_scale, random)
    steps = list(_MAKERS[name](ground))
    kept = steps if name == "rows" else [steps[place] for place in _shown(len(steps))]
    notes = [
        f"{size:,} of the {n:,} rows take part." if size < n else "",
        f"{len(kept)} of {len(steps)} steps are shown." if len(kept) < len(steps) else "",
    ]
    title, measure = WALKS[name]
    named = _named(kept, classes[rows])
    return Walk(title, measure, seen, tuple(named), " ".join(filter(None, notes)))


def _shown(n_steps: int) -> list[int]:
    """So many of the steps as can be watched, close together in the beginning."""
    if n_steps <= MOST_STEPS:
        return list(range(n_steps))
    places = np.unique(np.geomspace(1, n_steps, 3 * MOST_STEPS).round().astype(int) - 1)
    places = places[np.linspace(0, places.size - 1, MOST_STEPS).round().astype(int)]
    return np.unique(places).tolist()


def _named(steps: list[Step], classes: np.ndarray) -> list[Step]:
    """Number the clusters so that each keeps its number, in the end that of the true groups."""
    named = [steps[0].labels]
    for step in steps[1:]:
        named.append(match_labels(named[-1], step.labels))
    final = named[-1]
    wanted = match_labels(classes, final)
    numbers = dict(zip(final.tolist(), wanted.tolist(), strict=True))
    fresh = max(*numbers.values(), int(classes.max()))
    for name in np.unique(np.concatenate(named)).tolist():
        if name not in numbers:
            fresh += 1
            numbers[name] = fresh
    rename = np.array([numbers.get(name, -1) for name in range(max(numbers) + 1)])
    before, finished = None, []
    for step, labels in zip(steps, named, strict=True):
        now = set(labels.tolist())
        born, died = (0, 0) if before is None else (len(now - before), len(before - now))
        finished.append(replace(step, labels=rename[labels], born=born, died=died))
        before = now
    return finished


# ---- the model-based ones


def _snapshot(partition: Partition, view: View, kind: str, row: int | None = None) -> Step:
    """The partition as it is now."""
    summaries = [
        {name: posterior.summary() for name, posterior in cluster.posterior.items()}
        for cluster in describe_clusters(partition)
        if cluster.size > 2
    ]
    curves = tuple(outlines(view, summaries))
    return Step(kind, partition.labels.copy(), partition.objective(), curves, row=row)


def _mapdp(ground: Ground) -> Iterator[Step]:
    """The published sweeps from one cluster to rest, then the merges and splits of the search."""
    view, random = ground.view, ground.random
    partition = Partition(ground.columns, ground.settings.concentration)
    yield _snapshot(partition, view, "start: one cluster")
    order = random.permutation(ground.columns.n_rows)
    for sweep in range(MOST_SWEEPS):
        moves = partition.sweep(order, first=sweep == 0)
        if not moves:
            break
        yield _snapshot(partition, view, f"sweep {sweep + 1}")
    while len(partition.merge(most=1)):
        yield _snapshot(partition, view, "merge")
    steps: list[Step] = []

    def record(kind: str) -> float:
        moved = not steps or not np.array_equal(steps[-1].labels, partition.labels)
        if kind != "sweep" or (moved and steps):
            steps.append(_snapshot(partition, view, kind))
        return partition.objective()

    Descent(partition, Points(ground.columns, random), random, record).run()
    yield from steps
    yield _snapshot(partition, view, "at rest: no row, merge or split lowers E")


def _mapdp_rows(ground: Ground) -> Iterator[Step]:
    """The first published sweep one row at a time, then whole sweeps to rest."""
    view, random = ground.view, ground.random
    partition = Partition(ground.columns, ground.settings.concentration)
    yield _snapshot(partition, view, "start: one cluster")
    order = random.permutation(ground.columns.n_rows)
    # A row at a time is the same as the whole sweep: the first cluster keeps its index 0, under
    # which its size counts as 1, for as long as rows that were not visited are in it.
    for row in order:
        partition.sweep(order[order == row], first=True)
        yield _snapshot(partition, view, "row visited", int(row))
    for sweep in range(1, MOST_SWEEPS):
        moves = partition.sweep(order)
        yield _snapshot(partition, view, f"sweep {sweep + 1}")
        if not moves:
            return


def _gibbs(ground: Ground) -> Iterator[Step]:
    """Sequential draws, then sweep after sweep; rows that were together are counted."""
    view, random = ground.view, ground.random
    n = ground.columns.n_rows
    partition = Partition(ground.columns, ground.settings.concentration, np.full(n, -1))
    paired = np.sort(random.choice(n, min(n, PAIRED_ROWS), replace=False))
    paired = paired[np.argsort(ground.classes[paired], kind="stable")]
    together = np.zeros((paired.size, paired.size))
    shown = set(_shown(GIBBS_SWEEPS))
    for sweep in range(GIBBS_SWEEPS):
        partition.sweep(random.permutation(n), random.random(n))
        labels = partition.labels[paired]
        together += labels[:, None] == labels
        kind = f"sweep {sweep + 1}"
        if sweep in shown:
            yield replace(_snapshot(partition, view, kind), together=together / (sweep + 1))
        else:  # takes its place among the steps, and needs no picture
            yield Step(kind, partition.labels.copy(), partition.objective())


def _e_m(ground: Ground) -> Iterator[Step]:
    """From K-means: parameters, responsibilities, parameters, and so on."""
    (unit,), settings = ground.sample.units, ground.settings
    model = MixtureEM(settings.n_clusters, likelihood=unit.family, random_state=settings.seed)
    for iteration, state in enumerate(model.states(ground.sample.values)):
        (summary,) = state.parameters.values()
        curves = outlines(
            ground.view,
            [
                {unit.name: {key: numbers[k] for key, numbers in summary.items()}}
                for k in range(settings.n_clusters)
            ],
        )
        kind = f"iteration {iteration}" if iteration else "start: from K-means"
        yield Step(kind, state.labels, state.objective, tuple(curves))


# ---- the ones with centres


def _centered(ground: Ground, states: Iterator[CentroidState], start: str) -> Iterator[Step]:
    encoding = ground.encoding
    for number, state in enumerate(states):
        centers = state.centers * encoding.scale + encoding.center
        kind = f"pass {number}" if number else start
        yield Step(kind, state.labels, state.objective, centers=centers)


def _dp_means(ground: Ground) -> Iterator[Step]:
    states = dp_means_states(ground.points, ground.settings.penalty)
    return _centered(ground, states, "start: one cluster")


def _k_means(ground: Ground) -> Iterator[Step]:
    seeds = plus_plus(ground.points, ground.settings.n_clusters, ground.random)
    return _centered(ground, lloyd_states(ground.points, seeds), "start: k-means++ centres")


def _k_means_from_truth(ground: Ground) -> Iterator[Step]:
    states = lloyd_states(ground.points, ground.classes)
    return _centered(ground, states, "start: the true groups")


_MAKERS: dict[str, Callable[[Ground], Iterator[Step]]] = {
    "MAPDP": _mapdp,
    "rows": _mapdp_rows,
    "DPMeans": _dp_means,
    "KMeansBIC": _k_means,
    "truth": _k_means_from_truth,
    "MixtureEM": _e_m,
    "CollapsedGibbs": _gibbs,
}
