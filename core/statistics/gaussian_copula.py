"""A Gaussian copula: a table's own margins and rank correlations, and nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ..families.family import CATEGORY
from ..schema.encoded import Encoded, cells_from

#: Terms of the Hermite series that makes a column a function of its latent normal variable.
TERMS = 60
#: Halvings of the interval of every latent correlation.
HALVINGS = 30
#: Latent correlations stay this far inside -1 and 1, and eigenvalues above 0.
MARGIN = 1e-3


@dataclass(frozen=True)
class GaussianCopula:
    """Columns of any type, joined by latent normal variables."""

    #: The table; every column keeps its own values and missing cells.
    encoded: Encoded
    #: float64, shape (N, M). By which the values of each column are ordered along its latent
    #: variable.
    ranks: np.ndarray
    #: float64, shape (M, M). The latent correlation matrix is ``root @ root.T``.
    root: np.ndarray

    @classmethod
    def of(cls, encoded: Encoded) -> GaussianCopula:
        """Fit to a table: the latent correlations that give its rank correlations."""
        ranks = _in_order(encoded)
        scores = np.column_stack([_mid_ranks(column) for column in ranks.T])
        return cls(encoded, ranks, root_of(_latent(ranks, correlations(scores))))

    @classmethod
    def independent(cls, encoded: Encoded) -> GaussianCopula:
        """Columns that know nothing of each other: each is shuffled by itself."""
        return cls(encoded, encoded.values, np.eye(encoded.values.shape[1]))

    def draw(self, random: np.random.Generator) -> Encoded:
        """A table with the same values in every column, the same holes and no groups."""
        return self.encoded.arranged(self.order(random))

    def order(self, random: np.random.Generator) -> np.ndarray:
        """From which row every cell of such a table comes, (N, M); -1 where it is missing."""
        return self.order_along(self.latent(random))

    def latent(self, random: np.random.Generator) -> np.ndarray:
        """Latent variables of as many rows as the table has, shape (N, M)."""
        n, n_latent = len(self.encoded.values), self.root.shape[1]
        return random.standard_normal((n, n_latent)) @ self.root.T

    def order_along(self, latent: np.ndarray) -> np.ndarray:
        """The rows of every column's values, in the order of its latent variable.

        A two-part column has its numbers where its drawn outcome is a number.
        """
        values, outcome = self.encoded.values, self.encoded.outcome_column
        order = np.full(values.shape, -1)
        for j in sorted(range(values.shape[1]), key=outcome.__contains__):
            to = rows = np.flatnonzero(~np.isnan(values[:, j]))
            if j in outcome:
                drawn = cells_from(values[:, outcome[j]], order[:, outcome[j]])
                to = np.flatnonzero(drawn == 0)
            ranked = rows[np.argsort(self.ranks[rows, j], kind="stable")]
            order[to[np.argsort(latent[to, j])], j] = ranked
        return order


def correlations(scores: np.ndarray) -> np.ndarray:
    """Pearson's correlation of every two columns, shape (M, M), over the rows that have both.

    0 where a column does not vary, or too few rows have both; 1 on the diagonal.
    """
    seen = (~np.isnan(scores)).astype(np.float64)
    filled = np.nan_to_num(scores)
    n = np.maximum(seen.T @ seen, 1.0)
    sums = filled.T @ seen
    squares = (filled**2).T @ seen - sums**2 / n
    products = filled.T @ filled - sums * sums.T / n
    scale = np.sqrt(np.maximum(squares * squares.T, 0.0))
    varies = (scale > 1e-9 * n) & (n > 2)
    out = np.where(varies, products / np.where(varies, scale, 1.0), 0.0)
    np.fill_diagonal(out, 1.0)
    return np.clip(out, -1.0, 1.0)


def _in_order(encoded: Encoded) -> np.ndarray:
    """Values of every column, categories numbered along the main direction of the others.

    Names have no order of their own. A patient further along the first principal component of
    the ordered columns then has, on average, a level further along.
    """
    ranks = encoded.values.copy()
    kinds = [unit.kind for unit in encoded.units for _ in unit.columns]
    ordered = [j for j, kind in enumerate(kinds) if kind != CATEGORY]
    if len(ordered) in (0, len(kinds)):
        return ranks
    scores = np.column_stack([_mid_ranks(ranks[:, j]) for j in ordered])
    main = np.linalg.eigh(correlations(scores))[1][:, -1]
    severity = np.nan_to_num(scores) @ main
    for j in set(range(len(kinds))) - set(ordered):
        seen = ~np.isnan(ranks[:, j])
        codes = ranks[seen, j].astype(np.int64)
        means = np.bincount(codes, severity[seen]) / np.maximum(np.bincount(codes), 1)
        ranks[seen, j] = np.argsort(np.argsort(means))[codes]
    return ranks


def levels_of(column: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the observed values in order: each one's place, the shares, and the mid-ranks.

    The mid-ranks have mean 0 and variance 1 over the observed cells.
    """
    _, place, counts = np.unique(column[~np.isnan(column)], return_inverse=True, return_counts=True)
    shares = counts / max(counts.sum(), 1)
    middle = np.cumsum(shares) - shares / 2 - 0.5
    spread = np.sqrt(shares @ middle**2)
    return place, shares, middle / spread if spread > 0 else middle


def _mid_ranks(column: np.ndarray) -> np.ndarray:
    place, _, middle = levels_of(column)
    out = np.full(column.shape, np.nan)
    out[~np.isnan(column)] = middle[place] if place.size else 0.0
    return out


def _latent(ranks: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Correlations of the latent variables under which the scores correlate as they do.

    Mid-ranks are functions f, g of standard normal variables with the Hermite coefficients a, b;
    if those correlate by r, then f and g do by sum_k a_k b_k r^k, which rises with r.
    """
    series = np.array([_hermite(column) for column in ranks.T])
    low, high = np.full(target.shape, MARGIN - 1.0), np.full(target.shape, 1.0 - MARGIN)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        reached = np.zeros_like(middle)
        for a in series.T[::-1]:
            reached += np.multiply.outer(a, a)
            reached *= middle
        below = reached < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    latent = (low + high) / 2
    constant = ~series.any(axis=1)
    latent[constant, :] = latent[:, constant] = 0.0
    np.fill_diagonal(latent, 1.0)
    return latent


def _hermite(column: np.ndarray) -> np.ndarray:
    """Coefficients 1 to ``TERMS`` of the mid-ranks in normalised Hermite polynomials."""
    _, shares, middle = levels_of(column)
    steps = np.diff(middle)
    at = ndtri(np.cumsum(shares)[:-1])
    weight = steps * np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    coefficients = np.empty(TERMS)
    before, polynomial = np.zeros_like(at), np.ones_like(at)
    for k in range(1, TERMS + 1):
        coefficients[k - 1] = weight @ polynomial / np.sqrt(k)
        after = (at * polynomial - np.sqrt(k - 1) * before) / np.sqrt(k)
        before, polynomial = polynomial, after
    return coefficients


def root_of(correlation: np.ndarray) -> np.ndarray:
    """A root of the nearest matrix whose eigenvalues are all above 0, its diagonal 1."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, MARGIN))
    return root / np.linalg.norm(root, axis=1, keepdims=True)
