"""Whether ratings would do better as categories.

The mean of a binomial fixes its spread. Ratings that pile up at both ends of their scale, or lie
evenly over it, need many clusters to be described by it, where a category may need few. Either
likelihood gives the same discrete cells their probabilities, so E under one compares with E under
the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from ..families.categorical import CategoricalPrior
from ..wording import counted, listed
from .fit import Fit

#: Fall of E that is worth saying (nats), and clusters whose merges are looked through.
LEAST, MOST_CLUSTERS = 10.0, 100
NAMED = 3


@dataclass(frozen=True)
class BetterAsCategories:
    """Ratings that would do better as categories."""

    #: The one that gains most first.
    columns: tuple[str, ...]
    #: By how much E would fall at least (nats).
    fall: float
    #: Clusters with which it would.
    n_clusters: int

    @property
    def sentence(self) -> str:
        """What was found, and what to try."""
        named = listed(self.columns, NAMED, quotes="“”")
        return (
            f"{named} would do better as “category” than as “rating”: E at least "
            f"{self.fall:,.0f} log units lower, with {counted(self.n_clusters, 'cluster')}. Their "
            "spread is not a binomial's, and further clusters make up for that."
        )


def better_as_categories(fit: Fit) -> BetterAsCategories | None:
    """Look for ratings that would do better as categories in a fit of MAP-DP.

    Every partition on the way of the greedy merges is judged with each rating as what suits it
    better there. A search with those categories ends no higher than the best of them. None where no
    rating would, or there are more than ``MOST_CLUSTERS`` clusters.
    """
    ratings = _Ratings.of(fit)
    if ratings is None or fit.n_clusters > MOST_CLUSTERS:
        return None
    tallies, path = ratings.tallies, fit.merge_path_
    apart = ratings.gains(tallies)
    together = [apart.sum(axis=0)]
    for kept, dropped in zip(path.kept, path.dropped, strict=True):
        tallies[kept] += tallies[dropped]
        joint = ratings.gains(tallies[kept])
        together.append(together[-1] + joint - apart[kept] - apart[dropped])
        apart[kept] = joint
    gains = np.array(together)
    objectives = path.objectives - np.maximum(gains, 0.0).sum(axis=1)
    best = int(objectives.argmin())
    fall = float(path.objectives[0] - objectives[best])
    if fall < LEAST:
        return None
    order = np.argsort(-gains[best], kind="stable")
    columns = tuple(ratings.names[u] for u in order if gains[best, u] > 0)
    return BetterAsCategories(columns, fall, path.objectives.size - best)


@dataclass(frozen=True)
class _Ratings:
    """The ratings of a table; U of them, none of more than V levels."""

    names: tuple[str, ...]
    #: Shape (K, U, V). How often each cluster has each level.
    tallies: np.ndarray
    #: Shape (U, V). Dirichlet counts of the columns as categories; 1 beyond a column's last level.
    pseudo: np.ndarray
    #: Shape (U,). Their sum over the levels that there are.
    total: np.ndarray
    #: Shape (U, V). Ln of the binomial coefficients.
    ways: np.ndarray
    #: Shape (U,). Beta counts and trials of the columns as ratings.
    yes: np.ndarray
    no: np.ndarray
    trials: np.ndarray

    @classmethod
    def of(cls, fit: Fit) -> _Ratings | None:
        columns, labels = fit.partition.columns, fit.labels
        encoded = columns.encoded
        ratings = [u for u, unit in enumerate(encoded.units) if unit.family == "binomial"]
        if not ratings:
            return None
        priors = [columns.priors[u] for u in ratings]
        trials = np.array([prior.trials for prior in priors])
        levels = np.arange(trials.max() + 1)
        shape = (fit.n_clusters, len(ratings), levels.size)
        tallies, pseudo = np.zeros(shape), np.ones(shape[1:])
        for place, u in enumerate(ratings):
            codes = encoded.values[:, encoded.starts[u]]
            seen = ~np.isnan(codes)
            at = labels[seen] * levels.size + codes[seen].astype(np.int64)
            counts = np.bincount(at, minlength=shape[0] * levels.size)
            tallies[:, place] = counts.reshape(shape[0], levels.size)
            here = tuple(range(trials[place] + 1))
            pseudo[place, : len(here)] = CategoricalPrior.default(codes, levels=here).counts
        exists = levels <= trials[:, None]
        rest = np.maximum(trials[:, None] - levels, 0)
        ways = gammaln(trials[:, None] + 1) - gammaln(levels + 1) - gammaln(rest + 1)
        return cls(
            tuple(encoded.units[u].name for u in ratings),
            tallies,
            pseudo,
            np.where(exists, pseudo, 0.0).sum(axis=1),
            np.where(exists, ways, 0.0),
            np.array([prior.yes for prior in priors]),
            np.array([prior.no for prior in priors]),
            trials,
        )

    def gains(self, tallies: np.ndarray) -> np.ndarray:
        """Ln p of clusters' cells as categories minus as ratings, shape (..., U)."""
        n, score = tallies.sum(axis=-1), tallies @ np.arange(tallies.shape[-1])
        as_category = (gammaln(self.pseudo + tallies) - gammaln(self.pseudo)).sum(axis=-1)
        as_category += gammaln(self.total) - gammaln(self.total + n)
        as_rating = (tallies * self.ways).sum(axis=-1)
        as_rating += betaln(self.yes + score, self.no + n * self.trials - score)
        return as_category - as_rating + betaln(self.yes, self.no)
