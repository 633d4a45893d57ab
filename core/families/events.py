"""Counts without an upper end, and waiting times; R16 eqs. (20) to (22) and (29) to (31).

Two misprints are corrected: the updates of (21) are exchanged, and the predictive of Poisson is
negative binomial with p = beta/(beta + 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from .counts import EVENTS, FAILURES, KERNELS, TIMES, CountsPrior
from .family import COUNT, MEASUREMENT, Family, Support
from .prior import Moments, Predictive, Spread, Weight, weighed

#: Dispersions 1/r that are tried: r = 1/4 .. 64, and Poisson.
DISPERSIONS = (0.0, *(2.0**power for power in range(-6, 3)))


@dataclass(frozen=True)
class PoissonPrior(CountsPrior):
    """Gamma prior of the rate.

    Parameters
    ----------
    shape, rate : float
        alpha (pseudo-events) and beta (pseudo-rows).
    """

    shape: float
    rate: float

    positive = ("shape", "rate")
    pseudo = ("shape", "rate")
    form = EVENTS
    per_cell = (0.0, 1.0)

    @classmethod
    def default(cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0) -> PoissonPrior:
        """One pseudo-event at the column's mean rate."""
        x, w = weighed(values, weight)
        mean = float((w * x).sum() / w.sum()) if x.size else 1.0
        return cls(1.0, 1.0 / mean if mean > 0 else 1.0)

    def rest(self, x: np.ndarray) -> np.ndarray:
        return -gammaln(x + 1.0)

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["mean"])

    @staticmethod
    def described(parameters: np.ndarray) -> dict[str, np.ndarray]:
        return {"mean": parameters[:, 0]}

    def predictive(self) -> Predictive:
        """Negative binomial; of two modes the larger."""
        mean = self.shape / self.rate
        mode = math.floor(max(self.shape - 1.0, 0.0) / self.rate)
        return Predictive(float(mode), mean, mean * (self.rate + 1.0) / self.rate)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return random.poisson(random.gamma(self.shape, 1.0 / self.rate, size)).astype(np.float64)


@dataclass(frozen=True)
class GeometricPrior(CountsPrior):
    """Beta prior of the success probability.

    Parameters
    ----------
    successes, failures : float
        alpha and beta, pseudo-counts.
    """

    successes: float
    failures: float

    positive = ("successes", "failures")
    pseudo = ("successes", "failures")
    form = FAILURES
    per_cell = (1.0, 0.0)

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0
    ) -> GeometricPrior:
        """Three pseudo-trials at the column's success rate."""
        x, w = weighed(values, weight)
        rate = (float(w.sum()) + 0.5) / (float(w.sum()) + float((w * x).sum()) + 1.0)
        return cls(3.0 * rate, 3.0 * (1.0 - rate))

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["mean"] * (1.0 + summary["mean"]))

    @staticmethod
    def described(parameters: np.ndarray) -> dict[str, np.ndarray]:
        success, failure = parameters.T
        return {"mean": failure / success, "probability": success}

    def predictive(self) -> Predictive:
        """Beta-geometric: mode 0; a mean needs more than 1 success, a variance 2."""
        a, b = self.successes, self.failures
        mean = b / (a - 1.0) if a > 1.0 else b / a
        variance = mean * (1.0 + mean)
        if a > 2.0:
            variance = a * b * (a + b - 1.0) / ((a - 2.0) * (a - 1.0) ** 2)
        return Predictive(0.0, mean, variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        chance = np.maximum(random.beta(self.successes, self.failures, size), 1e-12)
        return random.geometric(chance).astype(np.float64) - 1.0


@dataclass(frozen=True)
class NegativeBinomialPrior(CountsPrior):
    """Beta prior of the success probability, with the column's dispersion.

    Parameters
    ----------
    successes, failures : float
        alpha and beta, pseudo-counts; without dispersion pseudo-rows and pseudo-events.
    dispersion : float
        1/r: the variance of counts of mean m is m + m^2/r. 0 is Poisson.
    """

    successes: float
    failures: float
    dispersion: float

    positive = ("successes", "failures")
    n_learned = 2  # mean and dispersion

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dispersion < 0:
            raise ValueError(
                f"NegativeBinomialPrior: dispersion must be 0 or more, not {self.dispersion}."
            )

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0
    ) -> NegativeBinomialPrior:
        """One pseudo-failure at the column's mean, with the dispersion of highest evidence."""
        x, w = weighed(values, weight)
        x, which = np.unique(x, return_inverse=True)  # a large table repeats a few values
        w = np.bincount(which, w)
        mean = float((w * x).sum() / w.sum()) if x.size and x.any() else 1.0
        priors = [cls(1.0 / mean, 1.0, 0.0)]
        priors += [cls(1.0 + 1.0 / (mean * d), 1.0, d) for d in DISPERSIONS if d > 0.0]
        return max(priors, key=lambda prior: prior.log_marginal(x, w))

    @property
    def limit(self) -> PoissonPrior:
        """Poisson prior that a prior without dispersion is."""
        return PoissonPrior(self.failures, self.successes)

    @property
    def form(self) -> int:
        return FAILURES if self.dispersion else EVENTS

    @property
    def per_cell(self) -> tuple[float, float]:
        return (1.0 / self.dispersion, 0.0) if self.dispersion else PoissonPrior.per_cell

    @property
    def pseudo(self) -> tuple[str, str]:
        """Poisson names events first, which here are failures."""
        return ("successes", "failures") if self.dispersion else ("failures", "successes")

    def rest(self, x: np.ndarray) -> np.ndarray:
        if not self.dispersion:
            return self.limit.rest(x)
        r = 1.0 / self.dispersion
        return gammaln(x + r) - gammaln(x + 1.0) - gammaln(r)

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["variance"])

    def described(self, parameters: np.ndarray) -> dict[str, np.ndarray]:
        mean = parameters[:, 0]
        if self.dispersion:
            mean = parameters[:, 1] / parameters[:, 0] / self.dispersion
        return {"mean": mean, "variance": mean * (1.0 + self.dispersion * mean)}

    def predictive(self) -> Predictive:
        """Beta-negative-binomial; a mean needs more than 1 success, a variance 2."""
        if not self.dispersion:
            return self.limit.predictive()
        a, b, r = self.successes, self.failures, 1.0 / self.dispersion
        mean = r * b / (a - 1.0) if a > 1.0 else self.summary()["mean"]
        variance = mean * (1.0 + self.dispersion * mean)
        if a > 2.0:
            variance = r * (r + a - 1.0) * b * (b + a - 1.0) / ((a - 2.0) * (a - 1.0) ** 2)
        mode = math.floor(max(r - 1.0, 0.0) * max(b - 1.0, 0.0) / (a + 1.0))
        return Predictive(float(mode), mean, variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        if not self.dispersion:
            return self.limit.draw(size, random)
        # A gamma rate of shape r gives the Poisson count its dispersion.
        chance = np.maximum(random.beta(self.successes, self.failures, size), 1e-12)
        rate = random.gamma(1.0 / self.dispersion, (1.0 - chance) / chance)
        return random.poisson(np.minimum(rate, 1e15)).astype(np.float64)


@dataclass(frozen=True)
class ExponentialPrior(CountsPrior):
    """Gamma prior of the rate.

    Parameters
    ----------
    shape, rate : float
        alpha and beta; ``rate`` in the column's units.
    """

    shape: float
    rate: float

    positive = ("shape", "rate")
    pseudo = ("shape", "rate")
    form = TIMES
    per_cell = (1.0, 0.0)

    @classmethod
    def default_of(cls, spread: Spread, scale: float = 1.0) -> ExponentialPrior:
        """One pseudo-observation at the column's mean."""
        mean = float(spread.mean[0])
        return cls(1.0, mean if mean > 0 else 1.0)

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        return Moments.of_column(summary["mean"], summary["mean"] ** 2)

    @staticmethod
    def described(parameters: np.ndarray) -> dict[str, np.ndarray]:
        return {"mean": 1.0 / parameters[:, 0]}

    def predictive(self) -> Predictive:
        """Lomax: mode 0; a mean needs shape above 1, a variance shape above 2."""
        mean = self.rate / (self.shape - 1.0) if self.shape > 1.0 else self.rate / self.shape
        widen = self.shape / (self.shape - 2.0) if self.shape > 2.0 else 1.0
        return Predictive(0.0, mean, widen * mean**2)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        return random.exponential(1.0 / random.gamma(self.shape, 1.0 / self.rate, size))


POISSON = Family(
    name="poisson",
    label="count (Poisson)",
    help="Events counted from 0 without an upper end, spread about as wide as the mean.",
    kind=COUNT,
    Prior=PoissonPrior,
    kernels=KERNELS,
    support=Support("a count", starts_at_zero=True, is_whole=True),
    mixture="linear",
)

GEOMETRIC = Family(
    name="geometric",
    label="count, long tail (geometric)",
    help="Counts from 0 with many zeros and a long tail.",
    kind=COUNT,
    Prior=GeometricPrior,
    kernels=KERNELS,
    support=Support("a count", starts_at_zero=True, is_whole=True),
    mixture="linear",
)

NEGATIVE_BINOMIAL = Family(
    name="negative_binomial",
    label="count, widely spread (negative binomial)",
    help="Counts from 0 that vary more than Poisson; how much more is found for the column.",
    kind=COUNT,
    Prior=NegativeBinomialPrior,
    kernels=KERNELS,
    support=Support("a count", starts_at_zero=True, is_whole=True),
    mixture="linear",
)

EXPONENTIAL = Family(
    name="exponential",
    label="waiting time (exponential)",
    help="Non-negative times or amounts, many small and few large.",
    kind=MEASUREMENT,
    Prior=ExponentialPrior,
    kernels=KERNELS,
    support=Support("a waiting time", starts_at_zero=True),
    mixture="linear",
    is_imputed=True,
)
