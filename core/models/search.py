"""The search for the lowest exact objective: a descent from one cluster, then perturbations.

Descents from many small clusters stop at partitions that no single move leaves.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..engine.tiles import cheapest
from ..partitions.labels import renumbered
from .descent import SPLIT_KINDS, WORKING_SET, Descent, Optimum, Points, iterated, lowest, rounded
from .kmeans import k_means_labels, nearest, plus_plus
from .progress import Progress

#: What searches start from: the first of several from one cluster, the next by the next kind.
STARTS = ("one cluster", "sequential", "k-means++", "random parts")
#: Of a large table: many clusters, most of which merge. Where clusters overlap, splits stop short.
TOO_MANY = "too many clusters"
#: How many, of how many rows, and the passes of K-means that make them.
MANY, MANY_SAMPLE, MANY_PASSES = 30, 5_000, 10
#: Up to this many rows, and cells, a search from one cluster runs beside it.
BOTH_BELOW, BOTH_CELLS = 20_000, 200_000
#: With so much patience, up to so many rows are looked at again on so many of them, one cluster in
#: so many pieces, where that share might move; so many nats of a sample are worth a descent of all
#: rows. Without it, clusters that overlap end far too high.
PATIENT, RECHECKED_BELOW, LARGE_SAMPLE, PIECES = 30, 300_000, 20_000, 10
OVERLAPPING, WORTH = 0.1, 1.0
#: Clusters put in pieces in vain until that ends: with one alone, some tables end 141 nats higher.
IN_VAIN = 3
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
#: So patiently at most: a longer search of a sample takes longer than that of all rows after it.
SAMPLE_PATIENCE = 15


@dataclass
class Search:
    """Descents of partitions of one table, each reported to a callback.

    ``points`` are of an earlier search of the same rows. Searches of one fit share ``ended``, how
    many ended at an E: where t did, the next one makes 1/(1 + t) of the perturbations.
    """

    packed: PackedTable
    concentration: float
    random: np.random.Generator
    callback: Callable[[Progress], None]
    points: Points | None = None
    ended: Counter[float] | None = None

    def __post_init__(self) -> None:
        self.points = self.points or Points(self.packed, self.random)
        self.ended = Counter() if self.ended is None else self.ended
        self._done, self._total, self._best = 0, 1, math.inf

    def run(self, patience: int, start: np.ndarray | None = None, kind: str = STARTS[0]) -> Optimum:
        """Find a partition of low E, a local optimum, with the E after every step that led there.

        Descends from ``start`` (-1 for rows outside it), one of ``STARTS``, or ``TOO_MANY``, then
        perturbs until ``patience`` in a row, fewer above ``SMALL`` rows, gained nothing.

        Above ``SAMPLE_ABOVE`` rows a sample goes first, from one cluster and from too many; above
        ``BOTH_BELOW`` from too many alone. E of all rows chooses, not the sample's: what parameters
        cost grows with ln N, what they gain with N.
        """
        n_rows = self.packed.n_rows
        share = math.sqrt(min(1.0, SMALL / n_rows)) * min(1.0, SAMPLE / n_rows)
        most = max(int(patience * share), patience // FEW if self._is_patient else 0)
        self._total = 1 + most

        def perturbed(best: Optimum, fails: int) -> Optimum:
            self._total = self._done + most - fails
            return self._perturbed(best)

        starts = self._starts(start, kind, patience)
        best = lowest(self.descended(*start_and_phase) for start_and_phase in starts)
        best = iterated(
            best, perturbed, lambda best: most / (1 + self.ended[rounded(best.objective)])
        )
        is_new = start is None or start.min() < 0
        if is_new and patience >= PATIENT and BOTH_BELOW < n_rows <= RECHECKED_BELOW:
            best = self._rechecked(best)
        # The answer once more, whole.
        descent = self.descent(best.state, "last check")
        descent.run(is_swept=most == 0 and not best.state.fills_cells)
        best = lowest([best, self._end(descent, best.trace)])
        self.ended[rounded(best.objective)] += 1
        return best

    @property
    def _is_patient(self) -> bool:
        """Whether a search from one cluster and perturbations take not too long."""
        n_rows, n_columns = self.packed.encoded.values.shape
        is_wide = n_rows > SAMPLE_ABOVE and n_rows * n_columns > BOTH_CELLS
        return n_rows <= BOTH_BELOW and not is_wide

    def _starts(
        self, start: np.ndarray | None, kind: str, patience: int
    ) -> Iterator[tuple[Partition, str]]:
        n_rows = self.packed.n_rows
        if start is not None:
            yield _assign_outside(self.partition(start), self.random), "groups known before"
        elif n_rows <= SAMPLE_ABOVE:
            yield self.start(kind), kind
        else:
            if kind != TOO_MANY and (kind != STARTS[0] or self._is_patient):
                yield self._from_sample(kind, patience), "all rows"
            if kind in (STARTS[0], TOO_MANY):
                yield self._from_many(), TOO_MANY

    def partition(self, labels: np.ndarray | None = None) -> Partition:
        """A partition of the rows; without labels all are in one cluster."""
        return Partition(self.packed, self.concentration, labels)

    def descent(self, partition: Partition, phase: str, split_tries: int | None = None) -> Descent:
        """A reported descent of a partition; for ``split_tries`` see ``Descent``."""
        if split_tries is None:
            # A large table's clusters come from a sample's search, which tried every kind of split.
            split_tries = len(SPLIT_KINDS) if self.packed.n_rows <= SAMPLE_ABOVE else 1

        def report(kind: str) -> None:
            best = min([self._best, *(objective for objective, _ in descent.steps[-1:])])
            total = max(self._total, self._done + 1)
            self.callback(Progress(self._done, total, best, partition.n_clusters, phase))

        descent = Descent(partition, self.points, self.random, report, split_tries)
        return descent

    def descended(self, partition: Partition, phase: str) -> Optimum:
        """The optimum to which a partition descends, in place."""
        descent = self.descent(partition, phase)
        descent.record("start")
        descent.run()
        return self._end(descent)

    def _end(self, descent: Descent, before: Sequence[tuple[float, str]] = ()) -> Optimum:
        """The optimum of a descent that ran, its steps after those ``before`` it."""
        self._done += 1
        partition = descent.partition
        optimum = Optimum(partition, partition.objective(), [*before, *descent.steps])
        self._best = min(self._best, optimum.objective)
        return optimum

    def _perturbed(self, best: Optimum) -> Optimum:
        """The optimum to which a copy descends after one of the ``PERTURBATIONS``."""
        partition, random = best.state.copy(), self.random
        descent, n = self.descent(partition, "groups changed at random", 1), partition.labels.size
        way = PERTURBATIONS[int(random.integers(len(PERTURBATIONS)))]
        if way == "split":
            kind = SPLIT_KINDS[int(random.integers(len(SPLIT_KINDS)))]
            descent.split(int(random.integers(partition.n_clusters)), kind, least_gain=-math.inf)
        elif way == "draws":
            for _ in range(1 + 2 * int(random.integers(2))):
                partition.sweep(random.permutation(n), random.random(n))
            partition.slack[:] = 0.0
        else:
            points, labels = self.points.all, partition.labels.copy()
            n_balls = 2 if way == "two balls" else 1
            for ball in range(n_balls):
                size = int(random.integers(1, max(n * n_balls // 4, 2)))
                distances = nearest(points, points[[int(random.integers(n))]])[1]
                labels[np.argpartition(distances, size - 1)[:size]] = partition.n_clusters + ball
            partition.slack[labels >= partition.n_clusters] = 0.0
            partition.load(renumbered(labels))
        descent.steps[:] = [(partition.objective(), "perturbation")]
        descent.run()
        return self._end(descent, best.trace)

    def _from_sample(self, kind: str, patience: int) -> Partition:
        sample, rows = self._on_sample(SAMPLE, self.random)
        found = sample.run(min(patience, SAMPLE_PATIENCE), kind=kind)
        self._done += sample._done
        return extend_sample(self.packed, found.state, rows, self.random)

    def _on_sample(self, n: int, random: np.random.Generator) -> tuple[Self, np.ndarray]:
        """The search on a random sample of n rows, and these rows."""
        rows = np.sort(random.choice(self.packed.n_rows, n, replace=False))
        packed = self.packed.subset(rows)
        return Search(packed, self.concentration, random, self.callback), rows

    def _from_many(self) -> Partition:
        """Descend many clusters of a sample, with draws of its own; then the other rows choose."""
        random = np.random.default_rng(self.points.seed)
        sample, rows = self._on_sample(min(self.packed.n_rows, MANY_SAMPLE), random)
        found = sample.descended(sample._pieces(sample.partition(), MANY), TOO_MANY)
        return extend_sample(self.packed, found.state, rows, random)

    def _rechecked(self, best: Optimum) -> Optimum:
        """Search a larger sample; not with weights or filled cells, whose descents are slow."""
        partition, phase = best.state, "larger sample"
        is_slow = partition.fills_cells or not self.packed.is_unweighted
        if is_slow or np.mean(partition.slack < WORKING_SET) <= OVERLAPPING:
            return best
        sample, rows = self._on_sample(LARGE_SAMPLE, self.random)
        here = sample.descended(sample.partition(renumbered(partition.labels[rows])), phase)
        many = sample.descended(sample._pieces(sample.partition(), MANY), phase)
        lower = lowest([here, many])
        lower = lowest([lower, sample.descended(sample._in_pieces(lower.state), phase)])
        if here.objective - lower.objective < WORTH:
            return best
        again = self.descended(extend_sample(self.packed, lower.state, rows, self.random), phase)
        if not again.is_below(best):
            return best

        def in_pieces(best: Optimum, fails: int) -> Optimum:
            return self.descended(self._in_pieces(best.state, fails), "in pieces")

        return iterated(again, in_pieces, lambda best: IN_VAIN)

    def _in_pieces(self, partition: Partition, fails: int = 0) -> Partition:
        """A copy whose cluster with most rows in doubt, every 2 fails the next, is in pieces."""
        in_doubt = np.bincount(
            partition.labels[partition.slack < WORKING_SET], minlength=partition.n_clusters
        )
        order = np.argsort(-in_doubt, kind="stable")
        return self._pieces(partition, PIECES, int(order[min(fails // 2, len(order) - 1)]))

    def _pieces(self, partition: Partition, n_pieces: int, k: int = 0) -> Partition:
        members, labels = np.flatnonzero(partition.labels == k), partition.labels.copy()
        points = self.points.of(members)
        pieces = k_means_labels(points, n_pieces, self.random, max_iter=MANY_PASSES)
        labels[members] = partition.n_clusters + pieces
        return self.partition(renumbered(labels))

    def start(self, kind: str) -> Partition:
        """A first partition of one of the kinds in ``STARTS``, not yet descended."""
        n, random = self.packed.n_rows, self.random
        if kind == "one cluster":
            return self.partition()
        if kind == "sequential":
            partition = self.partition(np.full(n, -1))
            partition.sweep(random.permutation(n))
            return partition
        parts = int(random.integers(2, max(min(MOST_PARTS, n), 2) + 1))
        if kind == "random parts":
            labels = random.integers(parts, size=n)
        else:
            points = self.points.all
            labels = nearest(points, plus_plus(points, parts, random))[0]
        return self.partition(renumbered(labels))


def extend_sample(
    packed: PackedTable, sample: Partition, rows: np.ndarray, random: np.random.Generator
) -> Partition:
    """A sample's partition extended to all rows, each in the cluster that it chooses."""
    labels = np.full(packed.n_rows, -1)
    labels[rows] = sample.labels
    return _assign_outside(Partition(packed, sample.concentration, labels), random)


def _assign_outside(partition: Partition, random: np.random.Generator) -> Partition:
    """A partition whose rows of label -1 chose a cluster, all at once, or then opened one."""
    outside, table = np.flatnonzero(partition.labels < 0), partition.table
    quick = not partition.fills_cells and not table.weights.size
    if outside.size and partition.n_clusters and quick:
        labels, log_n_0 = partition.labels.copy(), partition.log_concentration
        labels[outside] = cheapest(table, partition.clusters, table.values[outside], log_n_0)
        partition.load(labels)
        outside = np.flatnonzero(labels < 0)
    partition.sweep(random.permutation(outside))
    return partition
