"""The choice of a cluster by rows that are scored together: the rule of a sweep."""

from __future__ import annotations

import numpy as np

from ..jit import kernel


@kernel
def choose(scores, weights, own, without, members, best, slack, fits):
    """Write each row's best cluster beside its own, how much worse that is, and its own fit.

    Parameters
    ----------
    scores : ndarray of float64, shape (n, W)
        Of each of K clusters, the row's own without it, and of a new one.
    weights, without : ndarray of float64, shapes (K + 1,) and (K,)
        Log sizes and N_0; log sizes without one row.
    own, members : ndarray of int64, shapes (n,) and (W,)
    best, slack, fits : ndarray, shape (n,)
    """
    n = weights.shape[0] - 1
    for i in range(own.shape[0]):
        k = own[i]
        fits[i] = scores[i, k]
        is_alone = members[k] == 1
        stay = scores[i, n] + weights[n] if is_alone else fits[i] + without[k]
        # A row alone in its cluster is in the new one already.
        n_choices = n if is_alone else n + 1
        place, highest = 0, -np.inf
        for other in range(n_choices):
            value = scores[i, other] + weights[other]
            if other != k and value > highest:
                place, highest = other, value
        best[i], slack[i] = place, stay - highest
