"""K against the tolerance for misfit: how many groups are left as the likelihood loses weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..models.tolerance import TolerancePath
from ..ticks import decade_ticks
from .template import PALETTE, PANEL, TEMPLATE, small_title

#: Under a slider, and on its own.
SMALL, HEIGHT = 88, 260
_STEPS = (1.0, 2.0, 5.0)


def tolerance_figure(path: TolerancePath, current: float, height: int = HEIGHT) -> go.Figure:
    """Draw K against the power, falling to the right as the slider does.

    ``current`` is where the slider stands. The proposed plateau is shaded. The trace's
    ``customdata`` are the powers, so that a click can set the slider.
    """
    powers, counts = path.powers.tolist(), path.n_clusters.tolist()
    most = max(*counts, 2)
    trace = {
        "type": "scatter",
        "x": powers,
        "y": counts,
        "customdata": powers,
        "text": [f"{power:.2g}: K = {k:,}" for power, k in zip(powers, counts, strict=True)],
        "hoverinfo": "text",
        "mode": "lines+markers",
        "line": {"color": PALETTE[0], "width": 2, "shape": "hvh"},
        "marker": {"size": 5, "color": PALETTE[0]},
    }
    axis = {"type": "log", "tickformat": "~g", "zeroline": False, "fixedrange": True}
    is_small = height < HEIGHT
    layout = {
        "template": TEMPLATE,
        "height": height,
        "margin": {"l": 40, "r": 8, "t": 4, "b": 20 if is_small else 46, "pad": 0},
        "plot_bgcolor": PANEL,
        "showlegend": False,
        "xaxis": axis
        | {
            "range": np.log10([1.06 * powers[0], powers[-1] / 1.06]).tolist(),
            "tickvals": decade_ticks(powers[-1], powers[0], _STEPS).tolist(),
            "showgrid": False,
            "title": None if is_small else small_title("Tolerance for misfit"),
        },
        "yaxis": axis
        | {
            "range": np.log10([0.8, 1.25 * most]).tolist(),
            "tickvals": decade_ticks(1.0, most, _STEPS).tolist(),
            "title": small_title("K"),
        },
        "shapes": [*_plateau(path), _slider(current)],
    }
    return go.Figure(data=[trace], layout=layout)


def _plateau(path: TolerancePath) -> list[dict[str, Any]]:
    """Where the proposed groups stay."""
    if path.plateau is None:
        return []
    high, low = path.plateau
    fill = {"layer": "below", "line": {"width": 0}, "fillcolor": PALETTE[0], "opacity": 0.18}
    return [{"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "x0": low, "x1": high} | fill]


def _slider(current: float) -> dict[str, Any]:
    """Where the slider stands."""
    ends = {"yref": "paper", "y0": 0, "y1": 1, "x0": current, "x1": current}
    return {"type": "line", "line": {"color": PALETTE[2], "width": 2, "dash": "dash"}} | ends
