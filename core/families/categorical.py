"""One of V unordered levels; yes/no is the case V = 2.

Model: x ~ Categorical(pi). Prior: pi ~ Dirichlet(alpha_1..V). Predictive: (alpha_v + n_v)/(A + n),
A the sum of alpha. R16 Appendix A. The predictive of every level is tabulated, so scoring a cell
is a look-up. Bernoulli columns run on these kernels with levels no = 0 and yes = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..jit import inlined, inner
from ..special import fast_lgamma
from .prior import Predictive, Prior, observed


@dataclass(frozen=True)
class CategoricalPrior(Prior):
    """Dirichlet prior of the level probabilities.

    Parameters
    ----------
    counts : sequence of float, length V
        alpha, one pseudo-count for each level.
    """

    counts: tuple[float, ...]

    positive = ("counts",)

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, levels: tuple[object, ...] = ()
    ) -> CategoricalPrior:
        """Two pseudo-observations spread as the column's own frequencies, none of them zero."""
        codes = observed(values).astype(np.int64)
        size = max(len(levels), int(codes.max(initial=0)) + 1)
        share = (np.bincount(codes, minlength=size) + 0.5) / (codes.size + 0.5 * size)
        return cls(tuple((2.0 * share).tolist()))

    def posterior(self, values: np.ndarray) -> CategoricalPrior:
        """Prior updated with the observed codes."""
        counts = np.bincount(observed(values).astype(np.int64), minlength=len(self.counts))
        return CategoricalPrior(tuple((np.asarray(self.counts) + counts).tolist()))

    def packed(self, center: float, scale: float) -> np.ndarray:
        """alpha_1..V."""
        return np.asarray(self.counts, dtype=np.float64)

    def summary(self) -> dict[str, list[float]]:
        """Probability of each level."""
        counts = np.asarray(self.counts)
        return {"probabilities": (counts / counts.sum()).tolist()}

    def predictive(self) -> Predictive:
        """Probability of each level."""
        counts = np.asarray(self.counts)
        return Predictive.of_levels(counts / counts.sum())

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Codes from the predictive, shape (size,)."""
        counts = np.asarray(self.counts)
        return random.choice(counts.size, size, p=counts / counts.sum()).astype(np.float64)


@dataclass(frozen=True)
class BernoulliPrior(Prior):
    """Beta prior of the probability of yes.

    Parameters
    ----------
    yes, no : float
        alpha and beta, pseudo-counts.
    """

    yes: float
    no: float

    positive = ("yes", "no")

    @classmethod
    def default(
        cls, values: np.ndarray, scale: float = 1.0, levels: tuple[object, ...] = ()
    ) -> BernoulliPrior:
        """Two pseudo-observations at the column's own rate, kept away from 0 and 1."""
        x = observed(values)
        rate = (float(x.sum()) + 0.5) / (x.size + 1.0)
        return cls(2.0 * rate, 2.0 * (1.0 - rate))

    def posterior(self, values: np.ndarray) -> BernoulliPrior:
        """Prior updated with the observed zeros and ones."""
        x = observed(values)
        yes = float(x.sum())
        return BernoulliPrior(self.yes + yes, self.no + x.size - yes)

    def packed(self, center: float, scale: float) -> np.ndarray:
        """(beta, alpha): level 0 is no, level 1 is yes."""
        return np.array([self.no, self.yes])

    def summary(self) -> dict[str, float]:
        """Probability of yes."""
        return {"probability": self.yes / (self.yes + self.no)}

    def predictive(self) -> Predictive:
        """Probability of no and of yes."""
        return Predictive.of_levels(np.array([self.no, self.yes]) / (self.yes + self.no))

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Zeros and ones from the predictive, shape (size,)."""
        return (random.random(size) * (self.yes + self.no) < self.yes).astype(np.float64)


def rows(size: int) -> int:
    """State rows of a column with that many levels.

    They hold n, V counts, V log predictives, and V of one value of that level given the others.
    """
    return 1 + 3 * size


@inner
def add(state, row, size, k, x, sign):
    """Put a code into (sign=1) or take it out of (sign=-1) the counts of cluster k."""
    state[row, k] += sign
    state[row + 1 + int(x), k] += sign


@inner
def refresh(state, row, size, k, prior, p):
    """Tabulate the log predictive of every level in cluster k, and of its values left out."""
    total = state[row, k]
    for v in range(size):
        total += prior[p + v]
    has_values = state[row, k] > 0.5
    log_total = math.log(total)
    log_without = math.log(total - 1.0) if has_values else 0.0
    for v in range(size):
        count = state[row + 1 + v, k]
        state[row + 1 + size + v, k] = math.log(prior[p + v] + count) - log_total
        without = math.log(prior[p + v] + count - 1.0) - log_without if count > 0.5 else 0.0
        state[row + 1 + 2 * size + v, k] = without


@inlined
def score(state, row, size, n_states, x, out):
    """Add the log predictive probability of code x under every cluster."""
    table = row + 1 + size + int(x)
    for k in range(n_states):
        out[k] += state[table, k]


@inlined
def score_without(state, row, size, k, x):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    return state[row + 1 + 2 * size + int(x), k]


@inner
def mode(state, row, size, k):
    """Most probable code in cluster k, the lowest one where several tie."""
    best = 0
    for v in range(1, size):
        if state[row + 1 + size + v, k] > state[row + 1 + size + best, k]:
            best = v
    return float(best)


@inner
def log_marginal(state, row, size, k, n_states, prior, p, out):
    """Add ln p of the values of clusters k and l together, for every l."""
    total = 0.0
    constant = 0.0
    for v in range(size):
        total += prior[p + v]
        constant -= fast_lgamma(prior[p + v])
    constant += fast_lgamma(total)
    for other in range(n_states):
        out[other] += constant - fast_lgamma(total + state[row, k] + state[row, other])
    for v in range(size):
        count = prior[p + v] + state[row + 1 + v, k]
        for other in range(n_states):
            out[other] += fast_lgamma(count + state[row + 1 + v, other])
