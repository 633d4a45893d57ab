"""The figure of the Compare page: every partition in one view, on the same axes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..comparing.panels import Panel
from ..comparing.projection import View
from ..wording import counted
from .template import (
    FAINT,
    GRID,
    INK,
    ONE_UNIT,
    axis_number,
    colour_of,
    heading,
    marker_style,
    on_colour,
    plain,
    short,
    styled,
)

#: Up to so many points are drawn as SVG, more by WebGL.
SVG_LIMIT = 1500
#: Opacity of what is faint.
STALE = 0.22
# In pixels: a panel's height, the two lines above it, what stands below and left of the panels.
HEIGHT, HEADING, ONE_LINE, FOOT, LEFT = 250, 52, 34, 56, 58
# Height of a heading's letters, in pixels, and up to which the places about the panels hold them.
LETTERS, HELD = 13, 17
# Letters of an axis' title, up the side of a low panel of so many pixels each; of a remark.
TITLE_WIDTH, LETTER, REMARK_WIDTH, NARROW_REMARK = 30, 7, 36, 20


def narrow_panel(panel: Panel) -> Panel:
    """A panel with what its title says of K and NMI in the line below."""
    title, _, text = panel.title.partition(", ")
    prefix, has_prefix, _ = title.partition(": ")
    if has_prefix:
        text = counted(np.unique(panel.codes[panel.codes >= 0]).size, "group")
    return replace(panel, title=prefix, remark=short(text or panel.remark, NARROW_REMARK))


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
    """Draw partitions side by side on shared axes; ``customdata`` are row numbers from 1 on."""
    n_columns, n = min(n_columns, len(panels)), len(panels)
    n_rows = -(-n // n_columns)
    head = grown(ONE_LINE if is_low else HEADING, letters, HELD)
    foot = grown(FOOT, letters, HELD) if has_axes else 8
    plots = n_rows * (panel_height + head) - head
    figure = make_subplots(
        n_rows,
        n_columns,
        specs=[
            [{} if row * n_columns + column < n else None for column in range(n_columns)]
            for row in range(n_rows)
        ],
        horizontal_spacing=0.014,
        vertical_spacing=head / plots,
    )
    set_axes(figure, view, n, n_columns, panel_height, letters, has_axes)
    # SVG, or WebGL, which is slow to begin and whose canvas would cover an SVG figure's names.
    most = max(_n_drawn(view, panel) for panel in panels)
    kind = "scatter" if most <= SVG_LIMIT else "scattergl"
    parts = [
        panel_part(view, panel, place, kind, letters=letters, is_low=is_low, **kwargs)
        for place, panel in enumerate(panels)
    ]
    figure.add_traces([trace for traces, _, _ in parts for trace in traces])
    left = grown(LEFT, letters, HELD) if has_axes else 0
    return styled(
        figure,
        head + plots + foot,
        margin={"l": left, "r": 6, "t": head, "b": foot, "pad": 0},
        showlegend=False,
        annotations=[heading for _, heading, _ in parts],
        shapes=[veil for _, _, veil in parts if veil["visible"]],
    )


def set_axes(
    figure: go.Figure,
    view: View,
    n_panels: int,
    n_columns: int,
    height: int,
    letters: int,
    has_axes: bool,
) -> None:
    """Fix the axes of a figure's first plots to a view; those at its left and foot are named."""
    for place in range(n_panels):
        is_lowest, is_first = place + n_columns >= n_panels, place % n_columns == 0
        for name, axis, is_labelled, width in (
            ("x", view.x, has_axes and is_lowest, TITLE_WIDTH),
            ("y", view.y, has_axes and is_first, min(TITLE_WIDTH, height // LETTER)),
        ):
            title = {"text": short(axis.title, width) if is_labelled else "", "standoff": 6}
            full = f"{name}axis{axis_number(place + 1)}"
            # Anew: to update what is there takes Plotly ten times as long.
            figure.layout[full] = figure.layout[full].to_plotly_json() | {
                "range": [axis.low, axis.high],
                "tickvals": [at for at, _ in axis.ticks],
                "ticktext": [short(text, 9) for _, text in axis.ticks],
                "showticklabels": is_labelled,
                "title": title | {"font": {"size": grown(12, letters)}},
                "tickfont": {"size": grown(11, letters)},
                "tickangle": 0,
                **{"ticks": "outside" if has_axes else "", "ticklen": 3, "tickcolor": GRID},
                **{"showgrid": False, "zeroline": False, "automargin": False},
                "matches": name if place else None,  # which is closer than to be anchored
                **(ONE_UNIT[name] if view.has_one_unit else {}),
            }


def fill_places(figure: go.Figure, n_panels: int) -> None:
    """Let panels in one unit fill their places, and show more of the plane."""
    for number in map(axis_number, range(1, n_panels + 1)):
        middle = {"constrain": "range", "constraintoward": "center"}
        figure.layout[f"xaxis{number}"].update(middle)
        figure.layout[f"yaxis{number}"].update(middle | {"constraintoward": "middle"})


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
    selected: np.ndarray | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """Traces of the panel at a place, its heading, and what makes them faint without a redraw.

    The row ``marked`` is ringed; of all rows those in ``selected``, an int64 array, stand out.
    """
    number, view = axis_number(place + 1), panel.view or view
    whole = {"cliponaxis": False} if kind == "scatter" else {}  # at the edge; WebGL cuts it
    drawn = [
        *_rows(view, panel, letters, is_lit, selected),
        *_lines(view, panel, paper),
        *(trace | whole for trace in _badges(panel, letters)),
        *(trace | whole for trace in _ring(view, panel, marked, letters)),
    ]
    remark = f"<span style='font-size:{letters - 2}px'>{short(panel.remark, REMARK_WIDTH)}</span>"
    above = heading(
        f"<b>{plain(panel.title)}</b>{'&nbsp; ' if is_low else '<br>'}{remark}",
        place + 1,
        yshift=6,
        opacity=0.55 if panel.is_stale else 1.0,
        font={"size": letters, "color": ink},
    )
    common = {"type": kind, "xaxis": f"x{number}", "yaxis": f"y{number}"}
    veil = {
        **{"xref": f"x{number} domain", "x0": 0, "x1": 1, "yref": f"y{number} domain"},
        **{"y0": 0, "y1": 1, "fillcolor": paper, "opacity": 1 - STALE, "line": {"width": 0}},
        "visible": panel.is_stale,
    }
    return [common | trace for trace in drawn], above, veil


def _n_drawn(view: View, panel: Panel) -> int:
    """Rows that a panel draws: none of many that no method has placed, which would take seconds."""
    n = len((panel.view or view).points)
    return 0 if panel.labels is None and n > SVG_LIMIT else n


def grown(size: int, letters: int, usual: int = LETTERS) -> int:
    """Pixels of what is so large beside headings of the usual height; it never shrinks."""
    return round(size * max(letters / usual, 1.0))


def _rows(
    view: View, panel: Panel, letters: int, is_lit: bool, selected: np.ndarray | None
) -> Iterator[dict[str, Any]]:
    """The rows, a trace a mark: in one, Plotly reads each point's colour as text."""
    n = len(view.points)
    if not _n_drawn(view, panel):
        yield at(np.empty((0, 2))) | {"type": "scatter"}  # without which Plotly draws no axes
        return
    labels = np.full(n, -1) if panel.labels is None else panel.labels
    codes = np.zeros(n, dtype=int) if panel.codes is None else panel.codes
    names = np.array([plain(name) for name in panel.names] or ["no cluster yet"])
    size = grown(6 if n <= 600 else 5 if n <= 3000 else 4, letters, HELD)
    is_lit = is_lit and panel.apart is not None
    opacity = STALE if is_lit else 0.8
    marks = {
        label: np.flatnonzero(labels == label) for label in [*np.unique(labels[labels >= 0]), -1]
    }
    for label, rows in marks.items():
        if rows.size:
            called = names[codes[rows]]  # of a colour one name, as WebGL says "-" for equal texts
            name = "%{text}" if label < 0 else called[0].replace("%{", "% {")
            yield _row_trace(view, rows, label, size, opacity) | {
                "name": plain(panel.title),
                "customdata": view.rows[rows].astype(np.int32) + 1,
                "text": called if label < 0 else None,
                "hovertemplate": f"row %{{customdata}}: {name}<extra></extra>",
                **({} if selected is None else _selection(view.rows[rows], selected)),
            }
    for label, rows in marks.items() if is_lit else ():
        lit = rows[panel.apart[rows] | (label < 0)]
        if lit.size:
            yield _row_trace(view, lit, label, size + 2, 1.0) | {"hoverinfo": "skip"}


def _selection(rows: np.ndarray, selected: np.ndarray) -> dict[str, Any]:
    return {
        "selectedpoints": np.flatnonzero(np.isin(rows, selected)),
        "selected": {"marker": {"opacity": 1.0}},
        "unselected": {"marker": {"opacity": FAINT}},
    }


def _row_trace(
    view: View, rows: np.ndarray, label: int, size: int, opacity: float
) -> dict[str, Any]:
    if label < 0:
        marker = {"color": INK, "symbol": "circle-open", "line": {"width": 1}}
    else:
        marker = marker_style(int(label)) | {"line": {"width": 0}}
    marker |= {"size": size, "opacity": opacity}
    return at(view.points[rows]) | {"mode": "markers", "marker": marker}


def _lines(view: View, panel: Panel, paper: str) -> Iterator[dict[str, Any]]:
    """Borders, arrows to what lies far outside, centres, and ellipses, the lowest first."""
    thin = {"color": INK, "width": 1.25}
    if panel.borders:
        yield lines(panel.borders) | {"line": thin}
    for arrows in (view.arrows if _n_drawn(view, panel) else None, panel.arrows):
        if arrows is not None and len(arrows):
            yield lines(_arrows(view, arrows)) | {"line": thin}
    if panel.centres is not None:
        # Larger than the number that may stand on it.
        line = {"color": "#ffffff", "width": 2}
        cross = {"symbol": "x", "size": 20, "color": "#1c2629", "line": line}
        yield at(panel.centres) | {"mode": "markers", "hoverinfo": "skip", "marker": cross}
    curves = [(label, along_edge(view, curve)) for label, curve in panel.outlines]
    if curves:  # on a band that keeps them apart from points of their own colour
        band = {"opacity": 0.55, "line": {"color": paper, "width": 4}}
        yield lines([curve for _, curve in curves]) | band
    for label, curve in curves:
        yield lines([curve]) | {"line": {"color": colour_of(label), "width": 1.75}}


def _arrows(view: View, arrows: np.ndarray) -> Iterator[np.ndarray]:
    """A line with a head to everything that stands at the edge in place of farther out."""
    size = np.array([view.x.high - view.x.low, view.y.high - view.y.low])
    for start, end in arrows:
        back = (start - end) / size
        back *= 0.05 / np.linalg.norm(back)
        normal = 0.5 * np.array([-back[1], back[0]])
        yield np.array([start, end])
        yield np.array([end + size * (back + normal), end, end + size * (back - normal)])


def _badges(panel: Panel, letters: int) -> Iterator[dict[str, Any]]:
    """The clusters' numbers."""
    if panel.badges:
        *places, labels = zip(*panel.badges, strict=True)
        numbers = [str(panel.numbers.get(label, label + 1)) for label in labels]
        yield discs(np.column_stack(places), labels, letters) | {"text": numbers}


def _ring(view: View, panel: Panel, marked: int | None, letters: int) -> Iterator[dict[str, Any]]:
    for place in np.flatnonzero(view.rows == marked):
        label = -1 if panel.labels is None else int(panel.labels[place])
        fill = colour_of(label) if label >= 0 else "#ffffff"
        for size, colour in ((22, "#ffffff"), (19, "#1c2629"), (14, "#ffffff"), (11, fill)):
            marker = {"size": grown(size, letters), "color": colour, "line": {"width": 0}}
            ring = {"mode": "markers", "hoverinfo": "skip", "marker": marker}
            yield at(view.points[[place]]) | ring


def at(places: np.ndarray) -> dict[str, Any]:
    """Coordinates of a trace, of shape (n, 2)."""
    return {"x": places[:, 0], "y": places[:, 1]}


def lines(curves: Iterator[np.ndarray] | Sequence[np.ndarray]) -> dict[str, Any]:
    """Curves, shape (C, 2) each, as one trace with gaps between them."""
    gap = np.full((1, 2), np.nan, dtype=np.float32)
    parts = [part for curve in curves for part in (gap, curve)][1:] or [gap]
    joined = np.concatenate(parts).astype(np.float32)
    return at(joined) | {"mode": "lines", "hoverinfo": "skip"}


def discs(places: np.ndarray, labels: Sequence[int], letters: int) -> dict[str, Any]:
    """Discs in the clusters' colours for their numbers, readable on a light and a dark page."""
    colours = [colour_of(label) for label in labels]
    font = {"size": grown(11, letters), "color": [*map(on_colour, colours)], "weight": "bold"}
    line = {"color": "#ffffff", "width": 1.5}
    marker = {"size": grown(18, letters), "color": colours, "line": line}
    style = {"mode": "markers+text", "hoverinfo": "skip", "textfont": font, "marker": marker}
    return at(places) | style


def along_edge(view: View, curve: np.ndarray) -> np.ndarray:
    """A closed curve, led along the panel's edge where it leaves it; nothing of one outside."""
    low, high = np.array([(axis.low, axis.high) for axis in (view.x, view.y)]).T
    is_inside = ((low <= curve) & (curve <= high)).all(axis=1).any()
    inset = 0.004 * (high - low)  # the line is whole
    return curve.clip(low + inset, high - inset) if is_inside else curve[:0]
