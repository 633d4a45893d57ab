"""Patients with measurements, counts, ratings, answers and words, and with holes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from .taught import Drawn, Knob

_SPECS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "age": {"family": "normal"},
        "marker": {"family": "normal", "transform": "log"},
        "falls": {"family": "poisson"},
        "pain": {"family": "binomial", "trials": 10},
        "tremor": {"family": "bernoulli", "levels": ("no", "yes")},
        "lives": {"family": "categorical", "levels": ("alone", "together", "in care")},
    }
)
# By group: mean age, median marker, mean falls, mean pain of 10, share with a tremor, shares living
# alone, together and in care.
_AGE, _MARKER, _FALLS = (62.0, 70.0, 78.0), (3.0, 12.0, 45.0), (0.4, 1.5, 5.0)
_PAIN, _TREMOR = (2.5, 6.5, 4.0), (0.15, 0.85, 0.5)
_LIVES = np.array([[0.3, 0.65, 0.05], [0.6, 0.35, 0.05], [0.1, 0.2, 0.7]])
_SHARES = (0.45, 0.35, 0.2)


class MixedCells(Drawn):
    """Three groups in six columns of five kinds; the knob is the share of missing cells."""

    origin = "Drawn: three groups of patients."
    is_block = False

    def specs(self, value: float) -> Mapping[str, Mapping[str, Any]]:
        """A measurement, one in logarithms, a count, a rating, an answer and a word."""
        return _SPECS

    def names(self, value: float) -> list[str]:
        """What the groups are called."""
        return ["mild", "shaky", "frail"]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw every column on its own given the group; cells are missing at random."""
        truth = np.searchsorted(np.cumsum(_SHARES)[:-1] * n, np.arange(n), side="right")
        of_group = [np.array(values)[truth] for values in (_AGE, _MARKER, _FALLS, _PAIN, _TREMOR)]
        age, marker, falls, pain, tremor = of_group
        columns = [
            (age + 7.0 * random.standard_normal(n)).round(1),
            (marker * np.exp(0.7 * random.standard_normal(n))).round(2),
            random.poisson(falls),
            random.binomial(10, pain / 10.0),
            random.random(n) < tremor,
            (random.random(n)[:, None] > np.cumsum(_LIVES, axis=1)[truth][:, :2]).sum(axis=1),
        ]
        points = np.column_stack(columns).astype(np.float64)
        points[random.random(points.shape) < value] = np.nan
        return points, truth


MIXED_CELLS = MixedCells(
    "mixed",
    "Mixed columns and holes",
    "K-means needs every cell to be a number: it turns words into 0 and 1, takes a count for a "
    "measurement, and fills a hole with the mean. Real tables have six kinds of cells and holes in "
    "all of them.",
    Knob(
        "missing",
        "Missing cells",
        0.0,
        0.6,
        0.3,
        "Share of the cells that are missing, in all columns alike.",
    ),
)
