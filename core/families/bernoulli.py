"""Yes or no.

Model: x ~ Bernoulli(q). Prior: q ~ Beta(alpha, beta). Predictive: alpha/(alpha + beta). It runs on
the kernels of a category with the levels no = 0 and yes = 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .categorical import KERNELS
from .counted import CountedPrior
from .family import YES_NO, Family, Support
from .prior import CellCounts, Moments, Predictive, Weight, weighed


@dataclass(frozen=True)
class BernoulliPrior(CountedPrior):
    """Beta prior of the probability of yes.

    Parameters
    ----------
    yes, no : float
        alpha and beta, pseudo-counts.
    """

    yes: float
    no: float

    positive = ("yes", "no")
    #: Level 0 is no, level 1 is yes.
    pseudo = ("no", "yes")
    is_rate = False
    size = 2
    top = 1

    @classmethod
    def default(
        cls,
        values: np.ndarray,
        scale: float = 1.0,
        weight: Weight = 1.0,
        levels: tuple[object, ...] = (),
    ) -> BernoulliPrior:
        """Two pseudo-observations at the column's own rate, kept away from 0 and 1."""
        x, w = weighed(values, weight)
        rate = (float((w * x).sum()) + 0.5) / (float(w.sum()) + 1.0)
        return cls(2.0 * rate, 2.0 * (1.0 - rate))

    def summary(self) -> dict[str, float]:
        """Probability of yes."""
        return {"probability": self.yes / (self.yes + self.no)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the 0/1 number."""
        p = summary["probability"]
        return Moments.of_column(p, p * (1.0 - p))

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        """One of its level."""
        return CellCounts(x[:, None].astype(np.int32), present[:, None], 0.0)

    @staticmethod
    def from_coefficients(coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Probability of yes, by component."""
        return {"probability": np.exp(coefficients[:, 1])}

    def predictive(self) -> Predictive:
        """Probability of no and of yes."""
        return Predictive.of_levels(np.array([self.no, self.yes]) / (self.yes + self.no))

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Zeros and ones from the predictive, shape (size,)."""
        return (random.random(size) * (self.yes + self.no) < self.yes).astype(np.float64)


FAMILY = Family(
    name="bernoulli",
    label="yes/no",
    help="Two values.",
    kind=YES_NO,
    Prior=BernoulliPrior,
    kernels=KERNELS,
    support=Support("a yes/no code", starts_at_zero=True, is_whole=True),
    mixture="linear",
    options=("levels",),
    prior_options=("levels",),
)
