"""Yes or no, and successes out of t trials: x ~ Binomial(t, q), q ~ Beta; R16 (25) to (27)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from .counts import KERNELS, SHARES, CountsPrior
from .family import RATING, YES_NO, Family, Support
from .prior import Moments, Predictive, Weight, weighed


@dataclass(frozen=True)
class BernoulliPrior(CountsPrior):
    """Beta prior of the probability of yes.

    Parameters
    ----------
    yes, no : float
        alpha and beta, pseudo-counts.
    """

    yes: float
    no: float

    positive = ("yes", "no")
    pseudo = ("yes", "no")
    form = SHARES
    per_cell = (0.0, 1.0)
    top = 1

    @classmethod
    def default(
        cls,
        values: np.ndarray,
        scale: float = 1.0,
        weight: Weight = 1.0,
        levels: tuple[object, ...] = (),
    ) -> BernoulliPrior:
        """Two pseudo-counts at the column's rate, kept away from 0 and 1."""
        x, w = weighed(values, weight)
        rate = (float((w * x).sum()) + 0.5) / (float(w.sum()) + 1.0)
        return cls(2.0 * rate, 2.0 * (1.0 - rate))

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        p = summary["probability"]
        return Moments.of_column(p, p * (1.0 - p))

    @staticmethod
    def described(parameters: np.ndarray) -> dict[str, np.ndarray]:
        return {"probability": parameters[:, 0]}

    def predictive(self) -> Predictive:
        return Predictive.of_levels(np.array([self.no, self.yes]) / (self.yes + self.no))

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return (random.random(size) * (self.yes + self.no) < self.yes).astype(np.float64)


@dataclass(frozen=True)
class BinomialPrior(CountsPrior):
    """Beta prior of the success probability.

    Parameters
    ----------
    yes, no : float
        alpha and beta, pseudo-counts of single trials.
    trials : int
        t, the largest value the column can take.
    """

    yes: float
    no: float
    trials: int

    positive = ("yes", "no", "trials")
    pseudo = ("yes", "no")
    form = SHARES

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0, trials: int | None = None
    ) -> BinomialPrior:
        """Two pseudo-trials at the column's rate, kept away from 0 and 1."""
        x, w = weighed(values, weight)
        if trials is None:
            trials = max(int(x.max(initial=1.0)), 1)
        rate = (float((w * x).sum()) + 0.5) / (float(w.sum()) * trials + 1.0)
        return cls(2.0 * rate, 2.0 * (1.0 - rate), int(trials))

    @property
    def top(self) -> int:
        return self.trials

    @property
    def per_cell(self) -> tuple[float, float]:
        return 0.0, float(self.trials)

    def rest(self, x: np.ndarray) -> np.ndarray:
        t = self.trials
        return gammaln(t + 1.0) - gammaln(x + 1.0) - gammaln(t - x + 1.0)

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["mean"] * (1.0 - summary["probability"]))

    def described(self, parameters: np.ndarray) -> dict[str, np.ndarray]:
        success = parameters[:, 0]
        return {"mean": success * self.trials, "probability": success}

    def predictive(self) -> Predictive:
        total, trials = self.yes + self.no, self.trials
        x = np.arange(trials)
        steps = np.log((trials - x) * (self.yes + x) / ((x + 1.0) * (self.no + trials - x - 1.0)))
        mode = int(np.argmax(np.concatenate([[0.0], np.cumsum(steps)])))
        rate = self.yes / total
        variance = trials * rate * (1.0 - rate) * (total + trials) / (total + 1.0)
        return Predictive(float(mode), trials * rate, variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return random.binomial(self.trials, random.beta(self.yes, self.no, size)).astype(np.float64)


BERNOULLI = Family(
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

BINOMIAL = Family(
    name="binomial",
    label="rating (binomial)",
    help="An ordered scale from 0 to a fixed top, or successes out of that many trials.",
    kind=RATING,
    Prior=BinomialPrior,
    kernels=KERNELS,
    support=Support("a rating", starts_at_zero=True, is_whole=True),
    mixture="linear",
    options=("levels",),
    prior_options=("trials",),
)
