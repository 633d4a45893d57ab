"""The posterior of the number of clusters as Gibbs sampling settles (M12 Figure 25.7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.gibbs import CollapsedGibbs
from .prior_draws import BASE, MixtureDraw

#: Sweeps after which the posterior is read, as in the book.
SWEEPS = (50, 100, 200)


def posterior_of_k(
    draw: MixtureDraw,
    concentration: float,
    seed: int = 0,
    sweeps: Sequence[int] = SWEEPS,
    callback: Callback | None = None,
) -> pd.DataFrame:
    """Sample partitions of drawn rows from one cluster on, under the prior they were drawn from.

    Parameters
    ----------
    draw : MixtureDraw
    concentration : float
        N_0.
    seed : int
    sweeps : sequence of int
        Rising; at each of them the second half of the sweeps so far is read.
    callback : callable, optional
        What it raises ends the chain.

    Returns
    -------
    DataFrame
        Index ``n_clusters``, every number that was met; one column for each of ``sweeps``, the
        share of the sweeps with that many clusters.
    """
    model = CollapsedGibbs(
        concentration,
        likelihood="gaussian",
        prior=BASE,
        n_sweeps=max(sweeps),
        burn_in=0.0,
        init=np.zeros(len(draw.rows), dtype=np.int64),
        random_state=seed,
    ).fit(draw.rows, callback=callback)
    trace = np.asarray(model.n_clusters_trace_)
    shares = {
        n: pd.Series(trace[n // 2 : n]).value_counts(normalize=True).sort_index() for n in sweeps
    }
    table = pd.DataFrame(shares).fillna(0.0).sort_index()
    return table.rename_axis("n_clusters")
