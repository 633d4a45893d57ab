"""Many partitions of the same rows: their consensus, who is together in them, how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from .labels import by_size, renumbered
from .scores import contingency

#: Most kinds of rows (those with the same groups in all methods) that are compared.
MOST_KINDS = 800
SWEEPS = 50
#: Rows of which every pair is compared.
MOST_ROWS = 2_000
#: Clusters whose contingency tables with all others are made at once.
MOST_TABLES = 2_000


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
    common = np.argsort(-sizes, kind="stable")[:MOST_KINDS]
    few, weight = kinds[common], sizes[common].astype(np.float64)
    together = (few[:, None, :] == few[None, :, :]).mean(axis=2)
    # Gain of having two kinds together, over all pairs of their rows.
    gains = (together - 0.5) * weight * weight[:, None]
    improved = [_improved(renumbered(of), gains) for of in few.T]
    best = max(improved, key=lambda labels: gains[np.equal.outer(labels, labels)].sum())
    of_kind = np.empty(len(kinds), dtype=np.int64)
    of_kind[common] = best
    for kind in np.setdiff1d(np.arange(len(kinds)), common):
        # A rare kind follows the common one that most methods put beside it.
        of_kind[kind] = best[(few == kinds[kind]).sum(axis=1).argmax()]
    labels, _ = by_size(of_kind[kind_of.ravel()])
    support = np.zeros(labels.size, dtype=np.int64)
    for partition in partitions:  # supports rows that are where most of their group is
        support += contingency(labels, partition).argmax(axis=1)[labels] == partition
    return Agreement(labels, support, len(partitions))


def _improved(labels: np.ndarray, gains: np.ndarray) -> np.ndarray:
    labels, own = labels.copy(), gains.diagonal()
    for _ in range(SWEEPS):
        moved = False
        for kind in range(labels.size):
            pull = np.bincount(labels, gains[kind], int(labels.max()) + 2)
            pull[labels[kind]] -= own[kind]
            target = int(pull.argmax())
            if pull[target] > pull[labels[kind]] + 1e-9:
                labels[kind], moved = target, True
        labels = renumbered(labels)
        member = np.eye(int(labels.max()) + 1)[labels]
        between = np.triu(member.T @ gains @ member, 1)
        a, b = np.unravel_index(between.argmax(), between.shape)
        if between[a, b] > 1e-9:
            labels[labels == b] = a
        elif not moved:
            break
    return renumbered(labels)


def co_assignment(draws: Sequence[np.ndarray]) -> np.ndarray:
    """Share of partitions that put two rows together, float32, (R, R), 1 on the diagonal."""
    # Memberships of all draws side by side, so that one product counts every agreement.
    member = [np.equal.outer(labels, np.unique(labels)) for labels in draws]
    joined = np.concatenate(member, axis=1, dtype=np.float32)
    return joined @ joined.T / np.float32(len(draws))


def distances(draws: Sequence[np.ndarray]) -> np.ndarray:
    """Variation of information between every two partitions of the same rows, (S, S), in nats."""
    sizes = np.array([int(labels.max()) + 1 for labels in draws])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    member = np.zeros((sizes.sum(), len(draws[0])), dtype=np.float32)
    for start, labels in zip(starts, draws, strict=True):
        member[start + labels, np.arange(labels.size)] = 1.0
    counts = member.sum(axis=1, dtype=np.float64)
    own = np.add.reduceat(xlogy(counts, counts), starts)
    joint = []
    for part in np.array_split(np.arange(len(draws)), -(-len(member) // MOST_TABLES)):
        inside = slice(starts[part[0]], starts[part[-1]] + sizes[part[-1]])
        shared = (member[inside] @ member.T).astype(np.float64)
        below = np.add.reduceat(xlogy(shared, shared), starts[part] - inside.start, axis=0)
        joint.append(np.add.reduceat(below, starts, axis=1))
    lost = own[:, None] + own - 2.0 * np.concatenate(joint)
    return np.maximum(lost / member.shape[1], 0.0)


def rows_to_compare(n_rows: int, random: np.random.Generator) -> np.ndarray:
    """All rows, or a sorted random sample of ``MOST_ROWS``."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, MOST_ROWS, replace=False))
