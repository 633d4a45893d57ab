"""What came out at every value of one setting: K, agreement with the truth, BIC."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.strips import CLUSTERS, CONCENTRATION, PENALTY, Strip
from ..models.tolerance import TolerancePath
from .template import CLEAR, LOG_AXIS, PALETTE, small_title, styled

#: Of a figure in pixels: on its own, and under a slider, whose track ends so far from its sides.
HEIGHT, LOW, INSET = 260, 46, 6
TITLES = {CONCENTRATION: "N₀", PENALTY: "λ", CLUSTERS: "K"}
#: K beyond this is drawn at the top of a strip.
MOST = 20
_DOTTED = {"line_dash": "dot", "marker_symbol": "diamond"}


def strip_figure(strip: Strip, current: float, true_k: int | None) -> go.Figure:
    """K along a strip, perhaps unfinished, ``true_k`` a band; ``customdata`` are the values."""
    figure, steps = go.Figure(), [*range(0, MOST + 1, 5)]
    _add_strip(figure, strip, strip.values.tolist(), current, true_k)
    figure.update_traces(marker_size=8, line_shape="hv", selector={"name": "K"})
    names = {"tickvals": steps, "ticktext": [*map(str, steps[:-1]), f"≥ {MOST}"]}
    figure.layout.yaxis.update(title=small_title("K"), range=[0, MOST + 0.7], **names)
    figure.update_xaxes(LOG_AXIS, title=small_title(TITLES[strip.setting]))
    figure = _fixed(figure, HEIGHT, l=64, r=48, t=34, b=46)
    right = {"side": "right", "range": [0, 1.035], "dtick": 0.25, "title": small_title("NMI")}
    return figure.update_layout(yaxis2=right, showlegend=True)


def slider_figure(
    strip: Strip, places: Sequence[int], n_places: int, current: int, true_k: int | None
) -> go.Figure:
    """A strip under its slider: NMI, and K or BIC; ``places`` on it are the ``customdata``."""
    figure = go.Figure()
    _add_strip(figure, strip, places, current, true_k)
    figure.update_traces(marker_size=3, line_width=1.5)
    figure.update_xaxes(range=[0, n_places - 1], visible=False)
    figure.update_yaxes(range=None if strip.bic is not None else [0, MOST + 1], visible=False)
    for x, side, trace in zip((0.0, 1.0), ("left", "right"), figure.data, strict=False):
        place = {"x": x, "xanchor": side, "xref": "paper", "y": 1.0, "yref": "paper"}
        font = {"size": 10, "color": trace.line.color}
        figure.add_annotation(text=trace.name, yanchor="top", showarrow=False, font=font, **place)
    figure = _fixed(figure, LOW, l=INSET, r=INSET, t=0, b=0)
    figure.update_layout(yaxis2={"range": [-0.05, 1.05], "visible": False})
    return figure.update_layout(plot_bgcolor=CLEAR, showlegend=False)


def _add_strip(
    figure: go.Figure, strip: Strip, places: Sequence[float], current: float, true_k: int | None
) -> None:
    """BIC, or else K; NMI, if known; where the slider stands, and where K is right."""
    is_bic = strip.bic is not None
    found = strip.bic if is_bic else strip.n_clusters.clip(max=MOST)
    name = TITLES[strip.setting]
    text = [
        f"{name} = {value:.3g}, K = {k:,}"
        for value, k in zip(strip.values, strip.n_clusters, strict=True)
    ]
    _line(figure, places, found, "BIC" if is_bic else "K", text=text)
    if strip.nmi is not None:
        _line(figure, places, strip.nmi, "NMI", 1, text=text, yaxis="y2", **_DOTTED)
        figure.update_layout(yaxis2={"overlaying": "y", "showgrid": False})
    _mark(figure, current)
    if true_k is not None and is_bic:
        figure.add_vrect(x0=true_k - 1.5, x1=true_k - 0.5, **_band(0.2))
    elif true_k is not None:
        figure.add_hrect(y0=true_k - 0.5, y1=true_k + 0.5, **_band(0.15))


def tolerance_figure(path: TolerancePath, current: float) -> go.Figure:
    """K against the power, falling to the right, plateau shaded; ``customdata`` are powers."""
    powers, counts = path.powers.tolist(), path.n_clusters.tolist()
    figure, most = go.Figure(), max(*counts, 2)
    _line(figure, powers, counts, "K", marker_size=5, line_shape="hvh")
    if path.plateau is not None:
        high, low = path.plateau
        figure.add_vrect(x0=low, x1=high, **_band(0.18))
    _mark(figure, current)
    ends = np.log10([1.06 * powers[0], powers[-1] / 1.06])
    figure.update_xaxes(LOG_AXIS, range=ends, title=small_title("Tolerance for misfit"))
    # Only 1, 2 and 5 times a power of ten: there is no K of 0.9.
    y_range = np.log10([0.8, 1.25 * most])
    figure.update_yaxes(LOG_AXIS, range=y_range, dtick="D2", title=small_title("K"))
    return _fixed(figure, HEIGHT, l=40, r=8, t=4, b=46)


def _line(
    figure: go.Figure,
    x: Sequence[float],
    y: Sequence[float],
    name: str,
    colour: int = 0,
    text: Sequence[str] | None = None,
    **kwargs: Any,
) -> None:
    """A line whose ``customdata`` are its places across, for clicks; ``text`` is its hover's."""
    x_text = "%{x:.3~g}" if text is None else "%{text}"
    style = {"mode": "lines+markers", "line_color": PALETTE[colour], "line_width": 2}
    figure.add_scatter(
        **{"x": x, "y": y, "name": name, "customdata": x, "text": text},
        hovertemplate=f"{x_text}: {name} %{{y:.3~g}}<extra></extra>",
        **style | kwargs,
    )


def _band(opacity: float) -> dict[str, Any]:
    return {"layer": "below", "line_width": 0, "fillcolor": PALETTE[0], "opacity": opacity}


def _mark(figure: go.Figure, current: float) -> None:
    figure.add_vline(current, line={"color": PALETTE[2], "width": 2, "dash": "dash"})


def _fixed(figure: go.Figure, height: int, **margin: int) -> go.Figure:
    """A figure that is clicked and not zoomed, whose lines across alone are drawn."""
    figure.update_xaxes(showgrid=False, zeroline=False, fixedrange=True)
    figure.update_yaxes(zeroline=False, fixedrange=True)
    return styled(figure, height, margin=margin | {"pad": 0})
