"""A table drawn column by column from a model of its continuum, with the cells it can have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..families.family import MEASUREMENT
from ..schema.encoded import Encoded


def drawn_columns(encoded: Encoded, made: Callable[[int, str, np.ndarray], np.ndarray]) -> Encoded:
    """The table with cells that ``made(column, kind, seen)`` draws, shape (N,), and its own holes.

    A two-part column has its numbers where its drawn outcome is a number.
    """
    values = encoded.values
    drawn = np.full(values.shape, np.nan)
    kinds = [unit.kind for unit in encoded.units for _ in unit.columns]
    outcome = encoded.outcome_column
    for j in sorted(range(len(kinds)), key=outcome.__contains__):
        seen = ~np.isnan(values[:, j])
        if not seen.any():
            continue
        to = drawn[:, outcome[j]] == 0 if j in outcome else seen
        drawn[to, j] = made(j, kinds[j], seen)[to]
    return replace(encoded, values=drawn)


def as_cells(kind: str, numbers: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Numbers as a column of this kind has them: whole within its range, or not below zero."""
    if kind != MEASUREMENT:
        return np.clip(np.rint(numbers), known.min(), known.max())
    return np.maximum(numbers, 0.0) if known.min() >= 0.0 else numbers
