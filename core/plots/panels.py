"""The figure of the Compare page: every partition in one view, on the same axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import Panel
from ..comparing.projection import Axis, View
from ..wording import counted
from .template import (
    GRID,
    INK,
    ONE_UNIT,
    PANEL,
    TEMPLATE,
    colour_of,
    heading,
    marker_style,
    on_colour,
    plain,
    short,
)

#: Up to so many points are drawn as SVG, more by WebGL.
SVG_LIMIT = 1500
# In pixels: a panel's height, the two lines above it, what stands below and left of the panels.
HEIGHT, HEADING, FOOT, LEFT = 250, 52, 56, 58
# What is left of the last where no axis has numbers or a title.
BARE = 8
# Space between neighbours in a row, as a share of the figure's width.
GAP = 0.014
STALE = 0.22
# Height of a heading's letters, in pixels, and up to which the places about the panels hold them.
LETTERS, HELD = 13, 17
# Between the middles of a badge and of a ring, as a share of a panel, that both may be seen.
CLEAR_OF = 0.12
# What is left to an outline that runs along the edge of a panel, as a share of it.
INSET = 0.004
# An axis' title is cut at so many letters, up the side of a low panel at so many pixels each.
TITLE_WIDTH, LETTER = 30, 7
# The line under a title is cut at so many letters.
REMARK_WIDTH, NARROW_REMARK = 36, 20
BAND = 0.55
_GREY = {"color": INK, "symbol": "circle-open", "line": {"width": 1}}


def narrow_panel(panel: Panel) -> Panel:
    """A panel with what its title says of K and NMI in the line below."""
    title, _, said = panel.title.partition(", ")
    known, is_known, _ = title.partition(": ")
    said = (
        counted(np.unique(panel.codes[panel.codes >= 0]).size, "group")
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
    kind: str | None = None,
    has_axes: bool = True,
) -> go.Figure:
    """Draw partitions side by side on shared, fixed axes, ``n_columns`` of them in a row.

    ``ink`` is the colour of the headings, the template's by default, ``paper`` that of the page.
    The row number ``marked`` is ringed in every panel. Without ``has_scale`` the first panel of a
    row lacks the numbers of the y axis: the figure continues another one to its left. Without
    ``has_axes`` no panel has numbers or a title at its axes. Headings are
    ``letters`` pixels high. Lit, the rows that a panel places apart stand out from all others.
    ``kind`` of traces: "scattergl", which a browser draws anew sooner, "scatter", or as the number
    of rows wants it.

    Each panel has one trace of rows a cluster, whose ``customdata`` are row numbers from 1 on, then
    its ellipses and the numbers of its clusters.
    """
    layout = panels_layout(view, len(panels), n_columns, panel_height, has_scale, has_axes, letters)
    kind = kind or kind_of(view)
    parts = [
        panel_part(view, panel, place, kind, ink, paper, marked, letters, is_lit)
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
    has_axes: bool = True,
    letters: int = LETTERS,
) -> dict[str, Any]:
    """Where so many panels stand, without what is in them."""
    n_columns = min(n_columns, n_panels)
    n_rows = math.ceil(n_panels / n_columns)
    head = grown(HEADING, letters, HELD)
    foot = grown(FOOT, letters, HELD) if has_axes else BARE
    left = left_of(letters) if has_axes and has_scale else 0
    height = n_rows * (panel_height + head) + foot
    high = min(TITLE_WIDTH, panel_height // LETTER)
    layout: dict[str, Any] = {}
    for place in range(n_panels):
        row, column = divmod(place, n_columns)
        number = _number(place)
        across = _span(column, n_columns, GAP)
        up = _span(n_rows - 1 - row, n_rows, head / (height - head - foot))
        is_lowest, is_first = has_axes and place + n_columns >= n_panels, bool(left) and not column
        layout[f"xaxis{number}"] = _axis(view.x, across, f"y{number}", is_lowest, letters)
        layout[f"yaxis{number}"] = _axis(view.y, up, f"x{number}", is_first, letters, high)
        for name in "xy":
            layout[f"{name}axis{number}"] |= {} if has_axes else {"ticks": ""}
            layout[f"{name}axis{number}"] |= ONE_UNIT[name] if view.has_one_unit else {}
            if place:  # which is closer than to be anchored
                layout[f"{name}axis{number}"]["matches"] = name
    return layout | {
        "template": TEMPLATE,
        "height": height,
        "margin": {"l": left, "r": 6, "t": head, "b": foot, "pad": 0},
        "plot_bgcolor": PANEL,
        "showlegend": False,
    }


def grown(size: int, letters: int, usual: int = LETTERS) -> int:
    """Pixels of what is so large beside headings of the usual height; it never shrinks."""
    return round(size * max(letters / usual, 1.0))


def left_of(letters: int) -> int:
    """Pixels left of the panels where an axis has numbers."""
    return grown(LEFT, letters, HELD)


def kind_of(view: View) -> str:
    """How a figure of these rows is drawn, all its traces alike.

    WebGL's canvas would cover names and outlines drawn as SVG.
    """
    return "scatter" if len(view.points) <= SVG_LIMIT else "scattergl"


def panel_part(
    view: View,
    panel: Panel,
    place: int,
    kind: str,
    ink: str | None = None,
    paper: str = "#ffffff",
    marked: int | None = None,
    letters: int = LETTERS,
    is_lit: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Traces of the panel at a place, and its heading."""
    number = _number(place)
    drawn = [
        *_rows(view, panel, letters, is_lit),
        *_borders(panel),
        *_arrows(view, view.ways),
        *_centres(view, panel),
        *_outlines(view, panel, paper),
        *_badges(view, panel, marked, letters, kind),
        *_ring(view, panel, marked, letters, kind),
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


def _axis(
    axis: Axis,
    domain: list[float],
    anchor: str,
    is_labelled: bool,
    letters: int,
    width: int = TITLE_WIDTH,
) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "range": [axis.low, axis.high],
        "tickvals": [place for place, _ in axis.ticks],
        "ticktext": [short(text, 9) for _, text in axis.ticks],
        "showticklabels": is_labelled,
        "title": {
            "text": short(axis.title, width) if is_labelled else "",
            "font": {"size": grown(12, letters)},
            "standoff": 6,
        },
        "tickfont": {"size": grown(11, letters)},
        "tickangle": 0,
        "ticks": "outside",
        "ticklen": 3,
        "tickcolor": GRID,
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
    }


def _rows(view: View, panel: Panel, letters: int, is_lit: bool) -> list[dict[str, Any]]:
    """The rows; lit, those placed apart once more on top of all, which are faint then.

    So are those of clusters too small for a colour, which are easily overlooked.
    """
    n = len(view.points)
    labels = np.full(n, -1) if panel.labels is None else panel.labels
    size = grown(_size(n), letters, HELD)
    if not is_lit or panel.apart is None:
        return _all_rows(view, panel, labels, size, STALE if panel.is_stale else 0.8)
    stand_out = panel.apart | (labels < 0)
    strong = (
        trace for _, trace in _by_mark(view.points[stand_out], labels[stand_out], size + 2, 1.0)
    )
    return [
        *_all_rows(view, panel, labels, size, STALE),
        *(trace | {"hoverinfo": "skip"} for trace in strong),
    ]


def _all_rows(
    view: View, panel: Panel, labels: np.ndarray, size: int, opacity: float
) -> list[dict[str, Any]]:
    names = np.array([plain(name) for name in panel.names] or ["no cluster yet"])
    codes = np.zeros(labels.size, dtype=int) if panel.codes is None else panel.codes
    number = view.rows.astype(np.int32) + 1
    traces = []
    for rows, trace in _by_mark(view.points, labels, size, opacity):
        called, about = names[codes[rows]], {"name": plain(panel.title), "customdata": number[rows]}
        if (called == called[0]).all():  # WebGL would say "-" for one text of many points
            said = called[0].replace("%{", "% {")
        else:
            said, about["text"] = "%{text}", called
        about["hovertemplate"] = f"row %{{customdata}}: {said}<extra></extra>"
        traces.append(trace | about)
    return traces


def _by_mark(
    places: np.ndarray, labels: np.ndarray, size: int, opacity: float
) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Which rows share a mark, and their trace; the grey rings of -1 come last, on top.

    In one trace of many colours Plotly would read every point's colour as text.
    """
    for label in [*np.unique(labels[labels >= 0]), -1]:
        rows = np.flatnonzero(labels == label)
        if rows.size:
            marker = _GREY if label < 0 else marker_style(int(label)) | {"line": {"width": 0}}
            marker = marker | {"size": size, "opacity": opacity}
            yield rows, at(places[rows]) | {"mode": "markers", "marker": marker}


def at(places: np.ndarray) -> dict[str, Any]:
    """Coordinates of a trace, of shape (n, 2)."""
    return {"x": places[:, 0], "y": places[:, 1]}


def lines(curves: Sequence[np.ndarray]) -> dict[str, Any]:
    """Curves, shape (C, 2) each, as one trace with gaps between them."""
    gap = np.full((1, 2), np.nan, dtype=np.float32)
    parts = [part for curve in curves for part in (gap, curve)][1:] or [gap]
    joined = np.concatenate(parts).astype(np.float32)
    return at(joined) | {"mode": "lines", "hoverinfo": "skip"}


def discs(
    x: Sequence[float], y: Sequence[float], labels: Sequence[int], letters: int = LETTERS
) -> dict[str, Any]:
    """Discs in the clusters' colours for their numbers, readable on a light and a dark page."""
    colours = [colour_of(label) for label in labels]
    on_colours = [on_colour(colour) for colour in colours]
    return {
        "x": x,
        "y": y,
        "mode": "markers+text",
        "textfont": {"size": grown(11, letters), "color": on_colours, "weight": "bold"},
        "hoverinfo": "skip",
        "marker": {
            "size": grown(18, letters),
            "color": colours,
            "line": {"color": "#ffffff", "width": 1.5},
        },
    }


def _size(n_rows: int) -> int:
    return 6 if n_rows <= 600 else 5 if n_rows <= 3000 else 4


def along_edge(view: View, curve: np.ndarray) -> np.ndarray:
    """A closed curve, along the edge of the panel where it leads out: it stays whole.

    Nothing of one that lies outside.
    """
    low, high = np.array([(axis.low, axis.high) for axis in (view.x, view.y)]).T
    is_inside = ((low <= curve) & (curve <= high)).all(axis=1).any()
    inset = INSET * (high - low)
    return curve.clip(low + inset, high - inset) if is_inside else curve[:0]


def _outlines(view: View, panel: Panel, paper: str) -> list[dict[str, Any]]:
    """The ellipses, on a band that keeps them apart from points of their own colour."""
    if not panel.outlines:
        return []
    curves = [(label, along_edge(view, curve)) for label, curve in panel.outlines]
    opacity = STALE if panel.is_stale else 1.0
    band = {"opacity": BAND * opacity, "line": {"color": paper, "width": 4}}
    ellipses = [
        lines([curve]) | {"opacity": opacity, "line": {"color": colour_of(label), "width": 1.75}}
        for label, curve in curves
    ]
    return [lines([curve for _, curve in curves]) | band, *ellipses]


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


def _ring(
    view: View, panel: Panel, marked: int | None, letters: int, kind: str
) -> list[dict[str, Any]]:
    """A ring about one row, if it is shown, filled with the colour of its cluster."""
    place = np.flatnonzero(view.rows == marked) if marked is not None else np.empty(0, int)
    if not place.size:
        return []
    label = -1 if panel.labels is None else int(panel.labels[place[0]])
    fill = colour_of(label) if label >= 0 else "#ffffff"
    ring = at(view.points[place]) | {"mode": "markers", "hoverinfo": "skip"} | _whole(kind)
    return [
        ring | {"marker": {"size": grown(size, letters), "color": colour, "line": {"width": 0}}}
        for size, colour in ((22, "#ffffff"), (19, "#1c2629"), (14, "#ffffff"), (11, fill))
    ]


def _whole(kind: str) -> dict[str, Any]:
    """What is large is drawn whole at the edge; WebGL cuts it."""
    return {"cliponaxis": False} if kind == "scatter" else {}


def _badges(
    view: View, panel: Panel, marked: int | None, letters: int, kind: str
) -> list[dict[str, Any]]:
    if not panel.badges:
        return []
    *places, labels = zip(*panel.badges, strict=True)
    x, y = _clear_of(view, np.column_stack(places), marked).T
    numbers = {
        "text": [str(panel.numbers.get(label, label + 1)) for label in labels],
        "opacity": 2 * STALE if panel.is_stale else 1.0,
    }
    return [discs(x, y, labels, letters) | numbers | _whole(kind)]


def _clear_of(view: View, places: np.ndarray, marked: int | None) -> np.ndarray:
    """Places of badges, (K, 2), those that the ring about a row would cover moved aside."""
    ringed = view.points[view.rows == marked]
    if not ringed.size:
        return places
    size = np.array([view.x.high - view.x.low, view.y.high - view.y.low])
    steps = (places - ringed) / size + [0.0, 1e-6]  # up, from the ring's very middle
    distances = np.linalg.norm(steps, axis=1, keepdims=True)
    return np.where(distances < CLEAR_OF, ringed + steps / distances * CLEAR_OF * size, places)


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
