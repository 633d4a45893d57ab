"""What every choice of cluster for one row costs, at the power and the weights of the fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import gammaln

from ..engine.partition import Partition


def assignment_costs(partition: Partition, row: int) -> tuple[np.ndarray, np.ndarray]:
    """What a row would add to E in every cluster and in a new one, in two terms.

    With the row of weight w taken out, joining cluster k costs -[ln m(X_k + x) - ln m(X_k)] and
    -[ln Gamma(W_k + w) - ln Gamma(W_k)], a new cluster -ln m(x) and -ln N_0 - ln Gamma(w), where m
    is the marginal of the likelihood to the power of the fit. At power 1 the first term is minus
    the log predictive density; filled cells count as they are.

    Parameters
    ----------
    partition : Partition
        It is not changed.
    row : int
        One of its rows, of a weight above 0.

    Returns
    -------
    likelihood, count : ndarray of float64, shape (K + 1,)
        In nats and the user's units, the new cluster last. The cluster that the row has to itself
        stands for the new one, which then costs infinity.
    """
    columns = replace(partition.columns, table=partition.table).closed()
    n, own = partition.n_clusters, partition.labels[row]
    others = [np.flatnonzero(partition.labels == k) for k in range(n)] + [np.empty(0, np.int64)]
    others[own] = others[own][others[own] != row]

    def terms(rows: np.ndarray) -> np.ndarray:
        """Ln m and ln Gamma of the size of one cluster."""
        if not rows.size:
            return np.zeros(2)
        alone = Partition(columns.subset(rows), partition.concentration)
        of_size = gammaln(alone.sizes[0])
        return np.array([alone.own_terms()[0] - of_size, of_size])

    gained = np.array([terms(np.append(rows, row)) - terms(rows) for rows in others])
    cell = columns.subset(np.array([row]))
    likelihood, count = -cell.log_constant - gained[:, 0], -gained[:, 1]
    is_new = [not rows.size for rows in others]
    count[is_new] -= np.log(partition.concentration)
    if is_new[own]:
        count[n] = np.inf
    return likelihood, count
