"""Draws from the prior: a stick broken into weights, rows of such clusters, and back to K."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..teaching.prior_draws import MixtureDraw
from .template import INK, PALETTE, PANEL, colour_of, small_title, styled

#: Height of the stick, of the rows and of the posterior, in pixels.
STICK, ROWS, POSTERIOR = 110, 340, 280


def stick_figure(weights: np.ndarray) -> go.Figure:
    """Draw a stick of length 1 and its pieces, in the order in which they were broken off."""
    figure = go.Figure()
    for k, weight in enumerate(weights):
        figure.add_bar(
            x=[100.0 * weight],
            y=[""],
            orientation="h",
            marker={"color": colour_of(k), "line": {"width": 0.5, "color": PANEL}},
            hovertemplate=f"piece {k + 1}: {weight:.2%}<extra></extra>",
        )
    figure.update_xaxes(range=[0, 100], title=small_title("% of all rows"), fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    margin = {"l": 8, "r": 8, "t": 6, "b": 46, "pad": 0}
    return styled(
        figure, height=STICK, margin=margin, barmode="stack", showlegend=False, plot_bgcolor=PANEL
    )


def posterior_figure(shares: pd.DataFrame, true_k: int) -> go.Figure:
    """Bars of how often every K was met, a colour for each number of sweeps; the true K marked.

    ``shares`` are those of ``posterior_of_k``.
    """
    figure = go.Figure()
    for place, n in enumerate(shares.columns):
        figure.add_bar(
            x=shares.index,
            y=100.0 * shares[n],
            name=f"{n} sweeps",
            marker_color=PALETTE[place],
            hovertemplate=f"after {n} sweeps: K = %{{x}} in %{{y:.0f}} %<extra></extra>",
        )
    figure.add_vline(true_k, line={"color": INK, "dash": "dash"})
    low, high = min(shares.index.min(), true_k), max(shares.index.max(), true_k)
    figure.update_xaxes(
        range=[low - 0.7, high + 0.7],
        dtick=1,
        title=small_title("K; height: share of sweeps"),
        fixedrange=True,
    )
    figure.update_yaxes(ticksuffix=" %", rangemode="tozero", fixedrange=True)
    return styled(figure, height=POSTERIOR, barmode="group", plot_bgcolor=PANEL)


def mixture_figure(draw: MixtureDraw) -> go.Figure:
    """Draw the rows of a mixture in the colours of their clusters."""
    figure = go.Figure()
    for k in range(int(draw.labels.max()) + 1):
        rows = draw.rows[draw.labels == k]
        figure.add_scatter(
            x=rows[:, 0],
            y=rows[:, 1],
            mode="markers",
            marker={"color": colour_of(k), "size": 5, "opacity": 0.75},
            hovertemplate=f"cluster {k + 1}, {len(rows):,} rows<extra></extra>",
        )
    figure.update_xaxes(zeroline=False, fixedrange=True)
    figure.update_yaxes(zeroline=False, fixedrange=True, scaleanchor="x")
    margin = {"l": 40, "r": 8, "t": 6, "b": 30, "pad": 0}
    return styled(figure, height=ROWS, margin=margin, showlegend=False, plot_bgcolor=PANEL)
