"""Two runs in one figure, under one clock: frames and a slider, no server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..teaching.race import Race
from .panel_traces import LETTERS, grown
from .steps import HEIGHT, fixed_axes, played, traces_of_rows
from .template import INK, heading, plain, short

#: Colours of the two runs' lines.
SIDES = "#3f90da", "#e76300"
# In pixels: what stands above the rows, below the lines, and between a lane and a line below it.
TOP, FOOT, GAP = 84, 76, 0.035
#: What a heading says of a step is cut at so many letters.
MOST_LETTERS = 56
#: Share of the figure that a plot takes, across and up.
Span = tuple[list[float], list[float]]


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
    # In units of its own: from 1 at its highest to 0 at its lowest.
    errors = [np.array([step.objective for step in walk.steps]) for walk in race.walks]
    falling = [((one - one.min()) / (np.ptp(one) or 1.0)).tolist() for one in errors]
    scores = race.agreement or [
        [float(step.n_clusters) for step in walk.steps] for walk in race.walks
    ]
    drawn = (falling, scores)
    return played(
        [_changing(race, drawn, k, ink or INK, letters) for k in range(last + 1)],
        [],
        [_headings(race, k, spans, ink, letters, k == last) for k in range(last + 1)],
        {"letters": grown(11, letters), "pad": {"t": 26, "b": 0}},
        {
            "height": height,
            "margin": {"t": TOP, "b": FOOT},
            "showlegend": False,
            **_axes(race, scores, spans, last, letters, has_axes),
        },
        has_axes,
    )


def _places(is_wide: bool, plot_height: int) -> tuple[list[Span], int]:
    """Where the rows on either side, the lines and the scores are, and the figure's height."""
    if is_wide:
        lane = (1.0 - 2 * GAP) / 2.6
        left, right, beside = [0.0, lane], [lane + GAP, 2 * lane + GAP], [1.0 - lane * 0.6, 1.0]
        spans = [(left, [0.0, 1.0]), (right, [0.0, 1.0]), (beside, [0.56, 1.0])]
        return [*spans, (beside, [0.0, 0.42])], plot_height + TOP + FOOT
    left, right = [0.0, 0.5 - GAP / 2], [0.5 + GAP / 2, 1.0]
    spans = [(side, up) for up in ([0.36, 1.0], [0.0, 0.24]) for side in (left, right)]
    return spans, round(1.4 * plot_height) + TOP + FOOT


def _changing(
    race: Race, drawn: Sequence[Sequence], k: int, ink: str, letters: int
) -> list[dict[str, Any]]:
    """Traces that a step changes: the rows and marks of either run, and both pairs of lines.

    A line goes up to where its run is, with a mark at its end.
    """
    traces = []
    for number, walk in zip(("", "2"), race.walks, strict=True):
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        step = walk.steps[min(k, len(walk.steps) - 1)]
        traces += [trace | axes for trace in traces_of_rows(walk.view, step, ink, letters)]
    for place, pair in enumerate(drawn, start=3):
        for colour, values in zip(SIDES, pair, strict=True):
            seen = list(values[: k + 1])
            traces.append(
                {
                    "type": "scatter",
                    "x": list(range(len(seen))),
                    "y": seen,
                    "mode": "lines+markers",
                    "xaxis": f"x{place}",
                    "yaxis": f"y{place}",
                    "hoverinfo": "skip",
                    "line": {"color": colour, "width": 2.5},
                    "marker": {"size": [0] * (len(seen) - 1) + [10], "color": colour},
                }
            )
    return traces


def _headings(
    race: Race, k: int, spans: list[Span], ink: str | None, letters: int, is_over: bool
) -> list[dict[str, Any]]:
    """What stands over each plot, and over all of them the question, at the end its answer."""
    font = {"size": letters, "color": ink}
    texts = [_heading_of(race, side, k) for side in range(2)]
    texts += ["What each minimises", "NMI with the truth" if race.agreement else "Groups"]
    asked = f"<b>{plain(race.answer if is_over else race.question)}</b>"
    top = {"yshift": grown(42, letters), "font": {"size": letters + 1, "color": ink}}
    plots = zip(spans, texts, strict=True)
    said = [heading(text, across[0], up[1], ink, font=font) for (across, up), text in plots]
    return [heading(asked, 0.0, 1.0, ink, **top), *said]


def _heading_of(race: Race, side: int, k: int) -> str:
    """K, agreement and what it minimises of a run, and briefly what was done.

    The number of a sweep is the clock's.
    """
    walk = race.walks[side]
    at = min(k, len(walk.steps) - 1)
    step, unit = walk.steps[at], walk.measure.split(",")[0]
    score = "" if race.agreement is None else f", NMI {race.agreement[side][at]:.2f}"
    kind = "" if step.kind[-1:].isdigit() else step.kind.split(":")[0]
    done = ", ".join(filter(None, (kind, step.words.removeprefix(step.kind).removeprefix(", "))))
    said = f"K = {step.n_clusters}{score}, {unit} {step.objective:.4g}; {done}"
    title = f"<span style='color:{SIDES[side]}'><b>{plain(walk.title)}</b></span>"
    return f"{title}<br>{short(plain(said), MOST_LETTERS)}"


def _axes(
    race: Race, scores: Sequence, spans: list[Span], last: int, letters: int, has_axes: bool
) -> dict[str, Any]:
    axes: dict[str, Any] = {}
    for number, span in zip(("", "2"), spans, strict=False):
        axes |= fixed_axes(race.walks[0].view, span, number, letters, has_axes)
    axes["yaxis2"] |= {"showticklabels": False, "title": ""}
    highs = 1.0, 1.0 if race.agreement is not None else max(map(max, scores))
    bare, edge = {"showticklabels": False, "ticks": ""}, 0.08 * (last or 1)
    common = {"zeroline": False, "fixedrange": True, "showgrid": True}
    common |= {"tickfont": {"size": grown(11, letters)}}
    for place, (across, up), high in zip((3, 4), spans[2:], highs, strict=True):
        clock = {"domain": across, "anchor": f"y{place}", "range": [-edge, last + edge]}
        score = {"domain": up, "anchor": f"x{place}", "range": [-0.12 * high, 1.12 * high]}
        score |= {"nticks": 4, "ticklabelposition": "inside"}
        axes[f"xaxis{place}"] = common | clock | bare
        axes[f"yaxis{place}"] = common | score | (bare if place == 3 else {})
    return axes
