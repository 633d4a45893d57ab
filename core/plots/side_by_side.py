"""Several partitions of the same few points, for the first page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from .template import INK, PANEL, heading, marker_style, plain, styled


def side_by_side(
    points: np.ndarray, partitions: Mapping[str, Sequence[int] | None], height: int = 300
) -> go.Figure:
    """Several partitions of the same points, shape (N, 2), one panel each, on the same axes.

    ``partitions`` holds the labels of each panel by its title, colours already matched; None leaves
    the points grey.
    """
    figure = make_subplots(cols=len(partitions), horizontal_spacing=0.03)
    for column, (title, labels) in enumerate(partitions.items(), start=1):
        for label, rows in _groups(labels, len(points)):
            figure.add_trace(_dots(points[rows].astype(np.float32), label), row=1, col=column)
        axis = "" if column == 1 else column
        place = {"xref": f"x{axis} domain", "yref": f"y{axis} domain"}
        figure.add_annotation(heading(plain(title), 0.0, 1.0, **place, font={"size": 14}))
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
    margins = {"l": 0, "r": 0, "t": 30, "b": 0}
    return styled(figure, height=height, margin=margins, plot_bgcolor=PANEL, showlegend=False)


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
