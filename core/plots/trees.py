"""A tree of rows or of clusters, and where it is cut."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from ..profiling.trees import RowTree
from ..ticks import decade_ticks
from .template import CLEAR, INK, colour_of, short, styled

_MOST_NAMED = 40  # branches whose names do not run into one another


def tree_figure(
    tree: RowTree,
    names: Sequence[str],
    colours: Sequence[int],
    height: float,
    ink: str = INK,
) -> go.Figure:
    """Crown of a tree, leaves with name and colour (-1 grey), cut at ``height``, its only shape."""
    figure, places = go.Figure(), list(range(len(names)))
    colour = [INK if label < 0 else colour_of(label) for label in colours]
    for x, y in tree.joins:
        style = {"color": colour[round(x[0])], "width": 3}
        figure.add_scatter(
            x=x,
            y=[tree.on_axis(at) for at in y],
            mode="lines",
            line=style if y[1] <= height else {"color": INK, "width": 1.5},
            text=f"to {tree.n_groups(y[1]):,} groups at {y[1]:,.4g}",
            hoverinfo="text",
        )
    figure.add_scatter(
        x=places,
        y=[0.0] * len(places),
        mode="markers",
        marker={"size": 10, "color": colour},
        text=[short(name) for name in names],
        hoverinfo="text",
        cliponaxis=False,
    )
    line = {"color": ink, "width": 3, "dash": "dash"}
    figure.add_hline(tree.on_axis(height), line=line)
    figure.update_xaxes(
        range=[-0.7, len(places) - 0.3],
        tickvals=places,
        ticktext=[short(name, 16) for name in names],
        showticklabels=len(places) <= _MOST_NAMED,
        title="rows of every branch",
        **{"ticks": "outside", "ticklen": 9, "tickcolor": CLEAR},
    )
    figure.update_yaxes(title=tree.axis, range=[0.0, tree.on_axis(tree.top)])
    if tree.is_log:
        marks = [0.0, *decade_ticks(1.0, tree.top + 1.0)]
        places = [math.log1p(mark) for mark in marks]
        figure.update_yaxes(tickvals=places, ticktext=[f"{mark:,.0f}" for mark in marks])
    figure.update_xaxes(showgrid=False, zeroline=False, fixedrange=True)
    figure.update_yaxes(zeroline=False, fixedrange=True)
    return styled(figure, 360, showlegend=False, dragmode=False)
