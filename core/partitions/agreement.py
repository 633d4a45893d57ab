"""What several methods agree on: a consensus partition, and how many stand behind each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .labels import by_size

#: Kinds of rows, by the groups that the methods put them in, that are weighed against each other.
MOST_KINDS = 800
SWEEPS = 50


@dataclass(frozen=True)
class Agreement:
    """The partition that several others disagree with least."""

    #: int64, shape (N,). 0 the largest.
    labels: np.ndarray
    #: int64, shape (N,). Methods that see a row where the consensus puts it: in that one of their
    #: own groups which holds most of the consensus group's rows.
    support: np.ndarray
    n_methods: int


def agreement(partitions: Sequence[np.ndarray]) -> Agreement:
    """Find the consensus of several partitions, labels from 0 on, of the same rows.

    Two rows belong together where most partitions hold them together; single moves and merges lower
    the number of pairs of rows on which that majority is contradicted (correlation clustering),
    starting from each of the partitions.
    """
    stacked = np.column_stack(partitions)
    kinds, kind_of, sizes = np.unique(stacked, axis=0, return_inverse=True, return_counts=True)
    kind_of = kind_of.ravel()
    common = np.argsort(-sizes, kind="stable")[:MOST_KINDS]
    few, weight = kinds[common], sizes[common].astype(np.float64)
    together = (few[:, None, :] == few[None, :, :]).mean(axis=2)
    # Gain of having two kinds together, pair by pair of their rows.
    gains = (together - 0.5) * weight * weight[:, None]
    starts = [np.unique(few[:, p], return_inverse=True)[1] for p in range(few.shape[1])]
    improved = [_improved(start, gains) for start in starts]
    best = max(improved, key=lambda labels: _total(labels, gains))
    labels = _for_all(kinds, common, best)[kind_of]
    labels, _ = by_size(labels)
    support = sum(_stands_behind(labels, partition) for partition in partitions)
    return Agreement(labels, support, len(partitions))


def _improved(labels: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """Move single kinds to where they are wanted most, and merge groups, until nothing gains."""
    labels, own = labels.copy(), gains.diagonal()
    for _ in range(SWEEPS):
        moved = False
        for kind in range(labels.size):
            width = int(labels.max()) + 2
            pull = np.bincount(labels, gains[kind], width)
            pull[labels[kind]] -= own[kind]
            target = int(pull.argmax())
            if pull[target] > pull[labels[kind]] + 1e-9:
                labels[kind], moved = target, True
        labels = np.unique(labels, return_inverse=True)[1]
        member = np.eye(int(labels.max()) + 1)[labels]
        between = np.triu(member.T @ gains @ member, 1)
        a, b = np.unravel_index(between.argmax(), between.shape)
        if between[a, b] > 1e-9:
            labels[labels == b] = a
        elif not moved:
            break
    return np.unique(labels, return_inverse=True)[1]


def _total(labels: np.ndarray, gains: np.ndarray) -> float:
    return float(gains[np.equal.outer(labels, labels)].sum())


def _for_all(kinds: np.ndarray, common: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Group of every kind; a rare one follows the common kind that most methods put beside it."""
    out = np.empty(len(kinds), dtype=np.int64)
    out[common] = labels
    rare = np.setdiff1d(np.arange(len(kinds)), common)
    for kind in rare:
        out[kind] = labels[(kinds[common] == kinds[kind]).sum(axis=1).argmax()]
    return out


def _stands_behind(labels: np.ndarray, partition: np.ndarray) -> np.ndarray:
    """Whether a partition has each row where most of its consensus group is."""
    shape = int(labels.max()) + 1, int(partition.max()) + 1
    cells = np.bincount(labels * shape[1] + partition, minlength=shape[0] * shape[1])
    usual = cells.reshape(shape).argmax(axis=1)
    return (usual[labels] == partition).astype(np.int64)
