"""The posterior of K: as Gibbs sampling settles (M12 Figure 25.7), and of a fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..models.gibbs import CollapsedGibbs
from .prior_draws import BASE, MixtureDraw

#: Sweeps after which the posterior is read, as in the book.
SWEEPS = (50, 100, 200)


def posterior_of_k(
    draw: MixtureDraw,
    concentration: float,
    seed: int = 0,
    sweeps: Sequence[int] = SWEEPS,
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
    ).fit(draw.rows)
    trace = np.asarray(model.n_clusters_trace_)
    shares = {
        n: pd.Series(trace[n // 2 : n]).value_counts(normalize=True).sort_index() for n in sweeps
    }
    table = pd.DataFrame(shares).fillna(0.0).sort_index()
    return table.rename_axis("n_clusters")


def fitted_posterior_of_k(model: CollapsedGibbs) -> pd.DataFrame:
    """K in the sweeps of a fit after its burn-in, as ``posterior_of_k`` gives it: one column."""
    shares = pd.Series(model.n_clusters_posterior())
    kept = model.n_chains * (model.n_sweeps - int(model.burn_in * model.n_sweeps))
    return shares.to_frame(kept).rename_axis("n_clusters")


def beside_posterior(shares: pd.DataFrame, k: int) -> str:
    """How often a fit's sweeps had the K that MAP-DP found, and which they had, in words."""
    (n_sweeps,) = shares.columns
    met = shares[n_sweeps]
    as_many = f"{100 * met[k]:.0f} % have" if k in met.index else "none has"
    low, high, most = met.index.min(), met.index.max(), met.idxmax()
    had = f"{low:,}" if low == high else f"{low:,} to {high:,}, most often {most:,}"
    return (
        f"MAP-DP finds K = {k:,}. Of Gibbs' {n_sweeps:,} sweeps after the burn-in {as_many} as "
        f"many clusters: K is {had} there."
    )
