"""Trees of rows, cut by a line that can be dragged."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from ..profiling.row_tree import RowTree
from ..ticks import decade_ticks
from .template import CLEAR, INK, colour_of, styled


def tree_figure(
    tree: RowTree,
    sizes: Sequence[int],
    colours: Sequence[int],
    height: float,
    ink: str = INK,
    panel_height: int = 360,
) -> go.Figure:
    """Draw the crown of a tree and the line that cuts it, the figure's only shape.

    Parameters
    ----------
    tree : RowTree
    sizes, colours : sequence of int
        Of every shown leaf: its rows, and the colour of the group that it is in, -1 for grey.
    height : float
        Of the line.
    """
    figure, shown = go.Figure(), tree.shown
    colour = [_colour(label) for label in colours]
    for join in shown.joins:
        (x0, y0), (x1, y1) = join.left, join.right
        made = join.height <= height
        y0, y, y1 = (tree.on_axis(at) for at in (y0, join.height, y1))
        figure.add_scatter(
            x=[x0, x0, x1, x1],
            y=[y0, y, y, y1],
            mode="lines",
            line={"color": colour[round(x0)] if made else INK, "width": 3 if made else 1.5},
            text=f"to {join.n_clusters:,} groups at {join.height:,.4g}",
            hovertemplate="%{text}<extra></extra>",
        )
    places = list(range(len(shown.leaves)))
    figure.add_scatter(
        x=places,
        y=[0.0] * len(places),
        mode="markers",
        marker={"size": 10, "color": [colour[place] for place in places]},
        text=[f"{size:,} {'row' if size == 1 else 'rows'}" for size in sizes],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )
    figure.update_xaxes(
        tickvals=places,
        ticktext=[f"{size:,}" for size in sizes],
        tickangle=-90 if len(places) > 20 else 0,
        ticks="outside",
        ticklen=9,
        tickcolor=CLEAR,
        title="rows of every branch",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        range=[-0.7, len(places) - 0.3],
    )
    figure.update_yaxes(
        title=tree.axis, zeroline=False, fixedrange=True, range=[0.0, tree.on_axis(tree.top)]
    )
    if tree.is_log:
        ticks = [0.0, *decade_ticks(1.0, tree.top + 1.0)]
        figure.update_yaxes(
            tickvals=[math.log1p(tick) for tick in ticks],
            ticktext=[f"{tick:,.0f}" for tick in ticks],
        )
    figure.add_shape(
        type="line",
        xref="paper",
        x0=0.0,
        x1=1.0,
        y0=tree.on_axis(height),
        y1=tree.on_axis(height),
        line={"color": ink, "width": 3, "dash": "dash"},
        editable=True,
    )
    return styled(figure, height=panel_height, showlegend=False, dragmode=False)


def _colour(label: int) -> str:
    return INK if label < 0 else colour_of(label)
