"""Gain of groups beyond correlations (Cox, JRSS B 1962), and reference tables without groups.

Reference tables keep every column's values and missing cells; which share a row is drawn from a
Gaussian, t (Demarta and McNeil, Int. Stat. Review 2005) or skewed copula.
"""

import itertools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import chdtri, ndtri, stdtr

from ..engine.packed import PackedTable, default_priors
from ..engine.partition import Partition
from ..families import Prior
from ..families.family import CATEGORY, COUNT, MEASUREMENT, YES_NO
from ..families.pooled import best_pooled
from ..families.prior import best_prior
from ..inference.merge_path import merge_path
from ..models.choice.candidates import STRENGTHS, step_of
from ..models.descent import Points
from ..models.estimator import Callback, counting_rows
from ..models.kmeans import k_means_labels
from ..models.mapdp import MAPDP
from ..models.priors import SCALES
from ..models.search import Search
from ..models.similarity.graph import standardised
from ..schema.encoded import Encoded, cells_from
from ..wording import counted
from .correct import LEVEL

#: Rows of a longer table on which both it and its references are searched, at most.
MOST_ROWS = 2_000
#: Groups of K-means to start from, runs and passes; turns of priors and groups, and nats to go on.
STARTS, RUNS, PASSES, TURNS, LEAST_FALL = (2, 4), 2, 30, 6, 0.5
#: Columns whose priors are sought together at most: what they take grows with their square.
AT_ONCE = 50
#: Of what all columns gain by the groups, the share of one that tells them alone.
ALONE = 0.9
#: Different values that heaps have at least: those of a short scale are none.
FEWEST_HEAPS = 5
#: The kinds of table, in the order in which they are drawn.
KINDS = SHUFFLED, CORRELATED, HEAVY, SKEWED = "shuffled", "correlated", "heavy-tailed", "skewed"
PHRASES = {
    SHUFFLED: "with every column shuffled by itself",
    CORRELATED: "with the same correlations and no groups",
    HEAVY: "that also have rows far out in everything",
    SKEWED: "that thin out along their main direction to one side",
}
#: Latent rows, and rounds, by which latent correlations are found.
ROWS, ROUNDS = 4_000, 8
#: Latent correlations stay this far inside -1 and 1, and eigenvalues above 0.
MARGIN = 1e-3
#: Degrees of freedom that are tried; of infinitely many the copula is the Gaussian one.
DEGREES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 25.0, 50.0, np.inf)
#: Tables drawn under each of them, 1 / (1 + TABLES) the level, and about so many rows of each; of
#: which so many are enough where the next is as low with this probability at most, by Student's t.
TABLES, KURTOSIS_ROWS, ENOUGH, CLEAR = 99, 1_000, 9, 0.001
#: Latent skewness to the first component's, which holds the columns' noise; and its limit.
NOISE, MOST_SKEWED = 1.5, 4.0


class Gains(NamedTuple):
    """Gains of groups on one table, in nats."""

    #: By how much 1, 2, .. K groups lower E below one group of independent columns, (K,).
    alone: np.ndarray
    #: By how much K groups lower it below one cloud.
    beyond_cloud: float


@dataclass(frozen=True)
class GroupSearch:
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
    def of(cls, model: MAPDP) -> Self:
        """Of a fitted model, which is not changed."""
        encoded = model.columns_.encoded.without_priors()
        has_silent = encoded.has_silent_rows
        rows = counting_rows(encoded.weights) if has_silent else np.arange(len(encoded.values))
        most = encoded.sample_size(MOST_ROWS)
        if rows.size > most:
            rows = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
        steps = tuple(
            getattr(prior, "step", getattr(prior, "steps", 0.0)) for prior in model.prior_
        )
        labels = np.unique(model.labels_[rows], return_inverse=True)[1]
        return cls(encoded.rows(rows), model.concentration, model.likelihood_power, steps, labels)

    def gains(self, table: Encoded, seed: int, callback: Callback) -> Gains:
        """What is gained on a table of the same columns."""
        random, tried = np.random.default_rng(seed), self._candidate_priors(table)
        priors, of_one = self._priors(table, tried, np.zeros(len(table.values), dtype=np.int64))
        packed = PackedTable.pack(table, priors, self.power)
        points, best = Points(packed, random), Partition(packed, self.concentration)
        one = best.objective()
        for k in STARTS:
            if k >= len(table.values):
                break
            labels, before = k_means_labels(points.all, k, random, RUNS, PASSES), np.inf
            for _ in range(TURNS):  # groups given priors, and priors given the groups
                priors, _ = self._priors(table, tried, labels)
                given = packed.with_priors(priors)
                descents = Search(given, self.concentration, random, callback, points)
                found = descents.run(0, labels).state
                now, previous, labels = found.objective(), labels, found.labels
                # The same groups have the same priors: a further turn would change nothing.
                if before - now < LEAST_FALL or np.array_equal(labels, previous):
                    break
                before = now
            best = min(best, found, key=Partition.objective)
        path, gain = merge_path(best).objectives, one - best.objective()
        alone = gain + _gain_of_blocks(table, of_one) - (path[::-1] - path[0])
        return Gains(alone, gain - gain_of_correlations(table))

    @cached_property
    def valley(self) -> str:
        """Where one ordered column alone tells the groups, why it has no single peak; else "".

        A valley: between the middles of any two groups the middle third is less than two thirds
        as dense as what lies within a third of either, by more than chance; each value anywhere
        in its step, and one of a heap, such as an age of 50, before the next heap.
        Shuffling does not take such groups away: tables in another order have that column, too.
        """
        table, tried = self.encoded, self._candidate_priors(self.encoded)
        (_, of_one), (_, of_groups) = (
            self._priors(table, tried, labels) for labels in (0 * self.labels, self.labels)
        )
        u, gains = int((of_groups - of_one).argmax()), np.maximum(of_groups - of_one, 0.0)
        unit = table.units[u]
        has_order = unit.kind not in (YES_NO, CATEGORY)
        is_apart = has_order and len(unit.columns) == 1 and unit.of == unit.name
        if not is_apart or unit.name in table.outcome_of or gains[u] < ALONE * gains.sum():
            return ""
        column = pd.Series(table.unit_values(u)).dropna()
        is_whole = unit.kind != MEASUREMENT
        step = 1.0 if is_whole else self.steps[u] or step_of(column.to_numpy())
        column += _widths(column, step) * np.random.default_rng(0).random(len(column))
        column = np.sqrt(column) if unit.kind == COUNT else column
        middles = np.sort(column.groupby(self.labels[column.index]).median())
        pairs = list(itertools.combinations(middles, 2))
        for low, high in pairs:
            edges = itertools.pairwise(low + (high - low) / 3 * np.array([-1, 1, 2, 4]))
            left, inside, right = (int(column.between(a, b).sum()) for a, b in edges)
            outside = min(left, right)
            # Two thirds of the density on half the width are a quarter of both together.
            if stats.binom.cdf(inside, inside + outside, 1 / 4) * len(pairs) <= LEVEL:
                return (
                    f"the groups are told by {unit.name} alone, which is no single bell: between "
                    f"the middles of two of them it has {counted(inside, 'value')} in the third in "
                    f"the middle, and {left:,} and {right:,} within a third of either."
                )
        return ""

    def _candidate_priors(self, table: Encoded) -> list[list[Prior]]:
        """Candidate priors of every unit; the default alone where groups determine it."""
        tried = []
        for default in default_priors(table, 1.0):
            if hasattr(default, "of_pooled"):
                tried.append([default])
            elif default.scaled:
                tried.append([default.at_scale(scale) for scale in SCALES])
            else:
                tried.append([default.strengthened(factor) for factor in STRENGTHS])
        return tried

    def _priors(
        self, table: Encoded, tried: Sequence[Sequence[Prior]], labels: np.ndarray
    ) -> tuple[list[Prior], np.ndarray]:
        """Of every unit the prior of highest evidence given groups, and that, ln p of its cells."""
        weight = 1.0 if table.weights is None else table.weights
        found, alike = {}, defaultdict(list)
        for u, own in enumerate(tried):
            values = table.unit_values(u)
            if not hasattr(own[0], "of_pooled"):
                found[u] = best_prior(own, values, labels, weight)
            else:  # blocks one by one, columns with like holes together
                like = u if own[0].is_block else (np.isnan(values).tobytes(), u // AT_ONCE)
                alike[like].append(u)
        for units in alike.values():
            values = np.column_stack([table.unit_values(u) for u in units])
            sets = np.arange(values.shape[1]).reshape(len(units), -1)
            steps = np.hstack([self.steps[u] for u in units])
            best = best_pooled(values, labels, sets, weight, steps)
            for u, of_unit in zip(units, best, strict=True):
                found[u] = tried[u][0].of_pooled(of_unit), of_unit.log_marginal
        priors, evidence = zip(*(found[u] for u in range(len(tried))), strict=True)
        return list(priors), np.array(evidence)


def _widths(values: pd.Series, step: float) -> np.ndarray:
    """How finely each value was recorded: multiples of 5 or 10 steps more coarsely, where heaped.

    They are heaped where more than twice as many as expected lie on them, and these are several.
    """
    widths = np.full(len(values), step)
    for factor in (5, 10) if step > 0 else ():
        heaps = values / (factor * step)
        on = np.isclose(heaps, np.rint(heaps))
        if on.mean() > 2 / factor and values[on].nunique() >= FEWEST_HEAPS:
            widths[on] = factor * step
    return widths


def _gain_of_blocks(table: Encoded, of_one: np.ndarray) -> float:
    """Rise of ln p of one group by its blocks, above that of their columns each alone."""
    weight = 1.0 if table.weights is None else table.weights
    together, gained = np.zeros(len(table.values), dtype=np.int64), 0.0
    for u, unit in enumerate(table.units):
        if unit.family == "gaussian":
            gained += of_one[u]
            for column in table.unit_values(u).T:
                (alone,) = best_pooled(column[:, None], together, np.array([[0]]), weight)
                gained -= alone.log_marginal
    return gained


def gain_of_correlations(table: Encoded) -> float:
    """Gain by the correlations between a table's units, in nats, less their cost."""
    units = [(u, unit.kind) for u, unit in enumerate(table.units) for _ in unit.columns]
    kept = [j for j, (_, kind) in enumerate(units) if kind not in (YES_NO, CATEGORY)]
    if not kept:
        return 0.0
    scores, of_unit = normal_scores(table.values[:, kept]), np.array([units[j][0] for j in kept])
    matrix, inside = correlations(scores), of_unit[:, None] == of_unit
    within = (matrix[np.ix_(of_unit == u, of_unit == u)] for u in np.unique(of_unit))
    explained = _log_det(matrix) - sum(map(_log_det, within))
    n_rows, pairs = np.isfinite(scores).sum(axis=0).mean(), np.count_nonzero(~inside) / 2
    return max(0.0, -0.5 * n_rows * explained - 0.5 * pairs * np.log(max(n_rows, 1.0)))


def _log_det(correlation: np.ndarray) -> float:
    return float(np.log(np.maximum(np.linalg.eigvalsh(correlation), 1e-3)).sum())


@dataclass(frozen=True)
class Copula:
    """A table whose columns are joined by latent variables alone."""

    encoded: Encoded
    #: float64, (N, M). By which each column's values are ordered along its latent variable.
    ranks: np.ndarray
    #: float64, (M, M). ``root @ root.T`` are latent correlations; the main direction comes first.
    root: np.ndarray
    #: Of Student's t: the fewer, the more the rows differ in spread.
    degrees: float = np.inf
    skew: float = 0.0

    def draw(self, random: np.random.Generator) -> Encoded:
        """A table with the same values in every column, the same holes and no groups."""
        latent, values = self.latent(random), self.encoded.values
        outcome, order = self.encoded.outcome_column, np.full(values.shape, -1)
        for j in sorted(range(values.shape[1]), key=outcome.__contains__):
            to = rows = np.flatnonzero(~np.isnan(values[:, j]))
            if j in outcome:
                drawn = cells_from(values[:, outcome[j]], order[:, outcome[j]])
                to = np.flatnonzero(drawn == 0)
            ranked = rows[np.argsort(self.ranks[rows, j], kind="stable")]
            order[to[np.argsort(latent[to, j])], j] = ranked
        return self.encoded.arranged(order)

    def latent(self, random: np.random.Generator) -> np.ndarray:
        """Latent variables of one draw, shape (N, M)."""
        normal = random.standard_normal((len(self.ranks), self.root.shape[1]))
        if self.skew:
            normal[:, 0] = stats.pearson3.rvs(self.skew, size=len(normal), random_state=random)
        latent = normal @ self.root.T
        if np.isfinite(self.degrees):
            spread = chdtri(self.degrees, random.random((len(latent), 1)))
            latent *= np.sqrt(self.degrees / spread)
        return latent


def references(encoded: Encoded) -> Iterator[tuple[str, Copula]]:
    """Yield every kind of reference table and the copula that draws it."""
    yield SHUFFLED, Copula(encoded, encoded.values, np.eye(encoded.values.shape[1]))
    ranks = _latent_order(encoded)
    scores = normal_scores(ranks)
    gaussian = Copula(encoded, ranks, _root(_latent_correlations(scores)))
    yield CORRELATED, gaussian
    yield HEAVY, replace(gaussian, degrees=_degrees(gaussian))
    main = np.linalg.svd(standardised(encoded), full_matrices=False)[0][:, 0]
    along = np.nan_to_num(scores) @ gaussian.root[:, 0]
    skew = np.nan_to_num(NOISE * float(stats.skew(main)) * np.sign(main @ along))
    yield SKEWED, replace(gaussian, skew=float(np.clip(skew, -MOST_SKEWED, MOST_SKEWED)))


def correlations(scores: np.ndarray) -> np.ndarray:
    """Pearson's correlation of every two columns, shape (M, M), over the rows that have both."""
    out = pd.DataFrame(scores).corr(min_periods=3).fillna(0.0).to_numpy(copy=True)
    np.fill_diagonal(out, 1.0)
    return out


def normal_scores(values: np.ndarray) -> np.ndarray:
    """Every value's place under a normal curve, tied ones in their middle, shape (N, M)."""
    ranks = stats.rankdata(values, axis=0, nan_policy="omit")
    return ndtri((ranks - 0.5) / np.maximum(np.isfinite(values).sum(axis=0), 1))


def _latent_order(encoded: Encoded) -> np.ndarray:
    """Values, (N, M), the categories numbered along the first principal component of the others."""
    ranks = encoded.values.copy()
    are_named = np.array([unit.kind == CATEGORY for unit in encoded.units for _ in unit.columns])
    if are_named.all():
        return ranks
    scores = normal_scores(ranks[:, ~are_named])
    main = np.nan_to_num(scores) @ np.linalg.eigh(correlations(scores))[1][:, -1]
    for j in np.flatnonzero(are_named):
        seen = ~np.isnan(ranks[:, j])
        codes = ranks[seen, j].astype(np.int64)
        means = np.bincount(codes, main[seen]) / np.maximum(np.bincount(codes), 1)
        ranks[seen, j] = np.argsort(np.argsort(means))[codes]
    return ranks


def _latent_correlations(scores: np.ndarray) -> np.ndarray:
    """Correlations of the latent variables under which columns with these scores correlate so."""
    target = correlations(scores)
    if scores.shape[1] < 2 or len(scores) < 3:
        return target
    n = max(ROWS, 3 * scores.shape[1])
    rows = np.random.default_rng(0).standard_normal((n, scores.shape[1]))
    rows = np.linalg.qr(rows - rows.mean(axis=0))[0]
    places = [np.sort(column[~np.isnan(column)]) for column in scores.T]
    values = stats.zscore(
        [own[np.arange(n) * own.size // n] if own.size else np.zeros(n) for own in places], axis=1
    )
    values = np.nan_to_num(values).T  # a column of one value is correlated with none
    latent = target.copy()
    for _ in range(ROUNDS):
        drawn = np.empty_like(values)
        np.put_along_axis(drawn, np.argsort(rows @ _root(latent).T, axis=0), values, axis=0)
        latent = np.clip(latent + target - drawn.T @ drawn / n, MARGIN - 1.0, 1.0 - MARGIN)
        np.fill_diagonal(latent, 1.0)
    return latent


def _root(correlation: np.ndarray) -> np.ndarray:
    """A root of the nearest positive definite matrix, the largest eigenvalue's direction first."""
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors * np.sqrt(np.maximum(values, MARGIN)))[:, ::-1]
    return root / np.linalg.norm(root, axis=1, keepdims=True)


def p_below(least: float, drawn: Sequence[float], spread: float, degrees: int) -> float:
    """Probability of a further draw below ``least``, by Student's t with an SD and its degrees."""
    error = max(spread, 1e-9) * np.sqrt(1.0 + 1.0 / len(drawn))
    return float(stdtr(degrees, (least - np.mean(drawn)) / error))


def _degrees(gaussian: Copula) -> float:
    """The fewest degrees of freedom that Mardia's kurtosis of the normal scores does not rule out.

    The likelihood takes few levels for heavy tails, the kurtosis of drawn tables does not. An end
    of an interval holds its level (Berger and Boos, JASA 89, 1994).
    """
    # Where the numbers of a two-part column are is drawn with its outcome: other holes each time.
    columns = [j for j in range(len(gaussian.root)) if j not in gaussian.encoded.outcome_column]
    rows = np.unique(np.linspace(0, len(gaussian.ranks) - 1, KURTOSIS_ROWS).astype(np.int64))
    scores = normal_scores(gaussian.ranks[np.ix_(rows, columns)])
    own = replace(gaussian, ranks=scores, root=gaussian.root[columns])
    root = _root(correlations(scores))
    precision = np.linalg.inv(root @ root.T)
    # A missing cell counts as the mean, which is 0.
    is_missing, in_order = np.isnan(scores), np.nan_to_num(np.sort(scores, axis=0))

    def kurtosis(latent: np.ndarray) -> float:
        """Log of 1 and Mardia's of the scores in the order of these numbers, (N, D).

        Mardia's is the mean squared over the squared mean of squared Mahalanobis lengths.
        """
        order = np.where(is_missing, np.inf, latent).argsort(axis=0)
        points = np.empty_like(latent)
        np.put_along_axis(points, order, in_order, axis=0)
        lengths = ((points @ precision) * points).sum(axis=1)
        return float(np.log1p((lengths**2).mean() / max(lengths.mean() ** 2, np.finfo(float).tiny)))

    found = kurtosis(scores)

    def are_allowed(degrees: float) -> bool:
        # The same seeds under all degrees, so that the kurtosis falls as they rise.
        copula, drawn = replace(own, degrees=degrees), []
        for seed in range(TABLES):
            drawn.append(kurtosis(copula.latent(np.random.default_rng(seed))))
            if drawn[-1] <= found:
                return True
            n = len(drawn)
            if n >= ENOUGH and p_below(found, drawn, float(np.std(drawn, ddof=1)), n - 1) <= CLEAR:
                break
        return False

    return DEGREES[bisect_left(DEGREES[:-1], True, key=are_allowed)]
