"""Counts 0, 1, 2, ... that vary more than Poisson: of one column, of one dispersion.

Model: x ~ NegativeBinomial(r, q), p(x) = C(x + r - 1, x) q^r (1-q)^x, r one for the column. Prior:
q ~ Beta(alpha, beta). Predictive: beta-negative-binomial. Poisson is the limit for large r: a
dispersion 1/r of 0, with beta and alpha/r as shape and rate of the gamma prior; such a column runs
on Poisson's formulas.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..jit import inlined, inner, spliced
from ..special import fast_lgamma
from .counted import CountedPrior
from .failures import (
    cache_failures,
    score_failures,
    score_failures_column,
    score_failures_without,
)
from .family import COUNT, Family, Kernels, Support, always
from .poisson import KERNELS as POISSON
from .poisson import N_ROWS, N_SUMS, PoissonPrior
from .poisson import score_column as _poisson_score_column
from .prior import CellCounts, Moments, Predictive, Weight, weighed
from .statistics import holds, merge_three_sums, points_of

_N, _SUM, _BASE = range(N_SUMS)

# The compiler knows functions by their names alone.
_poisson_add, _poisson_refresh = POISSON.add, POISSON.refresh
_poisson_score, _poisson_score_without = POISSON.score, POISSON.score_without
_poisson_log_marginal = POISSON.log_marginal

#: Dispersions 1/r that a column may have: r = 1/4 .. 64, and Poisson.
DISPERSIONS = (0.0, *(2.0**power for power in range(-6, 3)))


@dataclass(frozen=True)
class NegativeBinomialPrior(CountedPrior):
    """Beta prior of the success probability, and the column's dispersion.

    Parameters
    ----------
    successes, failures : float
        alpha and beta, pseudo-counts; without dispersion the pseudo-rows and the pseudo-events.
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
        """The dispersion under which one cluster of all rows is most probable.

        One pseudo-failure, and as many successes that the column's mean is expected: Poisson's
        default prior in the limit. The prior scale does not enter.
        """
        x, w = weighed(values, weight)
        x, which = np.unique(x, return_inverse=True)  # of a large table the same few over and over
        w = np.bincount(which, w)
        mean = float((w * x).sum() / w.sum()) if x.size and x.any() else 1.0
        priors = [cls(1.0 / mean, 1.0, 0.0)]
        priors += [cls(1.0 + 1.0 / (mean * d), 1.0, d) for d in DISPERSIONS if d > 0.0]
        return max(priors, key=lambda prior: prior.log_marginal(x, w))

    @property
    def is_rate(self) -> bool:
        """Whether a finite mixture treats it as a rate of events, not as a choice."""
        return self.dispersion == 0.0

    @property
    def limit(self) -> PoissonPrior:
        """The limit, of a prior without dispersion."""
        return PoissonPrior(self.failures, self.successes)

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(beta, alpha, r), r = 0 for Poisson, which then reads its own (alpha, beta)."""
        r = 1.0 / self.dispersion if self.dispersion else 0.0
        return np.array([self.failures, self.successes, r])

    def summary(self) -> dict[str, float]:
        """Mean and variance at the odds of the mean parameter."""
        mean = self.failures / (self.successes * (self.dispersion or 1.0))
        return {"mean": mean, "variance": mean * (1.0 + self.dispersion * mean)}

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the column at the point estimate."""
        return Moments.of_column(summary["mean"], summary["variance"])

    @property
    def pseudo(self) -> tuple[str, str]:
        """Of Poisson events come first, which here are failures."""
        return ("failures", "successes") if self.is_rate else ("successes", "failures")

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        """Count r successes and x failures."""
        if self.is_rate:
            return self.limit.cell_counts(x, present)
        r = 1.0 / self.dispersion
        rest = present * (gammaln(x + r) - gammaln(x + 1.0) - gammaln(r))
        return CellCounts.of_pairs(r * present, x, rest)

    def from_coefficients(self, coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Mean and variance by component."""
        if self.is_rate:
            mean = self.limit.from_coefficients(coefficients)["mean"]
        else:
            mean = np.exp(coefficients[:, 1] - coefficients[:, 0]) / self.dispersion
        return {"mean": mean, "variance": mean * (1.0 + self.dispersion * mean)}

    def predictive(self) -> Predictive:
        """Beta-negative-binomial; a mean needs more than 1 success, a variance 2."""
        if self.is_rate:
            return self.limit.predictive()
        a, b, r = self.successes, self.failures, 1.0 / self.dispersion
        mean = r * b / (a - 1.0) if a > 1.0 else self.summary()["mean"]
        variance = mean * (1.0 + self.dispersion * mean)
        if a > 2.0:
            variance = r * (r + a - 1.0) * b * (b + a - 1.0) / ((a - 2.0) * (a - 1.0) ** 2)
        mode = math.floor(max(r - 1.0, 0.0) * max(b - 1.0, 0.0) / (a + 1.0))
        return Predictive(float(mode), mean, variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Counts from the predictive, shape (size,)."""
        if self.is_rate:
            return self.limit.draw(size, random)
        # A gamma rate of shape r is what spreads the Poisson count.
        chance = np.maximum(random.beta(self.successes, self.failures, size), 1e-12)
        rate = random.gamma(1.0 / self.dispersion, (1.0 - chance) / chance)
        return random.poisson(np.minimum(rate, 1e15)).astype(np.float64)


@inner
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Put a count into the sums of cluster k, so many times; take it out where below 0."""
    r = prior[p + 2]
    _poisson_add(state, row, size, k, x, first, weight, prior, p, work)
    if r > 0.0:
        state[row + _BASE, k] += weight * (math.lgamma(x[first] + r) - math.lgamma(r))


@inner
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its sums."""
    r = prior[p + 2]
    if r == 0.0:
        _poisson_refresh(state, row, size, k, empty, weight, prior, p, work)
        return
    n = state[row + _N, k]
    alpha, beta = prior[p + 1] + n * r, prior[p] + state[row + _SUM, k]
    cache_failures(state, row + N_SUMS, k, alpha, beta, weight * r, holds(n, weight))


@inlined
def _base(value, r):
    """What of the log probability of a count depends on no cluster."""
    return fast_lgamma(value + r) - fast_lgamma(value + 1.0) - fast_lgamma(r)


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive probability of x under every cluster."""
    r = prior[p + 2]
    if r == 0.0:
        _poisson_score(state, row, size, n_states, x, first, weight, prior, p, out, work)
        return
    value, base = weight * x[first], weight * _base(x[first], r)
    score_failures(state, row + N_SUMS, n_states, value, base, out)


@spliced
def score_without(state, row, size, k, empty, x, first, weight, prior, p, work):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    r = prior[p + 2]
    if r == 0.0:
        return _poisson_score_without(state, row, size, k, empty, x, first, weight, prior, p, work)
    value, base = weight * x[first], weight * _base(x[first], r)
    return score_failures_without(state, row + N_SUMS, k, value, prior[p], base)


def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive probability of the counts of many rows under every cluster."""
    points, bases = spare[0], spare[1]
    for v in range(u, end):
        x, row, p = cells[v - u], units[v, 3], units[v, 4]
        r = prior[p + 2]
        m = points_of(x, n, points, codes)
        if r == 0.0:
            _poisson_score_column(
                state, row, weight, prior, p, m, n_states, n, own, spare, codes, lines, within
            )
            continue
        for i in range(m + 1):
            bases[i] = weight * _base(points[i], r)
        least = prior[p]
        score_failures_column(
            state, row + N_SUMS, weight, least, m, n_states, n, own, spare, codes, lines, within
        )


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    alpha_0, beta_0, r = prior[p + 1], prior[p], prior[p + 2]
    if r == 0.0:
        _poisson_log_marginal(state, row, size, k, n_states, prior, p, out, work)
        return
    constant = fast_lgamma(alpha_0 + beta_0) - fast_lgamma(alpha_0) - fast_lgamma(beta_0)
    constant += state[row + _BASE, k]
    for other in range(n_states):
        alpha = alpha_0 + (state[row + _N, k] + state[row + _N, other]) * r
        beta = beta_0 + state[row + _SUM, k] + state[row + _SUM, other]
        out[other] += constant + state[row + _BASE, other]
        out[other] += fast_lgamma(alpha) + fast_lgamma(beta) - fast_lgamma(alpha + beta)


KERNELS = Kernels(
    always(N_ROWS),
    always(N_SUMS),
    add,
    merge_three_sums,
    refresh,
    score,
    score_without,
    log_marginal,
    score_many,
)

FAMILY = Family(
    name="negative_binomial",
    label="count, widely spread (negative binomial)",
    help="Counts from 0 that vary more than Poisson; how much more is found for the column.",
    kind=COUNT,
    Prior=NegativeBinomialPrior,
    kernels=KERNELS,
    support=Support("a count", starts_at_zero=True, is_whole=True),
    mixture="linear",
)
