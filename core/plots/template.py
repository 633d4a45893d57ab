"""What all figures share: palette, axes, grid, margins, legend, and small parts drawn alike."""

import html
import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
from plotly.colors import hex_to_rgb

# Petroff's ten colours (arXiv:2107.02270) stay apart under the three colour-vision deficiencies.
PALETTE = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#94a4a2",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#92dadd",
)
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star", "triangle-down")
INK = "#7a8a8e"
GRID = "rgba(128, 144, 148, 0.22)"
PANEL = "rgba(128, 144, 148, 0.08)"
CLEAR = "rgba(0, 0, 0, 0)"
# Blue to orange through the page's own colour: apart under every colour-vision deficiency.
LOW, HIGH = "#3b76af", "#e0700d"
_AXIS = {"automargin": True, "gridcolor": GRID, "zerolinecolor": GRID}
# The plot shrinks and no range grows: what stands at the edge of a range stays at the edge.
ONE_UNIT = {
    "x": {"constrain": "domain", "constraintoward": "left"},
    "y": {"constrain": "domain", "constraintoward": "top", "scaleanchor": "x"},
}
# Twos and fives between the powers of ten where these are few.
LOG_AXIS = {"type": "log", "tickformat": ",~g", "nticks": 5}
TEMPLATE = "mapdp_studio"
plotly.io.templates[TEMPLATE] = go.layout.Template(
    layout={
        "colorway": PALETTE,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "hovermode": "closest",
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        # From the top down: from the plot up it covers the plot once its lines become fewer.
        "legend": {
            **{"orientation": "h", "x": 0.0, "bgcolor": CLEAR, "title": {"text": ""}},
            **{"yref": "container", "y": 1.0, "yanchor": "top"},
        },
    }
)
#: Plotly's ways to drag (a click on a point counts in the first alone); opacity of other rows.
DRAGS = {"zoom": "Click or zoom", "select": "Box", "lasso": "Lasso"}
FAINT = 0.12


def styled(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Give a figure the template, a height in pixels, and what of its layout is its own."""
    # Streamlit puts its own in place of a template's background, and of unnamed traces' colours.
    return figure.update_layout(
        {"template": TEMPLATE, "plot_bgcolor": PANEL, "height": height} | layout
    )


def with_frames(
    figure: go.Figure, frames: Iterable[tuple[list[dict[str, Any]], list[dict[str, Any]]]]
) -> str:
    """JSON of a figure with frames: a step's traces, in place of the first ones, and annotations.

    They go in as they are, since Plotly would check them for seconds, trace by trace.
    """
    steps = [
        {
            "name": str(k),
            "data": traces,
            "traces": [*range(len(traces))],
            "layout": {"annotations": annotations},
        }
        for k, (traces, annotations) in enumerate(frames)
    ]
    return f'{figure.to_json()[:-1]},"frames":{json.dumps(steps, default=packed)}}}'


def packed(values: np.ndarray) -> dict[str, str] | list:
    """Numbers as plotly.js reads them."""
    if not values.size:
        return []
    shape = {"shape": str(values.shape)[1:-1]} if values.ndim > 1 else {}
    return {"dtype": values.dtype.str[1:], "bdata": b64encode(values.tobytes()).decode()} | shape


def plain(text: object) -> str:
    """Text of a table made safe for a figure, which reads a little HTML."""
    return html.escape(str(text), quote=False)


def short(text: object, width: int = 26) -> str:
    """A name of a table, safe for a figure and cut where it is long."""
    text = str(text)
    return plain(text if len(text) <= width else text[: width - 1] + "…")


def colour_of(label: int) -> str:
    """Colour of a cluster."""
    return PALETTE[label % len(PALETTE)]


def translucent(colour: str, opacity: float) -> str:
    """A colour "#rrggbb" that lets through what lies below it."""
    return f"rgba{(*hex_to_rgb(colour), opacity)}"


def marker_style(label: int) -> dict[str, object]:
    """Colour and symbol of a cluster: ten colours, then the same ones with other symbols."""
    turn = label // len(PALETTE)
    return {"color": colour_of(label), "symbol": SYMBOLS[(label + turn) % len(SYMBOLS)]}


def on_colour(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour "#rrggbb"."""
    red, green, blue = hex_to_rgb(colour)
    return "#1c2629" if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else "#ffffff"


def small_title(text: str, letters: int = 12) -> dict[str, Any]:
    """Title of an axis of a dense figure, near its numbers."""
    return {"text": text, "font": {"size": letters}, "standoff": 4}


def heading(text: str, plot: int, ink: str | None = None, **kwargs: Any) -> dict[str, Any]:
    """An annotation above the upper left corner of a figure's plot, counted from 1."""
    number = axis_number(plot)
    return {
        "text": text,
        **{"x": 0.0, "xref": f"x{number} domain", "xanchor": "left", "align": "left"},
        **{"y": 1.0, "yref": f"y{number} domain", "yanchor": "bottom", "yshift": 4},
        "showarrow": False,
        "font": {"size": 13, "color": ink},
    } | kwargs


def axis_number(plot: int) -> str:
    """What the axes of a plot, counted from 1, have behind their letter."""
    return "" if plot == 1 else str(plot)


def names_down(names: Sequence[object], width: int = 38) -> dict[str, Any]:
    """A y axis with a name for each whole number, the first on top, long ones cut."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": [short(name, width) for name in names],
        "range": [len(names) - 0.5, -0.5],
        "showgrid": False,
        "zeroline": False,
    }


def step_slider(labels: Sequence[str], letters: int = 11, **place: Any) -> dict[str, Any]:
    """A slider over a figure's frames, named by their numbers, below its plots or in a place."""
    still = {"duration": 0}
    show = {"mode": "immediate", "frame": still | {"redraw": True}, "transition": still}
    return {
        "steps": [
            {"args": [[str(k)], show], "label": label, "method": "animate"}
            for k, label in enumerate(labels)
        ],
        "currentvalue": {"visible": False},
        "pad": {"t": 46, "b": 0},
        "transition": still,
        "font": {"size": letters},
    } | place
