"""Where the model comes from: the Chinese restaurant, sticks, draws from the prior, back to K."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import invwishart

from ..families import GaussianPrior
from ..models.gibbs import CollapsedGibbs

#: Rows seated one by one before the steps grow, and steps in all.
ONE_BY_ONE, MOST_STEPS = 12, 32
#: The base of the mixtures that are drawn: clusters about one wide, their means about four apart.
BASE = GaussianPrior(np.zeros(2), 0.05, 6.0, 3.0 * np.eye(2))


@dataclass(frozen=True)
class Seating:
    """The table of each row, (N,); at S steps rows seated, the tables' mean, SD, and rule."""

    concentration: float
    labels: np.ndarray
    numbers: np.ndarray
    expected: np.ndarray
    deviation: np.ndarray
    rule: np.ndarray

    @property
    def n_tables(self) -> np.ndarray:
        """Tables after every row, shape (N,)."""
        return np.maximum.accumulate(self.labels) + 1

    def sizes(self, n: int) -> np.ndarray:
        """Rows at each table once n are seated."""
        return np.bincount(self.labels[:n])

    def newcomer(self, n: int) -> float:
        """Chance that the next row opens a table once n are seated."""
        return self.concentration / (self.concentration + n)


def seat(n: int, concentration: float, seed: int = 0) -> Seating:
    """Seat n rows: at a table of m in proportion to m, at a new one to N_0."""
    random = np.random.default_rng(seed)
    labels, n_tables = np.zeros(n, dtype=np.int64), 0
    for i, (chance, row) in enumerate(zip(random.random(n), random.random(n), strict=True)):
        if chance * (concentration + i) < concentration:
            labels[i] = n_tables
            n_tables += 1
        else:  # sitting down beside a row chosen at random is choosing a table by its size
            labels[i] = labels[int(row * i)]
    late = np.geomspace(ONE_BY_ONE, max(n, ONE_BY_ONE), MOST_STEPS - ONE_BY_ONE + 1).round()
    numbers = np.unique([*range(1, ONE_BY_ONE + 1), *late.astype(np.int64)])
    numbers = numbers[numbers <= n]
    chances = concentration / (concentration + np.arange(n))
    expected, variance = (one.cumsum()[numbers - 1] for one in (chances, chances * (1.0 - chances)))
    rule = concentration * np.log(numbers)
    return Seating(concentration, labels, numbers, expected, np.sqrt(variance), rule)


def stick_breaking(concentration: float, n_sticks: int, seed: int = 0) -> np.ndarray:
    """Weights of a Dirichlet process' first clusters, (n_sticks,), in order (M12 25.2.2)."""
    shares = np.random.default_rng(seed).beta(1.0, concentration, n_sticks)
    return shares * np.concatenate([[1.0], np.cumprod(1.0 - shares)[:-1]])


def draw_mixture(n: int, concentration: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows, (N, 2), of a Dirichlet process mixture, and their clusters in order of opening.

    The base is Normal-Wishart (M12 Figure 25.7).
    """
    labels = seat(n, concentration, seed).labels
    random = np.random.default_rng([seed, 1])
    means, roots = [], []
    for _ in range(labels.max() + 1):
        covariance = invwishart.rvs(BASE.dof, BASE.scatter, random_state=random)
        means.append(random.multivariate_normal(BASE.mean, covariance / BASE.mean_count))
        roots.append(np.linalg.cholesky(covariance))
    noise = np.random.default_rng([seed, 2]).standard_normal((n, 2))
    rows = np.array(means)[labels] + np.einsum("nij,nj->ni", np.array(roots)[labels], noise)
    return rows, labels


def fitted_posterior_of_k(model: CollapsedGibbs) -> pd.DataFrame:
    """Shares of a fit's sweeps after its burn-in by ``n_clusters``: one column, their number."""
    shares = pd.Series(model.n_clusters_posterior())
    n_draws = model.n_chains * (model.n_sweeps - int(model.burn_in * model.n_sweeps))
    return shares.to_frame(n_draws).rename_axis("n_clusters")


def posterior_sentence(shares: pd.DataFrame, k: int) -> str:
    """How often a fit's sweeps had the K that MAP-DP found, and which they had, in words."""
    (n_sweeps,) = shares.columns
    met = shares[n_sweeps]
    return (
        f"MAP-DP finds K = {k:,}, as {100 * met.get(k, 0.0):.0f} % of Gibbs' {n_sweeps:,} sweeps "
        f"after the burn-in; most often they find {met.idxmax():,}."
    )
