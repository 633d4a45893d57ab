"""Figures of columns: how their values are spread, in a table and in its groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..profiling.missing import Missingness
from ..profiling.profiles import Distribution
from ..ticks import decade_ticks
from .template import (
    INK,
    PALETTE,
    PANEL,
    colour_of,
    marker_style,
    names_down,
    plain,
    see_through,
    short,
    styled,
)

#: So few numbers all stand at an axis; and so many words at most.
FEW, MOST_WORDS = 10, 24


def bars_figure(names: Sequence[str], values: Sequence[float], title: str) -> go.Figure:
    """Horizontal bars, the first on top; ``title`` is that of the axis, with its unit."""
    figure = go.Figure().add_bar(
        x=list(values),
        y=list(range(len(names))),
        orientation="h",
        marker_color=[PALETTE[0] if value >= 0 else INK for value in values],
        customdata=[plain(name) for name in names],
        hovertemplate="%{customdata}: %{x:,.1f}<extra></extra>",
    )
    figure.update_yaxes(**names_down(names, 26))
    figure.update_xaxes(title=title)
    return styled(figure, 80 + 22 * len(names))


def distribution_figure(
    spread: Distribution,
    groups: Sequence[int],
    titles: Sequence[str],
    colours: Sequence[int],
) -> go.Figure:
    """One column's values in the given groups; ``titles`` and ``colours`` are of all."""
    figure = go.Figure()
    percent = 100.0 * spread.counts / np.maximum(spread.n_observed, 1)[:, None]
    labels = [plain(label) for label in spread.labels]
    for g in groups:
        colour = colour_of(colours[g])
        common = {
            "name": f"{short(titles[g])} (n = {spread.n_observed[g]:,})",
            "hovertemplate": "%{customdata}: %{y:.1f} %<extra>" + short(titles[g]) + "</extra>",
        }
        if spread.edges is None:
            common |= {"x": list(range(len(labels))), "y": percent[g], "customdata": labels}
            figure.add_bar(**common, marker_color=colour)
            continue
        figure.add_scatter(
            **common,
            x=spread.edges,
            y=np.append(percent[g], percent[g, -1:]),
            customdata=[*labels, labels[-1]],
            mode="lines",
            line={"shape": "hv", "color": colour, "width": 2},
            fill="tozeroy",
            fillcolor=see_through(colour, 0.15),
        )
    if spread.edges is None:
        places = list(range(0, len(labels), -(-len(labels) // MOST_WORDS)))
        names = [short(spread.labels[place], 16) for place in places]
        figure.update_xaxes(tickvals=places, ticktext=names)
    elif spread.is_log:
        low, high = spread.edges[[0, -1]]
        # Twos and fives where there are few powers of ten.
        ticks = decade_ticks(low, high, (1.0, 2.0, 5.0) if high < 1e3 * low else (1.0,))
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:,.6g}" for tick in ticks])
    figure.update_xaxes(title=short(spread.name, 60), showgrid=False)
    figure.update_yaxes(title="% of the group", rangemode="tozero")
    return styled(figure, 340, margin_t=30, bargap=0.25, showlegend=True)


def reasons_figure(
    names: Sequence[str],
    margins: Sequence[float],
    own: tuple[str, int],
    other: tuple[str, int | None],
) -> go.Figure:
    """Nats of each column for a row's group, negative for its second choice."""
    figure = go.Figure()
    for (title, colour), sign in ((own, 1.0), (other, -1.0)):
        figure.add_bar(
            x=[value if sign * value > 0 else None for value in margins],
            y=list(range(len(names))),
            orientation="h",
            name=f"speaks for {short(title)}",
            marker_color=INK if colour is None else colour_of(colour),
            customdata=[plain(name) for name in names],
            hovertemplate="%{customdata}: %{x:+.2f} log units<extra></extra>",
        )
    figure.update_yaxes(**names_down(names, 40))
    figure.update_xaxes(title="log units", zerolinecolor=INK)
    return styled(figure, 110 + 24 * len(names), margin_t=30, barmode="overlay")


def missing_cells(missing: Missingness) -> go.Figure:
    """Which cells are missing: a share for each column beside a picture of the rows."""
    places = list(range(len(missing.shares)))
    figure = make_subplots(cols=2, column_widths=[0.4, 0.6], horizontal_spacing=0.02)
    figure.add_bar(
        x=[100 * share for share in missing.shares.values()],
        y=places,
        orientation="h",
        marker_color=PALETTE[0],
        customdata=[plain(name) for name in missing.shares],
        hovertemplate="%{customdata}: %{x:.1f} % missing<extra></extra>",
    )
    figure.add_heatmap(
        z=missing.pattern.T.astype(np.uint8),
        y=places,
        zmin=0,
        zmax=1,
        colorscale=[PANEL, PALETTE[0]],
        showscale=False,
        hoverinfo="skip",
        row=1,
        col=2,
    )
    figure.update_yaxes(**names_down([*missing.shares], 24))
    figure.update_yaxes(visible=False, matches="y", col=2)
    figure.update_xaxes(title="% missing", rangemode="tozero", col=1)
    title = "rows, those that miss the same together"
    figure.update_xaxes(title=title, showgrid=False, showticklabels=False, ticks="", col=2)
    return styled(figure, 90 + 22 * len(places))


def spread_of_values(spread: Distribution) -> go.Figure:
    """Bars of how often the values of one column occur in all rows together."""
    counts, edges = spread.counts.sum(axis=0), spread.edges
    places = np.arange(counts.size) if edges is None else (edges[1:] + edges[:-1]) / 2.0
    figure = go.Figure().add_bar(
        x=places,
        y=counts,
        marker_color=PALETTE[0],
        customdata=[plain(label) for label in spread.labels],
        hovertemplate="%{customdata}: %{y:,} rows<extra></extra>",
    )
    if edges is None:
        shown = places[:: -(-places.size // MOST_WORDS) or 1]
        names = [short(spread.labels[place], 14) for place in shown]
        figure.update_xaxes(tickvals=shown, ticktext=names)
    figure.update_xaxes(showgrid=False)
    dtick = 1 if max(counts, default=0) <= FEW else None
    figure.update_yaxes(title="rows", rangemode="tozero", dtick=dtick)
    return styled(figure, 280, bargap=None if edges is None else 0.03)


def side_by_side(points: np.ndarray, partitions: Mapping[str, Sequence[int]]) -> go.Figure:
    """Partitions of the same points, (N, 2), a panel each: labels, matched, by its title."""
    figure = make_subplots(
        cols=len(partitions),
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.03,
        subplot_titles=[plain(title) for title in partitions],
    )
    for column, labels in enumerate(map(np.asarray, partitions.values()), start=1):
        for label in np.unique(labels):
            figure.add_scatter(
                x=points[labels == label, 0].astype(np.float32),
                y=points[labels == label, 1].astype(np.float32),
                mode="markers",
                name=f"cluster {label + 1}",
                hoverinfo="name",
                marker={"size": 5, "opacity": 0.8, **marker_style(int(label))},
                row=1,
                col=column,
            )
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(showticklabels=False, showgrid=False, zeroline=False, fixedrange=True)
    return styled(figure, 320, margin={"l": 0, "r": 0, "t": 30, "b": 0}, showlegend=False)
