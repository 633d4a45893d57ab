"""Figures of the Clusters page: what is handed in is drawn, nothing is computed here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..profiling.dendrogram import Dendrogram
from ..profiling.profiles import Distribution
from . import GRID, INK, PALETTE, PANEL, plain

# Blue to orange through the page's own colour: apart under every colour-vision deficiency.
LOW, HIGH = "#3b76af", "#e0700d"
#: Differences beyond so many standard deviations share the strongest colour.
STRONGEST = 2.5
MOST_NUMBERS = 20
MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}


def short(text: object, width: int = 26) -> str:
    """A name of a table, safe for a figure and cut where it is long."""
    text = str(text)
    return plain(text if len(text) <= width else text[: width - 1] + "…")


def colour_of(label: int) -> str:
    """Colour of a cluster."""
    return PALETTE[label % len(PALETTE)]


def differences_figure(
    differences: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff"
) -> go.Figure:
    """Heatmap of standardised differences: features down, groups across.

    Parameters
    ----------
    differences : DataFrame, index (column, level), one column a group
        The first row on top.
    titles : sequence of str
        Of the groups.
    paper : str
        Colour of the page, for no difference.
    """
    names = [
        short(f"{column} = {level}" if level else column, 34) for column, level in differences.index
    ]
    z = differences.to_numpy(dtype=np.float64)
    has_room = z.shape[1] <= MOST_NUMBERS
    figure = go.Figure(
        go.Heatmap(
            z=z,
            zmin=-STRONGEST,
            zmax=STRONGEST,
            colorscale=[[0.0, LOW], [0.5, paper], [1.0, HIGH]],
            text=[["" if math.isnan(v) else f"{v:+.1f}" for v in row] for row in z.round(1) + 0.0],
            texttemplate="%{text}" if has_room else None,
            textfont={"size": 11},
            customdata=[[plain(title) for title in titles]] * len(names),
            hovertemplate="%{y}, %{customdata}: %{z:+.2f} SD<extra></extra>",
            xgap=1,
            ygap=1,
            colorbar={"title": {"text": "SD"}, "thickness": 12, "len": 0.6, "outlinewidth": 0},
        )
    )
    figure.update_xaxes(
        tickvals=list(range(len(titles))),
        ticktext=[short(title, 14) for title in titles],
        side="top",
        showgrid=False,
        ticks="",
    )
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=names,
        autorange="reversed",
        showgrid=False,
        automargin=True,
    )
    return figure.update_layout(
        height=70 + 24 * len(names), margin=MARGIN | {"t": 36}, plot_bgcolor=PANEL
    )


def bars_figure(names: Sequence[str], values: Sequence[float], title: str) -> go.Figure:
    """Horizontal bars, the first on top.

    Parameters
    ----------
    title : str
        Of the axis, with its unit.
    """
    places = list(range(len(names)))
    figure = go.Figure(
        go.Bar(
            x=list(values),
            y=places,
            orientation="h",
            marker_color=[PALETTE[0] if value >= 0 else INK for value in values],
            customdata=[plain(name) for name in names],
            hovertemplate="%{customdata}: %{x:,.1f}<extra></extra>",
        )
    )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[short(name) for name in names],
        autorange="reversed",
        automargin=True,
    )
    figure.update_xaxes(title=title, gridcolor=GRID, zerolinecolor=GRID)
    return figure.update_layout(height=80 + 22 * len(names), margin=MARGIN, showlegend=False)


def distribution_figure(
    spread: Distribution,
    groups: Sequence[int],
    titles: Sequence[str],
    colours: Sequence[int],
    height: int = 340,
) -> go.Figure:
    """One column's values in several groups, each as a share of its own rows.

    Parameters
    ----------
    groups : sequence of int
        Those drawn.
    titles, colours : sequences, length G
        Of all groups.
    height : int
        In pixels.
    """
    figure = go.Figure()
    percent = 100.0 * spread.counts / np.maximum(spread.n_observed, 1)[:, None]
    for g in groups:
        n = spread.n_observed[g]
        common = {
            "name": f"{short(titles[g])} (n = {n:,})",
            "customdata": [plain(label) for label in spread.labels],
            "hovertemplate": "%{customdata}: %{y:.1f} %<extra>" + short(titles[g]) + "</extra>",
        }
        figure.add_trace(_spread(spread, percent[g], colour_of(colours[g]), common))
    if spread.edges is None:
        places = list(range(len(spread.labels)))
        every = -(-len(places) // 24)
        figure.update_xaxes(
            tickvals=places[::every],
            ticktext=[short(spread.labels[p], 16) for p in places[::every]],
        )
    elif spread.is_log:
        ticks = _log_ticks(spread.edges[0], spread.edges[-1])
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:,.6g}" for tick in ticks])
    figure.update_xaxes(title=short(spread.name, 60), showgrid=False)
    figure.update_yaxes(title="% of the group", gridcolor=GRID, rangemode="tozero")
    return figure.update_layout(
        height=height,
        margin=MARGIN | {"t": 30},
        bargap=0.25,
        barmode="group",
        hovermode="closest",
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
    )


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten of a range, with twos and fives where there are few of them."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    return [s * 10.0**p for p in powers for s in steps if low <= s * 10.0**p <= high]


def _spread(
    spread: Distribution, percent: np.ndarray, colour: str, common: dict[str, Any]
) -> go.Bar | go.Scatter:
    """A filled outline of a histogram, or a bar for each single value."""
    if spread.edges is None:
        return go.Bar(x=list(range(percent.size)), y=percent, marker_color=colour, **common)
    common["customdata"] = [*common["customdata"], common["customdata"][-1]]
    return go.Scatter(
        x=spread.edges,
        y=np.append(percent, percent[-1:]),
        mode="lines",
        line={"shape": "hv", "color": colour, "width": 2},
        fill="tozeroy",
        fillcolor=_thin(colour),
        **common,
    )


def _thin(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.15)"


def dendrogram_figure(
    tree: Dendrogram,
    titles: Sequence[str],
    colours: Sequence[int],
    n_clusters: int,
    height: int = 360,
) -> go.Figure:
    """The merge path as a tree; joins above the cut are faint.

    Parameters
    ----------
    titles : sequence of str
        Of the fitted clusters.
    colours : sequence of int
        Of the group that each fitted cluster is in.
    n_clusters : int
        Groups left at the cut.
    height : int
        In pixels.
    """
    figure = go.Figure()
    # Costs differ by powers of ten: ln(1 + nats) keeps small ones readable, and starts at 0.
    for join in tree.joins:
        (x0, y0), (x1, y1) = join.left, join.right
        made = join.n_clusters >= n_clusters
        y0, y1, y = (math.log1p(value) for value in (y0, y1, join.height))
        figure.add_trace(
            go.Scatter(
                x=[x0, x0, x1, x1],
                y=[y0, y, y, y1],
                mode="lines",
                line={"color": PALETTE[0] if made else INK, "width": 3 if made else 1.5},
                opacity=1.0 if made else 0.6,
                text=f"to {join.n_clusters:,} groups: E {join.height:+,.1f} nats",
                hovertemplate="%{text}<extra></extra>",
            )
        )
    places = list(range(len(tree.leaves)))
    figure.add_trace(
        go.Scatter(
            x=places,
            y=[0.0] * len(places),
            mode="markers",
            marker={"size": 12, "color": [colour_of(colours[k]) for k in tree.leaves]},
            text=[plain(titles[k]) for k in tree.leaves],
            hovertemplate="%{text}<extra></extra>",
            cliponaxis=False,
        )
    )
    every = -(-len(places) // 40)
    figure.update_xaxes(
        tickvals=places[::every],
        ticktext=[short(titles[k], 16) for k in tree.leaves[::every]],
        showgrid=False,
        zeroline=False,
    )
    top = tree.joins[-1].height if tree.joins else 1.0
    ticks = [0, *(step * 10**power for power in range(7) for step in (1, 3))]
    ticks = [tick for tick in ticks if tick <= 1.3 * top + 1]
    figure.update_yaxes(
        title="rise of E (nats)",
        tickvals=[math.log1p(tick) for tick in ticks],
        ticktext=[f"{tick:,}" for tick in ticks],
        gridcolor=GRID,
        rangemode="tozero",
        zeroline=False,
    )
    return figure.update_layout(height=height, margin=MARGIN, showlegend=False)


def reasons_figure(
    names: Sequence[str],
    margins: Sequence[float],
    own: tuple[str, int],
    other: tuple[str, int | None],
) -> go.Figure:
    """What speaks for a row's group and what for its second choice, column by column.

    Parameters
    ----------
    names : sequence of str
        Columns with the row's values.
    margins : sequence of float
        Nats for the own group, negative for the other.
    own, other : (title, colour)
        No colour for a new cluster.
    """
    places = list(range(len(names)))
    for_own = colour_of(own[1])
    for_other = INK if other[1] is None else colour_of(other[1])
    figure = go.Figure()
    sides = ((own[0], for_own, 1.0), (other[0], for_other, -1.0))
    for title, colour, sign in sides:
        figure.add_trace(
            go.Bar(
                x=[value if sign * value > 0 else None for value in margins],
                y=places,
                orientation="h",
                name=f"speaks for {short(title)}",
                marker_color=colour,
                customdata=[plain(name) for name in names],
                hovertemplate="%{customdata}: %{x:+.2f} nats<extra></extra>",
            )
        )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[short(name, 40) for name in names],
        autorange="reversed",
        automargin=True,
    )
    figure.update_xaxes(title="nats", gridcolor=GRID, zerolinecolor=INK)
    return figure.update_layout(
        height=110 + 24 * len(names),
        margin=MARGIN | {"t": 30},
        barmode="overlay",
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
    )
