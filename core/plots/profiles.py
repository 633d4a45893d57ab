"""Figures of the Clusters page: what is handed in is drawn, nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..profiling.profiles import Distribution
from ..ticks import decade_ticks
from .template import INK, PALETTE, colour_of, names_down, plain, see_through, short, styled


def bars_figure(names: Sequence[str], values: Sequence[float], title: str) -> go.Figure:
    """Horizontal bars, the first on top; ``title`` is that of the axis, with its unit."""
    places = list(range(len(names)))
    figure = go.Figure().add_bar(
        x=list(values),
        y=places,
        orientation="h",
        marker_color=[PALETTE[0] if value >= 0 else INK for value in values],
        customdata=[plain(name) for name in names],
        hovertemplate="%{customdata}: %{x:,.1f}<extra></extra>",
    )
    figure.update_yaxes(**names_down([short(name) for name in names]))
    figure.update_xaxes(title=title)
    return styled(figure, height=80 + 22 * len(names), showlegend=False)


def distribution_figure(
    spread: Distribution,
    groups: Sequence[int],
    titles: Sequence[str],
    colours: Sequence[int],
    height: int = 340,
) -> go.Figure:
    """One column's values in the given groups, each as a share of its own rows.

    ``titles`` and ``colours`` are those of all groups.
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
    figure.update_yaxes(title="% of the group", rangemode="tozero")
    return styled(figure, height=height, margin_t=30, bargap=0.25, barmode="group", showlegend=True)


def _log_ticks(low: float, high: float) -> np.ndarray:
    """Powers of ten of a range, with twos and fives where there are few of them."""
    return decade_ticks(low, high, (1.0, 2.0, 5.0) if high < 1e3 * low else (1.0,))


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
        fillcolor=see_through(colour, 0.15),
        **common,
    )


def reasons_figure(
    names: Sequence[str],
    margins: Sequence[float],
    own: tuple[str, int],
    other: tuple[str, int | None],
) -> go.Figure:
    """What speaks for a row's group and what for its second choice, column by column.

    ``names`` are the columns with the row's values, ``margins`` the nats for its own group,
    negative for the other; each group is a title and a colour, a new cluster's None.
    """
    places = list(range(len(names)))
    for_own = colour_of(own[1])
    for_other = INK if other[1] is None else colour_of(other[1])
    figure = go.Figure()
    sides = ((own[0], for_own, 1.0), (other[0], for_other, -1.0))
    for title, colour, sign in sides:
        figure.add_bar(
            x=[value if sign * value > 0 else None for value in margins],
            y=places,
            orientation="h",
            name=f"speaks for {short(title)}",
            marker_color=colour,
            customdata=[plain(name) for name in names],
            hovertemplate="%{customdata}: %{x:+.2f} log units<extra></extra>",
        )
    figure.update_yaxes(**names_down([short(name, 40) for name in names]))
    figure.update_xaxes(title="log units", zerolinecolor=INK)
    return styled(figure, height=110 + 24 * len(names), margin_t=30, barmode="overlay")
