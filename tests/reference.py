"""Slow, obvious twins of what the library does fast: no compiled code, no increments."""

from __future__ import annotations

import numpy as np

# DP-means (KJ12 Algorithm 1), one row and one distance at a time.


def dp_means(table: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Labels in the order of birth, centres, and the objective after each pass."""
    labels = np.zeros(len(table), dtype=int)
    centers = [table.mean(axis=0)]
    trace = []
    while True:
        before = labels.copy()
        for i, row in enumerate(table):
            distances = [np.sum((row - center) ** 2) for center in centers]
            if min(distances) > penalty:
                centers.append(row)
                labels[i] = len(centers) - 1
            else:
                labels[i] = np.argmin(distances)
        labels = np.unique(labels, return_inverse=True)[1]
        centers = [table[labels == k].mean(axis=0) for k in range(labels.max() + 1)]
        error = sum(np.sum((row - centers[k]) ** 2) for row, k in zip(table, labels, strict=True))
        trace.append(error + penalty * len(centers))
        if np.array_equal(labels, before):
            return labels, np.array(centers), trace
