"""The Dirichlet process drawn: a restaurant, a broken stick, rows of such clusters, back to K."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..teaching.prior import MixtureDraw, Seating
from ..ticks import decade_ticks
from .template import (
    INK,
    LAYOUT,
    PALETTE,
    colour_of,
    heading,
    see_through,
    small_title,
    step_slider,
    styled,
)

#: In pixels: the restaurant, what stands above and below it; the stick, the rows, the posterior.
HEIGHT, TOP, FOOT, STICK, ROWS, POSTERIOR = 340, 44, 118, 110, 340, 280
MARGINS = {"l": 40, "r": 8, "t": 6, "b": 46, "pad": 0}


def restaurant_figure(seating: Seating, is_wide: bool, ink: str | None = None) -> go.Figure:
    """Draw the tables, and their number against what the prior expects; one frame a step."""
    numbers, n_tables = seating.numbers.tolist(), seating.n_tables
    frames = [
        {
            "name": str(k),
            "data": _at(seating, n, int(n_tables[n - 1]), ink),
            "traces": [0, 1],
            "layout": {"annotations": [_heading(seating, n, ink)]},
        }
        for k, n in enumerate(numbers)
    ]
    across = ([0.0, 0.46], [0.54, 1.0]) if is_wide else ([0.0, 1.0], [0.0, 1.0])
    up = ([0.0, 1.0], [0.0, 1.0]) if is_wide else ([0.6, 1.0], [0.0, 0.44])
    most = max(float(n_tables[-1]), float((seating.expected + 2 * seating.deviation).max()))
    figure = go.Figure([*frames[0]["data"], *_curves(seating)], LAYOUT, frames)
    ticks = {"type": "log", "tickvals": decade_ticks(1.0, float(numbers[-1]))}
    tables = {"range": [0.3, n_tables[-1] + 0.7], "showgrid": False}
    for name, domain, anchor, title, more in (
        ("xaxis", across[0], "y", "table, in order of opening", tables),
        ("yaxis", up[0], "x", "% of the rows", {"range": [0, 102]}),
        ("xaxis2", across[1], "y2", "rows seated", ticks),
        ("yaxis2", up[1], "x2", "tables K", {"range": [0, 1.05 * most]}),
    ):
        place = {"domain": domain, "anchor": anchor, "title": small_title(title)}
        figure.layout[name] = {"zeroline": False, "fixedrange": True} | place | more
    # In the corner that the curves, which rise, leave free.
    corner = {"x": across[1][0] + 0.01, "y": up[1][1] - 0.02, "yref": "paper", "orientation": "v"}
    return figure.update_layout(
        height=(HEIGHT if is_wide else 2 * HEIGHT) + TOP + FOOT,
        margin={"l": 54, "r": 12, "t": TOP, "b": FOOT, "pad": 0},
        annotations=frames[0]["layout"]["annotations"],
        legend=corner,
        sliders=[step_slider([f"{n:,}" if k % 4 == 0 else "" for k, n in enumerate(numbers)])],
    )


_BESIDE = {"type": "scatter", "xaxis": "x2", "yaxis": "y2"}


def _at(seating: Seating, n: int, k: int, ink: str | None) -> list[dict[str, Any]]:
    """The tables once n rows are seated, and a mark at their number."""
    sizes = seating.sizes(n)
    tables = {
        "type": "bar",
        "x": list(range(1, sizes.size + 1)),
        "y": (100.0 * sizes / n).tolist(),
        "customdata": sizes.tolist(),
        "marker": {"color": [colour_of(k) for k in range(sizes.size)]},
        "hovertemplate": "table %{x}: %{customdata:,} rows<extra></extra>",
        "showlegend": False,
    }
    ring = {"symbol": "circle-open", "size": 16, "line": {"width": 3}, "color": ink}
    silent = {"mode": "markers", "hoverinfo": "skip", "showlegend": False}
    return [tables, _BESIDE | silent | {"x": [n], "y": [k], "marker": ring}]


def _curves(seating: Seating) -> list[dict[str, Any]]:
    """The tables of this evening, the exact expectation with its spread, and the rule of thumb."""
    low, high = (seating.expected + side * 2 * seating.deviation for side in (-1, 1))
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    shade = {"fill": "tonexty", "fillcolor": see_through(PALETTE[0], 0.18), "name": "± 2 SD"}
    exact = {"mode": "lines", "name": "expected, exactly", "line": {"color": PALETTE[0]}}
    rule = {"mode": "lines", "name": "N₀ ln n", "line": {"color": PALETTE[2], "dash": "dash"}}
    evening = {"mode": "lines+markers", "name": "this evening", "marker": {"size": 5}}
    evening |= {"line": {"color": PALETTE[1], "shape": "hv"}}
    curves = (
        (low.clip(0), edge | {"showlegend": False}),
        (high, edge | shade),
        (seating.expected, exact),
        (seating.rule, rule),
        (seating.n_tables[seating.numbers - 1], evening),
    )
    x = {"x": seating.numbers.tolist()}
    return [_BESIDE | x | {"y": values.tolist()} | look for values, look in curves]


def _heading(seating: Seating, n: int, ink: str | None) -> dict[str, Any]:
    tables, share = seating.sizes(n).size, 100 * seating.newcomer(n)
    said = f"<b>{n:,} seated, K = {tables:,}; the next opens a table with {share:.1f} %</b>"
    return heading(said, 0.0, 1.0, ink)


def stick_figure(weights: np.ndarray) -> go.Figure:
    """Draw a stick of length 1 and its pieces, in the order in which they were broken off."""
    figure = go.Figure().add_bar(
        x=100.0 * weights,
        base=100.0 * (weights.cumsum() - weights),
        y=[""] * len(weights),
        orientation="h",
        marker={"color": [colour_of(k) for k in range(len(weights))], "line_width": 0.5},
        text=[f"piece {k + 1}: {weight:.2%}" for k, weight in enumerate(weights)],
        textposition="none",
        hoverinfo="text",
    )
    figure.update_xaxes(range=[0, 100], title=small_title("% of all rows"), fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    return styled(figure, STICK, margin=MARGINS)


def mixture_figure(draw: MixtureDraw) -> go.Figure:
    """Draw the rows of a mixture in the colours of their clusters."""
    sizes = np.bincount(draw.labels)[draw.labels]
    figure = go.Figure().add_scatter(
        x=draw.rows[:, 0],
        y=draw.rows[:, 1],
        mode="markers",
        marker={"color": [colour_of(k) for k in draw.labels.tolist()], "size": 5, "opacity": 0.75},
        text=[f"cluster {k + 1}, {n:,} rows" for k, n in zip(draw.labels, sizes, strict=True)],
        hoverinfo="text",
    )
    figure.update_xaxes(zeroline=False, fixedrange=True)
    figure.update_yaxes(zeroline=False, fixedrange=True, scaleanchor="x")
    return styled(figure, ROWS, margin=MARGINS)


def posterior_figure(shares: pd.DataFrame, true_k: int) -> go.Figure:
    """Bars of ``posterior_of_k``, a colour for each number of sweeps; the true K marked."""
    figure = go.Figure()
    for colour, (n, share) in zip(PALETTE, shares.items(), strict=False):
        figure.add_bar(
            x=shares.index,
            y=100.0 * share,
            name=f"{n} sweeps",
            marker_color=colour,
            hovertemplate="K = %{x} in %{y:.0f} %",
        )
    figure.add_vline(true_k, line={"color": INK, "dash": "dash"})
    low, high = min(shares.index.min(), true_k), max(shares.index.max(), true_k)
    title = small_title("K; height: share of sweeps")
    figure.update_xaxes(range=[low - 0.7, high + 0.7], dtick=1, title=title, fixedrange=True)
    figure.update_yaxes(ticksuffix=" %", rangemode="tozero", fixedrange=True)
    return styled(figure, POSTERIOR)
