"""Trees of rows and of clusters, and where they are cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from ..profiling.trees import Dendrogram, Join, RowTree
from ..ticks import decade_ticks
from ..wording import counted
from .template import CLEAR, INK, PALETTE, colour_of, plain, short, styled


def tree_figure(
    tree: RowTree,
    sizes: Sequence[int],
    colours: Sequence[int],
    height: float,
    ink: str = INK,
) -> go.Figure:
    """Crown of a tree, leaves with rows and colour (-1 grey), cut at ``height``, its only shape."""
    figure, shown = go.Figure(), tree.shown
    colour = [INK if label < 0 else colour_of(label) for label in colours]
    for join in shown.joins:
        made = join.height <= height
        text = f"to {join.n_clusters:,} groups at {join.height:,.4g}"
        _add_join(figure, join, tree.on_axis, made, colour[round(join.left[0])], text=text)
    _add_leaves(figure, colour, [counted(size, "row") for size in sizes], size=10)
    figure.update_xaxes(
        tickvals=list(range(len(sizes))),
        ticktext=[f"{size:,}" for size in sizes],
        tickangle=-90 if len(sizes) > 20 else 0,
        ticks="outside",
        ticklen=9,
        tickcolor=CLEAR,
        title="rows of every branch",
        range=[-0.7, len(sizes) - 0.3],
    )
    figure.update_yaxes(title=tree.axis, range=[0.0, tree.on_axis(tree.top)])
    if tree.is_log:
        _set_log_ticks(figure, tree.top + 1.0)
    line = {"color": ink, "width": 3, "dash": "dash"}
    figure.add_hline(tree.on_axis(height), line=line, editable=True)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(fixedrange=True)
    return _bare(figure).update_layout(dragmode=False)


def dendrogram_figure(
    tree: Dendrogram,
    titles: Sequence[str],
    colours: Sequence[int],
    n_clusters: int,
) -> go.Figure:
    """The merge path: joins above the cut are faint; ``titles`` are of the fitted clusters."""
    figure = go.Figure()
    # Costs differ by powers of ten: ln(1 + nats) keeps small ones readable, and starts at 0.
    for join in tree.joins:
        made = join.n_clusters >= n_clusters
        text = f"to {join.n_clusters:,} groups: E {join.height:+,.1f} log units"
        opacity = 1.0 if made else 0.6
        _add_join(figure, join, math.log1p, made, PALETTE[0], text=text, opacity=opacity)
    colour = [colour_of(colours[k]) for k in tree.leaves]
    _add_leaves(figure, colour, [plain(titles[k]) for k in tree.leaves], size=12)
    places = list(range(0, len(tree.leaves), -(-len(tree.leaves) // 40)))
    names = [short(titles[tree.leaves[place]], 16) for place in places]
    figure.update_xaxes(tickvals=places, ticktext=names)
    figure.update_yaxes(title="rise of E (log units)", rangemode="tozero")
    _set_log_ticks(figure, 1.3 * (tree.joins[-1].height if tree.joins else 1.0) + 1.0)
    return _bare(figure)


def _bare(figure: go.Figure) -> go.Figure:
    figure.update_xaxes(showgrid=False, zeroline=False)
    figure.update_yaxes(zeroline=False)
    return styled(figure, 360, showlegend=False)


def _add_join(
    figure: go.Figure,
    join: Join,
    on_axis: Callable[[float], float],
    is_made: bool,
    colour: str,
    **kwargs: Any,
) -> None:
    (x0, y0), (x1, y1) = join.left, join.right
    y0, y, y1 = (on_axis(at) for at in (y0, join.height, y1))
    figure.add_scatter(
        x=[x0, x0, x1, x1],
        y=[y0, y, y, y1],
        mode="lines",
        line={"color": colour if is_made else INK, "width": 3 if is_made else 1.5},
        hovertemplate="%{text}<extra></extra>",
        **kwargs,
    )


def _add_leaves(
    figure: go.Figure, colours: Sequence[str], text: Sequence[str], size: float
) -> None:
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
    ticks = [0.0, *decade_ticks(1.0, top)]
    figure.update_yaxes(
        tickvals=[math.log1p(tick) for tick in ticks],
        ticktext=[f"{tick:,.0f}" for tick in ticks],
    )
