"""Where the model comes from: the restaurant of its prior, and K-means as clusters shrink."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import matched, numbering
from mapdp_studio.core.comparing.panels import (
    RADIUS,
    Panel,
    labels_panel,
    method_panel,
)
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.comparing.strips import Strip
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.settings import strip_figure
from mapdp_studio.core.plots.teaching import restaurant_figure, stick_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.prior import draw_mixture, seat, stick_breaking
from mapdp_studio.core.teaching.small_variance import Shrunk, agreement_by_sd, spherical_fit
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart, player, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import KEPT, WIDTHS, controls, key_of, slider, stand
from mapdp_studio.pages.parts.teach.room import Classroom, results_of, shared_results

FIGURE = "restaurant"
#: Pieces of the stick, and rows of a mixture, that are drawn.
N_STICKS, MOST_DRAWN = 30, 1_000
BESIDE = ("DPMeans", "KMeansBIC")


def restaurant(is_wide: bool) -> None:
    """The restaurant, its number of tables against the expectation, and draws from the prior."""
    st.markdown(
        "Before any data is seen, MAP-DP and Gibbs expect clusters as a restaurant fills its "
        "tables: a newcomer sits down at a table in proportion to how many sit there, or opens a "
        "new one as if N₀ sat there. So large tables grow larger, and K grows with the logarithm "
        "of the number of rows."
    )
    one, two, three = st.columns(3, gap="medium")
    slider("n0", one, help="As if so many sat at a new table.")
    slider("guests", two)
    bounds = controls()["seed"].bounds
    three.number_input("Evening (seed)", *bounds, key=key_of("seed"), **KEPT)
    guests, n_0, seed = stand("guests"), stand("n0"), int(stand("seed"))
    results = shared_results()
    seating = results.latest("seating", (guests, n_0, seed), lambda: seat(guests, n_0, seed))
    said = (
        f"After {guests:,} rows: {seating.n_tables[-1]:,} tables this evening, "
        f"{seating.expected[-1]:.2f} ± {seating.deviation[-1]:.1f} expected exactly, "
        f"{seating.rule[-1]:.2f} by the rule N₀ ln n, which holds for many rows."
    )
    player(FIGURE)
    with st.container(key=FIGURE):
        figure = restaurant_figure(seating, is_wide, colours()["ink"]).to_json()
        chart(figure, "restaurant-chart", said, saving("restaurant"))
    st.caption(said)
    left, right = halves()
    weights = stick_breaking(n_0, N_STICKS, seed)
    with left:
        st.markdown(
            "**All weights at once: a stick is broken.** Of what is left a share is broken off, "
            f"again and again, {100 / (1 + n_0):.0f} % on average."
        )
        said = f"A stick broken into pieces; the {N_STICKS} drawn are {weights.sum():.1%} of it"
        picture(stick_figure(weights), "sticks", said, "stick-breaking")
    n = min(guests, MOST_DRAWN)
    rows, labels = results.latest("mixture", (n, n_0, seed), lambda: draw_mixture(n, n_0, seed))
    with right:
        k = int(labels.max()) + 1
        said = f"{n:,} rows in {k} clusters"
        st.markdown(f"**A data set that the prior could have made:** {said}, of the same evening.")
        view = choose_view(Encoded.from_array(rows, "normal"))
        panel = labels_panel(view, "A draw from the prior", labels, range(k))
        picture(panels_figure(view, [panel], 1, **colours()), "mixture", said, "mixture-draw")


def small_variance(room: Classroom) -> None:
    """The slider, three panels side by side, and the agreement at every width."""
    if not room.is_plane or room.truth is None:
        st.info("This view needs two columns of numbers, and known groups.")
        return
    st.markdown(
        "Take MAP-DP with round clusters of one known width σ, and tie N₀ to λ so that a new "
        "cluster always costs the same. As σ shrinks, the count term and the prior fade beside the "
        "squared distance: what is left is DP-means, and with K fixed, K-means."
    )
    slider("sigma")
    sd, penalty, results = stand("sigma"), room.settings.penalty, results_of(room.key)
    about = room.about, penalty

    def shrink(job: Job) -> tuple[Shrunk, pd.DataFrame]:
        told = room.encoded, penalty, WIDTHS
        table = results.latest("sigmas", about, lambda: agreement_by_sd(*told))
        for name in BESIDE:
            results.fit(room.tasks[name], room.frame, room.schema)
        return spherical_fit(room.encoded, penalty, sd), table

    key = room.tasks["KMeansBIC"], *about, sd
    found = get_result(session(), "sigma", key, "Widths", shrink, results)
    if found is None:
        return
    shrunk, table = found
    told = room.view, results, room.tasks, room.tasks, room.truth
    panels = [_spherical(room, shrunk), *(method_panel(name, *told) for name in BESIDE)]
    said = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
    figure = panels_figure(room.view, panels, 3, panel_height=280, **colours())
    picture(figure, "widths", said, "sigma")
    rising = table.sort_values("sd")
    strip = Strip("σ", *(rising[name].to_numpy() for name in ("sd", "n_clusters", "with_dp_means")))
    figure = strip_figure(strip, sd, None).update_xaxes(autorange="reversed", dtick="D2")
    said = "K of MAP-DP with round clusters, and its agreement with DP-means, by their width"
    st.caption(f"{said}:")
    picture(figure, "agreement", said, "widths")


def _spherical(room: Classroom, shrunk: Shrunk) -> Panel:
    labels = matched(room.truth.classes, shrunk.labels)
    title = f"MAP-DP, round, K = {shrunk.n_clusters:,}"
    numbers = numbering(np.unique(labels), len(room.truth.names))
    panel = labels_panel(room.view, title, labels, range(labels.max() + 1), numbers)
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = RADIUS * shrunk.sd * np.column_stack([np.cos(angles), np.sin(angles)])
    circle *= room.points.std(axis=0)
    curves = tuple(
        (k, (room.points[labels == k].mean(axis=0) + circle).astype(np.float32))
        for k in np.unique(panel.labels[panel.labels >= 0]).tolist()
    )
    return replace(panel, remark=f"σ = {shrunk.sd:.3g}, N₀ tied to λ", outlines=curves)
