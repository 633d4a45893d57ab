"""The Chinese restaurant and the shrinking variance, drawn."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ..teaching.restaurant import Seating
from ..ticks import decade_ticks
from .template import (
    PALETTE,
    PANEL,
    TEMPLATE,
    colour_of,
    heading,
    see_through,
    small_title,
    step_slider,
    styled,
)

HEIGHT, TOP, FOOT = 340, 44, 118


def restaurant_figure(seating: Seating, is_wide: bool, ink: str | None = None) -> go.Figure:
    """Draw the tables, and their number against what the prior expects; one frame a step.

    The two stand side by side where the page is wide, else one below the other; the slider moves
    from step to step.
    """
    numbers, n_tables = seating.numbers, seating.n_tables
    frames = [
        {
            "name": str(k),
            "data": [_tables(seating, int(n)), _mark(int(n), int(n_tables[n - 1]), ink)],
            "traces": [0, 1],
            "layout": {"annotations": [_heading(seating, int(n), ink)]},
        }
        for k, n in enumerate(numbers)
    ]
    across = ([0.0, 0.46], [0.54, 1.0]) if is_wide else ([0.0, 1.0], [0.0, 1.0])
    up = ([0.0, 1.0], [0.0, 1.0]) if is_wide else ([0.6, 1.0], [0.0, 0.44])
    common = {"zeroline": False, "fixedrange": True}
    most = max(float(n_tables[-1]), float((seating.expected + 2 * seating.deviation).max()))
    layout = {
        "template": TEMPLATE,
        "height": (HEIGHT if is_wide else 2 * HEIGHT) + TOP + FOOT,
        "margin": {"l": 54, "r": 12, "t": TOP, "b": FOOT, "pad": 0},
        "plot_bgcolor": PANEL,
        "annotations": frames[0]["layout"]["annotations"],
        # In the corner that the curves, which rise, leave free.
        "legend": {
            **{"yref": "paper", "x": across[1][0] + 0.01, "y": up[1][1] - 0.02},
            "orientation": "v",
        },
        "xaxis": common
        | {"domain": across[0], "anchor": "y", "title": small_title("table, in order of opening")}
        | {"range": [0.3, n_tables[-1] + 0.7], "showgrid": False},
        "yaxis": common
        | {"domain": up[0], "anchor": "x", "title": small_title("% of the rows")}
        | {"range": [0, 102]},
        "xaxis2": common
        | {"domain": across[1], "anchor": "y2", "title": small_title("rows seated"), "type": "log"}
        | {"tickvals": decade_ticks(1.0, float(numbers[-1]))},
        "yaxis2": common
        | {
            "domain": up[1],
            "anchor": "x2",
            "title": small_title("tables K"),
            "range": [0, 1.05 * most],
        },
        "sliders": [
            step_slider([f"{n:,}" if k % 4 == 0 else "" for k, n in enumerate(numbers.tolist())])
        ],
    }
    data = [*frames[0]["data"], *_curves(seating)]
    figure = go.Figure(data=data, layout=layout)
    figure.frames = [go.Frame(frame) for frame in frames]
    return figure


def _tables(seating: Seating, n: int) -> dict[str, Any]:
    sizes = seating.sizes(n)
    return {
        "type": "bar",
        "x": list(range(1, sizes.size + 1)),
        "y": (100.0 * sizes / n).tolist(),
        "customdata": sizes.tolist(),
        "marker": {"color": [colour_of(k) for k in range(sizes.size)]},
        "hovertemplate": "table %{x}: %{customdata:,} rows<extra></extra>",
        "showlegend": False,
    }


def _mark(n: int, k: int, ink: str | None) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [n],
        "y": [k],
        "xaxis": "x2",
        "yaxis": "y2",
        "mode": "markers",
        "hoverinfo": "skip",
        "showlegend": False,
        "marker": {"symbol": "circle-open", "size": 16, "line": {"width": 3}, "color": ink},
    }


def _curves(seating: Seating) -> list[dict[str, Any]]:
    """The tables of this evening, the exact expectation with its spread, and the rule of thumb."""
    numbers = seating.numbers.tolist()
    evening = seating.n_tables[seating.numbers - 1].tolist()
    low = (seating.expected - 2 * seating.deviation).clip(0).tolist()
    high = (seating.expected + 2 * seating.deviation).tolist()
    common = {"type": "scatter", "xaxis": "x2", "yaxis": "y2", "x": numbers}
    band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    return [
        common | band | {"y": low, "showlegend": False},
        common
        | band
        | {
            "y": high,
            "fill": "tonexty",
            "fillcolor": see_through(PALETTE[0], 0.18),
            "name": "± 2 SD",
        },
        common
        | {"y": seating.expected.tolist(), "mode": "lines", "name": "expected, exactly"}
        | {"line": {"color": PALETTE[0], "width": 2}},
        common
        | {"y": seating.rule.tolist(), "mode": "lines", "name": "N₀ ln n"}
        | {"line": {"color": PALETTE[2], "width": 2, "dash": "dash"}},
        common
        | {"y": evening, "mode": "lines+markers", "name": "this evening"}
        | {"line": {"color": PALETTE[1], "width": 2, "shape": "hv"}, "marker": {"size": 5}},
    ]


def _heading(seating: Seating, n: int, ink: str | None) -> dict[str, Any]:
    tables = seating.sizes(n).size
    share = 100 * seating.newcomer(n)
    said = f"<b>{n:,} seated, K = {tables:,}; the next opens a table with {share:.1f} %</b>"
    return heading(said, 0.0, 1.0, ink)


def widths_figure(table: pd.DataFrame, current: float) -> go.Figure:
    """Draw how the spherical MAP-DP agrees with DP-means and with the truth, by its width.

    ``table`` comes from ``agreement_by_sd``; ``current`` is where the slider stands.
    """
    figure = go.Figure()
    for colour, (column, name) in enumerate(
        (("with_dp_means", "NMI with DP-means"), ("with_truth", "NMI with the truth"))
    ):
        figure.add_scatter(
            x=table["sd"],
            y=table[column],
            text=[f"K = {k}" for k in table["n_clusters"]],
            hovertemplate=f"σ = %{{x:.3g}}: {name} %{{y:.2f}}, %{{text}}<extra></extra>",
            mode="lines+markers",
            name=name,
            line={"color": PALETTE[colour], "width": 2, "dash": "solid" if colour == 0 else "dot"},
            marker={"symbol": "circle" if colour == 0 else "diamond", "size": 8},
        )
    figure.add_vline(x=current, line={"color": PALETTE[2], "dash": "dash"})
    figure.update_xaxes(
        type="log", autorange="reversed", title=small_title("σ, shrinking to the right")
    )
    figure.update_xaxes(tickvals=[1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.07, 0.05], showgrid=False)
    figure.update_yaxes(range=[-0.02, 1.04], zeroline=False, title=small_title("NMI"))
    margin = {"l": 54, "r": 12, "t": 34, "b": 48, "pad": 0}
    return styled(figure, height=280, margin=margin, plot_bgcolor=PANEL)
