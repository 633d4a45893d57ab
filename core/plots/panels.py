"""The figure of the Compare page: every partition in one view, on the same axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import Panel
from ..comparing.projection import Axis, View
from ..wording import counted
from .panel_traces import HELD, LETTERS, grown, marks_of
from .template import GRID, LAYOUT, ONE_UNIT, heading, plain, short

#: Up to so many points are drawn as SVG, more by WebGL.
SVG_LIMIT = 1500
# In pixels: a panel's height, the two lines above it, what stands below and left of the panels.
HEIGHT, HEADING, ONE_LINE, FOOT, LEFT = 250, 52, 34, 56, 58
BARE = 8
#: Share of the figure's width between neighbours.
GAP = 0.014
# An axis' title is cut at so many letters, up the side of a low panel at so many pixels each.
TITLE_WIDTH, LETTER = 30, 7
REMARK_WIDTH, NARROW_REMARK = 36, 20


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
    letters: int = LETTERS,
    has_axes: bool = True,
    is_low: bool = False,
    **kwargs: Any,
) -> go.Figure:
    """Draw partitions side by side on shared, fixed axes, ``n_columns`` of them in a row.

    ``letters`` is the headings' height in pixels. A panel has one trace of rows a cluster, whose
    ``customdata`` are row numbers from 1 on, then its ellipses and cluster numbers.
    """
    layout = panels_layout(view, len(panels), n_columns, panel_height, has_axes, letters, is_low)
    kwargs |= {"letters": letters, "is_low": is_low}
    parts = [
        panel_part(view, panel, place, kind_of(view), **kwargs)
        for place, panel in enumerate(panels)
    ]
    traces = [trace for part, _ in parts for trace in part]
    return go.Figure(traces, layout | {"annotations": [heading for _, heading in parts]})


def panels_frame(
    view: View, titles: Sequence[str], n_columns: int, panel_height: int, ink: str
) -> go.Figure:
    """The axes of a figure of panels whose parts are still to come."""
    awaited = [Panel(title, "still to come", is_stale=True) for title in titles]
    headings = [_heading(panel, place, ink) for place, panel in enumerate(awaited)]
    layout = panels_layout(view, len(titles), n_columns, panel_height)
    return go.Figure(layout=layout | {"annotations": headings})


def panels_layout(
    view: View,
    n_panels: int,
    n_columns: int,
    panel_height: int = HEIGHT,
    has_axes: bool = True,
    letters: int = LETTERS,
    is_low: bool = False,
) -> dict[str, Any]:
    """Where so many panels stand, without what is in them."""
    n_columns = min(n_columns, n_panels)
    n_rows = math.ceil(n_panels / n_columns)
    head = grown(ONE_LINE if is_low else HEADING, letters, HELD)
    foot = grown(FOOT, letters, HELD) if has_axes else BARE
    left = grown(LEFT, letters, HELD) if has_axes else 0
    height = n_rows * (panel_height + head) + foot
    high = min(TITLE_WIDTH, panel_height // LETTER)
    layout: dict[str, Any] = LAYOUT | {
        "height": height,
        "margin": {"l": left, "r": 6, "t": head, "b": foot, "pad": 0},
        "showlegend": False,
    }
    for place in range(n_panels):
        row, column = divmod(place, n_columns)
        number = _number(place)
        across = _span(column, n_columns, GAP)
        up = _span(n_rows - 1 - row, n_rows, head / (height - head - foot))
        is_lowest, is_first = has_axes and place + n_columns >= n_panels, bool(left) and not column
        for name, axis in (
            ("x", _axis(view.x, across, f"y{number}", is_lowest, letters)),
            ("y", _axis(view.y, up, f"x{number}", is_first, letters, high)),
        ):
            axis |= {} if has_axes else {"ticks": ""}
            axis |= ONE_UNIT[name] if view.has_one_unit else {}
            axis |= {"matches": name} if place else {}  # which is closer than to be anchored
            layout[f"{name}axis{number}"] = axis
    return layout


def kind_of(view: View) -> str:
    """Whether rows are drawn as SVG or by WebGL, whose canvas would cover an SVG figure's names."""
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
    is_low: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Traces of the panel at a place, and its heading in ``ink`` (the template's by default).

    The row number ``marked`` is ringed; ``lit``, the rows that a panel places apart stand out.
    """
    number = _number(place)
    drawn = marks_of(view, panel, marked, kind, paper, letters, is_lit)
    common = {"type": kind, "xaxis": f"x{number}", "yaxis": f"y{number}"}
    return [common | trace for trace in drawn], _heading(panel, place, ink, letters, is_low)


def _number(place: int) -> str:
    return "" if place == 0 else str(place + 1)


def _span(place: int, places: int, gap: float) -> list[float]:
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


def _heading(
    panel: Panel, place: int, ink: str | None, letters: int = LETTERS, is_low: bool = False
) -> dict[str, Any]:
    number = _number(place)
    remark = f"<span style='font-size:{letters - 2}px'>{short(panel.remark, REMARK_WIDTH)}</span>"
    return heading(
        f"<b>{plain(panel.title)}</b>{'&nbsp; ' if is_low else '<br>'}{remark}",
        0.0,
        1.0,
        ink,
        xref=f"x{number} domain",
        yref=f"y{number} domain",
        yshift=6,
        opacity=0.55 if panel.is_stale else 1.0,
        font={"size": letters, "color": ink},
    )
