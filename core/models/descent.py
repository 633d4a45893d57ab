"""Sweeps, merges and splits that each lower the exact objective by more than ``TIE``."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..engine import sweeps
from ..engine.packed import PackedTable
from ..engine.partition import NO_UNIFORMS, Partition, cluster_terms, merge_gains_with, new_clusters
from ..engine.rows import Clusters, merge_clusters, refresh
from ..engine.sweeps import TIE
from ..engine.tiles import NO_TILE, Judged, Tile, move_at_once, scores_of, tile_for
from .kmeans import two_means
from .numeric import numeric_encoding

#: A row whose best alternative is worse by this many nats is skipped until the others rest.
WORKING_SET = 5.0
#: In the order in which they are tried on a cluster.
SPLIT_KINDS = ("2-means", "random pair", "distant pair")
SPLIT_SWEEPS, RISE = 4, 8.0
#: From so many columns on a move takes five times as long as judging a row.
WIDE = 200
#: Above so many rows a sample is split first, and all unless it loses so many nats a row: halves of
#: a Gaussian lose .19, overlapping clusters may lose a little on a sample and gain on all rows.
SPLIT_SAMPLE, SPLIT_MARGIN = 1000, 0.1
#: Most further members that may refuse a sample's halves, by their mean and so many errors.
HELD_OUT, DOUBT = 4000, 2.0
#: Up to so many rows the coordinates of all are kept for the splits of one search.
KEPT_BELOW = 10_000
#: Rows visited between two ticks: a fraction of a second's work.
ROWS_AT_ONCE = 100_000


class Points:
    """What the descents of one search share: the rows' coordinates, failed splits, where they end.

    Most perturbations fall back to where they came from, which need not be found out again.
    """

    def __init__(self, packed: PackedTable, random: np.random.Generator) -> None:
        self._encoded = packed.encoded
        self._keys = random.integers(2**63, size=packed.n_rows)
        #: Of draws that leave those of the search as they are.
        self.seed = int(self._keys[0])
        self.failed_splits: dict[int, int] = {}
        #: E as ``rounded``.
        self.ends: set[float] = set()

    @cached_property
    def all(self) -> np.ndarray:
        """Coordinates of every row, shape (N, P)."""
        return numeric_encoding(self._encoded).apply(self._encoded.values)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Coordinates of some rows, shape (n, P); of a large table those alone are made."""
        if len(self._encoded.values) <= KEPT_BELOW:
            return self.all.T[:, rows].T  # each column contiguous, as those made anew
        return numeric_encoding(self._encoded).apply(self._encoded.values[rows])

    def signature(self, rows: np.ndarray) -> int:
        """A number that tells sets of rows apart (Zobrist's exclusive or of random keys)."""
        return int(np.bitwise_xor.reduce(self._keys[rows]))


@dataclass
class Descent:
    """Lowers the objective of a partition, in place, until no sweep, merge or split gains anything.

    ``report`` is called with the kind of each finished step, "sweep", "merge" or "split", and with
    "" within a long one; what it raises ends the descent. One visit tries at most ``split_tries``
    kinds of split.
    """

    partition: Partition
    points: Points
    random: np.random.Generator
    report: Callable[[str], Any] = lambda kind: None
    split_tries: int = len(SPLIT_KINDS)
    #: E after every step, and its kind.
    steps: list[tuple[float, str]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        n_rows = self.partition.labels.size
        self._part = new_clusters(self.partition.packed, 8)
        self._side, self._judged, self._tile = np.full(n_rows, -1), Judged.none(n_rows), NO_TILE

    def record(self, kind: str) -> float:
        """Record a step that is finished; return E after it."""
        self.steps.append((self.partition.objective(), kind))
        self.report(kind)
        return self.steps[-1][0]

    def run(self, is_swept: bool = False) -> None:
        """Descend until converged; no row would move before if the partition is swept already."""
        objective = self.partition.objective() if is_swept else self.sweep_until_converged()
        while self._merge() or self._split_all():
            before, objective = objective, self.sweep_until_converged()
            if before - objective < TIE:
                break
        self.points.ends.add(rounded(objective))

    def sweep_until_converged(self) -> float:
        """Sweep until no row gains by moving; return E.

        E ends it: filled cells settle without moves, and rounding on counts of a million may send
        rows to and fro for ever.
        """
        partition = self.partition
        order = self.random.permutation(partition.labels.size)
        lowest, whole = math.inf, False
        while True:
            rows = order if whole else order[partition.slack[order] < WORKING_SET]
            moves = self._visited(rows, partition.n_clusters, partition.sweep)
            objective = self.record("sweep")
            gained = lowest - objective >= TIE
            converged = not gained or (moves == 0 and not partition.fills_cells)
            is_known = rounded(objective) in self.points.ends and not partition.fills_cells
            if is_known or (converged and rows.size == order.size):
                return objective
            lowest, whole = min(lowest, objective), converged

    def _visited(self, rows: np.ndarray, n_clusters: int, sweep: Callable[..., int]) -> int:
        """Sweep over rows, few enough at a time for a stop to come soon; return the moves."""
        tile, moves = tile_for(self.partition.table, rows, n_clusters, self._tile), 0
        self._tile = self._tile if tile is NO_TILE else tile
        for first in range(0, rows.size, ROWS_AT_ONCE):
            if rows.size > SPLIT_SAMPLE:
                self.report("")
            moves += sweep(rows[first : first + ROWS_AT_ONCE], tile=tile)
        return moves

    def _merge(self) -> bool:
        merged = len(self.partition.merge()) > 0
        if merged:
            self.record("merge")
        return merged

    def _split_all(self) -> bool:
        """Try to split every cluster by the kinds not yet tried on it; tell whether any gained."""
        gained, failed = False, self.points.failed_splits
        for k in range(self.partition.n_clusters):
            signature = self.points.signature(np.flatnonzero(self.partition.labels == k))
            tried = failed.get(signature, 0)
            for kind in SPLIT_KINDS[tried : tried + self.split_tries]:
                if self.split(k, kind):
                    gained = True
                    break
                tried += 1
            failed[signature] = tried
        return gained

    def split(self, k: int, kind: str, least_gain: float = TIE) -> bool:
        """Divide cluster k if E falls by more than ``least_gain`` (-inf: always); True if so."""
        partition = self.partition
        members = np.flatnonzero(partition.labels == k)
        if members.size < 2:
            return False
        before = partition.table.values[members].copy() if partition.fills_cells else None
        gain = self._divide(k, members, kind, least_gain)
        divided = gain > least_gain and self._part.count[0] == 2
        if divided:
            partition.adopt_split(k, members, self._side[members] == 1, self._part)
            self.record("split")
        elif before is not None:
            partition.table.values[members] = before
        self._side[members] = -1
        return divided

    def _divide(self, k: int, members: np.ndarray, kind: str, least_gain: float) -> float:
        """Divide the members between the two clusters of ``_part``; return by how much E falls."""
        members, table = self.random.permutation(members), self.partition.table
        sample, rest = members[:SPLIT_SAMPLE], members[SPLIT_SAMPLE:]
        sweeps.load(table, self._part, self._side, 2, self._seeded(sample, kind))
        least = min(least_gain, -SPLIT_MARGIN * sample.size) if rest.size else least_gain
        gain = self._sweep_part(sample, SPLIT_SWEEPS, least)
        if gain <= least:
            return -math.inf
        if rest.size:
            if rest.size >= SPLIT_SAMPLE:
                more = self._held_out_gain_bound(rest[:HELD_OUT])
                if more <= 0.0 or gain + more * rest.size <= least_gain:
                    return -math.inf
            self._sweep_part(rest, 1, -math.inf)
            self._sweep_part(members, SPLIT_SWEEPS, least_gain)
        apart = cluster_terms(table, self._part).sum() + self.partition.log_concentration
        return float(apart - cluster_terms(table, self.partition.clusters)[k])

    def _seeded(self, rows: np.ndarray, kind: str) -> np.ndarray:
        """Give two rows, or by 2-means all rows, to the two sides; return these."""
        pair = rows[:2]
        if kind != "random pair":
            points = self.points.of(rows)
            first = _farthest(points, 0)
            second = _farthest(points, first)
            if second == first:
                second = 0 if first else 1
            if kind == "2-means":
                sides = two_means(points, points[first], points[second])
                if 0 < sides.sum() < sides.size:
                    self._side[rows] = sides
                    return rows
            pair = rows[[first, second]]
        self._side[pair] = 0, 1
        return pair

    def _sweep_part(self, rows: np.ndarray, most: int, least_gain: float) -> float:
        """Restricted sweeps: rows choose between the two sides only; return the gain of these.

        They end where the others, each gaining ``RISE`` times as much as the last one, would not
        lead above ``least_gain``: most gain less than the one before.
        """
        table, part = self.partition.table, self._part
        is_wide = table.values.shape[1] >= WIDE and not table.weights.size

        def sweep(some: np.ndarray, tile: Tile) -> int:
            if is_wide and tile is not NO_TILE:  # rows of a tile move at once
                return move_at_once(table, part, self._side, some, tile)
            how = 0, NO_UNIFORMS, -math.inf, self._judged, tile
            return sweeps.sweep(table, part, self._side, some, *how)[1]

        gain = self._gain_apart() if self._side[rows].min() >= 0 else -math.inf
        for left in range(most, -1, -1):
            moves = self._visited(rows, 2, sweep)
            before, gain = gain, self._gain_apart()
            if moves == 0 or gain + RISE * left * (gain - before) <= least_gain:
                break
        return gain

    def _gain_apart(self) -> float:
        """By how much E of the rows in two sides is lower than as one cluster; -inf of one side."""
        table, log_n_0 = self.partition.table, self.partition.log_concentration
        own = cluster_terms(table, self._part)
        if own.size < 2:
            return -math.inf
        return -float(merge_gains_with(table, self._part, 0, 2, own, log_n_0)[1])

    def _held_out_gain_bound(self, rows: np.ndarray) -> float:
        """Upper bound of the nats a row that rows in neither side gain by two clusters."""
        table, sides = self.partition.table, Clusters(*(array.copy() for array in self._part))
        if self.partition.fills_cells or table.weights.size:
            return math.inf
        both, empty = 2, 3
        sides.state[:, empty] = sides.state[:, both]
        for side in (0, 1):
            merge_clusters(table, sides.state, both, side)
        refresh(table, sides.state, both, empty, sides.work)
        sides.count[0] = 3
        scores = scores_of(table, sides, table.values[rows])
        apart = scores[:, :2] + np.log(sides.sizes[:2] / sides.sizes[:2].sum())
        gains = np.logaddexp(apart[:, 0], apart[:, 1]) - scores[:, 2]
        return float(gains.mean() + DOUBT * gains.std() / math.sqrt(rows.size))


def rounded(objective: float) -> float:
    """E by which ends are told apart: two partitions hardly share six decimals."""
    return round(objective, 6)


def _farthest(points: np.ndarray, row: int) -> int:
    return int(np.square(points - points[row]).sum(axis=1).argmax())


@dataclass(frozen=True)
class Optimum:
    """Where a descent ended, its E in nats, and the E after every step that led there."""

    state: Any
    objective: float
    trace: list[Any] = field(default_factory=list)
    converged: bool = True

    def is_below(self, other: "Optimum") -> bool:
        """Whether its E is lower by more than rounding."""
        return self.objective < other.objective - TIE


def lowest(optima: Iterable[Optimum]) -> Optimum:
    """The optimum of lowest E, the first of equals."""
    best, *others = optima
    for optimum in others:
        best = optimum if optimum.is_below(best) else best
    return best


def iterated(
    best: Optimum,
    perturbed: Callable[[Optimum, int], Optimum],
    patience: Callable[[Optimum], float],
) -> Optimum:
    """Perturb the best and descend, until ``patience(best)`` perturbations in a row gained nothing.

    ``perturbed`` is given the best, which it must not change, and how many perturbations of it
    failed, and answers where the next one ends (Lourenço, Martin and Stützle 2003, Iterated local
    search).
    """
    fails = 0
    while fails < patience(best):
        optimum = perturbed(best, fails)
        best, fails = (optimum, 0) if optimum.is_below(best) else (best, fails + 1)
    return best
