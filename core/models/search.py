"""The search for the lowest exact objective: a descent from one cluster, then perturbations.

Descents from many small clusters stop at partitions that no single move leaves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.tiles import cheapest
from .centroids import k_means_labels, nearest, plus_plus
from .descent import SPLIT_KINDS, WORKING_SET, Descent, Optimum, Points, Record, iterated, lowest
from .priors import Trial
from .progress import Progress

#: What searches start from: the first of several from one cluster, the next by the next kind.
STARTS = ("one cluster", "sequential", "k-means++", "random parts")
#: Of a large table: many clusters, most of which merge. Where clusters overlap, splits stop short.
TOO_MANY = "too many clusters"
#: Of so many rows each begins alone, too: where columns tell little and N_0 is large, that is best.
HANDFUL = 20
#: How many, of how many rows, and the passes of K-means that make them.
MANY, MANY_SAMPLE, MANY_PASSES = 30, 5_000, 10
#: Up to this many rows a search from one cluster runs beside it.
BOTH_BELOW = 20_000
#: With so much patience, up to so many rows are looked at again on so many of them, one cluster in
#: so many pieces, where that share might move; so many nats of a sample are worth a descent of all
#: rows. Without it, clusters that overlap end far too high.
PATIENT, LOOKED_AT_BELOW, LARGE_SAMPLE, PIECES = 30, 300_000, 20_000, 10
OVERLAPPING, WORTH = 0.1, 1.0
#: Kinds of perturbation, each as often as it stands here.
PERTURBATIONS = ("ball",) * 2 + ("two balls",) * 4 + ("draws",) * 2 + ("split",)
#: Of random starts.
MOST_PARTS = 30
#: Rows above which ``patience`` shrinks with the root of their number, for each takes longer.
SMALL = 200
#: Patience for each perturbation kept up to ``BOTH_BELOW`` rows: without any, E may end too high.
FEW = 15
#: A table of more than ``SAMPLE_ABOVE`` rows is searched on this many of them first.
SAMPLE, SAMPLE_ABOVE = 1_000, 2_000
#: Patience of the search on a grid of prior scales.
GRID_PATIENCE = 5


class Trace:
    """E after every step of the run that leads to the answer; ``total`` descents are expected."""

    def __init__(self, callback: Callable[[Progress], None], total: int) -> None:
        self.callback = callback
        self.total = total
        self.done = 0
        self.best = math.inf
        self.latest = Progress(0, total, math.inf, 0, "start")
        self.kept: list[tuple[float, str]] = []
        self.running: list[tuple[float, str]] = []

    def begin(self, kind: str, partition: Partition) -> Record:
        """Start recording a descent; the first step is the start or perturbation itself."""
        self.running = []

        def record(step: str) -> float:
            objective = partition.objective()
            self.running.append((objective, step))
            total, best = max(self.total, self.done + 1), min(self.best, objective)
            self.latest = Progress(self.done, total, best, partition.n_clusters, kind)
            self.tick()
            return objective

        return record

    def tick(self, visited: int = 0) -> None:
        """Tell the callback that the search is still where it was last, so many rows further."""
        phase = f"{self.latest.phase}, row {visited:,}"
        self.callback(replace(self.latest, phase=phase) if visited else self.latest)

    def end(self, partition: Partition, before: Sequence[tuple[float, str]] = ()) -> Optimum:
        """Close the descent: where it ended, and its steps after those before it."""
        self.done += 1
        optimum = Optimum(partition, partition.objective(), [*before, *self.running])
        self.best = min(self.best, optimum.objective)
        return optimum


def search(
    columns: Columns,
    concentration: float,
    random: np.random.Generator,
    patience: int,
    callback: Callable[[Progress], None],
    known: np.ndarray | None = None,
    kind: str = STARTS[0],
    ended: Counter[float] | None = None,
    points: Points | None = None,
) -> tuple[Partition, Trace]:
    """Find a partition of low E, a local optimum, and the E after every step that led there.

    Descends from ``known`` (-1 for rows outside it), one of ``STARTS``, or ``TOO_MANY``, then
    perturbs until ``patience`` in a row, fewer above ``SMALL`` rows, gained nothing. Searches of
    the same columns share ``ended``, how many ended at an E: where t did, the next one makes 1/(1 +
    t) of the perturbations. ``points`` are of an earlier search of the same rows.

    Above ``SAMPLE_ABOVE`` rows a sample goes first, from one cluster and from too many; above
    ``BOTH_BELOW`` from too many alone. E of all rows chooses, not the sample's: what parameters
    cost grows with ln N, what they gain with N.
    """
    ended = Counter() if ended is None else ended
    n_rows = columns.n_rows
    share = math.sqrt(min(1.0, SMALL / n_rows)) * min(1.0, SAMPLE / n_rows)
    most = max(int(patience * share), patience // FEW if n_rows <= BOTH_BELOW else 0)
    points = Points(columns, random) if points is None else points
    own = _Search(columns, concentration, random, points, Trace(callback, 1 + most), most)
    best = iterated(
        lowest(own.descended(*begun) for begun in own.beginnings(known, kind, patience)),
        own.perturbed,
        lambda best: most / (1 + ended[round(best.objective, 6)]),
    )
    is_new = known is None or known.min() < 0
    if is_new and patience >= PATIENT and BOTH_BELOW < n_rows <= LOOKED_AT_BELOW:
        best = own.looked_at_again(best)
    best = own.looked_over(best)
    own.trace.kept = best.trace
    ended[round(best.objective, 6)] += 1
    return best.state, own.trace


@dataclass(frozen=True)
class _Search:
    """The descents of one search, each told to its trace."""

    columns: Columns
    concentration: float
    random: np.random.Generator
    points: Points
    trace: Trace
    #: Perturbations in vain that end it.
    most: int

    def beginnings(
        self, known: np.ndarray | None, kind: str, patience: int
    ) -> Iterator[tuple[Partition, str]]:
        n_rows = self.columns.n_rows
        if known is not None:
            yield _extended(self.partition(known), self.random), "known"
        elif n_rows <= SAMPLE_ABOVE:
            yield start(self.columns, self.concentration, kind, self.points, self.random), kind
            if kind == STARTS[0] and n_rows <= HANDFUL:
                yield self.partition(np.arange(n_rows)), "each row alone"
        else:
            if kind != TOO_MANY and (kind != STARTS[0] or n_rows <= BOTH_BELOW):
                yield self.from_sample(kind, patience), "all rows"
            if kind in (STARTS[0], TOO_MANY):
                yield self.from_many(), TOO_MANY

    def partition(self, labels: np.ndarray | None = None) -> Partition:
        """One of its rows, in one cluster without labels."""
        return Partition(self.columns, self.concentration, labels)

    def descended(self, partition: Partition, name: str) -> Optimum:
        descent = self._descent(partition, name)
        descent.record("start")
        descent.run()
        return self.trace.end(partition)

    def _descent(self, partition: Partition, name: str, tries: int | None = None) -> Descent:
        # A large table's clusters come from a sample's search, which tried every kind of split.
        few = len(SPLIT_KINDS) if self.columns.n_rows <= SAMPLE_ABOVE else 1
        record = self.trace.begin(name, partition)
        return Descent(partition, self.points, self.random, record, tries or few, self.trace.tick)

    def perturbed(self, best: Optimum, fails: int) -> Optimum:
        self.trace.total = self.trace.done + self.most - fails
        partition = best.state.copy()
        descent = self._descent(partition, "perturbation", 1)
        perturb(partition, descent, self.points, self.random)
        self.trace.running = [(partition.objective(), "perturbation")]
        descent.run()
        return self.trace.end(partition, best.trace)

    def looked_over(self, best: Optimum) -> Optimum:
        """The answer once more, whole and with every kind of split."""
        partition = best.state
        descent = self._descent(partition, "local optimum")
        descent.run(is_swept=self.most == 0 and not partition.fills_cells)
        return lowest([best, self.trace.end(partition, best.trace)])

    def from_sample(self, kind: str, patience: int) -> Partition:
        rows = np.sort(self.random.choice(self.columns.n_rows, SAMPLE, replace=False))
        sample, within = search(
            self.columns.subset(rows),
            self.concentration,
            self.random,
            patience,
            self.trace.callback,
            kind=kind,
        )
        self.trace.done += within.done
        return of_all_rows(self.columns, sample, rows, self.random)

    def _on_sample(self, n: int, random: np.random.Generator) -> tuple[_Search, np.ndarray]:
        """The same on so many rows, and these; its steps are none of the answer's."""
        rows = np.sort(random.choice(self.columns.n_rows, n, replace=False))
        columns, trace = self.columns.subset(rows), Trace(self.trace.callback, 1)
        return _Search(columns, self.concentration, random, Points(columns, random), trace, 0), rows

    def from_many(self) -> Partition:
        """A sample's many clusters descend, then the other rows choose; its draws are its own."""
        random = np.random.default_rng(self.points.seed)
        sample, rows = self._on_sample(min(self.columns.n_rows, MANY_SAMPLE), random)
        found = sample.descended(sample.pieces(sample.partition(), MANY), TOO_MANY)
        return of_all_rows(self.columns, found.state, rows, random)

    def looked_at_again(self, best: Optimum) -> Optimum:
        """What a larger sample finds; not with weights or filled cells, whose descents are slow."""
        partition, name = best.state, "larger sample"
        is_slow = partition.fills_cells or not self.columns.is_plain
        if is_slow or np.mean(partition.slack < WORKING_SET) <= OVERLAPPING:
            return best
        sample, rows = self._on_sample(LARGE_SAMPLE, self.random)
        here = sample.descended(sample.partition(_numbered(partition.labels[rows])), name)
        many = sample.descended(sample.pieces(sample.partition(), MANY), name)
        lower = lowest([here, many])
        lower = lowest([lower, sample.descended(sample.in_pieces(lower.state), name)])
        if here.objective - lower.objective < WORTH:
            return best
        again = self.descended(of_all_rows(self.columns, lower.state, rows, self.random), name)
        if not again.is_below(best):
            return best
        in_pieces = "in pieces"
        return iterated(
            again,
            lambda best, _: self.descended(self.in_pieces(best.state), in_pieces),
            lambda _: 1,
        )

    def in_pieces(self, partition: Partition) -> Partition:
        """A copy in which that cluster is in pieces of which most rows might be elsewhere."""
        in_doubt = partition.labels[partition.slack < WORKING_SET]
        return self.pieces(partition, PIECES, int(np.bincount(in_doubt).argmax()))

    def pieces(self, partition: Partition, n_pieces: int, k: int = 0) -> Partition:
        members = np.flatnonzero(partition.labels == k)
        points = self.points.of(members)
        labels = partition.labels.copy()
        labels[members] = partition.n_clusters + k_means_labels(
            points, n_pieces, self.random, max_iter=MANY_PASSES
        )
        return self.partition(_numbered(labels))


def _numbered(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1]


def of_all_rows(
    columns: Columns, sample: Partition, rows: np.ndarray, random: np.random.Generator
) -> Partition:
    """A sample's partition with all other rows in the clusters that they choose."""
    labels = np.full(columns.n_rows, -1)
    labels[rows] = sample.labels
    return _extended(Partition(columns, sample.concentration, labels), random)


def _extended(partition: Partition, random: np.random.Generator) -> Partition:
    """A partition whose rows of label -1 have chosen a cluster, all at once, or then opened one."""
    outside = np.flatnonzero(partition.labels < 0)
    quick = not partition.fills_cells and not partition.table.weights.size
    if outside.size and partition.n_clusters and quick:
        labels, values = partition.labels.copy(), partition.table.values[outside]
        labels[outside] = cheapest(
            partition.table, partition.clusters, values, partition.log_concentration
        )
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
        centers = plus_plus(points.all, parts, random)
        labels = nearest(points.all, centers)[0]
    return Partition(columns, concentration, _numbered(labels))


def perturb(
    partition: Partition, descent: Descent, points: Points, random: np.random.Generator
) -> None:
    """Disturb a partition in one of the ways of ``PERTURBATIONS``, at random."""
    n = partition.labels.size
    way = PERTURBATIONS[int(random.integers(len(PERTURBATIONS)))]
    if way == "split":
        kind = SPLIT_KINDS[int(random.integers(len(SPLIT_KINDS)))]
        descent.split(int(random.integers(partition.n_clusters)), kind, least_gain=-math.inf)
    elif way == "draws":
        for _ in range(1 + 2 * int(random.integers(2))):
            partition.sweep(random.permutation(n), random.random(n))
        partition.slack[:] = 0.0
    else:
        n_balls = 2 if way == "two balls" else 1
        labels = partition.labels.copy()
        for ball in range(n_balls):
            size = int(random.integers(1, max(n * n_balls // 4, 2)))
            distances = nearest(points.all, points.all[[int(random.integers(n))]])[1]
            labels[np.argpartition(distances, size - 1)[:size]] = partition.n_clusters + ball
        partition.slack[labels >= partition.n_clusters] = 0.0
        partition.load(_numbered(labels))


def scale_trial(
    concentration: float,
    random: np.random.Generator,
    callback: Callable[[Progress], None],
    of_sample: bool = False,
) -> Trial:
    """Effort for one prior scale of a grid: a short search, then descents from what it found."""
    kind = TOO_MANY if of_sample else STARTS[0]

    def trial(columns: Columns, known: np.ndarray | None) -> tuple[np.ndarray, float]:
        if known is None:
            partition, _ = search(
                columns, concentration, random, GRID_PATIENCE, callback, kind=kind
            )
        else:
            partition = Partition(columns, concentration, known)
            trace = Trace(callback, 1)
            record = trace.begin("prior scale", partition)
            Descent(partition, Points(columns, random), random, record, 1, trace.tick).run()
        return partition.labels, partition.objective()

    return trial
