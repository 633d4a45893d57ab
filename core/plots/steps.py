"""A run in one figure that is stepped through in the browser: frames and a slider, no server."""

from __future__ import annotations

from base64 import b64encode
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import MOST_MARKED, TINY_ROWS
from ..comparing.projection import View
from ..methods.steps import Step
from ..teaching.steps import Walk
from .panel_traces import LETTERS, along_edge, at, discs, grown, lines
from .template import (
    INK,
    LAYOUT,
    ONE_UNIT,
    PALETTE,
    PANEL,
    heading,
    plain,
    small_title,
    step_slider,
)

#: Symbols of what happened to the clusters in a step.
EVENTS = {"born": "triangle-up", "died": "triangle-down", "merged": "diamond", "split": "star"}
# In pixels: the plots, what stands above and below them.
HEIGHT, TOP, FOOT = 380, 44, 118
GAP = 0.09
# Where the figure fits a window, of its height without what stands above and below: the rows, and
# the room under them for the names of the lines below. And what stands below, at usual letters.
ROWS, NAMES, BARE_FOOT = 0.81, 0.07, 56
#: Names of steps under the slider, at most.
MOST_NAMES = 12
#: Pixels from the end of a slider to its first step.
INSET = 10
# Plotly's numbers of circle, diamond, square, triangle-up, cross, x, star, triangle-down.
_SYMBOLS = np.array([0, 2, 1, 5, 3, 4, 17, 6])
#: Of a trace of a plot of rows, and of the objective's.
_ROWS, _LINE = (
    {"type": "scatter", "showlegend": False},
    {"type": "scatter", "xaxis": "x2", "yaxis": "y2"},
)
# Of axes without numbers and names.
_BARE = {"showticklabels": False, "ticks": "", "title": ""}
# The palette as one stepped scale, so that a colour is sent as a byte.
_SCALE = [[edge / len(PALETTE), colour] for k, colour in enumerate(PALETTE) for edge in (k, k + 1)]


def steps_figure(
    walk: Walk,
    is_wide: bool,
    ink: str | None = None,
    plot_height: int = HEIGHT,
    letters: int = LETTERS,
    has_axes: bool = True,
) -> go.Figure:
    """Draw a run with all its steps, one frame each, and a slider that moves between them.

    The objective stands beside the rows where the page is wide, else below them, and lower;
    ``ink`` is the colour of headings and outlines, ``plot_height`` in pixels, as are the
    ``letters`` of the headings. Without ``has_axes`` the rows have no numbers and names at their
    axes, and most of the height.
    """
    has_pairs, numbers = walk.steps[0].together is not None, range(len(walk.steps))
    spans, height = _places(3 if has_pairs else 2, is_wide, plot_height, has_axes)
    slider = {} if has_axes else _under(len(walk.steps), spans[1][0], letters)
    legend = {"x": spans[1][0][0], "y": spans[1][1][1], "yref": "paper", "yanchor": "bottom"}
    return played(
        [_changing(walk, k, ink or INK, letters) for k in numbers],
        _objective(walk, letters),
        [_headings(walk, k, spans, ink, letters) for k in numbers],
        slider,
        {
            "height": height,
            "margin": {"t": TOP, "b": FOOT if has_axes else grown(BARE_FOOT, letters)},
            "legend": legend | {"font": {"size": grown(11, letters)}},
            **_axes(walk, spans, letters, has_axes),
        },
        has_axes,
    )


def played(
    changing: list[list[dict[str, Any]]],
    still: list[dict[str, Any]],
    headings: list[list[dict[str, Any]]],
    slider: dict[str, Any],
    layout: dict[str, Any],
    has_axes: bool,
) -> go.Figure:
    """A figure with a frame for each step, and a slider that moves between them.

    ``changing`` are the traces of every step, ``still`` those of all, ``headings`` the annotations
    of every step; of the ``layout``, the sides of the margin are added.
    """
    frames = [
        {
            "name": str(k),
            # Of the rows, which stay where they are, only the marks.
            "data": [
                {name: trace[name] for name in ("type", "marker")}
                if "hovertext" in trace
                else trace
                for trace in traces
            ],
            "traces": list(range(len(traces))),
            "layout": {"annotations": said},
        }
        for k, (traces, said) in enumerate(zip(changing, headings, strict=True))
    ]
    every = -(-len(frames) // MOST_NAMES)
    names = [str(k) if k % every == 0 else "" for k in range(len(frames))]
    sides = {"l": 54 if has_axes else 12, "r": 12, "pad": 0}
    more = {"margin": sides | layout["margin"], "annotations": headings[0]}
    more["sliders"] = [step_slider(names, **slider)]
    figure = go.Figure([*changing[0], *still], LAYOUT | layout | more)
    figure.frames = frames
    return figure


def _under(n_steps: int, across: list[float], letters: int) -> dict[str, Any]:
    """How the slider stands close under the objective, its steps below those of the plot."""
    low, high = _step_range(n_steps, has_axes=False)
    one = (across[1] - across[0]) / (high - low)
    pad = {"t": grown(6, letters), "b": 0, "l": -INSET, "r": -INSET}
    place = {"x": across[0] - low * one, "len": (n_steps - 1) * one, "pad": pad}
    return place | {"letters": grown(11, letters)}


def _step_range(n_steps: int, has_axes: bool) -> list[float]:
    """Of the objective's plot, across: numbers that stand within it have room there."""
    last = n_steps - 1
    return [-(0.03 if has_axes else 0.12) * last - 0.5, 1.03 * last + 0.5]


def _places(
    plots: int, is_wide: bool, plot_height: int, has_axes: bool
) -> tuple[list[tuple[list[float], list[float]]], int]:
    """Share of the figure, across and up, of each plot; and the figure's height."""
    if is_wide:
        rows = 0.4 if has_axes else 0.6  # of a frame, whose letters are few
        edges = [0.0, rows, 1.0] if plots == 2 else [0.0, 0.36, 0.74, 1.0]
        across = [[low, high - GAP * (high < 1) * 0.7] for low, high in pairwise(edges)]
        return [(one, [0.0, 1.0]) for one in across], plot_height + TOP + FOOT
    share, gap = (0.22, 0.13) if has_axes else (1.0 - ROWS - NAMES, NAMES)
    top, below = [share + gap, 1.0], ([0.0, 1.0], [0.0, share])
    spans = [([0.0, 1.0 if plots == 2 else 0.6], top), below, ([0.66, 1.0], top)]
    return spans[:plots], 2 * (plot_height - 60) + TOP + FOOT


def _changing(walk: Walk, k: int, ink: str, letters: int) -> list[dict[str, Any]]:
    """Traces that a step changes: rows, outlines, the row visited, numbers, the mark, the pairs."""
    step = walk.steps[k]
    ring = {"symbol": "circle-open", "size": 17, "color": ink, "line": {"width": 3, "color": ink}}
    mark = {"x": [k], "y": [step.objective], "name": "this step", "marker": ring}
    mark = _LINE | mark | {"mode": "markers", "hoverinfo": "skip"}
    traces = [*traces_of_rows(walk.view, step, ink, letters), mark]
    return traces if step.together is None else [*traces, _pairs(step.together)]


def traces_of_rows(view: View, step: Step, ink: str, letters: int) -> list[dict[str, Any]]:
    """The rows at one step, outlines, the row visited or centres, and the clusters' numbers."""
    curves = lines([along_edge(view, curve) for curve in step.curves])
    return [
        _rows(view, step.labels),
        _ROWS | curves | {"line": {"color": ink, "width": 1.5}},
        _visited(view, step, ink, letters),
        _ROWS | _badges(view, step, letters),
    ]


def _rows(view: View, labels: np.ndarray) -> dict[str, Any]:
    """In one trace, whose marks alone change from frame to frame."""
    symbols = _SYMBOLS[(labels + labels // len(PALETTE)) % _SYMBOLS.size].astype(np.uint8)
    marker = {
        "color": (labels % len(PALETTE)).astype(np.uint8),
        "cmin": 0,
        "cmax": len(PALETTE),
        "colorscale": _SCALE,
        # As plotly.js reads them; Plotly's check of every single symbol would take seconds.
        "symbol": {"dtype": "u1", "bdata": b64encode(symbols).decode()},
        "size": 8 if len(labels) <= 300 else 5,
        "opacity": 0.8,
        "line": {"width": 0},
    }
    hover = {"hovertext": [f"row {row + 1}" for row in view.rows], "hoverinfo": "text"}
    return _ROWS | at(view.points) | hover | {"mode": "markers", "marker": marker}


def _badges(view: View, step: Step, letters: int) -> dict[str, Any]:
    """The number of every cluster at its middle; where there are many, of those not tiny."""
    middles = view.centroids(step.labels)
    labels, counts = np.unique(step.labels, return_counts=True)
    shown = labels[counts >= (TINY_ROWS if labels.size > MOST_MARKED else 1)].tolist()
    x, y = ([middles[label][axis] for label in shown] for axis in (0, 1))
    return discs(x, y, shown, letters) | {"text": [str(step.numbers[label]) for label in shown]}


def _visited(view: View, step: Step, ink: str, letters: int) -> dict[str, Any]:
    """A ring about the row just visited, and crosses where centres stand, larger than numbers."""
    if step.row is not None:
        places, symbol, size = view.points[view.rows == view.rows[step.row]], "circle-open", 20
    else:
        places = np.empty((0, 2)) if step.centers is None else step.centers
        symbol, size = "cross-thin", 30
    marker = {"symbol": symbol, "size": grown(size, letters), "color": ink, "opacity": 0.9}
    marker |= {"line": {"width": 2.5, "color": ink}}
    return _ROWS | at(places) | {"mode": "markers", "hoverinfo": "skip", "marker": marker}


def _pairs(together: np.ndarray) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": (100 * together).round().astype(np.uint8),
        "xaxis": "x3",
        "yaxis": "y3",
        "zmin": 0,
        "zmax": 100,
        "showscale": False,
        "colorscale": [[0, PANEL], [1, PALETTE[0]]],
        "hovertemplate": "together in %{z} % of the sweeps<extra></extra>",
    }


def _objective(walk: Walk, letters: int) -> list[dict[str, Any]]:
    """The objective's trace, and a mark wherever clusters came, went, merged or split."""
    values = [step.objective for step in walk.steps]
    words = [f"{k}: {step.words}, K = {step.n_clusters}" for k, step in enumerate(walk.steps)]
    blue, every = {"color": PALETTE[0]}, list(range(len(values)))
    line = {"mode": "lines+markers", "line": blue | {"width": 2}, "marker": blue | {"size": 5}}
    traces = [{"x": every, "y": values, "text": words, "name": plain(walk.measure)} | line]
    for colour, (event, symbol) in zip(PALETTE[1:], EVENTS.items(), strict=False):
        when = [k for k in every if walk.steps[k].event == event]
        marker = {"symbol": symbol, "size": grown(10, letters), "color": colour}
        drawn = {"name": event, "mode": "markers", "marker": marker, "x": when}
        drawn |= {"y": [values[k] for k in when], "text": [words[k] for k in when]}
        traces += [drawn] if when else []
    return [_LINE | {"hoverinfo": "text"} | trace for trace in traces]


def _headings(
    walk: Walk, k: int, spans: list, ink: str | None, letters: int
) -> list[dict[str, Any]]:
    step, font = walk.steps[k], {"size": letters, "color": ink}
    texts = [(spans[0], f"<b>Step {k}: {plain(step.words)}. K = {step.n_clusters:,}</b>")]
    if len(spans) > 2:
        texts.append((spans[2], "<b>Together so far</b>"))
    return [heading(text, across[0], up[1], font=font) for (across, up), text in texts]


def _axes(walk: Walk, spans: list, letters: int, has_axes: bool) -> dict[str, Any]:
    values = np.array([step.objective for step in walk.steps])
    margin = (0.08 if has_axes else 0.3) * (np.ptp(values) or 1.0)  # a low plot's mark is as large
    common, n_steps = _common(letters), len(walk.steps)
    # Without axes the slider below has the steps' numbers.
    title = {"title": small_title("step")} if has_axes else _BARE
    low, high = float(values.min()), float(values.max())
    ends = {"range": [low - margin, high + margin]}
    if has_axes:
        ends |= {"tickformat": ",~r", "nticks": 6, "ticklabelposition": "outside"}
    else:
        ends |= {"tickformat": ",.4~r", "tickvals": [low, high], "ticklabelposition": "inside"}
    dtick = {"dtick": 1 if n_steps <= MOST_NAMES else None}
    steps = {"range": _step_range(n_steps, has_axes)} | dtick | title
    axes = fixed_axes(walk.view, spans[0], "", letters, has_axes)
    for name, domain, anchor, own in zip("xy", spans[1], ("y2", "x2"), (steps, ends), strict=True):
        place = {"domain": domain, "anchor": anchor, "showgrid": True}
        axes[f"{name}axis2"] = common | place | own
    if len(spans) > 2:
        title = {"title": small_title("60 rows, by true group", grown(12, letters))}
        down = {"scaleanchor": "x3", "autorange": "reversed"}
        for name, domain, anchor, own in zip(
            "xy", spans[2], ("y3", "x3"), (title, down), strict=True
        ):
            place = {"domain": domain, "anchor": anchor}
            axes[f"{name}axis3"] = common | _BARE | ONE_UNIT[name] | place | own
    return axes


def _common(letters: int) -> dict[str, Any]:
    tickfont = {"size": grown(11, letters)}
    return {"showgrid": False, "zeroline": False, "fixedrange": True, "tickfont": tickfont}


def fixed_axes(
    view: View, span: tuple[list[float], list[float]], number: str, letters: int, has_axes: bool
) -> dict[str, Any]:
    """Both axes of a plot of rows; a step across is as long as one up where both have one unit."""
    axes = {}
    for name, other, axis, domain in zip("xy", "yx", (view.x, view.y), span, strict=True):
        tied = dict(ONE_UNIT[name]) if view.has_one_unit else {}
        if "scaleanchor" in tied:
            tied["scaleanchor"] = f"{tied['scaleanchor']}{number}"
        fixed = {
            "domain": domain,
            "anchor": f"{other}{number}",
            "range": [axis.low, axis.high],
            "tickvals": [place for place, _ in axis.ticks],
            "ticktext": [text for _, text in axis.ticks],
            "title": small_title(plain(axis.title)),
        }
        axes[f"{name}axis{number}"] = _common(letters) | fixed | tied | ({} if has_axes else _BARE)
    return axes
