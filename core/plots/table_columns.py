"""Figures of a table before anything is clustered: missing cells, the values of a column."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..profiling.describe import Spread
from ..profiling.missing import MissingCells
from .template import PALETTE, PANEL, names_down, plain, short, styled

#: So few numbers all stand at an axis.
FEW = 10


def missing_cells(missing: MissingCells) -> go.Figure:
    """Which cells are missing: a share for each column beside a picture of the rows."""
    places = list(range(len(missing.shares)))
    figure = make_subplots(
        cols=2, shared_yaxes=True, column_widths=[0.4, 0.6], horizontal_spacing=0.02
    )
    figure.add_bar(
        x=[100 * share for share in missing.shares.values()],
        y=places,
        orientation="h",
        marker_color=PALETTE[0],
        customdata=[plain(name) for name in missing.shares],
        hovertemplate="%{customdata}: %{x:.1f} % missing<extra></extra>",
        row=1,
        col=1,
    )
    figure.add_heatmap(
        z=missing.pattern.T.astype(np.uint8),
        y=places,
        zmin=0,
        zmax=1,
        colorscale=[[0, PANEL], [1, PALETTE[0]]],
        showscale=False,
        hoverinfo="skip",
        row=1,
        col=2,
    )
    figure.update_yaxes(**names_down([short(name, 24) for name in missing.shares]), col=1)
    figure.update_yaxes(visible=False, autorange="reversed", col=2)
    figure.update_xaxes(title="% missing", rangemode="tozero", col=1)
    figure.update_xaxes(title="rows, those that miss the same together", showgrid=False, col=2)
    figure.update_xaxes(showticklabels=False, ticks="", col=2)
    return styled(figure, height=90 + 22 * len(places), showlegend=False)


def spread_of_values(spread: Spread, height: int = 280) -> go.Figure:
    """Bars of how often the values of one column occur."""
    places = spread.places or list(range(len(spread.labels)))
    figure = go.Figure().add_bar(
        x=places,
        y=spread.counts,
        customdata=[plain(label) for label in spread.labels],
        marker_color=PALETTE[0],
        hovertemplate="%{customdata}: %{y:,} rows<extra></extra>",
    )
    if spread.places is None or len(places) <= FEW:
        figure.update_xaxes(tickvals=places, ticktext=[short(label, 14) for label in spread.labels])
    if spread.places is not None:
        figure.update_layout(bargap=0.03)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(title="rows", rangemode="tozero")
    if max(spread.counts, default=0) <= FEW:
        figure.update_yaxes(dtick=1)
    return styled(figure, height=height, showlegend=False)
