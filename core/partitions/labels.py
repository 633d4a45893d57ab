"""Labels of a partition in an order that does not depend on the run."""

from collections.abc import Collection, Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln


def free_numbers(taken: Collection[int]) -> Iterator[int]:
    """Numbers from 1 on that no cluster has yet."""
    return (number for number in count(1) if number not in taken)


def renumbered(labels: np.ndarray) -> np.ndarray:
    """The same partition in labels 0, 1, ..., in the order of the old ones."""
    return np.unique(labels, return_inverse=True)[1]


def by_size(labels: np.ndarray, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Relabel by size, 0 the largest, ties by first appearance; also each one's old label."""
    old, first, inverse, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    if weights is not None:
        sizes = np.bincount(inverse, weights)
    order = np.lexsort((first, -sizes))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    return rank[inverse], old[order]


def log_restaurant(sizes: ArrayLike, concentration: float) -> float:
    """Log probability of a partition into clusters of these sizes (Chinese restaurant process)."""
    sizes = np.asarray(sizes, dtype=np.float64)
    log_p = sizes.size * np.log(concentration) + gammaln(sizes).sum()
    return float(log_p + gammaln(concentration) - gammaln(concentration + sizes.sum()))
