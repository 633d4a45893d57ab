"""One run or two in one figure, under one clock, stepped through in the browser: no server."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..comparing.panels import MOST_MARKED, TINY_ROWS
from ..comparing.projection import View
from ..methods.steps import Step
from ..teaching.steps import Walk, scores
from ..wording import in_digits
from .panels import LETTERS, along_edge, at, discs, fill_places, grown, lines, set_axes
from .template import (
    INK,
    ONE_UNIT,
    PALETTE,
    PANEL,
    axis_number,
    heading,
    packed,
    plain,
    small_title,
    step_slider,
    styled,
    with_frames,
)

#: Colours of the runs' lines.
SIDES = PALETTE[0], PALETTE[6]
# In pixels: the rows, beside the lanes and above them; what stands above and below the plots.
WIDE, NARROW, TOP, FOOT = 260, 364, 84, 76
# Plotly's numbers of circle, diamond, square, triangle-up, cross, x, star, triangle-down.
_SYMBOLS = np.array([0, 2, 1, 5, 3, 4, 17, 6])
# The palette as one stepped scale, so that a colour is sent as a byte.
_SCALE = [[edge / len(PALETTE), colour] for k, colour in enumerate(PALETTE) for edge in (k, k + 1)]


def steps_figure(
    walks: Sequence[Walk],
    classes: np.ndarray | None,
    is_wide: bool,
    ink: str | None = None,
    letters: int = LETTERS,
) -> str:
    """JSON of one run or two with their steps, one frame each, and a slider; who is done waits."""
    return _Player(walks, classes, ink or INK, letters).figure(is_wide)


class _Player:
    """The runs' plots are numbered from 1, then the lanes of lines below or beside them."""

    def __init__(
        self, walks: Sequence[Walk], classes: np.ndarray | None, ink: str, letters: int
    ) -> None:
        self.walks, self.ink, self.letters, self.n = walks, ink, letters, len(walks)
        self.has_truth = classes is not None
        self.has_pairs = self.n == 1 and walks[0].steps[0].together is not None
        self.scores = [scores(walk, classes) for walk in walks]
        self.falls = [_falling(walk) for walk in walks]
        self.last = max(len(walk.steps) for walk in walks) - 1

    def figure(self, is_wide: bool) -> str:
        figure, n_steps = self._plots(is_wide), self.last + 1
        steps = [([*self._traces(k)], self._headings(k)) for k in range(n_steps)]
        figure.add_traces(steps[0][0])
        every = -(-n_steps // 12)  # so many names have room at the slider
        names = [str(k) if k % every == 0 else "" for k in range(n_steps)]
        left = 12 if self.walks[0].view.has_one_unit else 54
        styled(
            figure,
            (WIDE if is_wide else NARROW) + TOP + FOOT,
            margin={"l": left, "r": 12, "t": TOP, "b": FOOT, "pad": 0},
            showlegend=False,
            annotations=steps[0][1],
            sliders=[step_slider(names, grown(11, self.letters), pad={"t": 26, "b": 0})],
        )
        return with_frames(figure, steps)

    def _plots(self, is_wide: bool) -> go.Figure:
        """The axes of all plots."""
        n_lanes, view = 3 if self.has_pairs else 2, self.walks[0].view
        if is_wide:
            rows = [[None] * self.n + [{}] for _ in range(n_lanes)]
            rows[0][: self.n] = [{"rowspan": n_lanes}] * self.n
            shape = {"column_widths": [1.0] * self.n + [0.6], "vertical_spacing": 0.1}
            shape |= {"row_heights": [1.0, 1.0, 2.4][:n_lanes]}
        else:
            width = n_lanes // self.n
            rows = [[{"colspan": width}, *[None] * (width - 1)] * self.n, [{}] * n_lanes]
            shape = {"row_heights": [0.64, 0.24], "vertical_spacing": 0.12}
        figure = make_subplots(
            len(rows), len(rows[0]), specs=rows, horizontal_spacing=0.035, **shape
        )
        has_axes = not view.has_one_unit
        set_axes(figure, view, self.n, self.n, WIDE, self.letters, has_axes)
        if view.has_one_unit:
            fill_places(figure, self.n)
        letters = {"tickfont_size": grown(11, self.letters)}
        figure.update_xaxes(zeroline=False, fixedrange=True, **letters)
        figure.update_yaxes(zeroline=False, fixedrange=True, **letters)
        high, edge = 1.0 if self.has_truth else max(map(max, self.scores)), 0.08 * (self.last or 1)
        for plot, most in ((self.n + 1, 1.0), (self.n + 2, high)):
            x, y = (figure.layout[f"{name}axis{plot}"] for name in "xy")
            x.update(range=[-edge, self.last + edge], showticklabels=False)
            y.update(range=[-0.12 * most, 1.12 * most], ticklabelposition="inside", nticks=4)
        figure.layout[f"yaxis{self.n + 1}"].showticklabels = False
        if self.has_pairs:
            bare = {"showticklabels": False, "ticks": ""}
            title = small_title("60 rows, by true group", grown(12, self.letters))
            figure.layout.xaxis4.update(ONE_UNIT["x"] | bare, title=title)
            tied = ONE_UNIT["y"] | {"scaleanchor": "x4", "autorange": "reversed"}
            figure.layout.yaxis4.update(tied | bare)
        return figure

    def _traces(self, k: int) -> Iterator[dict[str, Any]]:
        """All traces at a step: the rows and marks of every run, then the lanes."""
        for plot, walk in enumerate(self.walks, start=1):
            step = walk.steps[min(k, len(walk.steps) - 1)]
            for trace in self._rows(walk.view, step, is_first=k == 0):
                yield _on(plot) | trace
        for lane, values in enumerate((self.falls, self.scores), start=1):
            for side, walk in enumerate(self.walks):
                yield _on(self.n + lane) | self._line(walk, values[side][: k + 1], SIDES[side])
        if self.has_pairs:
            yield _on(4) | {
                "type": "heatmap",
                "z": (100 * self.walks[0].steps[k].together).round().astype(np.uint8),
                "zmin": 0,
                "zmax": 100,
                "showscale": False,
                "colorscale": [[0, PANEL], [1, PALETTE[0]]],
                "hovertemplate": "together in %{z} % of the sweeps<extra></extra>",
            }

    def _rows(self, view: View, step: Step, is_first: bool) -> Iterator[dict[str, Any]]:
        """Rows (after the first step their marks alone), outlines, centres, numbers."""
        labels = step.labels
        symbols = _SYMBOLS[(labels + labels // len(PALETTE)) % _SYMBOLS.size].astype(np.uint8)
        marker = {
            "color": (labels % len(PALETTE)).astype(np.uint8),
            "cmin": 0,
            "cmax": len(PALETTE),
            "colorscale": _SCALE,
            "symbol": packed(symbols),  # which Plotly would check one by one
            "size": 8 if len(labels) <= 300 else 5,
            "opacity": 0.8,
            "line": {"width": 0},
        }
        places = at(view.points) | {"mode": "markers", "hoverinfo": "skip"}
        yield (places if is_first else {}) | {"marker": marker}
        curves = lines([along_edge(view, curve) for curve in step.curves])
        yield curves | {"line": {"color": self.ink, "width": 1.5}}
        centers = np.empty((0, 2)) if step.centers is None else step.centers
        size = grown(30, self.letters)  # larger than the numbers
        marker = {"symbol": "cross-thin", "size": size, "color": self.ink, "opacity": 0.9}
        marker |= {"line": {"width": 2.5, "color": self.ink}}
        yield at(centers) | {"mode": "markers", "hoverinfo": "skip", "marker": marker}
        found, counts = np.unique(labels, return_counts=True)
        shown = found[counts >= (TINY_ROWS if found.size > MOST_MARKED else 1)].tolist()
        numbers = {"text": [str(step.numbers[label]) for label in shown]}
        middles = [view.points[labels == k].mean(axis=0, dtype=float) for k in shown]
        yield discs(np.array(middles).reshape(-1, 2), shown, self.letters) | numbers

    def _line(self, walk: Walk, seen: Sequence[float], colour: str) -> dict[str, Any]:
        """A line up to where its run is, a mark at its end and wherever clusters came or went."""
        steps = walk.steps[: len(seen)]
        sizes = [grown(7 if step.born or step.died else 3, self.letters) for step in steps]
        return {
            "x": list(range(len(seen))),
            "y": list(seen),
            "hoverinfo": "x+y",
            "mode": "lines+markers",
            "line": {"color": colour, "width": 2.5},
            "marker": {"size": [*sizes[:-1], 11], "color": colour},
        }

    def _headings(self, k: int) -> list[dict[str, Any]]:
        """What stands over each plot, and over all which step it is, of one run in words."""
        first = self.walks[0]
        title = f"Step {k}" if self.n > 1 else f"Step {k}: {first.steps[k].words}"
        texts = [
            *(self._of_run(side, k) for side in range(self.n)),
            "What each minimises" if self.n > 1 else plain(first.measure),
            "NMI with the truth" if self.has_truth else "Groups",
            *(["Together so far"] if self.has_pairs else []),
        ]
        font = {"size": self.letters, "color": self.ink}
        top = {"yshift": grown(42, self.letters), "font": font | {"size": self.letters + 1}}
        over = [heading(text, plot, font=font) for plot, text in enumerate(texts, start=1)]
        return [heading(f"<b>{plain(title)}</b>", 1, **top), *over]

    def _of_run(self, side: int, k: int) -> str:
        """K, agreement and what it minimises of a run."""
        walk = self.walks[side]
        place = min(k, len(walk.steps) - 1)
        step, unit = walk.steps[place], walk.measure.split(",")[0]
        score = f", NMI {self.scores[side][place]:.2f}" if self.has_truth else ""
        title = f"<span style='color:{SIDES[side]}'><b>{plain(walk.title)}</b></span>"
        of = f"{plain(unit)} {in_digits(step.objective, 1)}"
        return f"{title}<br>K = {step.n_clusters}{score}, {of}"


def _on(plot: int) -> dict[str, str]:
    number = axis_number(plot)
    return {"type": "scatter", "xaxis": f"x{number}", "yaxis": f"y{number}"}


def _falling(walk: Walk) -> list[float]:
    values = np.array([step.objective for step in walk.steps])
    return ((values - values.min()) / (np.ptp(values) or 1.0)).tolist()
