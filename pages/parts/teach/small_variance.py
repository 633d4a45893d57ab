"""From K-means to MAP-DP: round clusters of a known width that shrinks, beside DP-means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import Truth, matched
from mapdp_studio.core.comparing.panels import RADIUS, Panel, method_panel, truth_panel
from mapdp_studio.core.comparing.strips import Strip
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.settings import strip_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.small_variance import Shrunk, agreement_by_sd, spherical_fit
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.bars import choose_position
from mapdp_studio.pages.parts.teach.controls import WIDTHS, stand
from mapdp_studio.pages.parts.teach.room import Classroom, results_of

BESIDE = ("DPMeans", "KMeansBIC")


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
    text = "Standard deviation within clusters, in standardised units, as λ is."
    choose_position(st, "sigma", "Width σ of every cluster", text)
    sd, penalty, results = stand("sigma"), room.settings.penalty, results_of(room.key)
    about = room.about, penalty

    def shrink(job: Job) -> tuple[Shrunk, pd.DataFrame]:
        told = room.encoded, penalty, WIDTHS, room.truth.classes
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
    picture(
        panels_figure(room.view, panels, 3, panel_height=280, **colours()),
        "widths",
        "; ".join(f"{panel.title} ({panel.remark})" for panel in panels),
        "sigma",
    )
    st.caption(
        f"At σ = {shrunk.sd:.3g} ten times as many rows are worth {shrunk.distance_worth:.3g} of "
        f"squared distance to a cluster, beside λ = {penalty:.3g}."
    )
    said = "K of the spherical MAP-DP and its agreement with DP-means, by width"
    rising = table.sort_values("sd")
    strip = Strip("σ", *(rising[name].to_numpy() for name in ("sd", "n_clusters", "with_dp_means")))
    figure = strip_figure(strip, sd, None).update_xaxes(autorange="reversed", dtick="D2")
    picture(figure, "agreement", said, "widths")
    last = table.iloc[-1]
    st.caption(
        f"At σ = {last['sd']:.2g} it agrees with DP-means to NMI {last['with_dp_means']:.2f} and "
        f"with the truth to {last['with_truth']:.2f}; at the best width to "
        f"{table['with_truth'].max():.2f}."
    )


def _spherical(room: Classroom, shrunk: Shrunk) -> Panel:
    labels = matched(room.truth.classes, shrunk.labels)
    names = tuple(f"cluster {k + 1}" for k in range(labels.max() + 1))
    panel = truth_panel(room.view, Truth("", labels, names))
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    radii = RADIUS * shrunk.sd * room.points.std(axis=0)
    curves = tuple(
        (k, (room.points[labels == k].mean(axis=0) + radii * circle).astype(np.float32))
        for k in np.unique(panel.labels[panel.labels >= 0]).tolist()
    )
    return replace(
        panel,
        title=f"MAP-DP, round, K = {shrunk.n_clusters:,}",
        remark=f"σ = {shrunk.sd:.3g}, N₀ tied to λ",
        outlines=curves,
    )
