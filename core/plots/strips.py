"""Strips: K, and agreement with the truth, over the values of one setting."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from ..comparing.strips import CLUSTERS, CONCENTRATION, PENALTY, Strip
from ..ticks import decade_ticks
from .template import PALETTE, PANEL, TEMPLATE, small_title

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
    """Draw a strip, which may still lack the last of its ``values_in_all`` values.

    ``current`` is where the slider stands, ``true_k`` is drawn as a band. The first trace's
    ``customdata`` are the values, so that a click can set the slider.
    """
    is_bic = strip.bic is not None
    left = strip.bic if is_bic else strip.n_clusters.clip(max=MOST)
    name = "BIC" if is_bic else "K"
    values = strip.values.tolist()
    hover = [
        f"{TITLES[strip.setting]} = {value:.3g}: K = {k:,}"
        + ("" if strip.nmi is None else f", NMI {strip.nmi[i]:.2f}")
        + (f", BIC {strip.bic[i]:,.0f}, {strip.highest_bic[i]:,.0f} at most" if is_bic else "")
        for i, (value, k) in enumerate(zip(values, strip.n_clusters.tolist(), strict=True))
    ]
    common = {
        "type": "scatter",
        "x": values,
        "customdata": values,
        "text": hover,
        "hoverinfo": "text",
        "mode": "lines+markers",
    }
    traces = [
        common
        | {
            "y": left.tolist(),
            "name": name,
            "line": {"color": PALETTE[0], "width": 2, "shape": "linear" if is_bic else "hv"},
            "marker": {"size": 8, "symbol": "circle", "color": PALETTE[0]},
        }
    ]
    if is_bic:
        traces.append(
            common
            | {
                "y": strip.highest_bic.tolist(),
                "name": "highest of any start (R16)",
                "mode": "lines",
                "line": {"color": PALETTE[0], "width": 1, "dash": "dash"},
            }
        )
    if strip.nmi is not None:
        traces.append(
            common
            | {
                "y": strip.nmi.tolist(),
                "yaxis": "y2",
                "name": "NMI",
                "line": {"color": PALETTE[1], "width": 2, "dash": "dot"},
                "marker": {"size": 6, "symbol": "diamond", "color": PALETTE[1]},
            }
        )
    layout = {
        "template": TEMPLATE,
        "height": HEIGHT,
        "margin": {"l": 64, "r": 48, "t": 34, "b": 46, "pad": 0},
        "plot_bgcolor": PANEL,
        "showlegend": True,
        "xaxis": _across(strip, values_in_all),
        "yaxis": {
            "title": small_title(name),
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
            "title": small_title("NMI"),
        },
        "shapes": _marks(strip, current, true_k, is_bic),
    }
    return go.Figure(data=traces, layout=layout)


def _across(strip: Strip, values_in_all: int) -> dict[str, Any]:
    """The setting's axis: logarithmic, but for K."""
    common = {
        "title": small_title(TITLES[strip.setting]),
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    if strip.setting == CLUSTERS:
        return common | {"range": [0.5, values_in_all + 0.5], "dtick": 1}
    low, high = strip.values[0], max(strip.values[-1], 10.0 * strip.values[0])
    ticks = decade_ticks(low, high, (1.0, 3.0) if high < 1e4 * low else (1.0,))
    return common | {"type": "log", "tickvals": ticks, "tickformat": "~g"}


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
