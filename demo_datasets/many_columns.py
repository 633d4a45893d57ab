"""Three clusters in two columns, and columns of noise beside them: distance in many dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .taught import Drawn, Knob

#: Means of the clusters in the two columns that tell them apart.
_MEANS = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])


class ManyColumns(Drawn):
    """Equally large round clusters; the knob is the number of columns, two of which tell."""

    origin = "Drawn: two columns tell the clusters apart, the others are noise."
    is_block = False

    def specs(self, value: float) -> Mapping[str, Mapping[str, Any]]:
        """The two columns that tell, then the noise by its number."""
        noise = (f"noise {j + 1}" for j in range(round(value) - 2))
        return {name: {"family": "normal"} for name in ("x", "y", *noise)}

    def names(self, value: float) -> list[str]:
        """Clusters by their number."""
        return [f"cluster {k + 1}" for k in range(len(_MEANS))]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw clusters of a standard deviation of 1 in every column."""
        truth = np.sort(np.arange(n) % len(_MEANS))
        points = random.standard_normal((n, round(value)))
        points[:, :2] += _MEANS[truth]
        return points, truth


MANY_COLUMNS = ManyColumns(
    "high",
    "Many columns",
    "K-means adds up all columns alike, whether they say anything or not. Here two columns tell "
    "three clusters apart, and every further column is noise: in many dimensions all rows are "
    "about equally far from each other.",
    Knob(
        "n_columns",
        "Columns",
        2.0,
        72.0,
        2.0,
        "How many columns there are; the first two tell the clusters apart.",
    ),
)
