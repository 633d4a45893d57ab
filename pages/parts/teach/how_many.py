"""How sure K is: what Gibbs' sweeps had beside the K of MAP-DP."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.restaurant import posterior_figure
from mapdp_studio.core.teaching.posterior_of_k import beside_posterior, fitted_posterior_of_k
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.theme import colours, inked
from mapdp_studio.pages.parts.teach.settings import Classroom

FIGURE = "how-many"


def how_many(room: Classroom, results: Results) -> None:
    """Draw the posterior of K with MAP-DP's marked, once both have run."""
    tasks = tuple(room.tasks[name] for name in (JUDGE, "CollapsedGibbs"))
    found, gibbs = map(results.get, tasks)
    if not isinstance(found, ClusterEstimator) or not isinstance(gibbs, ClusterEstimator):
        return

    def drawn() -> tuple[str, str]:
        shares = fitted_posterior_of_k(gibbs)
        figure = inked(posterior_figure(shares, found.n_clusters_))
        return figure.to_json(), beside_posterior(shares, found.n_clusters_)

    figure, said = results.latest("posterior of K", (tasks, *colours().values()), drawn)
    st.subheader("How sure is K?", anchor=False)
    left, words = st.columns(2)
    with left, st.container(key=FIGURE):
        chart(figure, "how-many-chart", said, saving("posterior-of-k"))
    words.caption(f"{said} Dashed is MAP-DP's.")
