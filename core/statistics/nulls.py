"""Tables without groups: every column keeps its values and holes; who shares a row is drawn.

By a Gaussian or t copula (Demarta and McNeil, Int. Stat. Review 73, 2005), or a skewed one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import ndtri

from ..families.family import CATEGORY
from ..models.numeric import plain_numbers
from ..schema.encoded import Encoded, cells_from

#: Latent rows, and rounds, by which latent correlations are found.
ROWS, ROUNDS = 4_000, 8
#: Latent correlations stay this far inside -1 and 1, and eigenvalues above 0.
MARGIN = 1e-3
#: Degrees of freedom that are tried; of infinitely many the copula is the Gaussian one.
DEGREES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 25.0, 50.0, np.inf)
#: Tables drawn under each of them, 1 / (1 + TABLES) the level, and about so many rows of each.
TABLES, KURTOSIS_ROWS = 99, 1_000
#: Latent skewness to the first component's, which holds the columns' noise; and its limit.
NOISE, MOST_SKEWED = 1.5, 4.0


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
        return self.encoded.arranged(self.order(random))

    def order(self, random: np.random.Generator) -> np.ndarray:
        """From which row every cell of such a table comes, (N, M); -1 where it is missing."""
        latent, values = self._latent(random), self.encoded.values
        outcome = self.encoded.outcome_column
        order = np.full(values.shape, -1)
        for j in sorted(range(values.shape[1]), key=outcome.__contains__):
            to = rows = np.flatnonzero(~np.isnan(values[:, j]))
            if j in outcome:
                drawn = cells_from(values[:, outcome[j]], order[:, outcome[j]])
                to = np.flatnonzero(drawn == 0)
            ranked = rows[np.argsort(self.ranks[rows, j], kind="stable")]
            order[to[np.argsort(latent[to, j])], j] = ranked
        return order

    def _latent(self, random: np.random.Generator) -> np.ndarray:
        normal = random.standard_normal((len(self.ranks), self.root.shape[1]))
        if self.skew:
            normal[:, 0] = stats.pearson3.rvs(self.skew, size=len(normal), random_state=random)
        latent = normal @ self.root.T
        if np.isfinite(self.degrees):
            spread = stats.chi2.isf(random.random((len(latent), 1)), self.degrees)
            latent *= np.sqrt(self.degrees / spread)
        return latent


#: The kinds of table, in the order in which they are asked.
KINDS = SHUFFLED, CORRELATED, HEAVY, SKEWED = "shuffled", "correlated", "heavy-tailed", "skewed"


def references(encoded: Encoded) -> Iterator[tuple[str, Copula]]:
    """How the tables of every kind are drawn; each is made when it is asked for."""
    yield SHUFFLED, Copula(encoded, encoded.values, np.eye(encoded.values.shape[1]))
    ranks = in_order(encoded)
    gaussian = Copula(encoded, ranks, _root(_latent_correlations(normal_scores(ranks))))
    yield CORRELATED, gaussian
    yield HEAVY, replace(gaussian, degrees=_degrees(gaussian))
    main = np.linalg.svd(standardised(encoded), full_matrices=False)[0][:, 0]
    along = np.nan_to_num(normal_scores(ranks)) @ gaussian.root[:, 0]
    skew = NOISE * float(stats.skew(main)) * np.sign(main @ along)
    yield (
        SKEWED,
        replace(gaussian, skew=float(np.clip(np.nan_to_num(skew), -MOST_SKEWED, MOST_SKEWED))),
    )


def standardised(encoded: Encoded) -> np.ndarray:
    """The table as numbers of mean 0 and SD 1, a missing cell the column's mean, shape (N, P)."""
    points = plain_numbers(encoded)
    spread = points.std(axis=0)
    return (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def correlations(scores: np.ndarray) -> np.ndarray:
    """Pearson's correlation of every two columns, shape (M, M), over the rows that have both."""
    out = pd.DataFrame(scores).corr(min_periods=3).fillna(0.0).to_numpy(copy=True)
    np.fill_diagonal(out, 1.0)
    return out


def normal_scores(values: np.ndarray) -> np.ndarray:
    """Every value's place under a normal curve, tied ones in their middle, shape (N, M)."""
    out = np.full(values.shape, np.nan)
    for j, column in enumerate(values.T):
        seen = ~np.isnan(column)
        if seen.any():
            out[seen, j] = ndtri((stats.rankdata(column[seen]) - 0.5) / seen.sum())
    return out


def in_order(encoded: Encoded) -> np.ndarray:
    """Values, (N, M), the categories numbered along the first principal component of the others."""
    ranks = encoded.values.copy()
    kinds = [unit.kind for unit in encoded.units for _ in unit.columns]
    named = [j for j, kind in enumerate(kinds) if kind == CATEGORY]
    ordered = [j for j, kind in enumerate(kinds) if kind != CATEGORY]
    if not (named and ordered):
        return ranks
    scores = normal_scores(ranks[:, ordered])
    main = np.nan_to_num(scores) @ np.linalg.eigh(correlations(scores))[1][:, -1]
    for j in named:
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
        at = np.argsort(np.argsort(rows @ _root(latent).T, axis=0), axis=0)
        drawn = np.take_along_axis(values, at, axis=0)
        latent = np.clip(latent + target - drawn.T @ drawn / n, MARGIN - 1.0, 1.0 - MARGIN)
        np.fill_diagonal(latent, 1.0)
    return latent


def _root(correlation: np.ndarray) -> np.ndarray:
    """A root of the nearest matrix whose eigenvalues are all above 0, the largest's first."""
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors * np.sqrt(np.maximum(values, MARGIN)))[:, ::-1]
    return root / np.linalg.norm(root, axis=1, keepdims=True)


def _degrees(gaussian: Copula) -> float:
    """The fewest degrees of freedom that Mardia's kurtosis of the normal scores does not rule out.

    The likelihood takes few levels for heavy tails, the kurtosis of drawn tables does not. An end
    of an interval holds its level (Berger and Boos, JASA 89, 1994).
    """
    # Where the numbers of a two-part column are is drawn with its outcome: other holes each time.
    columns = [j for j in range(len(gaussian.root)) if j not in gaussian.encoded.outcome_column]
    rows = np.unique(np.linspace(0, len(gaussian.ranks) - 1, KURTOSIS_ROWS).astype(np.int64))
    scores = normal_scores(gaussian.ranks[np.ix_(rows, columns)])
    own = Copula(Encoded.from_array(scores, "normal"), scores, gaussian.root[columns])
    root = _root(correlations(scores))
    precision = np.linalg.inv(root @ root.T)
    found = _kurtosis(scores, precision)

    def are_allowed(degrees: float) -> bool:
        # The same seeds under all degrees, so that the kurtosis falls as they rise.
        copula, seeds = replace(own, degrees=degrees), map(np.random.default_rng, range(TABLES))
        return any(_kurtosis(copula.draw(seed).values, precision) <= found for seed in seeds)

    return DEGREES[bisect_left(DEGREES[:-1], True, key=are_allowed)]


def _kurtosis(scores: np.ndarray, precision: np.ndarray) -> float:
    """Mean squared over squared mean of the rows' squared Mahalanobis lengths (Mardia)."""
    points = np.nan_to_num(scores)
    lengths = ((points @ precision) * points).sum(axis=1)
    return float((lengths**2).mean() / max(lengths.mean() ** 2, np.finfo(float).tiny))
