"""Agreement of two partitions, labels matched between them, and the consensus of many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)
from sklearn.metrics.cluster import contingency_matrix

from .labels import by_size, renumbered

#: Most kinds of rows (those with the same groups in all methods) that are compared.
MOST_KINDS = 800
SWEEPS = 50
#: Rows of which every pair is compared.
MOST_ROWS = 2_000
#: Clusters whose contingency tables with all others are made at once.
MOST_TABLES = 2_000


def contingency(truth: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """Rows in each pair (true class, cluster), both sorted; a truth of None or NaN is left out."""
    classes, clusters = _codes(truth, labels)
    return contingency_matrix(classes, clusters) if classes.size else np.zeros((0, 0), np.int64)


def overlaps(truth: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """Jaccard similarity of every class with every cluster, (C, K), both sorted (Hennig 2007)."""
    shared = contingency(truth, labels)
    union = shared.sum(axis=1)[:, None] + shared.sum(axis=0) - shared
    return shared / np.where(union > 0, union, 1)


def best_overlaps(truth: np.ndarray, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Best Jaccard similarity of every class 0..C-1 with a cluster, (C,); NaN without rows."""
    best = np.full(n_classes, np.nan)
    best[np.unique(truth)] = overlaps(truth, labels).max(axis=1)
    return best


def nmi(truth: ArrayLike, labels: ArrayLike) -> float:
    """Mutual information over the arithmetic mean of the two entropies, 0 to 1."""
    return _score(normalized_mutual_info_score, truth, labels)


def ami(truth: ArrayLike, labels: ArrayLike) -> float:
    """Mutual information corrected for chance: about 0 for unrelated partitions, 1 for equal."""
    return _score(adjusted_mutual_info_score, truth, labels)


def ari(truth: ArrayLike, labels: ArrayLike) -> float:
    """Rand index corrected for chance: about 0 for unrelated partitions, 1 for equal."""
    return _score(adjusted_rand_score, truth, labels)


def match_labels(reference: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """Rename clusters after the reference's, (N,), by the one-to-one match with most common rows.

    Unmatched clusters get labels beyond the reference's, the largest first. Labels start at 0.
    """
    reference, labels = _same_length(reference, labels)
    if not labels.size:
        return labels.astype(np.int64)
    names, row_codes = np.unique(reference, return_inverse=True)
    clusters, column_codes = np.unique(labels, return_inverse=True)
    table = contingency_matrix(row_codes, column_codes)
    rows, columns = linear_sum_assignment(table, maximize=True)
    shared = table[rows, columns] > 0
    renamed = np.full(clusters.size, -1, dtype=np.int64)
    renamed[columns[shared]] = names[rows[shared]]
    fresh = np.flatnonzero(renamed < 0)
    largest_first = fresh[np.argsort(-table[:, fresh].sum(axis=0), kind="stable")]
    renamed[largest_first] = names.max() + 1 + np.arange(fresh.size)
    return renamed[column_codes]


def _score(measure: Any, truth: ArrayLike, labels: ArrayLike) -> float:
    classes, clusters = _codes(truth, labels)
    return float(measure(classes, clusters)) if classes.size else np.nan


def _codes(truth: ArrayLike, labels: ArrayLike) -> list[np.ndarray]:
    """Codes 0, 1, .. of both partitions, for the rows whose truth is known."""
    truth, labels = _same_length(truth, labels)
    labelled = ~pd.isna(truth)
    return [pd.factorize(each[labelled], sort=True)[0] for each in (truth, labels)]


def _same_length(truth: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    truth, labels = np.asarray(truth), np.asarray(labels)
    if truth.shape != labels.shape or truth.ndim != 1:
        raise ValueError(
            f"Two lists of labels, one for each row, are needed; these have shapes {truth.shape} "
            f"and {labels.shape}."
        )
    return truth, labels


@dataclass(frozen=True)
class Contingency:
    """Contingency table of two partitions, matched so that agreement lies on the diagonal."""

    #: int64, shape (A, B). Rows in a group of the first and a group of the second.
    counts: np.ndarray
    first: tuple[int, ...]
    second: tuple[int, ...]
    ari: float
    ami: float
    #: bool, shape (n,). Rows off the matched pairs of groups.
    apart: np.ndarray

    @property
    def n_apart(self) -> int:
        """How many rows lie off the matched pairs."""
        return int(self.apart.sum())

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray) -> Self:
        """Compare two partitions, labels from 0 on, shape (n,)."""
        a, rows = np.unique(first, return_inverse=True)
        b, columns = np.unique(second, return_inverse=True)
        # A group of the second beside its partner in the first, those without one last.
        matched = match_labels(rows, columns)
        order = np.argsort(matched[np.unique(columns, return_index=True)[1]], kind="stable")
        counts, names = contingency(rows, columns)[:, order], (a.tolist(), b[order].tolist())
        agree = ari(first, second), ami(first, second)
        return cls(counts, *map(tuple, names), *agree, matched != rows)


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
