"""A run in one figure that is stepped through in the browser: frames and a slider, no server."""

from __future__ import annotations

from base64 import b64encode
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import MOST_MARKED, TINY_ROWS
from ..comparing.projection import Axis, View
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
        [_changing(walk, k, has_pairs, ink or INK, letters) for k in numbers],
        _objective(walk, letters),
        [_headings(walk, k, spans, ink, letters) for k in numbers],
        slider,
        {
            "height": height,
            "margin": {"t": TOP, "b": FOOT if has_axes else grown(BARE_FOOT, letters)},
            "legend": legend | {"font": {"size": grown(11, letters)}},
            **_axes(walk, spans, has_pairs, letters, has_axes),
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
            "data": [only_changes(trace) for trace in traces],
            "traces": list(range(len(traces))),
            "layout": {"annotations": said},
        }
        for k, (traces, said) in enumerate(zip(changing, headings, strict=True))
    ]
    every = -(-len(frames) // MOST_NAMES)
    names = [str(k) if k % every == 0 else "" for k in range(len(frames))]
    sides = {"l": 54 if has_axes else 12, "r": 12, "pad": 0}
    figure = go.Figure(
        data=[*changing[0], *still],
        layout=LAYOUT
        | layout
        | {
            "margin": sides | layout["margin"],
            "annotations": headings[0],
            "sliders": [step_slider(names, **slider)],
        },
    )
    figure.frames = frames
    return figure


def _under(n_steps: int, across: list[float], letters: int) -> dict[str, Any]:
    """How the slider stands close under the objective, its steps below those of the plot."""
    low, high = _step_range(n_steps, has_axes=False)
    one = (across[1] - across[0]) / (high - low)
    return {
        "letters": grown(11, letters),
        "x": across[0] - low * one,
        "len": (n_steps - 1) * one,
        "pad": {"t": grown(6, letters), "b": 0, "l": -INSET, "r": -INSET},
    }


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
        widths = [rows, 1.0 - rows] if plots == 2 else [0.36, 0.38, 0.26]
        edges = np.concatenate([[0.0], np.cumsum(widths)])
        spans = [
            ([low, high - GAP * (high < 1) * 0.7], [0.0, 1.0]) for low, high in pairwise(edges)
        ]
        return spans, plot_height + TOP + FOOT
    share, gap = (0.22, 0.13) if has_axes else (1.0 - ROWS - NAMES, NAMES)
    top, below = [share + gap, 1.0], ([0.0, 1.0], [0.0, share])
    spans = (
        [([0.0, 1.0], top), below]
        if plots == 2
        else [
            ([0.0, 0.6], top),
            below,
            ([0.66, 1.0], top),
        ]
    )
    return spans, 2 * (plot_height - 60) + TOP + FOOT


def _changing(walk: Walk, k: int, has_pairs: bool, ink: str, letters: int) -> list[dict[str, Any]]:
    """Traces that a step changes: rows, outlines, the row visited, numbers, the mark, the pairs."""
    step = walk.steps[k]
    traces = [*traces_of_rows(walk.view, step, ink, letters), _mark(walk, k, ink)]
    return [*traces, _pairs(step)] if has_pairs else traces


def traces_of_rows(view: View, step: Step, ink: str, letters: int) -> list[dict[str, Any]]:
    """The rows at one step, outlines, the row visited or centres, and the clusters' numbers."""
    return [
        _rows(view, step),
        _curves(view, step, ink),
        _visited(view, step, ink, letters),
        _badges(view, step, letters),
    ]


def only_changes(trace: dict[str, Any]) -> dict[str, Any]:
    """Of the rows, which stay where they are, only the marks."""
    return {"type": trace["type"], "marker": trace["marker"]} if "hovertext" in trace else trace


def _rows(view: View, step: Step) -> dict[str, Any]:
    labels = step.labels
    symbols = _SYMBOLS[(labels + labels // len(PALETTE)) % _SYMBOLS.size].astype(np.uint8)
    # In one trace, whose marks alone change from frame to frame.
    return at(view.points) | {
        "type": "scatter",
        "mode": "markers",
        "marker": {
            "color": (labels % len(PALETTE)).astype(np.uint8),
            "cmin": 0,
            "cmax": len(PALETTE),
            "colorscale": _SCALE,
            # As plotly.js reads them; Plotly's check of every single symbol would take seconds.
            "symbol": {"dtype": "u1", "bdata": b64encode(symbols).decode()},
            "size": 8 if len(labels) <= 300 else 5,
            "opacity": 0.8,
            "line": {"width": 0},
        },
        "hovertext": [f"row {row + 1}" for row in view.rows],
        "hoverinfo": "text",
        "showlegend": False,
    }


def _curves(view: View, step: Step, ink: str) -> dict[str, Any]:
    look = {"showlegend": False, "line": {"color": ink, "width": 1.5}}
    curves = [along_edge(view, curve) for curve in step.curves]
    return {"type": "scatter"} | lines(curves) | look


def _badges(view: View, step: Step, letters: int) -> dict[str, Any]:
    """The number of every cluster at its middle; where there are many, of those not tiny."""
    middles = view.centroids(step.labels)
    labels, counts = np.unique(step.labels, return_counts=True)
    shown = labels[counts >= (TINY_ROWS if labels.size > MOST_MARKED else 1)].tolist()
    x, y = ([middles[label][axis] for label in shown] for axis in (0, 1))
    texts = [str(step.numbers[label]) for label in shown]
    return {"type": "scatter"} | discs(x, y, shown, letters) | {"text": texts, "showlegend": False}


def _visited(view: View, step: Step, ink: str, letters: int) -> dict[str, Any]:
    """A ring about the row just visited, and crosses where centres stand, larger than numbers."""
    centers = np.empty((0, 2)) if step.centers is None else step.centers
    places = view.points[view.rows == view.rows[step.row]] if step.row is not None else centers
    symbol = "circle-open" if step.row is not None else "cross-thin"
    return at(places) | {
        "type": "scatter",
        "mode": "markers",
        "hoverinfo": "skip",
        "showlegend": False,
        "marker": {
            "symbol": symbol,
            "size": grown(20 if step.row is not None else 30, letters),
            "color": ink,
            "opacity": 0.9,
            "line": {"width": 2.5, "color": ink},
        },
    }


def _mark(walk: Walk, k: int, ink: str) -> dict[str, Any]:
    """The current step on the objective's trace."""
    return {
        "type": "scatter",
        "x": [k],
        "y": [walk.steps[k].objective],
        "mode": "markers",
        "xaxis": "x2",
        "yaxis": "y2",
        "hoverinfo": "skip",
        "name": "this step",
        "marker": {
            "symbol": "circle-open",
            "size": 17,
            "color": ink,
            "line": {"width": 3, "color": ink},
        },
    }


def _pairs(step: Step) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": (100 * step.together).round().astype(np.uint8),
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
    common = {"type": "scatter", "xaxis": "x2", "yaxis": "y2", "hoverinfo": "text"}
    traces = [
        common
        | {
            "x": list(range(len(values))),
            "y": values,
            "mode": "lines+markers",
            "text": words,
            "name": plain(walk.measure),
            "line": {"color": PALETTE[0], "width": 2},
            "marker": {"size": 5, "color": PALETTE[0]},
        }
    ]
    for colour, (event, symbol) in zip(PALETTE[1:], EVENTS.items(), strict=False):
        when = [k for k, step in enumerate(walk.steps) if step.event == event]
        if when:
            traces.append(
                common
                | {
                    "x": when,
                    "y": [values[k] for k in when],
                    "text": [words[k] for k in when],
                    "mode": "markers",
                    "name": event,
                    "marker": {"symbol": symbol, "size": grown(10, letters), "color": colour},
                }
            )
    return traces


def _headings(
    walk: Walk, k: int, spans: list, ink: str | None, letters: int
) -> list[dict[str, Any]]:
    step = walk.steps[k]
    texts = [(spans[0], f"<b>Step {k}: {plain(step.words)}. K = {step.n_clusters:,}</b>")]
    if len(spans) > 2:
        texts.append((spans[2], "<b>Together so far</b>"))
    font = {"size": letters, "color": ink}
    return [heading(text, across[0], up[1], font=font) for (across, up), text in texts]


def _axes(walk: Walk, spans: list, has_pairs: bool, letters: int, has_axes: bool) -> dict[str, Any]:
    view = walk.view
    values = np.array([step.objective for step in walk.steps])
    margin = (0.08 if has_axes else 0.3) * (np.ptp(values) or 1.0)  # a low plot's mark is as large
    last = len(walk.steps) - 1
    common, bare = _common(letters), _BARE
    lined = common | {"showgrid": True}
    axes = fixed_axes(view, spans[0], "", letters, has_axes) | {
        "xaxis2": lined
        | {
            "domain": spans[1][0],
            "anchor": "y2",
            "range": _step_range(len(walk.steps), has_axes),
            "dtick": 1 if last < MOST_NAMES else None,
            "title": small_title("step"),
        }
        | ({} if has_axes else bare),  # the slider below has the numbers
        "yaxis2": lined
        | {
            "domain": spans[1][1],
            "anchor": "x2",
            "tickformat": ",~r" if has_axes else ",.4~r",
            **({"nticks": 6} if has_axes else {"tickvals": [values.min(), values.max()]}),
            "ticklabelposition": "outside" if has_axes else "inside",
            "range": [float(values.min() - margin), float(values.max() + margin)],
        },
    }
    if has_pairs:
        title = {"title": small_title("60 rows, by true group", grown(12, letters))}
        square = {name: common | bare | tied for name, tied in ONE_UNIT.items()}
        square["y"] |= {"scaleanchor": "x3", "autorange": "reversed"}
        axes["xaxis3"] = square["x"] | {"domain": spans[2][0], "anchor": "y3"} | title
        axes["yaxis3"] = square["y"] | {"domain": spans[2][1], "anchor": "x3"}
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
        fixed = _common(letters) | _fixed(axis, domain, f"{other}{number}") | tied
        axes[f"{name}axis{number}"] = fixed | ({} if has_axes else _BARE)
    return axes


def _fixed(axis: Axis, domain: list[float], anchor: str) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "range": [axis.low, axis.high],
        "tickvals": [place for place, _ in axis.ticks],
        "ticktext": [text for _, text in axis.ticks],
        "title": small_title(plain(axis.title)),
    }
