"""Columns that vary together within groups, in a table that does not say so."""

from __future__ import annotations

import numpy as np

from .taught import Drawn, Knob

_SHARES = (0.5, 0.3, 0.2)
_MEANS = np.array([[0.0, 0.0], [3.5, -3.5], [5.0, 4.0]])
_SD = 1.5


class Dependent(Drawn):
    """Three clusters; the knob is the correlation of x and y within each."""

    origin = "Drawn: x and y vary together within every cluster."
    is_block = False

    def names(self, value: float) -> list[str]:
        """Clusters by their number."""
        return [f"cluster {k + 1}" for k in range(len(_MEANS))]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw clusters of 50, 30 and 20 % with the same correlation."""
        truth = np.searchsorted(np.cumsum(_SHARES)[:-1] * n, np.arange(n), side="right")
        root = np.linalg.cholesky([[1.0, value], [value, 1.0]])
        return _MEANS[truth] + _SD * random.standard_normal((n, 2)) @ root.T, truth


DEPENDENT = Dependent(
    "dependence",
    "Columns that vary together",
    "A model with a likelihood for every column takes columns to be independent within a group. "
    "Height and weight are not: tall people are heavier in every group. Such a model then covers "
    "one long cluster with many short ones, unless the table may choose its model.",
    Knob(
        "correlation",
        "Correlation",
        0.0,
        0.95,
        0.9,
        "Turning it up makes x and y vary together within every cluster.",
    ),
)
