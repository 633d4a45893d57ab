"""Counts and waiting times: ln p(x) = s_1(x) c_1 + s_2(x) c_2 + ln h(x), s(x) = a + b x.

Successes and failures of a chance q, c = (ln q, ln(1 - q)), or events and exposure of a rate, c =
(ln lambda, -lambda); R16 Appendix A, eqs. (20) to (22), (25) to (27) and (29) to (31). Two
misprints are corrected: the updates of (21) are exchanged, and the predictive of Poisson is
negative binomial with p = beta/(beta + 1). The variance of x is v_1 m + v_2 m^2 at a mean of m, and
so the predictive has moments in closed form (Morris 1983).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln

from .categorical import CountedPrior
from .count_kernels import EVENTS, FAILURES, KERNELS, SHARES, TIMES
from .family import COUNT, MEASUREMENT, RATING, YES_NO, Support
from .prior import Moments, Predictive, Weight, observed_cells
from .sufficient import Sums

#: b by form.
_B = {SHARES: (1.0, -1.0), FAILURES: (0.0, 1.0), EVENTS: (1.0, 0.0), TIMES: (0.0, 1.0)}
#: Dispersions 1/r that are tried: r = 1/4 .. 64, and Poisson.
DISPERSIONS = (0.0, *(2.0**power for power in range(-6, 3)))
_COUNT = Support("a count", starts_at_zero=True, is_whole=True)


@dataclass(frozen=True)
class CountsPrior(CountedPrior):
    """Two pseudo-counts, of which all else follows."""

    kernels = KERNELS
    #: One of the four of ``count_kernels``.
    form: ClassVar[int]
    #: Keys of ``summary``: "mean", "probability", "variance".
    summary_names: ClassVar[tuple[str, ...]]
    #: Sum of the pseudo-counts of a chance's default prior.
    default_count: ClassVar[float] = 2.0

    @classmethod
    def default(
        cls,
        values: np.ndarray,
        scale: float = 1.0,
        weight: Weight = 1.0,
        levels: tuple[object, ...] = (),
        **facts: Any,
    ) -> Self:
        """Prior at the column's chance, kept away from 0 and 1, or of one event at its rate."""
        x, w = observed_cells(values, weight)
        flat = cls(1.0, 1.0, **facts)
        counts = flat._counts_of(float(w.sum()), float((w * x).sum()))
        if flat.is_rate:
            mean = counts[0] / counts[1] if counts.all() else 1.0
            return flat.with_pseudo_counts(np.array([1.0, 1.0 / mean]))
        share = (counts[0] + 0.5) / (counts.sum() + 1.0)
        return flat.with_pseudo_counts(cls.default_count * np.array([share, 1.0 - share]))

    @property
    def is_rate(self) -> bool:
        return self.form in (EVENTS, TIMES)

    @property
    def per_cell(self) -> tuple[float, float]:
        """The two counts of a cell of 0: a."""
        return (0.0, float(self.top or 1)) if self.form in (SHARES, EVENTS) else (1.0, 0.0)

    @property
    def size(self) -> int:
        return 0 if self.top is None else self.top + 1

    def _counts_of(self, n: np.ndarray | float, total: np.ndarray | float) -> np.ndarray:
        """Counts, (2, ...), of n values with this total."""
        pairs = zip(self.per_cell, _B[self.form], strict=True)
        return np.array([a * n + b * total for a, b in pairs])

    def _values_of(self, first: Any, second: Any) -> tuple[Any, Any]:
        """Number and total of the values that have these counts."""
        (a_1, a_2), (b_1, b_2) = self.per_cell, _B[self.form]
        scale = a_1 * b_2 - a_2 * b_1
        return (first * b_2 - second * b_1) / scale, (second * a_1 - first * a_2) / scale

    def cell_counts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.broadcast_to([0, 1], (x.size, 2)), self._counts_of(1.0, x).T

    def read_statistic(self, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Sums:
        return Sums(np.vstack([self._counts_of(*state), np.zeros_like(state[0])]))

    def packed(self, center: float, scale: float) -> np.ndarray:
        """The counts, the form, a and b; data are not rescaled."""
        return np.array([*self.pseudo_counts(), self.form, *self.per_cell, *_B[self.form]])

    def log_base_measure(self, x: np.ndarray) -> np.ndarray | float:
        per_cell = max(self.per_cell)
        if self.form == EVENTS:
            return -gammaln(x + 1.0)
        if per_cell == 1.0:  # there is one arrangement
            return 0.0
        if self.form == SHARES:
            return gammaln(per_cell + 1.0) - gammaln(x + 1.0) - gammaln(per_cell - x + 1.0)
        return gammaln(x + per_cell) - gammaln(x + 1.0) - gammaln(per_cell)

    def _variance(self, mean: Any) -> Any:
        """v_1 m + v_2 m^2."""
        return (self.form != TIMES) * mean + self._curvature * mean * mean

    @property
    def _curvature(self) -> float:
        if self.form == EVENTS:
            return 0.0
        return (-1.0 if self.form == SHARES else 1.0) / max(self.per_cell)

    def describe(self, parameters: np.ndarray) -> dict[str, np.ndarray]:
        first, second = (parameters[:, 0], 1.0) if self.is_rate else parameters.T
        n, total = self._values_of(first, second)
        values = {"mean": total / n, "probability": first, "variance": self._variance(total / n)}
        return {name: values[name] for name in self.summary_names}

    @classmethod
    def moments(cls, summary: Mapping[str, Any]) -> Moments:
        chance = summary.get("probability", 0.0)
        mean = summary.get("mean", chance)
        variance = {SHARES: mean * (1.0 - chance), FAILURES: mean + mean**2, TIMES: mean**2}
        return Moments.of_column(mean, summary.get("variance", variance.get(cls.form, mean)))

    def predictive(self) -> Predictive:
        """Mean and variance where they exist, else those at the mean parameter."""
        first, second = self.pseudo_counts().tolist()
        if self.form in (FAILURES, TIMES) and first > 1.0:  # the mean of one over a parameter
            first -= 1.0
        n, total = self._values_of(first, second)
        mean = total / n
        variance = self._variance(mean)
        if n > max(self._curvature, 0.0):
            variance *= (n + 1.0) / (n - self._curvature)
        return Predictive(float(self._mode()), mean, variance)

    def _mode(self) -> float:
        """Of several modes the larger of rates, the smallest of shares."""
        first, second = self.pseudo_counts().tolist()
        if self.form == SHARES:
            x = np.arange(float(self.size))
            after = self.pseudo_counts()[:, None] + self._counts_of(1.0, x)
            return np.argmax(self.log_normaliser(after) + self.log_base_measure(x))
        if self.form == EVENTS:
            return math.floor(max(first - 1.0, 0.0) / second)
        r = self.per_cell[0]
        return math.floor(max(r - 1.0, 0.0) * max(second - 1.0, 0.0) / (first + 1.0))

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        first, second = self.pseudo_counts()
        if self.form == SHARES:
            return random.binomial(self.top, random.beta(first, second, size)).astype(np.float64)
        if self.form == FAILURES:  # a gamma rate of shape r gives the Poisson count its dispersion
            chance = np.maximum(random.beta(first, second, size), 1e-12)
            rate = random.gamma(self.per_cell[0], (1.0 - chance) / chance)
        else:
            rate = random.gamma(first, 1.0 / second, size)
        if self.form == TIMES:
            return random.gamma(max(self.per_cell), 1.0 / rate)
        return random.poisson(np.minimum(rate, 1e15)).astype(np.float64)


@dataclass(frozen=True)
class BernoulliPrior(CountsPrior):
    """Beta prior of the probability of yes; ``yes`` and ``no``, alpha and beta: pseudo-counts."""

    name = "bernoulli"
    label = "yes/no"
    help = "Two values."
    kind = YES_NO
    is_nominal = True
    support = Support("a yes/no code", starts_at_zero=True, is_whole=True)
    options = prior_options = ("levels",)

    yes: float
    no: float

    positive = pseudo = ("yes", "no")
    form = SHARES
    summary_names = ("probability",)
    top = 1

    def predictive(self) -> Predictive:
        return Predictive.of_levels(np.array([self.no, self.yes]) / (self.yes + self.no))


@dataclass(frozen=True)
class BinomialPrior(CountsPrior):
    """Beta prior of the success probability of single trials.

    ``yes`` and ``no``, alpha and beta, are pseudo-counts of single trials; ``trials``, t, is the
    largest value that the column can take.
    """

    name = "binomial"
    label = "rating (binomial)"
    help = "An ordered scale from 0 to a fixed top, or successes out of that many trials."
    kind = RATING
    support = Support("a rating", starts_at_zero=True, is_whole=True)
    options = ("levels",)
    prior_options = ("trials",)

    yes: float
    no: float
    trials: int

    positive = ("yes", "no", "trials")
    pseudo = ("yes", "no")
    form = SHARES
    summary_names = ("mean", "probability")

    @property
    def top(self) -> int:
        return self.trials


@dataclass(frozen=True)
class PoissonPrior(CountsPrior):
    """Gamma prior of the rate: ``shape``, alpha, pseudo-events, and ``rate``, beta, pseudo-rows."""

    name = "poisson"
    label = "count (Poisson)"
    help = "Events counted from 0 without an upper end, spread about as wide as the mean."
    kind = COUNT
    support = _COUNT

    shape: float
    rate: float

    positive = pseudo = ("shape", "rate")
    form = EVENTS
    summary_names = ("mean",)


@dataclass(frozen=True)
class GeometricPrior(CountsPrior):
    """Beta prior of the success probability: pseudo-counts alpha and beta."""

    name = "geometric"
    label = "count, long tail (geometric)"
    help = "Counts from 0 with many zeros and a long tail."
    kind = COUNT
    support = _COUNT

    successes: float
    failures: float

    positive = pseudo = ("successes", "failures")
    form = FAILURES
    summary_names = ("mean", "probability")
    default_count = 3.0


@dataclass(frozen=True)
class NegativeBinomialPrior(CountsPrior):
    """Beta prior of the success probability, with the column's dispersion.

    ``successes`` and ``failures``, alpha and beta, are pseudo-counts; ``dispersion`` is 1/r: the
    variance of counts of mean m is m + m^2/r. At 0, which is Poisson, they are pseudo-rows and
    pseudo-events.
    """

    name = "negative_binomial"
    label = "count, widely spread (negative binomial)"
    help = "Counts from 0 that vary more than Poisson; how much more is found for the column."
    kind = COUNT
    support = _COUNT

    successes: float
    failures: float
    dispersion: float

    positive = ("successes", "failures")
    n_learned = 2  # mean and dispersion
    summary_names = ("mean", "variance")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dispersion < 0:
            raise ValueError(
                f"NegativeBinomialPrior: dispersion must be 0 or more, not {self.dispersion}."
            )

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0, **facts: Any
    ) -> Self:
        """One pseudo-failure at the column's mean, with the dispersion of highest evidence."""
        x, w = observed_cells(values, weight)
        x, which = np.unique(x, return_inverse=True)  # a large table repeats a few values
        w = np.bincount(which, w)
        mean = float((w * x).sum() / w.sum()) if x.size and x.any() else 1.0
        priors = [cls(1.0 / mean, 1.0, 0.0)]
        priors += [cls(1.0 + 1.0 / (mean * d), 1.0, d) for d in DISPERSIONS if d > 0.0]
        return max(priors, key=lambda prior: prior.log_marginal(x, w))

    @property
    def form(self) -> int:
        return FAILURES if self.dispersion else EVENTS

    @property
    def per_cell(self) -> tuple[float, float]:
        return (1.0 / self.dispersion, 0.0) if self.dispersion else (0.0, 1.0)

    @property
    def pseudo(self) -> tuple[str, str]:
        """Poisson names events first, which here are failures."""
        return ("successes", "failures") if self.dispersion else ("failures", "successes")


@dataclass(frozen=True)
class ExponentialPrior(CountsPrior):
    """Gamma prior of the rate: ``shape``, alpha, and ``rate``, beta, in the column's units."""

    name = "exponential"
    label = "waiting time (exponential)"
    help = "Non-negative times or amounts, many small and few large."
    kind = MEASUREMENT
    support = Support("a waiting time", starts_at_zero=True)

    shape: float
    rate: float

    positive = pseudo = ("shape", "rate")
    form = TIMES
    summary_names = ("mean",)
