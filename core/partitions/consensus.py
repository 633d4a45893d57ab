"""Many partitions of the same rows: what most agree on, and how far they are apart."""

from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

from .labels import by_size, renumbered

#: Most kinds of rows (those with the same groups in all methods) that are compared.
MOST_KINDS = 800
SWEEPS = 50
#: Rows of which every pair is compared.
MOST_ROWS = 2_000
#: Clusters whose contingency tables with all others are made at once.
MOST_TABLES = 2_000


def consensus_labels(partitions: Sequence[np.ndarray]) -> np.ndarray:
    """The partition that several, labels from 0 on, disagree with least (correlation clustering).

    int64, shape (N,), 0 the largest.
    """
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
    return by_size(of_kind[kind_of.ravel()])[0]


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
