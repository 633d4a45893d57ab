"""Trees of rows and of clusters, and where they are cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from ..profiling.trees import Dendrogram, Join, RowTree
from ..ticks import decade_ticks
from .template import CLEAR, INK, PALETTE, colour_of, plain, short, styled


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
        made = join.height <= height
        text = f"to {join.n_clusters:,} groups at {join.height:,.4g}"
        _add_join(figure, join, tree.on_axis, made, colour[round(join.left[0])], text=text)
    places = list(range(len(shown.leaves)))
    branches = [f"{size:,} {'row' if size == 1 else 'rows'}" for size in sizes]
    _add_leaves(figure, colour, branches, size=10)
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
        _set_log_ticks(figure, tree.top + 1.0)
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


def dendrogram_figure(
    tree: Dendrogram,
    titles: Sequence[str],
    colours: Sequence[int],
    n_clusters: int,
    height: int = 360,
) -> go.Figure:
    """The merge path as a tree; joins above the cut, at ``n_clusters`` groups, are faint.

    ``titles`` are those of the fitted clusters, ``colours`` those of the groups they are in.
    """
    figure = go.Figure()
    # Costs differ by powers of ten: ln(1 + nats) keeps small ones readable, and starts at 0.
    for join in tree.joins:
        made = join.n_clusters >= n_clusters
        text = f"to {join.n_clusters:,} groups: E {join.height:+,.1f} log units"
        opacity = 1.0 if made else 0.6
        _add_join(figure, join, math.log1p, made, PALETTE[0], text=text, opacity=opacity)
    colour = [colour_of(colours[k]) for k in tree.leaves]
    _add_leaves(figure, colour, [plain(titles[k]) for k in tree.leaves], size=12)
    every = -(-len(tree.leaves) // 40)
    figure.update_xaxes(
        tickvals=list(range(0, len(tree.leaves), every)),
        ticktext=[short(titles[k], 16) for k in tree.leaves[::every]],
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(title="rise of E (log units)", rangemode="tozero", zeroline=False)
    _set_log_ticks(figure, 1.3 * (tree.joins[-1].height if tree.joins else 1.0) + 1.0)
    return styled(figure, height=height, showlegend=False)


def _add_join(
    figure: go.Figure,
    join: Join,
    on_axis: Callable[[float], float],
    is_made: bool,
    colour: str,
    **looks: Any,
) -> None:
    """The three sides of a join: in colour where the cut makes it, thin where it does not."""
    (x0, y0), (x1, y1) = join.left, join.right
    y0, y, y1 = (on_axis(at) for at in (y0, join.height, y1))
    figure.add_scatter(
        x=[x0, x0, x1, x1],
        y=[y0, y, y, y1],
        mode="lines",
        line={"color": colour if is_made else INK, "width": 3 if is_made else 1.5},
        hovertemplate="%{text}<extra></extra>",
        **looks,
    )


def _add_leaves(
    figure: go.Figure, colours: Sequence[str], text: Sequence[str], size: float
) -> None:
    """A mark a leaf, side by side at height 0."""
    figure.add_scatter(
        x=list(range(len(colours))),
        y=[0.0] * len(colours),
        mode="markers",
        marker={"size": size, "color": list(colours)},
        text=list(text),
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )


def _set_log_ticks(figure: go.Figure, top: float) -> None:
    """Heights in their own units on an axis of ln(1 + height)."""
    ticks = [0.0, *decade_ticks(1.0, top)]
    figure.update_yaxes(
        tickvals=[math.log1p(tick) for tick in ticks],
        ticktext=[f"{tick:,.0f}" for tick in ticks],
    )


def _colour(label: int) -> str:
    return INK if label < 0 else colour_of(label)
