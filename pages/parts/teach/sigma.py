"""From K-means to MAP-DP: round clusters of a known width that shrinks, beside DP-means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Results, Truth, matched
from mapdp_studio.core.comparing.outlines import RADIUS
from mapdp_studio.core.comparing.panels import Panel, algorithm_panels, truth_panel
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.settings import widths_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.small_variance import Shrunk, agreement_by_sd, spherical_fit
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.theme import colours, inked
from mapdp_studio.pages.parts.teach.controls import SIGMA, WIDTHS, choose_position
from mapdp_studio.pages.parts.teach.settings import Classroom
from mapdp_studio.pages.parts.teach.stage import Stage

FIGURE = "widths"


def sigma(
    room: Classroom, results: Results, stage: Stage, place: DeltaGenerator | None = None
) -> None:
    """Three panels side by side, in a place of their own if there is one; the slider, a strip."""
    text = "Standard deviation within clusters, in standardised units, as λ is."
    sd = choose_position(st, SIGMA, "Width σ of every cluster", text)
    penalty = room.settings.penalty
    about = room.about, penalty

    def shrink(job: Job) -> tuple[Shrunk, list[Panel], pd.DataFrame]:
        table = results.latest(
            "sigmas",
            about,
            lambda: agreement_by_sd(room.encoded, penalty, WIDTHS, room.truth.classes),
        )
        return spherical_fit(room.encoded, penalty, sd), _beside(room, results), table

    found = get_result(
        session(), "sigma", (room.tasks["KMeansBIC"], *about, sd), "Widths", shrink, results
    )
    if found is None:
        return
    shrunk, beside, table = found
    panels = [_spherical(room, shrunk), *beside]
    n_columns = 3 if stage.width else 1
    with (place or st).container(key=FIGURE):
        chart(
            panels_figure(room.view, panels, n_columns, panel_height=300, **colours()).to_json(),
            "widths-panels",
            "; ".join(f"{panel.title} ({panel.remark})" for panel in panels),
            saving("sigma"),
            share=stage.share() if stage.width else None,
        )
    st.markdown(
        "Take MAP-DP with round clusters of one known width σ, and tie N₀ to λ so that a new "
        "cluster always costs the same. As σ shrinks, the count term and the prior fade beside the "
        "squared distance: what is left is DP-means, and with K fixed, K-means."
    )
    st.caption(
        f"At σ = {shrunk.sd:.3g} ten times as many rows are worth {shrunk.distance_worth:.3g} of "
        f"squared distance to a cluster, beside λ = {penalty:.3g}; ln N₀ is "
        f"{shrunk.log_concentration:.1f}. It starts where DP-means rests and moves single "
        "rows, as R16's Algorithm 2 does. Each row is weighed without itself, so that now and then "
        f"one leaves a rest of DP-means even in the limit. {room.view.note}"
    )
    last = table.iloc[-1]
    st.plotly_chart(
        inked(widths_figure(table, sd)),
        config={"displayModeBar": False},
        alt="Agreement of the spherical MAP-DP with DP-means and with the truth, by width",
    )
    st.caption(
        f"At σ = {last['sd']:.2g} it agrees with DP-means to NMI {last['with_dp_means']:.2f} and "
        f"with the truth to {last['with_truth']:.2f}; its best agreement with the truth on this "
        f"strip is {table['with_truth'].max():.2f}."
    )
    with st.expander("The widths as a table"):
        st.dataframe(table.round(3), hide_index=True, alt="K and agreement by width")


def _spherical(room: Classroom, shrunk: Shrunk) -> Panel:
    """The partition with a circle of 95 % about every cluster's mean."""
    labels = matched(room.truth.classes, shrunk.labels)
    names = tuple(f"cluster {k + 1}" for k in range(labels.max() + 1))
    panel = truth_panel(room.view, Truth("", labels, names))
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    radii = RADIUS * shrunk.sd * room.points.std(axis=0)
    drawn = set(np.unique(panel.labels).tolist()) - {-1}
    curves = tuple(
        (k, (room.points[labels == k].mean(axis=0) + radii * circle).astype(np.float32))
        for k in sorted(drawn)
    )
    return replace(
        panel,
        title=f"MAP-DP, round, K = {shrunk.n_clusters:,}",
        remark=f"σ = {shrunk.sd:.3g}, N₀ tied to λ",
        outlines=curves,
    )


def _beside(room: Classroom, results: Results) -> list[Panel]:
    """The panels of DP-means and K-means as on Watch."""
    wanted = room.tasks
    for algorithm in ("DPMeans", "KMeansBIC"):
        results.fit(wanted[algorithm], room.frame, room.schema)
    shown = {name: wanted[name] for name in ("DPMeans", "KMeansBIC")}
    panels = algorithm_panels(room.view, results, wanted, shown, room.truth)
    return [panels[list(wanted).index(name)] for name in shown]
