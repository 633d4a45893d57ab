"""One partition that agrees with many, and how often two rows share a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from ..partitions.co_assignment import co_assignment, rows_to_compare
from ..partitions.labels import by_size
from ..partitions.scores import variation_of_information
from .bootstraps import Bootstraps

#: Cuts of the average-linkage tree tried as consensus, besides the partitions given.
CUTS = 10


@dataclass(frozen=True)
class Consensus:
    """What the draws agree on."""

    #: float32, shape (R, R). Share of the draws holding both of two rows that put them in one
    #: cluster.
    co_assignment: np.ndarray
    #: int64, shape (R,). The rows it is about.
    rows: np.ndarray
    #: int64, shape (R,). Places of these rows along the tree of average linkage, to draw the matrix
    #: by.
    order: np.ndarray
    #: int64, shape (N,). Of all candidates, the partition with the least expected variation of
    #: information.
    labels: np.ndarray
    #: That expectation in nats over these rows, and the same for the judged groups.
    distance: float
    own_distance: float


def consensus(bootstraps: Bootstraps, candidates: Sequence[np.ndarray]) -> Consensus:
    """Summarise the draws beside partitions of all rows, the judged groups first."""
    n = bootstraps.reference.size
    rows = rows_to_compare(n, np.random.default_rng(0))
    seen = [draw.labels[rows] for draw in bootstraps.draws]
    shared = co_assignment(seen)
    tree = linkage(squareform(1.0 - shared, checks=False), "average")
    tried = [np.asarray(labels) for labels in candidates]
    if rows.size == n:
        tried += _cuts(tree, n)
    distances = [_expected_distance(labels[rows], seen) for labels in tried]
    best = int(np.argmin(distances))
    labels = by_size(tried[best])[0]
    return Consensus(shared, rows, leaves_list(tree), labels, distances[best], distances[0])


def _cuts(tree: np.ndarray, n: int) -> Iterator[np.ndarray]:
    """Partitions into 1, 2, .. clusters along the tree."""
    for k in range(1, min(CUTS, n) + 1):
        yield fcluster(tree, k, criterion="maxclust") - 1


def _expected_distance(labels: np.ndarray, draws: Sequence[np.ndarray]) -> float:
    """Mean variation of information to the draws, each on its own rows."""
    distances = [variation_of_information(labels[drawn >= 0], drawn[drawn >= 0]) for drawn in draws]
    return float(np.mean(distances))
