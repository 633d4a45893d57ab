"""What came out at every value of one setting: K, agreement with the truth, BIC."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..comparing.strips import CLUSTERS, CONCENTRATION, PENALTY, Strip
from ..models.tolerance import TolerancePath
from ..ticks import decade_ticks
from .template import PALETTE, small_title, styled

#: Of a figure in pixels: under a slider, and on its own.
SMALL, HEIGHT = 88, 260
TITLES = {CONCENTRATION: "N₀", PENALTY: "λ", CLUSTERS: "K told to K-means"}
#: K beyond this is drawn at the top of a strip.
MOST = 20
_STEPS = (1.0, 2.0, 5.0)
_DOTTED = {"line_dash": "dot", "marker_symbol": "diamond"}


def strip_figure(strip: Strip, current: float, true_k: int | None, values_in_all: int) -> go.Figure:
    """Draw a strip, which may still lack the last of its ``values_in_all`` values.

    ``current`` is where the slider stands, ``true_k`` is drawn as a band. The first trace's
    ``customdata`` are the values, so that a click can set the slider.
    """
    is_bic = strip.bic is not None
    values, counts = strip.values.tolist(), strip.n_clusters.tolist()
    said = [
        f"{TITLES[strip.setting]} = {value:.3g}: K = {k:,}"
        + ("" if strip.nmi is None else f", NMI {strip.nmi[i]:.2f}")
        + (f", BIC {strip.bic[i]:,.0f}, {strip.highest_bic[i]:,.0f} at most" if is_bic else "")
        for i, (value, k) in enumerate(zip(values, counts, strict=True))
    ]
    figure = go.Figure()
    if is_bic:
        _line(figure, values, strip.bic, said, "BIC", marker_size=8)
        name, thin = "highest of any start (R16)", {"line_width": 1, "line_dash": "dash"}
        _line(figure, values, strip.highest_bic, said, name, mode="lines", **thin)
        figure.update_yaxes(title=small_title("BIC"), tickformat="~s")
    else:
        _line(
            figure,
            values,
            strip.n_clusters.clip(max=MOST),
            said,
            "K",
            marker_size=8,
            line_shape="hv",
        )
        steps = range(0, MOST + 1, 5)
        figure.update_yaxes(
            title=small_title("K"),
            range=[0, MOST + 0.7],
            tickvals=list(steps),
            ticktext=[*map(str, steps[:-1]), f"≥ {MOST}"],
        )
    if strip.nmi is not None:
        _line(figure, values, strip.nmi, said, "NMI", 1, yaxis="y2", **_DOTTED)
    _mark(figure, current)
    if true_k is not None:
        band = {"layer": "below", "line_width": 0, "fillcolor": PALETTE[0], "opacity": 0.12}
        if is_bic:
            figure.add_vrect(x0=true_k - 0.5, x1=true_k + 0.5, **band)
        else:
            figure.add_hrect(y0=true_k - 0.5, y1=true_k + 0.5, **band)
    right = {"overlaying": "y", "side": "right", "range": [0, 1.035], "dtick": 0.25}
    figure.update_layout(yaxis2=right | {"showgrid": False, "title": small_title("NMI")})
    figure.update_xaxes(title=small_title(TITLES[strip.setting]))
    if strip.setting == CLUSTERS:
        figure.update_xaxes(range=[0.5, values_in_all + 0.5], dtick=1)
    else:
        low, high = values[0], max(values[-1], 10.0 * values[0])
        ticks = decade_ticks(low, high, (1.0, 3.0) if high < 1e4 * low else (1.0,))
        figure.update_xaxes(type="log", tickvals=ticks, tickformat="~g")
    return _fixed(figure, HEIGHT, l=64, r=48, t=34, b=46).update_layout(showlegend=True)


def tolerance_figure(path: TolerancePath, current: float, height: int = HEIGHT) -> go.Figure:
    """Draw K against the power, falling to the right as the slider does.

    ``current`` is where the slider stands. The proposed plateau is shaded. The trace's
    ``customdata`` are the powers, so that a click can set the slider.
    """
    powers, counts = path.powers.tolist(), path.n_clusters.tolist()
    most, is_small = max(*counts, 2), height < HEIGHT
    said = [f"{power:.2g}: K = {k:,}" for power, k in zip(powers, counts, strict=True)]
    figure = go.Figure()
    _line(figure, powers, counts, said, "K", marker_size=5, line_shape="hvh")
    if path.plateau is not None:
        high, low = path.plateau
        band = {"layer": "below", "line_width": 0, "fillcolor": PALETTE[0], "opacity": 0.18}
        figure.add_vrect(x0=low, x1=high, **band)
    _mark(figure, current)
    figure.update_xaxes(
        type="log",
        tickformat="~g",
        range=np.log10([1.06 * powers[0], powers[-1] / 1.06]),
        tickvals=decade_ticks(powers[-1], powers[0], _STEPS),
        title=None if is_small else small_title("Tolerance for misfit"),
    )
    figure.update_yaxes(
        type="log",
        tickformat="~g",
        range=np.log10([0.8, 1.25 * most]),
        tickvals=decade_ticks(1.0, most, _STEPS),
        title=small_title("K"),
    )
    return _fixed(figure, height, l=40, r=8, t=4, b=20 if is_small else 46)


def widths_figure(table: pd.DataFrame, current: float) -> go.Figure:
    """Draw how the spherical MAP-DP agrees with DP-means and with the truth, by its width.

    ``table`` comes from ``agreement_by_sd``; ``current`` is where the slider stands.
    """
    figure, widths = go.Figure(), table["sd"].tolist()
    for colour, (column, name, look) in enumerate(
        (
            ("with_dp_means", "NMI with DP-means", {}),
            ("with_truth", "NMI with the truth", _DOTTED),
        )
    ):
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


def _line(
    figure: go.Figure,
    values: list[float],
    found: Any,
    said: list[str],
    name: str,
    colour: int = 0,
    **kwargs: Any,
) -> None:
    """What came out at every value, its point saying so in words."""
    common = {"x": values, "y": found, "customdata": values, "text": said, "hoverinfo": "text"}
    style = {"mode": "lines+markers", "line_color": PALETTE[colour], "line_width": 2}
    figure.add_scatter(**common, name=name, **style | kwargs)


def _mark(figure: go.Figure, current: float) -> None:
    """Where the slider stands."""
    figure.add_vline(current, line={"color": PALETTE[2], "width": 2, "dash": "dash"})


def _fixed(figure: go.Figure, height: int, **margin: int) -> go.Figure:
    """A figure that is clicked and not zoomed, whose lines across alone are drawn."""
    figure.update_xaxes(showgrid=False, zeroline=False, fixedrange=True)
    figure.update_yaxes(zeroline=False, fixedrange=True)
    return styled(figure, height, margin=margin | {"pad": 0})
