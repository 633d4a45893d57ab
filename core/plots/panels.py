"""The figure of the Compare page: every partition in one view, on the same axes."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import Panel
from ..comparing.projection import Axis, View
from .template import (
    GRID,
    INK,
    PALETTE,
    PANEL,
    TEMPLATE,
    colour_of,
    heading,
    on_colour,
    plain,
    short,
)

#: Up to so many points are drawn as SVG, more by WebGL.
SVG_LIMIT = 1500
# In pixels: a panel's height, the two lines above it, what stands below and left of the panels.
HEIGHT, HEADING, FOOT, LEFT = 250, 52, 56, 58
# Space between neighbours in a row, as a share of the figure's width.
GAP = 0.014
STALE = 0.22
# Height of a heading's letters, in pixels.
LETTERS = 13
# The line under a title is cut at so many letters.
REMARK_WIDTH, NARROW_REMARK = 36, 20
BAND = 0.55
# Plotly's numbers of circle, diamond, square, triangle-up, cross, x, star, triangle-down.
SYMBOL_NUMBERS = np.array([0, 2, 1, 5, 3, 4, 17, 6])
# The open octagon: WebGL would fill the open circle, as its number is not above 100.
RING = 116
# The palette as one stepped scale, so that a colour is sent as a byte; grey comes last.
_STEPS = [*PALETTE, INK]
COLOUR_SCALE = [
    [edge / len(_STEPS), colour] for k, colour in enumerate(_STEPS) for edge in (k, k + 1)
]


def narrow_panel(panel: Panel) -> Panel:
    """A panel with what its title says of K and NMI in the line below."""
    title, _, said = panel.title.partition(", ")
    known, is_known, _ = title.partition(": ")
    said = (
        f"{np.unique(panel.codes[panel.codes >= 0]).size:,} groups"
        if is_known
        else said or panel.remark
    )
    return replace(panel, title=known, remark=short(said, NARROW_REMARK))


def panels_figure(
    view: View,
    panels: Sequence[Panel],
    n_columns: int,
    panel_height: int = HEIGHT,
    ink: str | None = None,
    paper: str = "#ffffff",
    marked: int | None = None,
    has_scale: bool = True,
    letters: int = LETTERS,
    is_lit: bool = False,
) -> go.Figure:
    """Draw partitions side by side on shared, fixed axes, ``n_columns`` of them in a row.

    ``ink`` is the colour of the headings, the template's by default, ``paper`` that of the page.
    The row number ``marked`` is ringed in every panel. Without ``has_scale`` the first panel of a
    row lacks the numbers of the y axis: the figure continues another one to its left. Headings are
    ``letters`` pixels high. Lit, the rows that a panel places apart stand out from all others.

    Each panel has one trace of rows, whose ``customdata`` are row numbers from 1 on, then its
    rings, ellipses and the numbers of its clusters.
    """
    layout = panels_layout(view, len(panels), n_columns, panel_height, has_scale)
    parts = [
        panel_part(view, panel, place, ink, paper, marked, letters, is_lit)
        for place, panel in enumerate(panels)
    ]
    traces = [trace for part, _ in parts for trace in part]
    return go.Figure(traces, layout | {"annotations": [heading for _, heading in parts]})


def panels_frame(
    view: View,
    titles: Sequence[str],
    n_columns: int,
    panel_height: int = HEIGHT,
    ink: str | None = None,
) -> go.Figure:
    """The axes of a figure of panels whose parts are still to come."""
    awaited = [Panel(title, "still to come", is_stale=True) for title in titles]
    headings = [
        _heading(panel, _number(place), ink, LETTERS) for place, panel in enumerate(awaited)
    ]
    layout = panels_layout(view, len(titles), n_columns, panel_height)
    return go.Figure(layout=layout | {"annotations": headings})


def panels_layout(
    view: View,
    n_panels: int,
    n_columns: int,
    panel_height: int = HEIGHT,
    has_scale: bool = True,
) -> dict[str, Any]:
    """Where so many panels stand, without what is in them."""
    n_columns = min(n_columns, n_panels)
    n_rows = math.ceil(n_panels / n_columns)
    height = n_rows * (panel_height + HEADING) + FOOT
    layout: dict[str, Any] = {}
    for place in range(n_panels):
        row, column = divmod(place, n_columns)
        number = _number(place)
        across = _span(column, n_columns, GAP)
        up = _span(n_rows - 1 - row, n_rows, HEADING / (height - HEADING - FOOT))
        is_lowest = place + n_columns >= n_panels
        layout[f"xaxis{number}"] = _axis(view.x, across, f"y{number}", is_lowest)
        layout[f"yaxis{number}"] = _axis(view.y, up, f"x{number}", has_scale and column == 0)
        if place:
            layout[f"xaxis{number}"]["matches"] = "x"
            layout[f"yaxis{number}"]["matches"] = "y"
    return layout | {
        "template": TEMPLATE,
        "height": height,
        "margin": {"l": LEFT if has_scale else 0, "r": 6, "t": HEADING, "b": FOOT, "pad": 0},
        "plot_bgcolor": PANEL,
        "showlegend": False,
    }


def panel_part(
    view: View,
    panel: Panel,
    place: int,
    ink: str | None = None,
    paper: str = "#ffffff",
    marked: int | None = None,
    letters: int = LETTERS,
    is_lit: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Traces of the panel at a place, and its heading."""
    # All traces of one kind: WebGL's canvas would cover names and outlines drawn as SVG.
    kind = "scatter" if len(view.points) <= SVG_LIMIT else "scattergl"
    number = _number(place)
    drawn = [
        *_rows(view, panel, is_lit),
        *(_rings(view, panel) if kind == "scattergl" else []),
        *_borders(panel),
        *_arrows(view, view.ways),
        *_centres(view, panel),
        *_outlines(panel, paper),
        *_ring(view, marked),
        *_badges(panel),
    ]
    common = {"type": kind, "xaxis": f"x{number}", "yaxis": f"y{number}"}
    return [common | trace for trace in drawn], _heading(panel, number, ink, letters)


def _number(place: int) -> str:
    """How Plotly numbers the axes of a panel."""
    return "" if place == 0 else str(place + 1)


def _span(place: int, places: int, gap: float) -> list[float]:
    """Share of the figure that one of several equal parts takes, gaps between them."""
    width = (1.0 - gap * (places - 1)) / places
    low = place * (width + gap)
    return [low, min(low + width, 1.0)]


def _axis(axis: Axis, domain: list[float], anchor: str, is_labelled: bool) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "range": [axis.low, axis.high],
        "tickvals": [place for place, _ in axis.ticks],
        "ticktext": [short(text, 9) for _, text in axis.ticks],
        "showticklabels": is_labelled,
        "title": {
            "text": short(axis.title, 30) if is_labelled else "",
            "font": {"size": 12},
            "standoff": 6,
        },
        "tickfont": {"size": 11},
        "tickangle": 0,
        "ticks": "outside",
        "ticklen": 3,
        "tickcolor": GRID,
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
    }


def _rows(view: View, panel: Panel, is_lit: bool) -> list[dict[str, Any]]:
    """The rows; lit, those placed apart once more on top of all, which are faint then."""
    if not is_lit or panel.apart is None:
        return [_all_rows(view, panel, STALE if panel.is_stale else 0.8)]
    lit = replace(view, points=view.points[panel.apart])
    strong = points(lit, panel.labels[panel.apart], _size(len(view.points)) + 2, 1.0)
    return [_all_rows(view, panel, STALE), strong | {"hoverinfo": "skip"}]


def _all_rows(view: View, panel: Panel, opacity: float) -> dict[str, Any]:
    n = len(view.points)
    labels = np.full(n, -1) if panel.labels is None else panel.labels
    names = np.array([plain(name) for name in panel.names] or ["no cluster yet"])
    return points(view, labels, _size(n), opacity) | {
        "name": plain(panel.title),
        "customdata": view.rows.astype(np.int32) + 1,
        "text": names[np.zeros(n, dtype=int) if panel.codes is None else panel.codes],
        "hovertemplate": "row %{customdata}: %{text}<extra></extra>",
    }


def points(view: View, labels: np.ndarray, size: int, opacity: float = 0.8) -> dict[str, Any]:
    """The rows of a view in the colours and symbols of their clusters; -1 is a grey ring."""
    grey = labels < 0
    turned = SYMBOL_NUMBERS[(labels + labels // len(PALETTE)) % SYMBOL_NUMBERS.size]
    return at(view.points) | {
        "mode": "markers",
        "marker": {
            "color": np.where(grey, len(PALETTE), labels % len(PALETTE)).astype(np.uint8),
            "cmin": 0,
            "cmax": len(_STEPS),
            "colorscale": COLOUR_SCALE,
            "symbol": packed(np.where(grey, RING, turned)),
            "size": size,
            "opacity": opacity,
            "line": {"width": 0},
        },
    }


def at(places: np.ndarray) -> dict[str, Any]:
    """Coordinates of a trace, of shape (n, 2)."""
    return {"x": places[:, 0], "y": places[:, 1]}


def lines(curves: Sequence[np.ndarray]) -> dict[str, Any]:
    """Curves, shape (C, 2) each, as one trace with gaps between them."""
    gap = np.full((1, 2), np.nan, dtype=np.float32)
    parts = [part for curve in curves for part in (gap, curve)][1:] or [gap]
    joined = np.concatenate(parts).astype(np.float32)
    return at(joined) | {"mode": "lines", "hoverinfo": "skip"}


def discs(x: Sequence[float], y: Sequence[float], labels: Sequence[int]) -> dict[str, Any]:
    """Discs in the clusters' colours for their numbers, readable on a light and a dark page."""
    colours = [colour_of(label) for label in labels]
    on_colours = [on_colour(colour) for colour in colours]
    return {
        "x": x,
        "y": y,
        "mode": "markers+text",
        "textfont": {"size": 11, "color": on_colours, "weight": "bold"},
        "hoverinfo": "skip",
        "marker": {"size": 18, "color": colours, "line": {"color": "#ffffff", "width": 1.5}},
    }


def _rings(view: View, panel: Panel) -> list[dict[str, Any]]:
    """The grey rows once more: WebGL draws open symbols by their line, which rows do not have.

    A line of its own for every row would take three times as long to draw.
    """
    grey = slice(None) if panel.labels is None else panel.labels < 0
    places = view.points[grey]
    if not len(places):
        return []
    return [
        at(places)
        | {
            "mode": "markers",
            "hoverinfo": "skip",
            "marker": {
                "symbol": "circle-open",
                "size": _size(len(view.points)),
                "color": INK,
                "opacity": STALE if panel.is_stale else 0.8,
                "line": {"width": 1},
            },
        }
    ]


def _size(n_rows: int) -> int:
    return 6 if n_rows <= 600 else 5 if n_rows <= 3000 else 4


def packed(numbers: np.ndarray) -> dict[str, str]:
    """Bytes as plotly.js reads them; Plotly's check of every single symbol would take seconds."""
    return {"dtype": "u1", "bdata": b64encode(numbers.astype(np.uint8)).decode()}


def _outlines(panel: Panel, paper: str) -> list[dict[str, Any]]:
    """The ellipses, on a band that keeps them apart from points of their own colour."""
    if not panel.outlines:
        return []
    opacity = STALE if panel.is_stale else 1.0
    band = {"opacity": BAND * opacity, "line": {"color": paper, "width": 4}}
    ellipses = [
        lines([curve]) | {"opacity": opacity, "line": {"color": colour_of(label), "width": 1.75}}
        for label, curve in panel.outlines
    ]
    return [lines([curve for _, curve in panel.outlines]) | band, *ellipses]


def _borders(panel: Panel) -> list[dict[str, Any]]:
    """Cells of the plane, as one trace of thin lines."""
    if not panel.borders:
        return []
    opacity = STALE if panel.is_stale else 1.0
    return [lines(panel.borders) | {"opacity": opacity, "line": {"color": INK, "width": 1.25}}]


def _arrows(view: View, ways: np.ndarray | None) -> list[dict[str, Any]]:
    """A line with a head to everything that stands at the edge in place of farther out."""
    if ways is None or not len(ways):
        return []
    size = np.array([view.x.high - view.x.low, view.y.high - view.y.low])
    curves = []
    for start, end in ways:
        back = (start - end) / size
        back *= 0.05 / np.linalg.norm(back)
        aside = 0.5 * np.array([-back[1], back[0]])
        barbs = [end + size * (back + side * aside) for side in (1, -1)]
        curves += [np.array([start, end]), np.array([barbs[0], end, barbs[1]])]
    return [lines(curves) | {"line": {"color": INK, "width": 1.25}}]


def _centres(view: View, panel: Panel) -> list[dict[str, Any]]:
    """Crosses where centres stand, with arrows to those farther out."""
    if panel.centres is None:
        return []
    # Larger than the number that may stand on it.
    cross = {"symbol": 4, "size": 20, "color": "#1c2629", "line": {"color": "#ffffff", "width": 2}}
    crosses = at(panel.centres) | {"mode": "markers", "hoverinfo": "skip", "marker": cross}
    return [*_arrows(view, panel.ways), crosses]


def _ring(view: View, marked: int | None) -> list[dict[str, Any]]:
    """A ring about one row, if it is shown."""
    place = np.flatnonzero(view.rows == marked) if marked is not None else np.empty(0, int)
    return [
        at(view.points[place])
        | {
            "mode": "markers",
            "hoverinfo": "skip",
            "marker": {
                "symbol": "circle-open",
                "size": size,
                "color": colour,
                "line": {"width": w},
            },
        }
        for size, colour, w in ((17, "#ffffff", 5), (17, "#1c2629", 2.5))
        if place.size
    ]


def _badges(panel: Panel) -> list[dict[str, Any]]:
    if not panel.badges:
        return []
    x, y, labels = zip(*panel.badges, strict=True)
    numbers = {
        "text": [str(label + 1) for label in labels],
        "opacity": 2 * STALE if panel.is_stale else 1.0,
    }
    return [discs(x, y, labels) | numbers]


def _heading(panel: Panel, number: str, ink: str | None, letters: int) -> dict[str, Any]:
    remark = f"<span style='font-size:{letters - 2}px'>{short(panel.remark, REMARK_WIDTH)}</span>"
    return heading(
        f"<b>{plain(panel.title)}</b><br>{remark}",
        0.0,
        1.0,
        ink,
        xref=f"x{number} domain",
        yref=f"y{number} domain",
        yshift=6,
        opacity=0.55 if panel.is_stale else 1.0,
        font={"size": letters, "color": ink},
    )
