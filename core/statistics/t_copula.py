"""An elliptical copula: one spread a row, common to its columns, beside margins and correlations.

Where some patients are far out in everything and others near the middle of everything, nobody lies
in a group, but a tight and a loose group gain much over one Gaussian cloud. Demarta and McNeil,
"The t copula and related copulas", International Statistical Review 73, 2005.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import ndtri

from ..schema.encoded import Encoded
from .gaussian_copula import GaussianCopula, correlations, levels_of, root_of

#: Degrees of freedom that are tried; of infinitely many the copula is the Gaussian one.
DEGREES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 25.0, 50.0, np.inf)
#: Tables drawn under each of them, 1 / (1 + TABLES) the level, and about so many rows of each.
TABLES, ROWS = 99, 1000


@dataclass(frozen=True)
class TCopula:
    """Columns of any type, joined by latent variables of a multivariate t distribution."""

    #: The same columns without a common spread.
    gaussian: GaussianCopula
    #: Of the t distribution: the fewer, the more the rows differ in spread.
    degrees: float

    @classmethod
    def of(cls, encoded: Encoded) -> TCopula:
        """Fit to a table: the Gaussian copula, then the spread of its rows."""
        gaussian = GaussianCopula.of(encoded)
        return cls(gaussian, _degrees(gaussian))

    def draw(self, random: np.random.Generator) -> Encoded:
        """A table with the same values in every column, the same holes and no groups."""
        return self.gaussian.encoded.arranged(self.order(random))

    def order(self, random: np.random.Generator) -> np.ndarray:
        """From which row every cell of such a table comes, (N, M); -1 where it is missing."""
        latent = self.gaussian.latent(random)
        spread = _spread(random.random((len(latent), 1)), self.degrees)
        return self.gaussian.order_along(latent * spread)


def _spread(places: np.ndarray, degrees: float) -> np.ndarray:
    """Of rows at these places between 0 and 1: a normal variable times it is one of Student's t."""
    if np.isinf(degrees):
        return np.ones_like(places)
    return np.sqrt(degrees / stats.chi2.isf(places, degrees))


def _degrees(gaussian: GaussianCopula) -> float:
    """The fewest degrees of freedom that the table's kurtosis does not rule out.

    Mardia's kurtosis of normal scores is compared with that of drawn tables, which have the same
    ties and holes; the likelihood of the scores takes a Gaussian table of five levels or two for
    one of heavy tails. What groups gain hangs on the tails so much that the likeliest degrees will
    not do: the end of their confidence interval holds its level (Berger and Boos, Journal of the
    American Statistical Association 89, 1994).
    """
    parts = gaussian.encoded.outcome_column
    # Where the numbers of a two-part column are is drawn with its outcome: other holes each time.
    columns = [j for j in range(gaussian.ranks.shape[1]) if j not in parts]
    rows = np.unique(np.linspace(0, len(gaussian.ranks) - 1, ROWS).astype(np.int64))
    ranks = gaussian.ranks[np.ix_(rows, columns)]
    scores = np.column_stack([_normal_scores(column) for column in ranks.T])
    own = GaussianCopula(Encoded.from_array(scores, "normal"), scores, gaussian.root[columns])
    root = root_of(correlations(scores))
    precision = np.linalg.inv(root @ root.T)
    found = _kurtosis(scores, precision)

    def are_allowed(degrees: float) -> bool:
        # The same seeds under all degrees, so that the kurtosis falls as they rise.
        copula, seeds = TCopula(own, degrees), map(np.random.default_rng, range(TABLES))
        return any(_kurtosis(copula.draw(seed).values, precision) <= found for seed in seeds)

    return DEGREES[bisect_left(DEGREES[:-1], True, key=are_allowed)]


def _normal_scores(column: np.ndarray) -> np.ndarray:
    """Every value's place under a normal curve, that of tied ones in their middle."""
    place, shares, _ = levels_of(column)
    out = np.full(column.shape, np.nan)
    out[~np.isnan(column)] = ndtri(np.cumsum(shares) - shares / 2)[place]
    return out


def _kurtosis(scores: np.ndarray, precision: np.ndarray) -> float:
    """Mean squared over squared mean of the rows' squared Mahalanobis lengths (Mardia).

    A missing cell counts as 0, in the drawn tables the same cells.
    """
    points = np.nan_to_num(scores)
    lengths = ((points @ precision) * points).sum(axis=1)
    return float((lengths**2).mean() / max(lengths.mean() ** 2, np.finfo(float).tiny))
