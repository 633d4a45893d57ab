"""One run or two in one figure, under one clock, stepped through in the browser: no server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import MOST_MARKED, TINY_ROWS
from ..comparing.projection import View
from ..methods.steps import Step
from ..teaching.steps import Walk, scores, verdict
from .panel_traces import LETTERS, along_edge, at, discs, grown, lines
from .template import (
    INK,
    LAYOUT,
    ONE_UNIT,
    PALETTE,
    PANEL,
    heading,
    plain,
    short,
    small_title,
    step_slider,
)

#: Colours of the runs' lines; sign and symbol of what happened to the clusters in a step.
SIDES = "#3f90da", "#e76300"
EVENTS = {
    "born": ("▲", "triangle-up"),
    "died": ("▼", "triangle-down"),
    "merged": ("◆", "diamond"),
    "split": ("★", "star"),
}
# In pixels: the rows, what stands above and below the plots; and a share between them.
HEIGHT, TOP, FOOT, GAP = 380, 84, 76, 0.035
#: A heading is cut at so many letters; steps with a name at the slider, at most.
MOST_LETTERS, MOST_NAMES = 56, 12
# Plotly's numbers of circle, diamond, square, triangle-up, cross, x, star, triangle-down.
_SYMBOLS = np.array([0, 2, 1, 5, 3, 4, 17, 6])
_BARE = {"showticklabels": False, "ticks": "", "title": ""}
# The palette as one stepped scale, so that a colour is sent as a byte.
_SCALE = [[edge / len(PALETTE), colour] for k, colour in enumerate(PALETTE) for edge in (k, k + 1)]
Span = tuple[list[float], list[float]]


def steps_figure(
    walks: Sequence[Walk],
    classes: np.ndarray | None,
    is_wide: bool,
    ink: str | None = None,
    plot_height: int = HEIGHT,
    letters: int = LETTERS,
    has_axes: bool = True,
) -> go.Figure:
    """Draw one run or two with all their steps, one frame each, and a slider; who is done waits.

    Lines that grow with the steps: what each minimises; agreement with ``classes``, shape (N,) of
    the whole table, else the number of groups; of a single Gibbs run, how often rows were together.
    """
    ink, last = ink or INK, max(len(walk.steps) for walk in walks) - 1
    spans, height = _places(len(walks), _n_lanes(walks), is_wide, plot_height)
    reached = [scores(walk, classes) for walk in walks]
    frames = [
        {
            "name": str(k),
            # Of the rows, which stay where they are, only the marks.
            "data": [
                {name: trace[name] for name in ("type", "marker")}
                if "hovertext" in trace
                else trace
                for trace in _traces(walks, reached, k, ink, letters)
            ],
            "layout": {
                "annotations": _headings(walks, classes, reached, k, spans, ink, letters, k == last)
            },
        }
        for k in range(last + 1)
    ]
    every = -(-len(frames) // MOST_NAMES)
    names = [str(k) if k % every == 0 else "" for k in range(len(frames))]
    figure = go.Figure(
        _traces(walks, reached, 0, ink, letters),
        LAYOUT
        | _axes(walks, classes, reached, spans, last, letters, has_axes)
        | {
            "height": height,
            "margin": {"l": 54 if has_axes else 12, "r": 12, "t": TOP, "b": FOOT, "pad": 0},
            "showlegend": False,
            "annotations": frames[0]["layout"]["annotations"],
            "sliders": [step_slider(names, grown(11, letters), pad={"t": 26, "b": 0})],
        },
    )
    for frame in frames:
        frame["traces"] = list(range(len(figure.data)))
    figure.frames = frames
    return figure


def _n_lanes(walks: Sequence[Walk]) -> int:
    return 3 if len(walks) == 1 and walks[0].steps[0].together is not None else 2


def _places(n_runs: int, n_lanes: int, is_wide: bool, plot_height: int) -> tuple[list[Span], int]:
    if is_wide:
        one = (1.0 - n_runs * GAP) / (n_runs + 0.6)
        rows = [([k * (one + GAP), k * (one + GAP) + one], [0.0, 1.0]) for k in range(n_runs)]
        ups = (
            [[0.56, 1.0], [0.0, 0.42]] if n_lanes == 2 else [[0.82, 1.0], [0.54, 0.72], [0.0, 0.44]]
        )
        lanes = [([1.0 - 0.6 * one, 1.0], up) for up in ups]
        return [*rows, *lanes], plot_height + TOP + FOOT
    rows, lanes = (
        [([k / n + GAP / 2 * (k > 0), (k + 1) / n - GAP / 2 * (k < n - 1)], up) for k in range(n)]
        for n, up in ((n_runs, [0.36, 1.0]), (n_lanes, [0.0, 0.24]))
    )
    return [*rows, *lanes], round(1.4 * plot_height) + TOP + FOOT


def _on(number: int) -> dict[str, str]:
    return {"type": "scatter", "xaxis": f"x{_nth(number)}", "yaxis": f"y{_nth(number)}"}


def _nth(number: int) -> str:
    return "" if number == 1 else str(number)


def _traces(
    walks: Sequence[Walk], reached: Sequence[Sequence[float]], k: int, ink: str, letters: int
) -> list[dict[str, Any]]:
    """All traces at a step: the rows and marks of every run, then the lanes."""
    traces, n = [], len(walks)
    for number, walk in enumerate(walks, start=1):
        step = walk.steps[min(k, len(walk.steps) - 1)]
        traces += [_on(number) | trace for trace in _rows_at(walk.view, step, ink, letters)]
    for lane in range(2):
        for side, walk in enumerate(walks):
            values = reached[side] if lane else _falling(walk)
            traces.append(_on(n + 1 + lane) | _line(walk, values[: k + 1], SIDES[side], letters))
    if _n_lanes(walks) == 3:
        traces.append(_on(n + 3) | _pairs(walks[0].steps[k].together))
    return traces


def _rows_at(view: View, step: Step, ink: str, letters: int) -> list[dict[str, Any]]:
    """The rows at one step, outlines, the row visited or centres, and the clusters' numbers."""
    curves = lines([along_edge(view, curve) for curve in step.curves])
    return [
        _rows(view, step.labels),
        curves | {"line": {"color": ink, "width": 1.5}},
        _visited(view, step, ink, letters),
        _badges(view, step, letters),
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
    return at(view.points) | hover | {"mode": "markers", "marker": marker}


def _badges(view: View, step: Step, letters: int) -> dict[str, Any]:
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
    return at(places) | {"mode": "markers", "hoverinfo": "skip", "marker": marker}


def _falling(walk: Walk) -> list[float]:
    values = np.array([step.objective for step in walk.steps])
    return ((values - values.min()) / (np.ptp(values) or 1.0)).tolist()


def _line(walk: Walk, seen: Sequence[float], colour: str, letters: int) -> dict[str, Any]:
    """A line up to where its run is, a mark at its end and wherever clusters came or went."""
    events = [step.event for step in walk.steps[: len(seen)]]
    symbols = [EVENTS[event][1] if event else "circle" for event in events]
    sizes = [grown(7 if event else 3, letters) for event in events]
    return {
        "x": list(range(len(seen))),
        "y": list(seen),
        "text": [f"{k}: {step.words}" for k, step in enumerate(walk.steps[: len(seen)])],
        "hoverinfo": "text",
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2.5},
        "marker": {"size": [*sizes[:-1], 11], "symbol": symbols, "color": colour},
    }


def _pairs(together: np.ndarray) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": (100 * together).round().astype(np.uint8),
        "zmin": 0,
        "zmax": 100,
        "showscale": False,
        "colorscale": [[0, PANEL], [1, PALETTE[0]]],
        "hovertemplate": "together in %{z} % of the sweeps<extra></extra>",
    }


def _headings(
    walks: Sequence[Walk],
    classes: np.ndarray | None,
    reached: Sequence[Sequence[float]],
    k: int,
    spans: Sequence[Span],
    ink: str,
    letters: int,
    is_over: bool,
) -> list[dict[str, Any]]:
    """What stands over each plot; over all of them the step, of two the question or its answer."""
    font, signs = {"size": letters, "color": ink}, ""
    if len(walks) == 1:
        said = f"Step {k}: {walks[0].steps[k].words}"
        there = [event for event in EVENTS if event in {step.event for step in walks[0].steps}]
        signs = ": " * bool(there) + ", ".join(f"{EVENTS[event][0]} {event}" for event in there)
    else:
        said = verdict(walks, reached, classes is not None)[is_over]
    texts = [
        _of_run(walk, reached[side], k, classes is not None, SIDES[side])
        for side, walk in enumerate(walks)
    ]
    texts += ["What each minimises" if len(walks) > 1 else f"{plain(walks[0].measure)}{signs}"]
    texts += ["NMI with the truth" if classes is not None else "Groups", "Together so far"]
    top = {"yshift": grown(42, letters), "font": {"size": letters + 1, "color": ink}}
    plots = zip(spans, texts, strict=False)
    over = [heading(text, across[0], up[1], ink, font=font) for (across, up), text in plots]
    return [heading(f"<b>{plain(said)}</b>", 0.0, 1.0, ink, **top), *over]


def _of_run(walk: Walk, reached: Sequence[float], k: int, has_truth: bool, colour: str) -> str:
    """K, agreement and what it minimises of a run, and briefly what was done."""
    place = min(k, len(walk.steps) - 1)
    step, unit = walk.steps[place], walk.measure.split(",")[0]
    score = f", NMI {reached[place]:.2f}" if has_truth else ""
    kind = "" if step.kind[-1:].isdigit() else step.kind.split(":")[0]
    done = ", ".join(filter(None, (kind, step.words.removeprefix(step.kind).removeprefix(", "))))
    said = f"K = {step.n_clusters}{score}, {unit} {step.objective:.4g}{'; ' * bool(done)}{done}"
    title = f"<span style='color:{colour}'><b>{plain(walk.title)}</b></span>"
    return f"{title}<br>{short(plain(said), MOST_LETTERS)}"


def _axes(
    walks: Sequence[Walk],
    classes: np.ndarray | None,
    reached: Sequence[Sequence[float]],
    spans: Sequence[Span],
    last: int,
    letters: int,
    has_axes: bool,
) -> dict[str, Any]:
    axes: dict[str, Any] = {}
    common = {"showgrid": False, "zeroline": False, "fixedrange": True}
    common |= {"tickfont": {"size": grown(11, letters)}}
    for number, span in enumerate(spans[: len(walks)], start=1):
        axes |= _row_axes(walks[0].view, span, number, common, has_axes)
        if number > 1:
            axes[f"yaxis{number}"] |= {"showticklabels": False, "title": ""}
    falling = {"tickvals": [0, 1]} if len(walks) == 1 else {"nticks": 4} | _BARE
    if len(walks) == 1:
        values = [step.objective for step in walks[0].steps]
        falling["ticktext"] = [f"{value:,.4g}" for value in (min(values), max(values))]
    most = 1.0 if classes is not None else max(map(max, reached))
    own, edge = (falling, {"nticks": 4}), 0.08 * (last or 1)
    for lane, high in enumerate((1.0, most)):
        number, (across, up) = len(walks) + 1 + lane, spans[len(walks) + lane]
        clock = {"domain": across, "anchor": f"y{number}", "range": [-edge, last + edge]}
        score = {"domain": up, "anchor": f"x{number}", "range": [-0.12 * high, 1.12 * high]}
        score |= {"ticklabelposition": "inside"} | own[lane]
        axes[f"xaxis{number}"] = common | {"showgrid": True} | clock | _BARE
        axes[f"yaxis{number}"] = common | {"showgrid": True} | score
    if _n_lanes(walks) == 3:
        number, (across, up) = len(walks) + 3, spans[-1]
        title = {"title": small_title("60 rows, by true group", grown(12, letters))}
        down = {"scaleanchor": f"x{number}", "autorange": "reversed"}
        sides = ("x", "y", across, title), ("y", "x", up, down)
        for name, other, domain, more in sides:
            place = {"domain": domain, "anchor": f"{other}{number}"}
            axes[f"{name}axis{number}"] = common | _BARE | ONE_UNIT[name] | place | more
    return axes


def _row_axes(
    view: View, span: Span, number: int, common: dict[str, Any], has_axes: bool
) -> dict[str, Any]:
    """Both axes of a plot of rows; a step across is as long as one up where both have one unit."""
    axes = {}
    for name, other, axis, domain in zip("xy", "yx", (view.x, view.y), span, strict=True):
        tied = dict(ONE_UNIT[name]) if view.has_one_unit else {}
        if "scaleanchor" in tied:
            tied["scaleanchor"] = f"x{_nth(number)}"
        fixed = {
            "domain": domain,
            "anchor": f"{other}{_nth(number)}",
            "range": [axis.low, axis.high],
            "tickvals": [place for place, _ in axis.ticks],
            "ticktext": [text for _, text in axis.ticks],
            "title": small_title(plain(axis.title)),
        }
        axes[f"{name}axis{_nth(number)}"] = common | fixed | tied | ({} if has_axes else _BARE)
    return axes
