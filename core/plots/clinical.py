"""Figures of the Clinical page: what is handed in is drawn, nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..statistics.bootstraps import DOUBTFUL, HIGHLY_STABLE, STABLE
from .template import (
    GRID,
    INK,
    MARGIN,
    PALETTE,
    colour_of,
    feature,
    marker_style,
    names_down,
    plain,
    see_through,
    short,
    styled,
)

#: Where each shade of the mean Jaccard begins, ends, and how strong it is.
_SHADES = (
    (DOUBTFUL, STABLE, 0.10),
    (STABLE, HIGHLY_STABLE, 0.18),
    (HIGHLY_STABLE, 1.0, 0.28),
)
#: Of alluvials, and the pixels between two of their groups.
ALLUVIAL, GAP = MARGIN | {"t": 50, "b": 16}, 10


def pair_figure(between: pd.DataFrame, a: tuple[str, int], b: tuple[str, int]) -> go.Figure:
    """Ranked dot plot of two groups, each a title and a colour, in SD of all patients.

    ``between`` has the features as its index (column, level), the first on top, with
    ``difference``, group a less group b, and ``nats_per_row``.
    """
    names = [feature(column, level) for column, level in between.index]
    places = list(range(len(names)))
    values = between["difference"].to_numpy()
    figure = go.Figure()
    stems = [coordinate for value in values for coordinate in (0.0, value, None)]
    figure.add_scatter(
        x=stems,
        y=[coordinate for place in places for coordinate in (place, place, None)],
        mode="lines",
        line={"color": GRID, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    for (title, colour), is_side in ((a, values >= 0), (b, values < 0)):
        figure.add_scatter(
            x=values[is_side],
            y=np.flatnonzero(is_side),
            mode="markers",
            name=f"higher in {short(title)}",
            marker={**marker_style(colour), "size": 10},
            customdata=np.array(
                [
                    [plain(names[i]), f"{between['nats_per_row'].iloc[i]:.2f}"]
                    for i in np.flatnonzero(is_side)
                ]
            ).reshape(-1, 2),
            hovertemplate="%{customdata[0]}: %{x:+.2f} SD, drove the grouping by "
            "%{customdata[1]} log units a patient<extra></extra>",
        )
    figure.update_yaxes(**_names_down(names))
    figure.update_xaxes(title="difference of means (SD of all patients)", zerolinecolor=INK)
    return styled(figure, height=96 + 22 * len(names), margin_t=30)


def group_bars(table: pd.DataFrame, titles: Sequence[str], axis: str) -> go.Figure:
    """One bar for each group beside every column's name.

    ``table`` has a row for each column of the cohort, the first on top, and a column for each
    group, named by its label; ``titles`` are of all groups, and ``axis`` says what the bars' length
    means.
    """
    names = list(table.index)
    figure = go.Figure(
        [
            go.Bar(
                x=table[group],
                y=list(range(len(names))),
                orientation="h",
                name=short(titles[group]),
                marker_color=colour_of(group),
                customdata=[plain(name) for name in names],
                hovertemplate="%{customdata}: %{x:.2f}<extra>" + short(titles[group]) + "</extra>",
            )
            for group in table.columns
        ]
    )
    figure.update_yaxes(**_names_down(names))
    figure.update_xaxes(title=axis, rangemode="tozero")
    return styled(
        figure,
        height=100 + (10 + 11 * table.shape[1]) * len(names),
        margin_t=30,
        barmode="group",
        bargap=0.25,
        legend_traceorder="normal",
    )


def reference_figure(kinds: Mapping[str, Sequence[float]], height: int = 300) -> go.Figure:
    """What groups gain on tables drawn without groups, beside this cohort.

    Parameters
    ----------
    kinds : mapping of str to sequence of float
        By how many nats the tables of every kind gain more, or less, a band of dots each.
    height : int
        In pixels.
    """
    figure = go.Figure()
    known = {kind: np.asarray(draws, dtype=np.float64) for kind, draws in kinds.items()}
    for row, (kind, draws) in enumerate(known.items()):
        heights = _stacked(draws)
        figure.add_scatter(
            x=draws.tolist(),
            y=row + 0.3 - 0.6 * heights / max(6.0, heights.max(initial=0.0)),
            mode="markers",
            name="drawn without groups",
            legendgroup="drawn",
            showlegend=row == 0,
            marker={"color": INK, "size": 7, "opacity": 0.75},
            hovertemplate=f"%{{x:,.1f}} log units<extra>{kind}</extra>",
        )
    figure.add_scatter(
        x=[0.0] * len(known),
        y=[row + 0.3 for row in range(len(known))],
        mode="markers",
        name="this cohort",
        marker={"color": PALETTE[6], "size": 15, "symbol": "diamond"},
        hoverinfo="name",
    )
    figure.update_xaxes(
        title="gain beside this cohort's (log units)",
        tickformat=",",
        zerolinecolor=INK,
    )
    figure.update_yaxes(**names_down([f"{kind} tables" for kind in known]))
    return styled(figure, height=height, margin_t=30)


def _stacked(values: np.ndarray) -> np.ndarray:
    """Heights at which dots of nearly the same value stand above each other."""
    heights = np.zeros(values.size)
    if not values.size:
        return heights
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    bins = np.floor((values - low) / ((high - low) or 1.0) * 60.0)
    for place in np.unique(bins):
        inside = np.flatnonzero(bins == place)
        heights[inside] = np.arange(inside.size)
    return heights


def jaccard_figure(
    titles: Sequence[str], means: Sequence[float | None], draws: np.ndarray
) -> go.Figure:
    """How well every group came back in resamples, with the bands it is judged by.

    ``means`` holds None for a group that cannot be judged; ``draws``, shape (B, K), NaN where a
    group had no patient in a draw.
    """
    figure = go.Figure()
    for low, high, strength in _SHADES:
        figure.add_vrect(x0=low, x1=high, fillcolor=PALETTE[0], opacity=strength, line_width=0)
    for k, mean in enumerate(means):
        if mean is None:
            figure.add_annotation(x=0.01, y=k, text="not shown", showarrow=False)
            figure.layout.annotations[-1].xanchor = "left"
            continue
        figure.add_box(
            x=draws[:, k],
            y0=k,
            orientation="h",
            name=short(titles[k]),
            marker={**marker_style(k), "size": 4},
            line={"width": 1.5},
            boxpoints="outliers",
            hoverinfo="x",
        )
        figure.add_scatter(
            x=[mean],
            y=[k],
            mode="markers",
            marker={"color": INK, "size": 9, "symbol": "line-ns-open", "line_width": 3},
            hovertemplate="mean %{x:.2f}<extra></extra>",
        )
    said = [
        title if mean is None else f"{title}: {mean:.2f}"
        for title, mean in zip(titles, means, strict=True)
    ]
    figure.update_yaxes(**_names_down(said))
    figure.update_xaxes(title="overlap with the group found (Jaccard)", range=[0, 1.02])
    height = 90 + 54 * len(titles)
    return styled(figure, height=height, margin_t=16, showlegend=False)


def counts_figure(values: Sequence[int], marked: int, axis: str, height: int = 240) -> go.Figure:
    """How often whole numbers came up; one of them, the answer itself, in colour."""
    distinct, counts = np.unique(np.asarray(values), return_counts=True)
    figure = go.Figure().add_bar(
        x=distinct,
        y=counts,
        marker_color=[PALETTE[0] if value == marked else INK for value in distinct],
        hovertemplate="%{x}: %{y} times<extra></extra>",
    )
    figure.update_xaxes(title=axis, dtick=1 if np.ptp(distinct) < 20 else None, showgrid=False)
    figure.update_yaxes(title="times", rangemode="tozero")
    return styled(figure, height=height, showlegend=False, bargap=0.3)


def objectives_figure(objectives: Sequence[float], height: int = 240) -> go.Figure:
    """E of every search above the best of them, sorted."""
    rises = np.sort(np.asarray(objectives, dtype=np.float64))
    # Searches that rest in one partition differ in their last digits only.
    rises = np.round(rises - rises[0], 6)
    figure = go.Figure().add_scatter(
        x=np.arange(1, rises.size + 1),
        y=rises,
        mode="markers",
        marker={
            "size": 9,
            "color": [PALETTE[0] if rise < 0.01 else INK for rise in rises],
        },
        hovertemplate="%{y:,.2f} log units above the best<extra></extra>",
    )
    figure.update_xaxes(title="searches, the best first", showgrid=False)
    top = max(1.0, 1.08 * rises[-1])
    figure.update_yaxes(title="log units above the best", range=[-0.06 * top, top])
    return styled(figure, height=height, showlegend=False)


def alluvial_figure(
    partitions: Sequence[np.ndarray], names: Sequence[str], height: int = 460
) -> go.Figure:
    """Patients flowing between the groups of several partitions.

    The labels, shape (N,) each, are matched to those of the first, so that a group keeps its
    colour.
    """
    nodes: list[tuple[int, int]] = []
    for step, labels in enumerate(partitions):
        nodes += [(step, int(label)) for label in np.unique(labels)]
    place = {node: i for i, node in enumerate(nodes)}
    most = max(np.unique(labels).size for labels in partitions)
    gap = GAP / (height - ALLUVIAL["t"] - ALLUVIAL["b"])
    links: dict[str, list[Any]] = {"source": [], "target": [], "value": [], "color": []}
    for step in range(len(partitions) - 1):
        pairs = np.stack([partitions[step], partitions[step + 1]], axis=1)
        for (a, b), count in zip(*np.unique(pairs, axis=0, return_counts=True), strict=True):
            links["source"].append(place[step, int(a)])
            links["target"].append(place[step + 1, int(b)])
            links["value"].append(int(count))
            links["color"].append(see_through(colour_of(int(a)), 0.35))
    spread = max(len(partitions) - 1, 1)
    figure = go.Figure().add_sankey(
        arrangement="snap",
        node={
            "label": [f"{int((partitions[step] == label).sum()):,}" for step, label in nodes],
            "color": [colour_of(label) for _, label in nodes],
            "x": [min(max(step / spread, 0.001), 0.999) for step, _ in nodes],
            "y": [
                min(max(_middle(partitions[step], label, gap, most), 0.001), 0.999)
                for step, label in nodes
            ],
            "pad": GAP,
            "thickness": 14,
            "hovertemplate": "%{value:,} patients<extra></extra>",
        },
        link=links | {"hovertemplate": "%{value:,} patients<extra></extra>"},
    )
    for step, name in enumerate(names):
        figure.add_annotation(
            text=short(name, 22),
            x=step / spread,
            y=1.04,
            xref="paper",
            yref="paper",
            yanchor="bottom",
            xanchor="left" if step == 0 else "right" if step == spread else "center",
            showarrow=False,
        )
    return styled(figure, height=height, margin=ALLUVIAL)


def _middle(labels: np.ndarray, label: int, gap: float, most: int) -> float:
    """Where a group stands from the top: after all groups of lower label and the gaps between.

    ``gap`` is a share of the height; ``most`` the groups where there are most of them: what their
    gaps leave is shared by the patients.
    """
    above = (labels < label).sum() + (labels == label).sum() / 2
    rank = np.unique(labels[labels < label]).size
    return float(above / labels.size * (1.0 - gap * (most - 1)) + gap * rank)


def _names_down(names: Sequence[str]) -> dict[str, Any]:
    return names_down([short(name, 38) for name in names])
