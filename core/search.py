"""The search for the lowest exact objective: mixed starts, descents, kicks.

Many restarts of one kind repeat its trap, so the starts are of four kinds; a kick then disturbs
the best partition and keeps what descends lower.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from .centroids import nearest
from .columns import Columns
from .descent import SPLIT_KINDS, Descent, Points, Record
from .fit import Progress
from .kmeans import plus_plus
from .partition import Partition
from .priors import Trial
from .sweeps import TIE

#: Starts of one search, in this order.
STARTS = ("one cluster", "sequential", "random parts", "k-means++") * 2
#: Random starts have up to this many parts.
MOST_PARTS = 30
#: A table of more than ``SAMPLE_ABOVE`` rows is searched on this many of them first.
SAMPLE = 1_000
SAMPLE_ABOVE = 2_000
#: Descents that end this near each other (nats) reached the same partition.
SAME = 1e-6
#: Kicks in a row without gain that end the search on a grid of prior scales.
GRID_PATIENCE = 5


class Trace:
    """What a search did: E after every step of the run that leads to the answer.

    Parameters
    ----------
    callback : callable
        Told of every step; what it raises ends the search at once.
    total : int
        Expected number of descents.
    """

    def __init__(self, callback: Callable[[Progress], None], total: int) -> None:
        self.callback = callback
        self.total = total
        self.done = 0
        self.best = math.inf
        self.reached = 0
        self.kept: list[tuple[float, str]] = []
        self.running: list[tuple[float, str]] = []

    def begin(self, kind: str, partition: Partition) -> Record:
        """Start recording a descent; the first step is the start or kick itself."""
        self.running = []

        def record(step: str) -> float:
            objective = partition.objective()
            self.running.append((objective, step))
            self.callback(
                Progress(
                    self.done, self.total, min(self.best, objective), partition.n_clusters, kind
                )
            )
            return objective

        return record

    def end(self, partition: Partition, continues: bool) -> bool:
        """Close the descent; keep its steps, and tell, if it ended lower than the best."""
        self.done += 1
        objective = partition.objective()
        if objective >= self.best - TIE:
            self.reached += objective <= self.best + SAME
            return False
        self.reached = 1
        earlier = self.kept if continues else []
        self.kept = earlier + self.running
        self.best = objective
        return True


def search(
    columns: Columns,
    concentration: float,
    random: np.random.Generator,
    patience: int,
    callback: Callable[[Progress], None],
    known: np.ndarray | None = None,
) -> tuple[Partition, Trace]:
    """Find a partition of low E: the best of several descents, then kicks.

    A table of more than ``SAMPLE_ABOVE`` rows is searched on a random sample first; its other rows
    then choose among the sample's clusters, and all rows descend and are kicked together, as many
    times fewer as the table is larger.

    Parameters
    ----------
    columns : Columns
    concentration : float
        N_0.
    random : numpy.random.Generator
    patience : int
        End after this many kicks in a row that led no lower: in proportion fewer on a table of
        more than ``SAMPLE`` rows, and where several starts reached the same lowest E.
    callback : callable
        Told of every step.
    known : ndarray of int64, shape (N,), optional
        A good partition, to descend from instead of the usual starts; -1 for rows outside it.

    Returns
    -------
    partition : Partition
        At rest: no single row, merge or tried split lowers E.
    trace : Trace
    """
    trace = Trace(callback, len(STARTS) + patience)
    points = Points(columns, random)
    # The clusters of a large table come from a sample's search, which tried every kind of split.
    tries = len(SPLIT_KINDS) if columns.n_rows <= SAMPLE_ABOVE else 1
    best = None
    for kind, partition in _starts(columns, concentration, points, random, patience, trace, known):
        record = trace.begin(kind, partition)
        record("start")
        Descent(partition, points, random, record, tries).run()
        if trace.end(partition, continues=False):
            best = partition
    assert best is not None
    patience = min(patience, patience * SAMPLE // columns.n_rows) // trace.reached
    fails = 0
    while fails < patience:
        trace.total = trace.done + patience - fails
        partition = best.copy()
        record = trace.begin("kick", partition)
        descent = Descent(partition, points, random, record, split_tries=1)
        kick(partition, descent, points, random)
        trace.running = [(partition.objective(), "kick")]
        descent.run()
        if trace.end(partition, continues=True):
            best, fails = partition, 0
        else:
            fails += 1
    Descent(best, points, random, trace.begin("rest", best), tries).run()
    trace.end(best, continues=True)
    return best, trace


def _starts(
    columns: Columns,
    concentration: float,
    points: Points,
    random: np.random.Generator,
    patience: int,
    trace: Trace,
    known: np.ndarray | None,
) -> Iterator[tuple[str, Partition]]:
    """The partitions a search descends from, with what to call them."""
    if known is not None:
        yield "known", _extend(Partition(columns, concentration, known), random)
        return
    if columns.n_rows <= SAMPLE_ABOVE:
        for kind in STARTS:
            yield kind, start(columns, concentration, kind, points, random)
        return
    rows = np.sort(random.choice(columns.n_rows, SAMPLE, replace=False))
    sample, within = search(columns.subset(rows), concentration, random, patience, trace.callback)
    trace.done += within.done
    labels = np.full(columns.n_rows, -1)
    labels[rows] = sample.labels
    yield "all rows", _extend(Partition(columns, concentration, labels), random)


def _extend(partition: Partition, random: np.random.Generator) -> Partition:
    """Let the rows that are in no cluster yet choose one.

    All at once by what the clusters are, which needs no new statistics between rows; those that
    would rather open a cluster follow one after the other.
    """
    outside = np.flatnonzero(partition.labels < 0)
    if outside.size and partition.n_clusters and not partition.fills_cells:
        labels = partition.labels.copy()
        labels[outside] = partition.cheapest(outside)
        partition.load(labels)
        outside = np.flatnonzero(labels < 0)
    partition.sweep(random.permutation(outside))
    return partition


def start(
    columns: Columns,
    concentration: float,
    kind: str,
    points: Points,
    random: np.random.Generator,
) -> Partition:
    """A first partition of one of the kinds in ``STARTS``, not yet descended."""
    n = columns.n_rows
    if kind == "one cluster":
        return Partition(columns, concentration)
    if kind == "sequential":
        partition = Partition(columns, concentration, np.full(n, -1))
        partition.sweep(random.permutation(n))
        return partition
    parts = int(random.integers(2, max(min(MOST_PARTS, n), 2) + 1))
    if kind == "random parts":
        labels = random.integers(parts, size=n)
    else:
        rows = points.of(np.arange(n))
        centers = plus_plus(rows, parts, random)
        labels = nearest(rows, centers - rows.shift)[0]
    return Partition(columns, concentration, np.unique(labels, return_inverse=True)[1])


def kick(
    partition: Partition, descent: Descent, points: Points, random: np.random.Generator
) -> None:
    """Disturb a partition in one of four ways, at random."""
    n = partition.labels.size
    way = random.integers(4)
    k = int(random.integers(partition.n_clusters))
    if way == 0 and partition.n_clusters > 1:
        members = np.flatnonzero(partition.labels == k)
        _regroup(partition, members, -1)
        partition.sweep(random.permutation(members))
    elif way == 1 and partition.n_clusters > 1:
        other = (k + 1 + int(random.integers(partition.n_clusters - 1))) % partition.n_clusters
        _regroup(partition, np.flatnonzero(partition.labels == other), k)
    elif way == 2:
        descent.split(k, str(random.choice(SPLIT_KINDS)), least_gain=-math.inf)
    else:
        size = int(random.integers(1, max(n // 2, 2)))
        rows = points.of(np.arange(n))
        center = rows.columns[:, int(random.integers(n))][None, :]
        distances = nearest(rows, center)[1]
        _regroup(partition, np.argpartition(distances, size - 1)[:size], partition.n_clusters)


def _regroup(partition: Partition, rows: np.ndarray, label: int) -> None:
    """Give some rows another label (-1 for none) and reload."""
    labels = partition.labels.copy()
    labels[rows] = label
    inside = labels >= 0
    labels[inside] = np.unique(labels[inside], return_inverse=True)[1]
    partition.load(labels)
    partition.slack[rows] = 0.0


def scale_trial(
    concentration: float, random: np.random.Generator, callback: Callable[[Progress], None]
) -> Trial:
    """Effort for one prior scale of a grid: a short search, then descents from what it found."""

    def trial(columns: Columns, known: np.ndarray | None) -> tuple[np.ndarray, float]:
        if known is None:
            partition, _ = search(columns, concentration, random, GRID_PATIENCE, callback)
        else:
            partition = Partition(columns, concentration, known)
            record = Trace(callback, 1).begin("prior scale", partition)
            Descent(partition, Points(columns, random), random, record, split_tries=1).run()
        return partition.labels, partition.objective()

    return trial
