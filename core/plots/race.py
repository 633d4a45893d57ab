"""Two runs in one figure, under one clock: frames and a slider, no server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..methods.steps import Step
from ..teaching.race import Race
from ..teaching.steps import Walk
from .panel_traces import LETTERS, grown
from .steps import HEIGHT, fixed_axes, played, traces_of_rows
from .template import INK, heading, plain, short

#: Colours of the two runs' lines.
SIDES = "#3f90da", "#e76300"
# In pixels: what stands above the rows, below the lines, and between a lane and a line below it.
TOP, FOOT, GAP = 84, 76, 0.035
#: What a heading says of a step is cut at so many letters.
MOST_LETTERS = 56


def race_figure(
    race: Race,
    is_wide: bool,
    ink: str | None = None,
    plot_height: int = HEIGHT,
    letters: int = LETTERS,
    has_axes: bool = True,
) -> go.Figure:
    """Draw both runs with all their steps, one frame each; who is done waits.

    What each minimises, from its highest to its lowest, and the agreement with the truth, or the
    number of groups where that is not known, are lines that grow with the steps. They stand beside
    the rows where the page is wide, else below them. The other parameters are as in
    ``steps_figure``.
    """
    last = max(len(walk.steps) for walk in race.walks) - 1
    spans, height = _places(is_wide, plot_height)
    return played(
        [_changing(race, k, ink or INK, letters) for k in range(last + 1)],
        [],
        [_headings(race, k, spans, ink, letters, k == last) for k in range(last + 1)],
        {"letters": grown(11, letters), "pad": {"t": 26, "b": 0}},
        {
            "height": height,
            "margin": {"t": TOP, "b": FOOT},
            "showlegend": False,
            **_axes(race, spans, last, letters, has_axes),
        },
        has_axes,
    )


def _places(is_wide: bool, plot_height: int) -> tuple[list[tuple[list[float], list[float]]], int]:
    """Share of the figure, across and up, of the rows on either side, the lines and the scores."""
    if is_wide:
        lane, line = (1.0 - 2 * GAP) / 2.6, (1.0 - 2 * GAP) / 2.6 * 0.6
        left, right = [0.0, lane], [lane + GAP, 2 * lane + GAP]
        beside = [1.0 - line, 1.0]
        spans = [(left, [0.0, 1.0]), (right, [0.0, 1.0]), (beside, [0.56, 1.0])]
        return [*spans, (beside, [0.0, 0.42])], plot_height + TOP + FOOT
    left, right = [0.0, 0.5 - GAP / 2], [0.5 + GAP / 2, 1.0]
    spans = [(side, up) for up in ([0.36, 1.0], [0.0, 0.24]) for side in (left, right)]
    return spans, round(1.4 * plot_height) + TOP + FOOT


def _changing(race: Race, k: int, ink: str, letters: int) -> list[dict[str, Any]]:
    """Traces that a step changes: the rows and marks of either run, and both pairs of lines."""
    traces = []
    for side, walk in enumerate(race.walks):
        number = str(side + 1) if side else ""
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        step = walk.steps[min(k, len(walk.steps) - 1)]
        traces += [trace | axes for trace in traces_of_rows(walk.view, step, ink, letters)]
    for place, lines in enumerate((_falling(race), _scores(race)), start=3):
        traces += [_line(values, k, side, place) for side, values in enumerate(lines)]
    return traces


def _line(values: Sequence[float], k: int, side: int, place: int) -> dict[str, Any]:
    """A line up to where its run is, with a mark at its end."""
    seen = list(values[: k + 1])
    return {
        "type": "scatter",
        "x": list(range(len(seen))),
        "y": seen,
        "mode": "lines+markers",
        "xaxis": f"x{place}",
        "yaxis": f"y{place}",
        "hoverinfo": "skip",
        "line": {"color": SIDES[side], "width": 2.5},
        "marker": {"size": [0] * (len(seen) - 1) + [10], "color": SIDES[side]},
    }


def _falling(race: Race) -> list[list[float]]:
    """What each minimises, in units of its own: from 1 at its highest to 0 at its lowest."""
    found = []
    for walk in race.walks:
        values = np.array([step.objective for step in walk.steps])
        found.append(((values - values.min()) / (np.ptp(values) or 1.0)).tolist())
    return found


def _scores(race: Race) -> Sequence[Sequence[float]]:
    """Agreement with the truth; where none is known, the number of groups."""
    if race.agreement is not None:
        return race.agreement
    return [[float(step.n_clusters) for step in walk.steps] for walk in race.walks]


def _headings(
    race: Race, k: int, spans: list, ink: str | None, letters: int, is_over: bool
) -> list[dict[str, Any]]:
    """What stands over each plot, and over all of them the question, at the end its answer."""
    font = {"size": letters, "color": ink}
    texts = [_heading_of(race, side, k) for side in range(2)]
    texts += ["What each minimises", "NMI with the truth" if race.agreement else "Groups"]
    asked = f"<b>{plain(race.answer if is_over else race.question)}</b>"
    top = {"yref": "paper", "yshift": grown(42, letters)}
    return [
        heading(asked, 0.0, 1.0, ink, font={"size": letters + 1, "color": ink}, **top),
        *(
            heading(text, across[0], up[1], ink, font=font)
            for (across, up), text in zip(spans, texts, strict=True)
        ),
    ]


def _heading_of(race: Race, side: int, k: int) -> str:
    walk = race.walks[side]
    at = min(k, len(walk.steps) - 1)
    step, unit = walk.steps[at], walk.measure.split(",")[0]
    score = "" if race.agreement is None else f", NMI {race.agreement[side][at]:.2f}"
    said = f"K = {step.n_clusters}{score}, {unit} {step.objective:.4g}; {_words(step)}"
    title = f"<span style='color:{SIDES[side]}'><b>{plain(walk.title)}</b></span>"
    return f"{title}<br>{short(plain(said), MOST_LETTERS)}"


def _words(step: Step) -> str:
    """What was done, as briefly as it can be said: the number of a sweep is the clock's."""
    said = step.words.removeprefix(step.kind).removeprefix(", ")
    kind = "" if step.kind[-1:].isdigit() else step.kind.split(":")[0]
    return ", ".join(filter(None, (kind, said)))


def _axes(race: Race, spans: list, last: int, letters: int, has_axes: bool) -> dict[str, Any]:
    walk: Walk = race.walks[0]
    tickfont = {"size": grown(11, letters)}
    axes: dict[str, Any] = {}
    for number, span in zip(("", "2"), spans, strict=False):
        axes |= fixed_axes(walk.view, span, number, letters, has_axes)
    axes["yaxis2"] |= {"showticklabels": False, "title": ""}
    scores = [value for values in _scores(race) for value in values]
    highs = 1.0, 1.0 if race.agreement is not None else max(scores)
    bare = {"showticklabels": False, "ticks": ""}
    for place, span, high in zip((3, 4), spans[2:], highs, strict=True):
        common = {"zeroline": False, "fixedrange": True, "tickfont": tickfont, "showgrid": True}
        edge = 0.08 * (last or 1)
        axes[f"xaxis{place}"] = common | {
            "domain": span[0],
            "anchor": f"y{place}",
            "range": [-edge, last + edge],
            **bare,
        }
        axes[f"yaxis{place}"] = common | {
            "domain": span[1],
            "anchor": f"x{place}",
            "range": [-0.12 * high, 1.12 * high],
            "nticks": 4,
            "ticklabelposition": "inside",
            **(bare if place == 3 else {}),
        }
    return axes
