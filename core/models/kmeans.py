"""K-means: Lloyd's algorithm from k-means++ seeds, the number of clusters by BIC."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..inference.fit import Fit
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .centroids import (
    CentroidEstimator,
    CentroidState,
    last_state,
    lloyd_states,
    order_by_content,
    plus_plus,
    squared_error,
)
from .estimator import Callback, WeighsRows, number, one_of, whole


def bic(sizes: np.ndarray, inertia: float, n_columns: int) -> float:
    """BIC of hard clusters as spherical Gaussians of one variance, higher is better, in nats.

    Pelleg and Moore (2000), with the maximum-likelihood variance; NaN where none is left.
    ``inertia`` is the sum of squared distances to the centres.
    """
    n_rows = sizes.sum()
    sizes = sizes[sizes > 0]
    if inertia <= 0.0:
        return np.nan
    variance = inertia / (n_rows * n_columns)
    fit = sizes @ np.log(sizes / n_rows)
    fit -= 0.5 * n_rows * n_columns * (np.log(2.0 * np.pi * variance) + 1.0)
    n_parameters = sizes.size - 1 + n_columns * sizes.size + 1
    return float(fit - 0.5 * n_parameters * np.log(n_rows))


class _Run(NamedTuple):
    last: CentroidState
    trace: list[float]
    inertia: float
    bic: float


#: What the start that is kept for a K minimises; without variance there is no BIC.
_LEAST = {"error": lambda run: run.inertia, "bic": lambda run: -np.fmax(run.bic, -np.inf)}
# Rounding leaves this share of the total squared error where there should be none.
_NO_VARIANCE = 1e-24


@dataclass(eq=False, repr=False)
class KMeansBIC(WeighsRows, CentroidEstimator):
    """K-means for every K of a range, many starts each; the K with the highest BIC is kept.

    A table with a schema is standardised and coded first; an array goes in as it is, holes filled
    by column means.

    Parameters
    ----------
    k_min, k_max : int
        Range of K, which ends at the distinct rows.
    n_init : int
        Starts for each K.
    max_iter : int
        Most passes over the rows from one start.
    tol : float
        Share of the mean variance to which the centres' squared moves sum at convergence.
    best_start : "error" or "bic"
        The start that stands for a K: least error or highest BIC (R16).
    random_state : int, Generator or None; the order of the rows changes nothing

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (K, P)
    inertia_ : float
        The objective: sum of squared distances to the centres.
    bic_ : dict
        BIC of the start that stands for each K; NaN, chosen last, without variance.
    encoding_ : NumericEncoding
    result_, labels_, n_clusters_, objective_, objective_trace_, n_iter_, converged_

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import KMeansBIC
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    >>> KMeansBIC(k_max=5, random_state=0).fit(rows).n_clusters_
    2
    """

    k_min: int = 1
    k_max: int = 20
    n_init: int = 10
    _: KW_ONLY
    max_iter: int = 300
    tol: float = 1e-4
    best_start: str = "error"
    random_state: Any = None

    limits: ClassVar = {
        **dict.fromkeys(("k_min", "n_init", "max_iter"), whole(1)),
        **{"tol": number(0.0), "best_start": one_of(*_LEAST)},
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        whole(self.k_min)("k_max", self.k_max)
        if self.k_min > len(encoded.values):
            n = len(encoded.values)
            raise ValueError(f"k_min={self.k_min} is not allowed: the table has {n} rows.")
        order = order_by_content(encoded.values, encoded.weights)
        table = encoded.rows(order)
        rows, mean = self._numbers(table)
        runs = self._best_of_each(rows, table.weights, callback)
        chosen = max(runs, key=lambda run: np.fmax(run.bic, -np.inf))
        labels, clusters = by_size(chosen.last.labels[np.argsort(order)], encoded.weights)
        self.bic_ = {len(run.last.centers): run.bic for run in runs}
        self.cluster_centers_ = chosen.last.centers[clusters] + mean
        self.inertia_ = chosen.inertia
        how = {"objective": chosen.inertia, "converged": chosen.last.converged}
        return self._make_fit(labels, chosen.trace, **how)

    def _best_of_each(
        self, rows: np.ndarray, weights: np.ndarray | None, callback: Callback
    ) -> list[_Run]:
        """The run that stands for each K, up to where distinct rows run out."""
        random, error = np.random.default_rng(self.random_state), squared_error(rows, weights)
        tried, found = range(self.k_min, min(self.k_max, len(rows)) + 1), list[_Run]()
        for k in tried:
            runs = []
            for i in range(self.n_init):
                seeds = plus_plus(rows, k, random, weights)
                if len(seeds) < k and found:
                    return found
                states = lloyd_states(rows, seeds, weights, self.max_iter, self.tol, error)
                phase = f"K = {k}, start {i + 1} of {self.n_init}"
                done, total = (k - self.k_min) * self.n_init + i, len(tried) * self.n_init
                state, trace = last_state(states, callback, phase, done, total)
                inertia = state.objective if state.objective > _NO_VARIANCE * error else 0.0
                value = bic(np.bincount(state.labels, weights), inertia, rows.shape[1])
                runs.append(_Run(state, trace, inertia, value))
            found.append(min(runs, key=_LEAST[self.best_start]))
        return found
