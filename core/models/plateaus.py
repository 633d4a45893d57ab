"""Plateaus of a path of falling powers: over which range the same groups stay.

The number of clusters alone says too little. With heavy tails a cluster of outliers comes and goes
while the groups stay as they are; and two different partitions may have as many clusters. So what
must stay is every group: at each power of the range some cluster must be nearly the same rows.

Heavy tails and skew stay for a while, too: a few rows beside each group. They make a plateau no
finer than one without them, and beside one group they are no grouping. Only where the fit itself
has no more groups than the plateau does nothing speak against the model: there a few rows are a
group like the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: A cluster counts from this many rows, and from this share of them.
LEAST_ROWS, LEAST_SHARE = 5, 0.01
#: A cluster of fewer rows, or of a smaller share of the largest one's, may be a group's tail: of a
#: table's values one to ten percent lie far off as a rule (Hampel and others 1986, section 1.2c).
TAIL_ROWS, TAIL_SHARE = 10, 0.1
#: A plateau spans at least this factor of powers, half a step beyond its ends counted.
FACTOR = 1.5
#: From power 1 down, where the groups are those of the fit itself: the range is seen from one side
#: only, and how far it would go on above 1 is not known.
FACTOR_FROM_ONE = 1.35
#: A cluster is the same group from this Jaccard similarity on (Hennig 2007: a valid, stable one).
SAME_GROUP = 0.75


@dataclass(frozen=True)
class Plateau:
    """Neighbouring powers over which the groups of one partition stay."""

    #: Index of the first power whose partition has those groups and no other that counts.
    first: int
    #: Indices of the first power and of that after the last.
    start: int
    stop: int


def count_clusters(labels: np.ndarray, weights: np.ndarray | None = None) -> int:
    """Clusters of at least ``LEAST_ROWS`` rows and ``LEAST_SHARE`` of all; 1 where none is."""
    return max(len(_counted(labels, weights)), 1)


def finest_plateau(
    powers: np.ndarray, labels: Sequence[np.ndarray], weights: np.ndarray | None = None
) -> Plateau | None:
    """The plateau of most groups, then of fewest tails, the first of several; None without two.

    Parameters
    ----------
    powers : ndarray, shape (P,)
        Falling from 1.
    labels : sequence of P ndarrays of int, shape (N,)
        The partition at every power.
    weights : ndarray, shape (N,), optional
        How often each row counts.
    """
    same = _Sameness(labels, weights)
    logs = np.log(powers)
    edges = np.concatenate([logs[:1], 0.5 * (logs[1:] + logs[:-1]), logs[-1:]])
    best, finest = None, (1, 0)
    for at, groups in enumerate(same.groups):
        n_groups = same.n_groups(at)
        fineness = (n_groups, n_groups - len(groups)) if at else (len(groups), 0)
        if n_groups < 2 or fineness <= finest:
            continue
        start, stop = same.range_of(at)
        asked = FACTOR_FROM_ONE if at == 0 else FACTOR
        if edges[start] - edges[stop] >= np.log(asked) - 1e-9:
            best, finest = Plateau(at, start, stop), fineness
    return best


def _counted(labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The clusters that count."""
    sizes = np.bincount(labels, weights)
    return np.flatnonzero(sizes >= max(LEAST_ROWS, LEAST_SHARE * sizes.sum()))


class _Sameness:
    """Which groups of the partitions of a path are found again at other powers."""

    def __init__(self, labels: Sequence[np.ndarray], weights: np.ndarray | None) -> None:
        self._labels, self._weights = labels, weights
        self._overlaps: dict[tuple[int, int], np.ndarray] = {}
        self.sizes = [np.bincount(some, weights) for some in labels]
        #: Clusters that count, at each power.
        self.groups = [_counted(some, weights) for some in labels]

    def n_groups(self, at: int) -> int:
        """How many of the clusters that count are no tails."""
        sizes = self.sizes[at]
        least = max(TAIL_ROWS, TAIL_SHARE * sizes.max())
        return int((sizes[self.groups[at]] >= least).sum())

    def range_of(self, at: int) -> tuple[int, int]:
        """The widest range about a power over which all of its groups are found again."""
        start, stop = at, at + 1
        while start > 0 and self._stay(at, start - 1):
            start -= 1
        while stop < len(self._labels) and self._stay(at, stop):
            stop += 1
        return start, stop

    def _stay(self, at: int, other: int) -> bool:
        best = self._overlap(at, other).max(axis=1)
        return bool((best[self.groups[at]] >= SAME_GROUP).all())

    def _overlap(self, first: int, second: int) -> np.ndarray:
        """Jaccard similarity of the clusters at two powers."""
        if first > second:
            return self._overlap(second, first).T
        known = self._overlaps.get((first, second))
        if known is None:
            sizes = self.sizes[first][:, None], self.sizes[second]
            pairs = self._labels[first] * sizes[1].size + self._labels[second]
            n_pairs = sizes[0].size * sizes[1].size
            shared = np.bincount(pairs, self._weights, n_pairs).reshape(-1, sizes[1].size)
            known = shared / np.maximum(sizes[0] + sizes[1] - shared, 1e-300)
            self._overlaps[first, second] = known
        return known
