"""Income beside age: what a column's unit, or its spread, does to a distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .taught import Drawn, Knob

INCOME, AGE = "income (euros)", "age (years)"
#: Median income of the two groups, and its standard deviation in either.
MEDIANS, SD = (22_000.0, 38_000.0), 3_000.0
#: Of the rows, those with a top income; and what times the knob a top income is.
TOP_SHARE, TOP = 0.02, 30_000.0


class Incomes(Drawn):
    """Two groups told apart by income alone; the knob is how high the top incomes are."""

    origin = "Drawn: two groups by income, of all ages."

    def specs(self, value: float) -> Mapping[str, Mapping[str, Any]]:
        """Income and age."""
        return {INCOME: {"family": "normal"}, AGE: {"family": "normal"}}

    def names(self, value: float) -> list[str]:
        """The two groups, and those with a top income once there are any."""
        return ["lower incomes", "higher incomes", *(["top incomes"] if value > 0.0 else [])]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw both groups, and 2 % top incomes in one place; ages are alike in all."""
        top = round(TOP_SHARE * n) if value > 0.0 else 0
        truth = np.concatenate([np.sort(np.arange(n - top) % 2), np.full(top, 2)])
        middles = np.array([*MEDIANS, TOP * value])
        income = middles[truth] + SD * random.standard_normal(n)
        age = 45.0 + 9.0 * random.standard_normal(n)
        return np.column_stack([income, age]), truth


INCOMES = Incomes(
    "units",
    "Income beside age",
    "K-means adds up squares of years and squares of euros, so the unit decides who counts. To "
    "divide each column by its standard deviation, as this page does, is a choice of unit, too: "
    "the spread of all rows, its extremes included.",
    Knob(
        "top_incomes",
        "Top incomes",
        0.0,
        14.0,
        0.0,
        "Income of 2 % of the rows, in 30,000 euros; 0 draws none of them.",
    ),
)
