"""Categorical columns: x ~ Categorical(pi), pi ~ Dirichlet(alpha_1..V); R16 Appendix A."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import spliced
from ..special import fast_lgamma, log_rise
from .counts import CountedPrior
from .family import CATEGORY, Family, Kernels, Support
from .prior import CellCounts, Moments, Predictive, Weight, weighed
from .statistics import holds, leave_missing, look_up_many
from .sufficient import Sums


@dataclass(frozen=True)
class CategoricalPrior(CountedPrior):
    """Dirichlet prior of the level probabilities.

    Parameters
    ----------
    counts : sequence of float, length V
        alpha, one pseudo-count for each level.
    """

    counts: tuple[float, ...]

    positive = ("counts",)
    pseudo = ("counts",)
    is_rate = False

    @classmethod
    def default(
        cls,
        values: np.ndarray,
        scale: float = 1.0,
        weight: Weight = 1.0,
        levels: tuple[object, ...] = (),
    ) -> CategoricalPrior:
        """Two pseudo-counts, spread as the column's frequencies, none of them zero."""
        x, w = weighed(values, weight)
        codes = x.astype(np.int64)
        size = max(len(levels), int(codes.max(initial=0)) + 1)
        share = (np.bincount(codes, w, size) + 0.5) / (w.sum() + 0.5 * size)
        return cls(tuple((2.0 * share).tolist()))

    def with_pseudo_counts(self, counts: np.ndarray) -> CategoricalPrior:
        return CategoricalPrior(tuple(counts.tolist()))

    @property
    def n_learned(self) -> int:
        return len(self.counts) - 1

    @property
    def size(self) -> int:
        return len(self.counts)

    @property
    def top(self) -> int:
        return len(self.counts) - 1

    @staticmethod
    def moments(summary: Mapping[str, Any]) -> Moments:
        p = np.array(summary["probabilities"])
        return Moments(p, np.diag(p) - np.outer(p, p))

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        return CellCounts(x[:, None].astype(np.int32), present[:, None], 0.0)

    def statistic_in(self, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Sums:
        return Sums(np.vstack([state[1:], np.zeros_like(state[0])]))

    @staticmethod
    def described(parameters: np.ndarray) -> dict[str, np.ndarray]:
        return {"probabilities": parameters}

    def predictive(self) -> Predictive:
        counts = np.asarray(self.counts)
        return Predictive.of_levels(counts / counts.sum())

    def draw(self, size: int, random: np.random.Generator) -> np.ndarray:
        counts = np.asarray(self.counts)
        return random.choice(counts.size, size, p=counts / counts.sum()).astype(np.float64)


def rows(size: int) -> int:
    """State rows of a column: n, V counts, V log predictives, and V of a value left out."""
    return 1 + 3 * size


def n_statistics(size: int) -> int:
    """The first ones, which are sufficient statistics."""
    return 1 + size


@spliced
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Add ``weight`` times a code to cluster k; a negative weight takes it out."""
    state[row, k] += weight
    state[row + 1 + int(x[first]), k] += weight


@spliced
def merge(state, row, size, k, other):
    """Add the counts of one cluster to those of cluster k."""
    for i in range(row, row + 1 + size):
        state[i, k] += state[i, other]


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Tabulate ln[(alpha_v + n_v)/(A + n)] of every level, and of a value left out."""
    total = state[row, k]
    for v in range(size):
        total += prior[p + v]
    has_values = holds(state[row, k], weight)
    log_total = log_rise(total, weight)
    log_without = log_rise(total - weight, weight) if has_values else 0.0
    for v in range(size):
        count = state[row + 1 + v, k]
        state[row + 1 + size + v, k] = log_rise(prior[p + v] + count, weight) - log_total
        without = 0.0
        if holds(count, weight):
            without = log_rise(prior[p + v] + count - weight, weight) - log_without
        state[row + 1 + 2 * size + v, k] = without


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive probability of code x under every cluster."""
    table = row + 1 + size + int(x[first])
    for k in range(n_states):
        out[k] += state[table, k]


@spliced
def score_without(state, row, size, k, x, first, weight, prior, p, work):
    """Log predictive probability of x, one of cluster k's values, given the others."""
    return state[row + 1 + 2 * size + int(x[first]), k]


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive probability of the codes of many rows under every cluster."""
    look_up_many(state, units, u, end, 1, 1, n_states, n, own, cells, lines, within, spare)


@spliced
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
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


fill = leave_missing
KERNELS = Kernels.of(globals())

CATEGORICAL = Family(
    name="categorical",
    label="category",
    help="Names without an order, or a rating whose spread no binomial fits.",
    kind=CATEGORY,
    Prior=CategoricalPrior,
    kernels=KERNELS,
    support=Support("a level", starts_at_zero=True, is_whole=True),
    mixture="linear",
    options=("levels",),
    prior_options=("levels",),
)
