"""What is drawn in a panel: rows, outlines, borders, arrows, centres, numbers and a ring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..comparing.panels import Panel
from ..comparing.projection import View
from .template import INK, colour_of, marker_style, on_colour, plain

#: Opacity of what is faint.
STALE = 0.22
# Height of a heading's letters, in pixels, and up to which the places about the panels hold them.
LETTERS, HELD = 13, 17
# Between the middles of a badge and of a ring, as a share of a panel, that both may be seen.
CLEAR_OF = 0.12
# What is left to an outline that runs along the edge of a panel, as a share of it.
INSET = 0.004
BAND = 0.55
_GREY = {"color": INK, "symbol": "circle-open", "line": {"width": 1}}


def marks_of(
    view: View,
    panel: Panel,
    marked: int | None,
    kind: str,
    paper: str,
    letters: int,
    is_lit: bool,
) -> list[dict[str, Any]]:
    """Traces of a panel without their axes, the lowest first; see ``panels_figure``."""
    return [
        *_rows(view, panel, letters, is_lit),
        *_borders(panel),
        *_arrows(view, view.ways),
        *_centres(view, panel),
        *_outlines(view, panel, paper),
        *_badges(view, panel, marked, letters, kind),
        *_ring(view, panel, marked, letters, kind),
    ]


def grown(size: int, letters: int, usual: int = LETTERS) -> int:
    """Pixels of what is so large beside headings of the usual height; it never shrinks."""
    return round(size * max(letters / usual, 1.0))


def _rows(view: View, panel: Panel, letters: int, is_lit: bool) -> list[dict[str, Any]]:
    """The rows; lit, those placed apart or in grey clusters on top of the faint others."""
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
    """Rows by mark, -1 last, a trace each: in one, Plotly reads each point's colour as text."""
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
    """A closed curve, led along the panel's edge where it leaves it; nothing of one outside."""
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
    if panel.centres is None:
        return []
    # Larger than the number that may stand on it.
    cross = {"symbol": 4, "size": 20, "color": "#1c2629", "line": {"color": "#ffffff", "width": 2}}
    crosses = at(panel.centres) | {"mode": "markers", "hoverinfo": "skip", "marker": cross}
    return [*_arrows(view, panel.ways), crosses]


def _ring(
    view: View, panel: Panel, marked: int | None, letters: int, kind: str
) -> list[dict[str, Any]]:
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
