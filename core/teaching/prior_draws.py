"""Draws from the prior: sticks broken into weights, and tables of a Dirichlet process mixture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import invwishart

from ..families import GaussianPrior
from ..models.arguments import check_number, check_whole
from .restaurant import seat

#: The base of the mixtures that are drawn: clusters about one wide, their means about four apart.
BASE = GaussianPrior(np.zeros(2), 0.05, 6.0, 3.0 * np.eye(2))


def stick_breaking(
    concentration: float, n_sticks: int, seed: int = 0, discount: float = 0.0
) -> np.ndarray:
    """Weights of the first clusters of a Dirichlet or Pitman-Yor process (M12 section 25.2.2).

    Of what is left of a stick of length 1, a share drawn from Beta(1 - d, N_0 + k d) is broken off.

    Parameters
    ----------
    concentration : float
        N_0, above 0.
    n_sticks : int
    seed : int
    discount : float
        d, at least 0 and below 1.

    Returns
    -------
    ndarray of float64, shape (n_sticks,)
        In the order in which they were broken off; they sum to less than 1.
    """
    concentration = check_number("concentration", concentration, 0.0, allow_equal=False)
    check_whole("n_sticks", n_sticks, 1)
    check_number("discount", discount, 0.0)
    if discount >= 1.0:
        raise ValueError(f"discount={discount!r} is not allowed: give a number below 1.")
    k = np.arange(1, n_sticks + 1)
    shares = np.random.default_rng(seed).beta(1.0 - discount, concentration + k * discount)
    left = np.concatenate([[1.0], np.cumprod(1.0 - shares)[:-1]])
    return shares * left


@dataclass(frozen=True)
class MixtureDraw:
    """Rows of a Dirichlet process mixture of Gaussians; the first n are a draw of n rows."""

    #: float64, shape (N, 2).
    rows: np.ndarray
    #: int64, shape (N,). Cluster of every row, in the order in which they were opened.
    labels: np.ndarray
    #: float64, shape (K, 2) and (K, 2, 2).
    means: np.ndarray
    covariances: np.ndarray

    def first(self, n: int) -> MixtureDraw:
        """The draw of the first n rows alone, or of all there are."""
        k = int(self.labels[:n].max()) + 1
        return MixtureDraw(self.rows[:n], self.labels[:n], self.means[:k], self.covariances[:k])


def draw_mixture(
    n: int,
    concentration: float,
    seed: int = 0,
    discount: float = 0.0,
    base: GaussianPrior = BASE,
) -> MixtureDraw:
    """Draw rows from a Dirichlet process mixture with a Normal-Wishart base (M12 Figure 25.7).

    Parameters
    ----------
    n : int
    concentration : float
    seed : int
    discount : float
        d of the Pitman-Yor process.
    base : GaussianPrior
        Of two columns.
    """
    labels = seat(n, concentration, seed, discount).labels
    k = int(labels.max()) + 1
    random = np.random.default_rng([seed, 1])
    covariances, means = np.empty((k, 2, 2)), np.empty((k, 2))
    for c in range(k):
        covariances[c] = invwishart.rvs(base.dof, base.scatter, random_state=random)
        means[c] = random.multivariate_normal(base.mean, covariances[c] / base.mean_count)
    noise = np.random.default_rng([seed, 2]).standard_normal((n, 2))
    roots = np.linalg.cholesky(covariances)
    rows = means[labels] + np.einsum("nij,nj->ni", roots[labels], noise)
    return MixtureDraw(rows, labels, means, covariances)
