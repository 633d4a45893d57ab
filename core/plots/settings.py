"""What came out at every value of one setting: K, agreement with the truth, BIC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..comparing.strips import CLUSTERS, CONCENTRATION, PENALTY, Strip
from ..models.tolerance import TolerancePath
from ..ticks import decade_ticks
from .template import CLEAR, PALETTE, small_title, styled

#: Of a figure in pixels: on its own, and under a slider, whose track ends so far from its sides.
HEIGHT, LOW, INSET = 260, 46, 6
TITLES = {CONCENTRATION: "N₀", PENALTY: "λ", CLUSTERS: "K"}
#: K beyond this is drawn at the top of a strip.
MOST = 20
_STEPS = (1.0, 2.0, 5.0)
_DOTTED = {"line_dash": "dot", "marker_symbol": "diamond"}


def strip_figure(strip: Strip, current: float, true_k: int | None) -> go.Figure:
    """K along a strip, perhaps unfinished, ``true_k`` a band; ``customdata`` are the values."""
    figure, values = go.Figure(), strip.values.tolist()
    said, counts = _in_words(strip), strip.n_clusters.clip(max=MOST)
    _line(figure, values, counts, said, "K", marker_size=8, line_shape="hv")
    if strip.nmi is not None:
        _line(figure, values, strip.nmi, said, "NMI", 1, yaxis="y2", **_DOTTED)
    _mark(figure, current)
    if true_k is not None:
        figure.add_hrect(y0=true_k - 0.5, y1=true_k + 0.5, **_band(0.12))
    steps = list(range(0, MOST + 1, 5))
    low, high = values[0], max(values[-1], 10.0 * values[0])
    figure.update_yaxes(
        title=small_title("K"),
        range=[0, MOST + 0.7],
        tickvals=steps,
        ticktext=[*map(str, steps[:-1]), f"≥ {MOST}"],
    )
    right = {"overlaying": "y", "side": "right", "range": [0, 1.035], "dtick": 0.25}
    figure.update_layout(yaxis2=right | {"showgrid": False, "title": small_title("NMI")})
    figure.update_xaxes(
        type="log",
        tickvals=decade_ticks(low, high, (1.0, 3.0) if high < 1e4 * low else (1.0,)),
        tickformat="~g",
        title=small_title(TITLES[strip.setting]),
    )
    return _fixed(figure, HEIGHT, l=64, r=48, t=34, b=46).update_layout(showlegend=True)


def slider_figure(
    strip: Strip, places: Sequence[int], n_places: int, current: int, true_k: int | None
) -> go.Figure:
    """A strip under its slider: NMI, and K or BIC; ``places`` on it are the ``customdata``."""
    is_bic, said, figure = strip.bic is not None, _in_words(strip), go.Figure()
    found = strip.bic if is_bic else strip.n_clusters.clip(max=MOST)
    _line(figure, places, found, said, "BIC" if is_bic else "K", line_shape="linear")
    if strip.nmi is not None:
        _line(figure, places, strip.nmi, said, "NMI", 1, yaxis="y2", **_DOTTED)
    figure.update_traces(marker_size=3, line_width=1.5)
    _mark(figure, current)
    if true_k is not None:
        side = "x" if is_bic else "y"
        band = {f"{side}0": true_k - 0.5 - is_bic, f"{side}1": true_k + 0.5 - is_bic}
        (figure.add_vrect if is_bic else figure.add_hrect)(**band, **_band(0.2))
    figure.update_layout(yaxis2={"overlaying": "y", "range": [-0.05, 1.05], "visible": False})
    figure.update_xaxes(range=[0, n_places - 1], visible=False)
    figure.update_yaxes(visible=False)
    if not is_bic:
        figure.update_layout(yaxis_range=[0, MOST + 1])
    for side, trace in zip(("left", "right"), figure.data, strict=False):
        figure.add_annotation(
            text=trace.name,
            x=float(side == "right"),
            y=1.0,
            xref="paper",
            yref="paper",
            xanchor=side,
            yanchor="top",
            showarrow=False,
            font={"size": 10, "color": trace.line.color},
        )
    figure = _fixed(figure, LOW, l=INSET, r=INSET, t=0, b=0)
    return figure.update_layout(plot_bgcolor=CLEAR, showlegend=False)


def tolerance_figure(path: TolerancePath, current: float) -> go.Figure:
    """K against the power, falling to the right, plateau shaded; ``customdata`` are powers."""
    powers, counts = path.powers.tolist(), path.n_clusters.tolist()
    most = max(*counts, 2)
    said = [f"{power:.2g}: K = {k:,}" for power, k in zip(powers, counts, strict=True)]
    figure = go.Figure()
    _line(figure, powers, counts, said, "K", marker_size=5, line_shape="hvh")
    if path.plateau is not None:
        high, low = path.plateau
        figure.add_vrect(x0=low, x1=high, **_band(0.18))
    _mark(figure, current)
    figure.update_xaxes(
        range=np.log10([1.06 * powers[0], powers[-1] / 1.06]),
        tickvals=decade_ticks(powers[-1], powers[0], _STEPS),
        title=small_title("Tolerance for misfit"),
    )
    figure.update_yaxes(
        range=np.log10([0.8, 1.25 * most]),
        tickvals=decade_ticks(1.0, most, _STEPS),
        title=small_title("K"),
    )
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(type="log", tickformat="~g")
    return _fixed(figure, HEIGHT, l=40, r=8, t=4, b=46)


def widths_figure(table: pd.DataFrame, current: float) -> go.Figure:
    """Draw ``agreement_by_sd``: MAP-DP's NMI with DP-means and with the truth, by width."""
    figure, widths = go.Figure(), table["sd"].tolist()
    lines = (
        ("with_dp_means", "NMI with DP-means", {}),
        ("with_truth", "NMI with the truth", _DOTTED),
    )
    for colour, (column, name, look) in enumerate(lines):
        said = [
            f"σ = {sd:.3g}: {name} {agreement:.2f}, K = {k}"
            for sd, agreement, k in zip(widths, table[column], table["n_clusters"], strict=True)
        ]
        _line(figure, widths, table[column], said, name, colour, marker_size=8, **look)
    _mark(figure, current)
    ticks = [1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.07, 0.05]
    title = small_title("σ, shrinking to the right")
    figure.update_xaxes(type="log", autorange="reversed", tickvals=ticks, title=title)
    figure.update_yaxes(range=[-0.02, 1.04], title=small_title("NMI"))
    return _fixed(figure, HEIGHT, l=54, r=12, t=34, b=48)


def _in_words(strip: Strip) -> list[str]:
    said = []
    for i, (value, k) in enumerate(zip(strip.values, strip.n_clusters, strict=True)):
        words = [f"{TITLES[strip.setting]} = {value:.3g}"]
        words[0] += "" if strip.setting == CLUSTERS else f": K = {k:,}"
        words += [] if strip.nmi is None else [f"NMI {strip.nmi[i]:.2f}"]
        words += [] if strip.bic is None else [f"BIC of K-means {strip.bic[i]:,.0f}"]
        said.append(", ".join(words))
    return said


def _line(
    figure: go.Figure,
    values: Sequence[float],
    found: Any,
    said: list[str],
    name: str,
    colour: int = 0,
    **kwargs: Any,
) -> None:
    common = {"x": values, "y": found, "customdata": values, "text": said, "hoverinfo": "text"}
    style = {"mode": "lines+markers", "line_color": PALETTE[colour], "line_width": 2}
    figure.add_scatter(**common, name=name, **style | kwargs)


def _band(opacity: float) -> dict[str, Any]:
    return {"layer": "below", "line_width": 0, "fillcolor": PALETTE[0], "opacity": opacity}


def _mark(figure: go.Figure, current: float) -> None:
    figure.add_vline(current, line={"color": PALETTE[2], "width": 2, "dash": "dash"})


def _fixed(figure: go.Figure, height: int, **margin: int) -> go.Figure:
    """A figure that is clicked and not zoomed, whose lines across alone are drawn."""
    figure.update_xaxes(showgrid=False, zeroline=False, fixedrange=True)
    figure.update_yaxes(zeroline=False, fixedrange=True)
    return styled(figure, height, margin=margin | {"pad": 0})
