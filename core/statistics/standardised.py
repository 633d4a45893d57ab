"""A table as standardised numbers, and its first principal component."""

from __future__ import annotations

import numpy as np

from ..models.numeric import plain_numbers
from ..schema.encoded import Encoded


def standardised(encoded: Encoded) -> np.ndarray:
    """The table as numbers of mean 0 and SD 1, a missing cell the column's mean, shape (N, P)."""
    points = plain_numbers(encoded)
    spread = points.std(axis=0)
    return (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def first_component(points: np.ndarray) -> np.ndarray:
    """Scores of the first principal component of standardised points (N, P), shape (N,)."""
    left, singular, _ = np.linalg.svd(points, full_matrices=False)
    return left[:, 0] * singular[0]
