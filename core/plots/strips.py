"""Strips: K, and agreement with the truth, over the values of one setting."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from ..comparing.strips import CLUSTERS, CONCENTRATION, PENALTY, Strip
from . import GRID, PALETTE, PANEL

HEIGHT = 260
TITLES = {CONCENTRATION: "N₀", PENALTY: "λ", CLUSTERS: "K told to K-means"}
#: K beyond this is drawn at the top of the strip.
MOST = 20
_STEPS = range(0, MOST + 1, 5)
_UP_TO_MOST = {
    "range": [0, MOST + 0.7],
    "tickvals": list(_STEPS),
    "ticktext": [*map(str, _STEPS[:-1]), f"≥ {MOST}"],
}


def strip_figure(strip: Strip, current: float, true_k: int | None, values_in_all: int) -> go.Figure:
    """Draw a strip.

    Parameters
    ----------
    strip : Strip
        May still lack its last values.
    current : float
        Where the slider stands.
    true_k : int, optional
        The right number of clusters, drawn as a band.
    values_in_all : int
        How many values the finished strip has.

    Returns
    -------
    Figure
        The first trace's ``customdata`` are the values, so that a click can set the slider.
    """
    is_bic = strip.bic is not None
    left = strip.bic if is_bic else strip.n_clusters.clip(max=MOST)
    name = "BIC" if is_bic else "K"
    values = strip.values.tolist()
    hover = [
        f"{TITLES[strip.setting]} = {value:.3g}: K = {k:,}"
        + ("" if strip.nmi is None else f", NMI {strip.nmi[i]:.2f}")
        + (f", BIC {strip.bic[i]:,.0f}" if is_bic else "")
        for i, (value, k) in enumerate(zip(values, strip.n_clusters.tolist(), strict=True))
    ]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": values,
            "y": left.tolist(),
            "customdata": values,
            "text": hover,
            "hoverinfo": "text",
            "mode": "lines+markers",
            "name": name,
            "line": {"color": PALETTE[0], "width": 2, "shape": "linear" if is_bic else "hv"},
            "marker": {"size": 8, "symbol": "circle", "color": PALETTE[0]},
        }
    ]
    if strip.nmi is not None:
        traces.append(
            {
                "type": "scatter",
                "x": values,
                "y": strip.nmi.tolist(),
                "customdata": values,
                "text": hover,
                "hoverinfo": "text",
                "yaxis": "y2",
                "mode": "lines+markers",
                "name": "NMI",
                "line": {"color": PALETTE[1], "width": 2, "dash": "dot"},
                "marker": {"size": 6, "symbol": "diamond", "color": PALETTE[1]},
            }
        )
    layout = {
        "height": HEIGHT,
        "margin": {"l": 64, "r": 48, "t": 34, "b": 46, "pad": 0},
        "plot_bgcolor": PANEL,
        "hovermode": "closest",
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "xanchor": "left",
            "bgcolor": "rgba(0,0,0,0)",
        },
        "xaxis": _across(strip, values_in_all),
        "yaxis": {
            "title": {"text": name, "font": {"size": 12}, "standoff": 4},
            "gridcolor": GRID,
            "zeroline": False,
            "fixedrange": True,
            **({"tickformat": "~s"} if is_bic else _UP_TO_MOST),
        },
        "yaxis2": {
            "overlaying": "y",
            "side": "right",
            "range": [0, 1.035],
            "dtick": 0.25,
            "showgrid": False,
            "fixedrange": True,
            "title": {"text": "NMI", "font": {"size": 12}, "standoff": 4},
        },
        "shapes": _marks(strip, current, true_k, is_bic),
    }
    return go.Figure(data=traces, layout=layout)


def _across(strip: Strip, values_in_all: int) -> dict[str, Any]:
    """The setting's axis: logarithmic, but for K."""
    common = {
        "title": {"text": TITLES[strip.setting], "font": {"size": 12}, "standoff": 4},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    if strip.setting == CLUSTERS:
        return common | {"range": [0.5, values_in_all + 0.5], "dtick": 1}
    return common | {"type": "log", "tickvals": _round_values(strip), "tickformat": "~g"}


def _round_values(strip: Strip) -> list[float]:
    """1, 3, 10, 30 ... inside the strip."""
    low, high = math.log10(strip.values[0]), math.log10(max(strip.values[-1], strip.values[0] * 10))
    powers = range(math.floor(low), math.ceil(high) + 1)
    steps = (1, 3) if high - low < 4 else (1,)
    return [step * 10.0**power for power in powers for step in steps]


def _marks(strip: Strip, current: float, true_k: int | None, is_bic: bool) -> list[dict[str, Any]]:
    """Where the slider stands, and the band of the right K."""
    line = {
        "type": "line",
        "x0": current,
        "x1": current,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": PALETTE[2], "width": 2, "dash": "dash"},
    }
    if true_k is None:
        return [line]
    band = {
        "type": "rect",
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": PALETTE[0],
        "opacity": 0.12,
    }
    if is_bic:
        band |= {"yref": "paper", "y0": 0, "y1": 1, "x0": true_k - 0.5, "x1": true_k + 0.5}
    else:
        band |= {"xref": "paper", "x0": 0, "x1": 1, "y0": true_k - 0.5, "y1": true_k + 0.5}
    return [band, line]
