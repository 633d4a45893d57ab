"""Greedy merges from a partition down to one cluster, and what each costs in E."""

import math
from dataclasses import dataclass

import numpy as np

from ..engine.partition import Partition, cluster_terms
from ..partitions.labels import by_size

#: Filled cells are near enough to their modes after a merge when E falls by less (nats).
ENOUGH = 1e-3


@dataclass(frozen=True)
class MergePath:
    """Greedy merges of K clusters to one, by lowest E; merged ones take the lowest label."""

    #: int64, shape (N,). The partition it starts from, 0..K-1 by size.
    labels: np.ndarray
    #: int64, shape (K - 1,). Each merge puts cluster ``dropped`` into cluster ``kept``.
    kept: np.ndarray
    dropped: np.ndarray
    #: float64, shape (K,). E with K, K - 1, ..., 1 clusters (nats).
    objectives: np.ndarray

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Labels with 1 to K clusters, 0 the largest, shape (N,); else a ValueError."""
        most = self.objectives.size
        if not 1 <= n_clusters <= most:
            raise ValueError(f"k={n_clusters} is not on the path: give a number from 1 to {most}.")
        current = np.arange(most)
        for t in range(most - n_clusters):
            current[current == self.dropped[t]] = self.kept[t]
        return by_size(current[self.labels])[0]


def merge_path(partition: Partition) -> MergePath:
    """Merge the clusters of a copy down to one, filled cells set anew each time."""
    twin = partition.copy()
    names = list(range(twin.n_clusters))
    kept, dropped, objectives = [], [], [twin.objective()]
    while twin.n_clusters > 1:
        for into, gone, gain in twin.merge(-math.inf, 1 if twin.fills_cells else None):
            first, second = sorted((names[int(into)], names[int(gone)]))
            kept.append(first)
            dropped.append(second)
            # The engine gives the last cluster the index of the one that went.
            names[int(into)] = first
            names[int(gone)] = names[-1]
            names.pop()
            objectives.append(objectives[-1] - gain)
        if twin.fills_cells:
            objectives[-1] = twin.settle(ENOUGH)
    merged = np.array(kept, dtype=np.int64), np.array(dropped, dtype=np.int64)
    return MergePath(partition.labels.copy(), *merged, np.array(objectives))


def merge_costs(partition: Partition) -> np.ndarray:
    """Rise of E if two clusters are merged, shape (K, K), symmetric, filled cells held fixed."""
    own = cluster_terms(partition.table, partition.clusters)
    lower = np.tril(partition.merge_gains(own), -1)
    return -(lower + lower.T)
