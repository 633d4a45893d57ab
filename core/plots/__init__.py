"""Figures: what is handed in is drawn, nothing is computed here."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..profiling.describe import Holes, Spread

# Petroff's ten colours (arXiv:2107.02270) stay apart under the three colour-vision deficiencies.
PALETTE = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#94a4a2",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#92dadd",
)
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star", "triangle-down")
SVG_LIMIT = 1500
INK = "#7a8a8e"
GRID = "rgba(128, 144, 148, 0.22)"
PANEL = "rgba(128, 144, 148, 0.08)"


def plain(text: object) -> str:
    """Text of a table made safe for a figure, which reads a little HTML."""
    return html.escape(str(text), quote=False)


def marker_style(label: int) -> dict[str, object]:
    """Colour and symbol of a cluster: ten colours, then the same ones with other symbols."""
    turn = label // len(PALETTE)
    return {
        "color": PALETTE[label % len(PALETTE)],
        "symbol": SYMBOLS[(label + turn) % len(SYMBOLS)],
    }


def side_by_side(
    points: np.ndarray, partitions: Mapping[str, Sequence[int] | None], height: int = 300
) -> go.Figure:
    """Several partitions of the same points, one panel each, on the same axes.

    Parameters
    ----------
    points : ndarray, shape (N, 2)
    partitions : mapping of str to labels or None
        A title and the labels of its panel, colours already matched; None leaves the points grey.
    height : int
        Height of the figure in pixels.
    """
    figure = make_subplots(cols=len(partitions), horizontal_spacing=0.03)
    for column, labels in enumerate(partitions.values(), start=1):
        for label, rows in _groups(labels, len(points)):
            figure.add_trace(_dots(points[rows].astype(np.float32), label), row=1, col=column)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * (high - low)
    for axis, update in enumerate((figure.update_xaxes, figure.update_yaxes)):
        update(
            range=[low[axis] - margin[axis], high[axis] + margin[axis]],
            showticklabels=False,
            showgrid=False,
            zeroline=False,
            fixedrange=True,
        )
    figure.update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 30, "b": 0},
        plot_bgcolor=PANEL,
        showlegend=False,
    )
    for column, title in enumerate(partitions, start=1):
        axis = "" if column == 1 else column
        figure.add_annotation(
            text=plain(title),
            x=0.0,
            y=1.0,
            xref=f"x{axis} domain",
            yref=f"y{axis} domain",
            xanchor="left",
            yanchor="bottom",
            yshift=6,
            showarrow=False,
            font={"size": 14},
        )
    return figure


def missing_cells(holes: Holes) -> go.Figure:
    """Which cells are missing: a share for each column beside a picture of the rows."""
    names = [plain(name) for name in holes.shares]
    places = list(range(len(names)))
    figure = make_subplots(
        cols=2, shared_yaxes=True, column_widths=[0.4, 0.6], horizontal_spacing=0.02
    )
    figure.add_trace(
        go.Bar(
            x=[100 * share for share in holes.shares.values()],
            y=places,
            orientation="h",
            marker_color=PALETTE[0],
            customdata=names,
            hovertemplate="%{customdata}: %{x:.1f} % missing<extra></extra>",
        ),
        row=1,
        col=1,
    )
    figure.add_trace(
        go.Heatmap(
            z=holes.pattern.T.astype(np.uint8),
            y=places,
            zmin=0,
            zmax=1,
            colorscale=[[0, PANEL], [1, PALETTE[0]]],
            showscale=False,
            hoverinfo="skip",
        ),
        row=1,
        col=2,
    )
    figure.update_yaxes(
        autorange="reversed", tickvals=places, ticktext=[_short(name) for name in names], col=1
    )
    figure.update_yaxes(visible=False, autorange="reversed", col=2)
    figure.update_xaxes(title="% missing", rangemode="tozero", gridcolor=GRID, col=1)
    figure.update_xaxes(title="rows, those with the same holes together", showgrid=False, col=2)
    figure.update_xaxes(showticklabels=False, ticks="", col=2)
    figure.update_layout(
        height=90 + 22 * len(names), margin={"l": 8, "r": 8, "t": 8, "b": 8}, showlegend=False
    )
    return figure


def spread_of_values(spread: Spread, height: int = 280) -> go.Figure:
    """Bars of how often the values of one column occur.

    Parameters
    ----------
    height : int
        Height of the figure in pixels.
    """
    labels = [plain(label) for label in spread.labels]
    places = spread.places or list(range(len(labels)))
    figure = go.Figure(
        go.Bar(
            x=places,
            y=spread.counts,
            customdata=labels,
            marker_color=PALETTE[0],
            hovertemplate="%{customdata}: %{y:,} rows<extra></extra>",
        )
    )
    if spread.places is None:
        figure.update_xaxes(tickvals=places, ticktext=[_short(label, 14) for label in labels])
    else:
        figure.update_layout(bargap=0.03)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(title="rows", gridcolor=GRID, rangemode="tozero")
    figure.update_layout(height=height, margin={"l": 8, "r": 8, "t": 8, "b": 8}, showlegend=False)
    return figure


def _short(name: str, width: int = 24) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def _groups(labels: Sequence[int] | None, n_rows: int) -> list[tuple[int | None, np.ndarray]]:
    if labels is None:
        return [(None, np.arange(n_rows))]
    labels = np.asarray(labels)
    return [(int(label), np.flatnonzero(labels == label)) for label in np.unique(labels)]


def _dots(points: np.ndarray, label: int | None) -> go.Scatter:
    style = {"color": INK, "symbol": "circle"} if label is None else marker_style(label)
    name = "rows" if label is None else f"cluster {label + 1}"
    return go.Scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        name=name,
        hoverinfo="name",
        marker={"size": 5, "opacity": 0.8, "line": {"width": 0}, **style},
    )
