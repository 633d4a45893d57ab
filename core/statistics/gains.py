"""What groups gain on a table, sought shortly under the likelihoods of a fitted model.

What correlations explain is no gain (Cox, JRSS B 24, 1962): slices of it would gain anywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from ..engine.columns import Columns, default_priors
from ..engine.partition import Partition
from ..families import NormalPrior, Prior
from ..families.family import CATEGORY, MEASUREMENT, YES_NO
from ..inference.merge_path import merge_path
from ..models.centroids import k_means_labels
from ..models.choice.candidates import STRENGTHS
from ..models.descent import Points
from ..models.estimator import Callback, counting_rows
from ..models.mapdp import MAPDP
from ..models.priors import SCALES
from ..models.search import search
from ..schema.encoded import Encoded
from ..wording import counted
from .correct import LEVEL
from .nulls import correlations, normal_scores

#: Rows of a longer table on which both it and its references are searched.
MOST_ROWS = 2_000
#: Groups of K-means to start from, runs and passes; turns of priors and groups, and nats to go on.
STARTS, RUNS, PASSES, TURNS, REST = (2, 4), 2, 30, 6, 0.5
#: Of what all columns gain by the groups, the share of one that tells them alone.
ALONE = 0.9


class Gains(NamedTuple):
    """What groups explain of one table, in nats."""

    #: By how much 1, 2, .. K groups lower E below one group of independent columns, (K,).
    alone: np.ndarray
    #: By how much K groups lower it below one cloud.
    beyond_cloud: float


@dataclass(frozen=True)
class Search:
    """The search for groups under the likelihoods of a fitted model."""

    #: The table, or ``MOST_ROWS`` of its rows, without priors, which came from its groups.
    encoded: Encoded
    concentration: float
    power: float
    #: Of which the values of every unit are multiples; 0 where not known.
    steps: tuple[Any, ...]
    #: int, shape (N,). The groups that the model found, which no search starts from.
    labels: np.ndarray

    @classmethod
    def of(cls, model: MAPDP) -> Search:
        """Of a fitted model, which is not changed."""
        encoded = model.columns_.encoded.without_priors()
        rows = np.arange(len(encoded.values))
        if encoded.has_silent_rows:
            rows = counting_rows(encoded.weights)
        if rows.size > MOST_ROWS:
            rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
        steps = tuple(
            getattr(prior, "step", getattr(prior, "steps", 0.0)) for prior in model.prior_
        )
        labels = np.unique(model.labels_[rows], return_inverse=True)[1]
        return cls(encoded.rows(rows), model.concentration, model.likelihood_power, steps, labels)

    def gains(self, table: Encoded, seed: int, callback: Callback) -> Gains:
        """What is gained on a table of the same columns."""
        random, tried = np.random.default_rng(seed), self._tried(table)
        together = np.zeros(len(table.values), dtype=np.int64)
        priors, of_one = self._shaped(table, tried, together)
        columns = Columns.pack(table, priors, self.power)
        points, best = Points(columns, random), Partition(columns, self.concentration)
        one = best.objective()
        for k in STARTS:
            if k >= len(table.values):
                break
            start = k_means_labels(points.all, k, random, RUNS, PASSES)
            found = self._rest(columns, tried, start, points, random, callback)
            best = min(best, found, key=Partition.objective)
        path = merge_path(best).objectives
        gain = one - best.objective()
        alone = gain + _joined(table, of_one) - (path[::-1] - path[0])
        return Gains(alone, gain - one_cloud(table))

    @cached_property
    def valley(self) -> str:
        """Why the model's groups are none of chance's though shuffling does not take them away."""
        table, tried = self.encoded, self._tried(self.encoded)
        of_one, of_groups = (
            self._shaped(table, tried, labels)[1] for labels in (0 * self.labels, self.labels)
        )
        return _valley(table, self.labels, of_groups - of_one)

    def _rest(
        self,
        columns: Columns,
        tried: Sequence[Sequence[Prior]],
        labels: np.ndarray,
        points: Points,
        random: np.random.Generator,
        callback: Callback,
    ) -> Partition:
        """Groups given priors and priors given the groups in turn, from a start."""
        before = np.inf
        for _ in range(TURNS):
            priors, _ = self._shaped(columns.encoded, tried, labels)
            partition, _ = search(
                columns.with_priors(priors),
                self.concentration,
                random,
                0,
                callback,
                known=labels,
                points=points,
            )
            now, came_from, labels = partition.objective(), labels, partition.labels
            # The same groups have the same priors: a further turn would change nothing.
            if before - now < REST or np.array_equal(labels, came_from):
                break
            before = now
        return partition

    def _tried(self, table: Encoded) -> list[list[Prior]]:
        """Of every unit the priors to choose from; one alone where the groups shape it."""
        tried = []
        for default in default_priors(table, 1.0):
            if hasattr(default, "of_pooled"):
                tried.append([default])
            elif default.scaled:
                tried.append([default.at_scale(scale) for scale in SCALES])
            else:
                tried.append([default.strengthened(factor) for factor in STRENGTHS])
        return tried

    def _shaped(
        self, table: Encoded, tried: Sequence[Sequence[Prior]], labels: np.ndarray
    ) -> tuple[list[Prior], np.ndarray]:
        """Of every unit the prior of highest evidence given groups, and that, ln p of its cells."""
        weight = 1.0 if table.weights is None else table.weights
        priors, evidence, n_groups = [], [], int(labels.max()) + 1
        for u, own in enumerate(tried):
            values = table.unit_values(u)
            if hasattr(own[0], "of_pooled"):
                own = [own[0].pooled(values, labels, weight, self.steps[u])]
            statistic = own[0].statistic(values, labels, n_groups, weight)
            found = [float(prior.log_marginal_of(statistic).sum()) for prior in own]
            priors.append(own[int(np.argmax(found))])
            evidence.append(max(found))
        return priors, np.array(evidence)


def _joined(table: Encoded, of_one: np.ndarray) -> float:
    """By how much blocks raise ln p of one group above that of their columns each alone."""
    weight = 1.0 if table.weights is None else table.weights
    together, gained = np.zeros(len(table.values), dtype=np.int64), 0.0
    for u, unit in enumerate(table.units):
        if unit.family == "gaussian":
            for column in table.unit_values(u).T:
                prior = NormalPrior.pooled(column, together, weight)
                statistic = prior.statistic(column, together, 1, weight)
                gained -= float(prior.log_marginal_of(statistic).sum())
            gained += of_one[u]
    return gained


def one_cloud(table: Encoded) -> float:
    """What the correlations between a table's units explain, in nats, less what they cost."""
    kinds = [unit.kind for unit in table.units for _ in unit.columns]
    kept = np.array([kind not in (YES_NO, CATEGORY) for kind in kinds])
    scores = normal_scores(table.values[:, kept])
    matrix = correlations(scores)
    place = np.repeat(np.arange(len(table.units)), [len(unit.columns) for unit in table.units])[
        kept
    ]
    n_rows = np.isfinite(scores).sum(axis=0).mean() if kept.any() else 0.0
    explained, pairs = _log_det(matrix), kept.sum() * (kept.sum() - 1) / 2
    for u in np.unique(place):
        inside = place == u
        explained -= _log_det(matrix[np.ix_(inside, inside)])
        pairs -= inside.sum() * (inside.sum() - 1) / 2
    return max(0.0, -0.5 * n_rows * explained - 0.5 * pairs * np.log(max(n_rows, 1.0)))


def _log_det(correlation: np.ndarray) -> float:
    return float(np.log(np.maximum(np.linalg.eigvalsh(correlation), 1e-3)).sum())


def _valley(table: Encoded, labels: np.ndarray, gained: np.ndarray) -> str:
    """Where one measurement alone tells the groups, how it is seen to be no single bell.

    A valley: between the middles of any two groups the middle third holds less than half of what
    either third beside it does, by more than chance. Tables in another order have that column, too.
    """
    u, told = int(gained.argmax()), np.maximum(gained, 0.0)
    unit = table.units[u]
    is_apart = unit.kind == MEASUREMENT and len(unit.columns) == 1 and unit.of == unit.name
    if not is_apart or unit.name in table.outcome_of or told[u] < ALONE * told.sum():
        return ""
    column = table.unit_values(u)
    seen = np.isfinite(column)
    groups = [column[seen & (labels == k)] for k in range(int(labels.max()) + 1)]
    middles = np.sort([np.median(group) for group in groups if group.size])
    pairs = list(itertools.combinations(middles, 2))
    for low, high in pairs:
        edges = np.linspace(low, high, 4)
        left, inside, right = (
            int(((column >= a) & (column <= b)).sum()) for a, b in itertools.pairwise(edges)
        )
        beside = min(left, right)
        # Half of what is beside it is a third of both together.
        if stats.binom.cdf(inside, inside + beside, 1 / 3) * len(pairs) <= LEVEL:
            return (
                f"the groups are told by {unit.name} alone, which is no single bell: between the "
                f"middles of two of them it has {counted(inside, 'value')} in the third in the "
                f"middle, and {left:,} and {right:,} in those beside it."
            )
    return ""
