"""The consensus of several methods, and how many of them support each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .labels import by_size
from .scores import contingency

#: Most kinds of rows (those with the same groups in all methods) that are compared.
MOST_KINDS = 800
SWEEPS = 50


@dataclass(frozen=True)
class Agreement:
    """The partition that several others disagree with least."""

    #: int64, shape (N,). 0 the largest.
    labels: np.ndarray
    #: int64, (N,). Methods with the row in their group that holds most of its consensus group.
    support: np.ndarray
    n_methods: int


def agreement(partitions: Sequence[np.ndarray]) -> Agreement:
    """Consensus of partitions, labels from 0 on, of the same rows (correlation clustering)."""
    stacked = np.column_stack(partitions)
    kinds, kind_of, sizes = np.unique(stacked, axis=0, return_inverse=True, return_counts=True)
    kind_of = kind_of.ravel()
    common = np.argsort(-sizes, kind="stable")[:MOST_KINDS]
    few, weight = kinds[common], sizes[common].astype(np.float64)
    together = (few[:, None, :] == few[None, :, :]).mean(axis=2)
    # Gain of having two kinds together, over all pairs of their rows.
    gains = (together - 0.5) * weight * weight[:, None]
    improved = [
        _improved(np.unique(few[:, p], return_inverse=True)[1], gains) for p in range(few.shape[1])
    ]
    best = max(improved, key=lambda labels: gains[np.equal.outer(labels, labels)].sum())
    of_kind = np.empty(len(kinds), dtype=np.int64)
    of_kind[common] = best
    for kind in np.setdiff1d(np.arange(len(kinds)), common):
        # A rare kind follows the common one that most methods put beside it.
        of_kind[kind] = best[(few == kinds[kind]).sum(axis=1).argmax()]
    labels, _ = by_size(of_kind[kind_of])
    support = np.zeros(labels.size, dtype=np.int64)
    for partition in partitions:  # supports rows that are where most of their group is
        support += contingency(labels, partition).argmax(axis=1)[labels] == partition
    return Agreement(labels, support, len(partitions))


def _improved(labels: np.ndarray, gains: np.ndarray) -> np.ndarray:
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
