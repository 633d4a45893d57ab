"""Agreement of two partitions, by scikit-learn, and labels matched between them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)
from sklearn.metrics.cluster import contingency_matrix


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
