"""How sure K is: what Gibbs' sweeps had beside the K of MAP-DP."""

from __future__ import annotations

import streamlit as st

from core.comparing.comparison import Results
from core.methods import JUDGE
from core.models.estimator import ClusterEstimator
from core.plots.prior_draws import posterior_figure
from core.teaching.posterior_of_k import beside_posterior, fitted_posterior_of_k
from pages.parts.shared.picture import picture
from pages.parts.teach.settings import Classroom


def how_many(room: Classroom, results: Results) -> None:
    """Draw the posterior of K with MAP-DP's marked, once both have run."""
    found, gibbs = (results.get(room.tasks[name]) for name in (JUDGE, "CollapsedGibbs"))
    if not isinstance(found, ClusterEstimator) or not isinstance(gibbs, ClusterEstimator):
        return
    shares = fitted_posterior_of_k(gibbs)
    said = beside_posterior(shares, found.n_clusters_)
    st.subheader("How sure is K?", anchor=False)
    chart, words = st.columns(2)
    with chart:
        picture(posterior_figure(shares, found.n_clusters_), "how-many", said, "posterior-of-k")
    words.caption(f"{said} Dashed is MAP-DP's.")
