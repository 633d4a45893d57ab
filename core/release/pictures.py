"""Pictures at the door: of the data inside a figure only what was named beforehand leaves.

A picture shows less than it holds: numbers to the last digit, a row beside a point, values
that were only counted. What is drawn leaves, in the digits that an eye can tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .door import in_significant

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Significant digits of what is drawn.
DIGITS = 3
#: Names of the pictures, as their ``layout.meta`` says, with the kinds of traces in each.
PICTURES: Mapping[str, tuple[str, ...]] = {
    "differences": ("heatmap",),
    "two groups": ("scatter",),
    "overlaps": ("box", "scatter"),
    "searches": ("scatter",),
    "drawn without groups": ("scatter",),
    "effects": ("scatter",),
    "survival": ("scatter",),
}
#: Numbers of a trace, and its words and looks; anything else stays inside.
NUMBERS = ("x", "y", "z", "y0")
WORDS = ("name", "text", "customdata", "hovertemplate", "texttemplate")
LOOKS = (
    *("type", "mode", "marker", "line", "textfont", "opacity", "fill", "fillcolor", "orientation"),
    *("xaxis", "yaxis", "showlegend", "legendgroup", "hoverinfo", "boxpoints", "colorbar"),
    *("colorscale", "showscale", "zmin", "zmax", "zmid", "xgap", "ygap"),
)
_ERRORS = ("error_x", "error_y")


def let_out_picture(figure: go.Figure) -> go.Figure | None:
    """The figure as it may leave; None of one that nobody named."""
    kinds = PICTURES.get(figure.layout.meta)
    if kinds is None:
        return None
    traces = [_trace(trace) for trace in figure.data if trace.type in kinds]
    return type(figure)(traces, figure.layout)


def _trace(trace: Any) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key in trace:
        value = trace[key]
        if value is None:
            continue
        if key in NUMBERS or key in WORDS:
            told[key] = _in_digits(value)
        elif key in LOOKS:
            told[key] = value
        elif key in _ERRORS:
            error = value.to_plotly_json()
            ends = {end: _in_digits(error[end]) for end in ("array", "arrayminus") if end in error}
            told[key] = error | ends
    return told | {"type": trace.type}


def _in_digits(value: Any) -> Any:
    """Numbers with few digits; words as they are."""
    if isinstance(value, str):
        return value
    cells = np.asarray(value, dtype=object)
    flat = [
        float(in_significant([cell], DIGITS)[0])
        if isinstance(cell, float | np.floating) and np.isfinite(cell)
        else cell
        for cell in cells.ravel()
    ]
    if not cells.shape:
        return flat[0]
    found = np.empty(cells.size, dtype=object)
    found[:] = flat
    is_number = all(cell is None or isinstance(cell, int | float | np.number) for cell in flat)
    found = found.reshape(cells.shape)
    return found.astype(np.float64) if is_number and flat else found.tolist()
