"""Figures of columns: how their values are spread, in a table and in its groups."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..profiling.missing import Missingness
from ..profiling.profiles import Distribution
from .template import (
    INK,
    LOG_AXIS,
    PALETTE,
    PANEL,
    colour_of,
    names_down,
    short,
    styled,
    translucent,
)


def bars_figure(
    names: Sequence[str],
    values: Sequence[float],
    title: str,
    colours: tuple[str, str] = (PALETTE[0], INK),
) -> go.Figure:
    """Horizontal bars, the first on top, by sign; ``title`` is that of the axis, with its unit."""
    figure = go.Figure().add_bar(
        x=list(values),
        y=list(range(len(names))),
        orientation="h",
        marker_color=np.where(np.asarray(values) < 0, colours[1], colours[0]).tolist(),
        hovertemplate="%{y}: %{x:,.2f}<extra></extra>",
    )
    figure.update_yaxes(**names_down(names, 36))
    figure.update_xaxes(title=title, zerolinecolor=INK)
    return styled(figure, 80 + 22 * len(names))


def distribution_figure(
    spread: Distribution,
    groups: Sequence[int],
    titles: Sequence[str],
    colours: Sequence[int],
) -> go.Figure:
    """One column's values in the given groups; ``titles`` and ``colours`` are of all."""
    figure, edges = go.Figure(), spread.edges
    percent = 100.0 * spread.counts / np.maximum(spread.n_observed, 1)[:, None]
    for g in groups:
        colour = colour_of(colours[g])
        common = {
            "name": f"{short(titles[g])} (n = {spread.n_observed[g]:,})",
            "hovertemplate": "%{x}: %{y:.1f} %<extra>" + short(titles[g]) + "</extra>",
        }
        if edges is None:
            figure.add_bar(y=percent[g], marker_color=colour, **common)
        else:
            figure.add_scatter(
                x=edges,
                y=np.append(percent[g], percent[g, -1:]),
                line={"shape": "hv", "color": colour, "width": 2},
                fill="tozeroy",
                fillcolor=translucent(colour, 0.15),
                mode="lines",
                **common,
            )
    if edges is None:
        every = -(-len(spread.labels) // 24) or 1  # so many words have room
        places = list(range(0, len(spread.labels), every))
        names = [short(spread.labels[place], 16) for place in places]
        figure.update_xaxes(tickvals=places, ticktext=names)
    elif spread.is_log:
        figure.update_xaxes(LOG_AXIS)
    figure.update_xaxes(title=short(spread.name, 60), showgrid=False, hoverformat=".4~g")
    figure.update_yaxes(title="% of the group", rangemode="tozero")
    return styled(figure, 340, margin_t=30, bargap=0.25, showlegend=True)


def reasons_figure(
    names: Sequence[str],
    margins: Sequence[float],
    own: tuple[str, int],
    other: tuple[str, int | None],
) -> go.Figure:
    """Nats of each column for a row's group, negative for its second choice."""
    (title, colour), (second, shade) = own, other
    sides = f"◂ speaks for {short(second)}  |  log units  |  speaks for {short(title)} ▸"
    below = INK if shade is None else colour_of(shade)
    return bars_figure(names, margins, sides, (colour_of(colour), below))


def missing_cells(missing: Missingness) -> go.Figure:
    """Which cells are missing: a share for each column beside a picture of the rows."""
    shares = 100.0 * np.array(list(missing.shares.values()))
    figure = make_subplots(cols=2, column_widths=[0.4, 0.6], horizontal_spacing=0.02)
    figure.add_bar(
        x=shares,
        y=list(range(shares.size)),
        orientation="h",
        marker_color=PALETTE[0],
        hovertemplate="%{y}: %{x:.1f} % missing<extra></extra>",
    )
    style = {"zmin": 0, "zmax": 1, "colorscale": [PANEL, PALETTE[0]], "showscale": False}
    cells = missing.pattern.T.astype(np.uint8)
    figure.add_heatmap(z=cells, hoverinfo="skip", row=1, col=2, **style)
    figure.update_yaxes(**names_down([*missing.shares], 24))
    figure.update_yaxes(visible=False, matches="y", col=2)
    figure.update_xaxes(title="% missing", rangemode="tozero", col=1)
    figure.update_xaxes(title="rows", showgrid=False, showticklabels=False, col=2)
    return styled(figure, 90 + 22 * shares.size)
