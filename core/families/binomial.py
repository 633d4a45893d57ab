"""Ratings and counts out of t trials.

Model: x ~ Binomial(t, q). Prior: q ~ Beta(alpha, beta). Predictive: beta-binomial. R16 equations
(25) to (27). The predictive of every value 0..t is tabulated, so scoring a cell is a look-up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..jit import inner, spliced
from ..special import fast_lgamma
from .counted import CountedPrior
from .family import RATING, Family, Kernels, Support
from .prior import CellCounts, Moments, Predictive, Weight, weighed
from .statistics import look_up_many, merge_three_sums

N_SUMS = 3
_N, _SUM, _BASE = range(N_SUMS)


@dataclass(frozen=True)
class BinomialPrior(CountedPrior):
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
    is_rate = False

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, weight: Weight = 1.0, trials: int | None = None
    ) -> BinomialPrior:
        """Two pseudo-trials at the column's own rate, kept away from 0 and 1."""
        x, w = weighed(values, weight)
        if trials is None:
            trials = max(int(x.max(initial=1.0)), 1)
        rate = (float((w * x).sum()) + 0.5) / (float(w.sum()) * trials + 1.0)
        return cls(2.0 * rate, 2.0 * (1.0 - rate), int(trials))

    def summary(self) -> dict[str, float]:
        """Mean score, and the probability of success in one trial."""
        probability = self.yes / (self.yes + self.no)
        return {"mean": probability * self.trials, "probability": probability}

    @property
    def size(self) -> int:
        """Trials, on which the state rows depend."""
        return self.trials

    @property
    def top(self) -> int:
        """The highest score."""
        return self.trials

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        """Mean and variance of the column at the point estimate."""
        return Moments.of_column(summary["mean"], summary["mean"] * (1.0 - summary["probability"]))

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        """Count x successes and t - x failures."""
        t = self.trials
        base = gammaln(t + 1.0) - gammaln(x + 1.0) - gammaln(t - x + 1.0)
        return CellCounts.of_pairs(x, t * present - x, base * present)

    def from_coefficients(self, coefficients: np.ndarray) -> dict[str, np.ndarray]:
        """Mean score, and the probability of success in one trial, by component."""
        success = np.exp(coefficients[:, 0])
        return {"mean": success * self.trials, "probability": success}

    def predictive(self) -> Predictive:
        """Beta-binomial."""
        total, trials = self.yes + self.no, self.trials
        x = np.arange(trials)
        steps = np.log((trials - x) * (self.yes + x) / ((x + 1.0) * (self.no + trials - x - 1.0)))
        mode = int(np.argmax(np.concatenate([[0.0], np.cumsum(steps)])))
        rate = self.yes / total
        variance = trials * rate * (1.0 - rate) * (total + trials) / (total + 1.0)
        return Predictive(float(mode), trials * rate, variance)

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Values 0..t from the predictive, shape (size,)."""
        return random.binomial(self.trials, random.beta(self.yes, self.no, size)).astype(np.float64)


def rows(trials: int) -> int:
    """State rows of a column with that many trials.

    They hold three sums, t + 1 log predictives, and t + 1 of one such value given the others.
    """
    return N_SUMS + 2 * (trials + 1)


def n_statistics(trials: int) -> int:
    """How many of them, the first ones, are sufficient statistics; ``refresh`` makes the rest."""
    return N_SUMS


@inner
def log_choose(trials, x):
    """Logarithm of the binomial coefficient, by factors while they are few."""
    fewer = min(x, trials - x)
    if fewer > 30.0:
        return math.lgamma(trials + 1.0) - math.lgamma(x + 1.0) - math.lgamma(trials - x + 1.0)
    ways = 1.0
    for j in range(int(fewer)):
        ways *= (trials - j) / (j + 1.0)
    return math.log(ways)


@inner
def _log_rising(start, steps):
    """Ln [start (start + 1) ... (start + steps - 1)], in one logarithm while it is in range."""
    log_p = 0.0
    product = 1.0
    for j in range(steps):
        product *= start + j
        if product < 1e-200 or product > 1e200:
            log_p += math.log(product)
            product = 1.0
    return log_p + math.log(product)


@inner
def add(state, row, trials, k, x, first, weight, prior, p, work):
    """Put a value into the sums of cluster k, so many times; take it out where below 0."""
    state[row + _N, k] += weight
    state[row + _SUM, k] += weight * x[first]
    state[row + _BASE, k] += weight * log_choose(trials, x[first])


@inner
def refresh(state, row, trials, k, empty, weight, prior, p, work):
    """Tabulate the log predictive of every value in cluster k, and of its values left out."""
    alpha = prior[p] + state[row + _SUM, k]
    beta = prior[p + 1] + state[row + _N, k] * trials - state[row + _SUM, k]
    table = row + N_SUMS
    if weight != 1.0:
        _tabulate_power(state, table, trials, k, alpha, beta, weight)
        return
    log_p = _log_rising(beta, trials) - _log_rising(alpha + beta, trials)
    state[table, k] = log_p
    for x in range(trials):  # each from the one before it
        log_p += math.log((trials - x) * (alpha + x) / ((x + 1.0) * (beta + (trials - x - 1.0))))
        state[table + x + 1, k] = log_p
    _refresh_without(state, table + trials + 1, trials, k, alpha, beta)


@inner
def _tabulate_power(state, table, trials, k, alpha, beta, weight):
    """Both tables for rows of another weight than 1, which no recurrence gives."""
    before = math.lgamma(alpha + beta) - math.lgamma(alpha) - math.lgamma(beta)
    after = math.lgamma(alpha + beta + weight * trials)
    earlier = alpha + beta - weight * trials
    for x in range(trials + 1):
        choices = weight * log_choose(trials, float(x))
        yes, no = weight * x, weight * (trials - x)
        state[table + x, k] = (
            choices + before + math.lgamma(alpha + yes) + math.lgamma(beta + no) - after
        )
        log_p = 0.0
        if alpha > yes and beta > no:
            log_p = choices - before - math.lgamma(alpha - yes) - math.lgamma(beta - no)
            log_p += math.lgamma(earlier)
        state[table + trials + 1 + x, k] = log_p


@inner
def _refresh_without(state, table, trials, k, alpha, beta):
    """Tabulate the log predictive of every value that the cluster could have without it.

    Without x the posterior is Beta(alpha - x, beta - t + x); where that does not exist, the
    cluster has no such value.
    """
    first = np.int64(max(0.0, math.floor(trials - beta) + 1.0))
    log_p = 0.0
    for x in range(trials + 1):
        if x < first or alpha - x <= 0.0:
            state[table + x, k] = 0.0
            continue
        if x == first:
            log_p = log_choose(trials, float(x)) - _log_rising(alpha + beta - trials, trials)
            log_p += _log_rising(alpha - x, x) + _log_rising(beta - trials + x, trials - x)
        else:
            log_p += math.log((trials - x + 1.0) * (alpha - x) / (x * (beta - trials + x - 1.0)))
        state[table + x, k] = log_p


@spliced
def score(state, row, trials, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive probability of x under every cluster."""
    table = row + N_SUMS + int(x[first])
    for k in range(n_states):
        out[k] += state[table, k]


@spliced
def score_without(state, row, trials, k, empty, x, first, weight, prior, p, work):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    return state[row + N_SUMS + trials + 1 + int(x[first]), k]


def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive probability of the values of many rows under every cluster."""
    for v in range(u, end):
        levels, top = units[v, 2] + 1, units[v, 3] + N_SUMS
        look_up_many(state, top, levels, n_states, n, own, cells[v - u], lines, within, codes)


@inner
def log_marginal(state, row, trials, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    alpha_0, beta_0 = prior[p], prior[p + 1]
    constant = fast_lgamma(alpha_0 + beta_0) - fast_lgamma(alpha_0) - fast_lgamma(beta_0)
    for other in range(n_states):
        successes = state[row + _SUM, k] + state[row + _SUM, other]
        total = (state[row + _N, k] + state[row + _N, other]) * trials
        out[other] += constant + state[row + _BASE, k] + state[row + _BASE, other]
        out[other] += (
            fast_lgamma(alpha_0 + successes)
            + fast_lgamma(beta_0 + total - successes)
            - fast_lgamma(alpha_0 + beta_0 + total)
        )


KERNELS = Kernels(
    rows,
    n_statistics,
    add,
    merge_three_sums,
    refresh,
    score,
    score_without,
    log_marginal,
    score_many,
)

FAMILY = Family(
    name="binomial",
    label="rating (binomial)",
    help="An ordered scale from 0 to a fixed top, or successes out of that many trials.",
    kind=RATING,
    Prior=BinomialPrior,
    kernels=KERNELS,
    support=Support("a rating", starts_at_zero=True, is_whole=True),
    mixture="linear",
    options=("levels", "trials", "offset"),
    prior_options=("trials",),
)
