"""Counts of failures before the first success: 0, 1, 2, ... with a long tail.

Model: x ~ Geometric(q), p(x) = q (1-q)^x. Prior: q ~ Beta(alpha, beta).
R16 equations (30) and (31).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import inner, spliced
from ..special import fast_lgamma
from .counted import CountedPrior
from .failures import (
    N_CACHED,
    cache_failures,
    score_failures,
    score_failures_column,
    score_failures_without,
)
from .family import COUNT, Family, Kernels, Support, always
from .prior import CellCounts, Moments, Predictive, Weight, weighed
from .statistics import holds, merge_two_sums, points_of

N_SUMS = 2
_N, _SUM = range(N_SUMS)


@dataclass(frozen=True)
class GeometricPrior(CountedPrior):
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
    is_rate = False

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0
    ) -> GeometricPrior:
        """Three pseudo-trials at the column's own success rate."""
        x, w = weighed(values, weight)
        rate = (float(w.sum()) + 0.5) / (float(w.sum()) + float((w * x).sum()) + 1.0)
        return cls(3.0 * rate, 3.0 * (1.0 - rate))

    def summary(self) -> dict[str, float]:
        """Failures for each success, and the success probability."""
        return {
            "mean": self.failures / self.successes,
            "probability": self.successes / (self.successes + self.failures),
        }

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the column at the point estimate."""
        return Moments.of_column(summary["mean"], summary["mean"] * (1.0 + summary["mean"]))

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        """One success and x failures."""
        return CellCounts.of_pairs(present, x)

    @staticmethod
    def from_coefficients(coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Failures for each success, and the success probability, by component."""
        success, failure = np.exp(coefficients).T
        return {"mean": failure / success, "probability": success}

    def predictive(self) -> Predictive:
        """Beta-geometric: its mode is 0; a mean needs more than 1 success, a variance 2."""
        a, b = self.successes, self.failures
        mean = b / (a - 1.0) if a > 1.0 else b / a
        variance = mean * (1.0 + mean)
        if a > 2.0:
            variance = a * b * (a + b - 1.0) / ((a - 2.0) * (a - 1.0) ** 2)
        return Predictive(0.0, mean, variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Counts from the predictive, shape (size,)."""
        chance = np.maximum(random.beta(self.successes, self.failures, size), 1e-12)
        return random.geometric(chance).astype(np.float64) - 1.0


@inner
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Put a count into the sums of cluster k, so many times; take it out where below 0."""
    state[row + _N, k] += weight
    state[row + _SUM, k] += weight * x[first]


@inner
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k from its sums."""
    n = state[row + _N, k]
    alpha, beta = prior[p] + n, prior[p + 1] + state[row + _SUM, k]
    cache_failures(state, row + N_SUMS, k, alpha, beta, weight, holds(n, weight))


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive probability of x under every cluster."""
    score_failures(state, row + N_SUMS, n_states, weight * x[first], 0.0, out)


@spliced
def score_without(state, row, size, k, empty, x, first, weight, prior, p, work):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    return score_failures_without(state, row + N_SUMS, k, weight * x[first], prior[p + 1], 0.0)


def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive probability of the counts of many rows under every cluster."""
    points, bases = spare[0], spare[1]
    for v in range(u, end):
        m, at = points_of(cells[v - u], n, points, codes), units[v, 3] + N_SUMS
        for i in range(m + 1):
            bases[i] = 0.0
        least = prior[units[v, 4] + 1]
        score_failures_column(
            state, at, weight, least, m, n_states, n, own, spare, codes, lines, within
        )


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    constant = (
        fast_lgamma(prior[p] + prior[p + 1]) - fast_lgamma(prior[p]) - fast_lgamma(prior[p + 1])
    )
    alpha_k = prior[p] + state[row + _N, k]
    beta_k = prior[p + 1] + state[row + _SUM, k]
    for other in range(n_states):
        alpha = alpha_k + state[row + _N, other]
        beta = beta_k + state[row + _SUM, other]
        out[other] += constant + fast_lgamma(alpha) + fast_lgamma(beta) - fast_lgamma(alpha + beta)


KERNELS = Kernels(
    always(N_SUMS + N_CACHED),
    always(N_SUMS),
    add,
    merge_two_sums,
    refresh,
    score,
    score_without,
    log_marginal,
    score_many,
)

FAMILY = Family(
    name="geometric",
    label="count, long tail (geometric)",
    help="Counts from 0 with many zeros and a long tail.",
    kind=COUNT,
    Prior=GeometricPrior,
    kernels=KERNELS,
    support=Support("a count", starts_at_zero=True, is_whole=True),
    mixture="linear",
)
