"""Figures of groups of patients: how sure they are, and what they differ in."""

from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..statistics.resampling import DOUBTFUL, HIGHLY_STABLE, STABLE
from ..statistics.survival import Survival
from .template import PALETTE, colour_of, marker_style, names_down, short, styled

#: Of survival curves, in pixels.
HEIGHT = 440


def jaccard_figure(
    titles: Sequence[str],
    means: Sequence[float | None],
    draws: np.ndarray,
    colours: Sequence[int],
) -> go.Figure:
    """How every group came back, (B, K), NaN where not drawn, with its mean, None if not judged."""
    figure, ends = go.Figure(), (DOUBTFUL, STABLE, HIGHLY_STABLE, 1.0)
    for low, high, strength in zip(ends, ends[1:], (0.10, 0.18, 0.28), strict=False):
        figure.add_vrect(x0=low, x1=high, fillcolor=PALETTE[0], opacity=strength, line_width=0)
    for k, mean in enumerate(means):
        if mean is not None:
            figure.add_box(
                x=draws[:, k],
                y0=k,
                orientation="h",
                name=short(titles[k]),
                marker=marker_style(colours[k]) | {"size": 4},
                line_width=1.5,
                boxmean=True,
                hoverinfo="x",
            )
    text = ["not shown" if mean is None else f"{mean:.2f}" for mean in means]
    figure.update_yaxes(**names_down([*map(": ".join, zip(titles, text, strict=True))]))
    figure.update_xaxes(title="overlap with the group found (Jaccard)", range=[0, 1.02])
    return styled(figure, 90 + 54 * len(titles), margin_t=16, showlegend=False)


def survival_figure(
    survival: Survival,
    titles: Sequence[str],
    colours: Sequence[int],
    text: Callable[[int], str] = "{:,}".format,
) -> go.Figure:
    """Survival curves or incidences, numbers at risk below; ``titles`` of all groups."""
    share = (34 + 18 * len(survival.curves)) / HEIGHT
    figure = make_subplots(rows=2, row_heights=[1 - share, share], vertical_spacing=0.08)
    for place, (group, curve) in enumerate(survival.curves.items()):
        x, y = [*curve.times, float(curve.durations.max())], [*curve.share, curve.share[-1]]
        of = f"n = {text(curve.durations.size)}, {text(curve.n_events)} events"
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"shape": "hv", "color": colour_of(colours[group]), "width": 2.5},
            name=f"{short(titles[group])} ({of})",
            customdata=np.stack([[*curve.low, curve.low[-1]], [*curve.high, curve.high[-1]]]).T,
            hovertemplate="%{y:.0%} (%{customdata[0]:.0%} to %{customdata[1]:.0%}) at %{x:g}"
            "<extra></extra>",
            row=1,
            col=1,
        )
        figure.add_scatter(
            x=survival.ticks,
            y=[place] * survival.ticks.size,
            mode="text",
            text=[text(int(n)) for n in curve.at_risk(survival.ticks)],
            hoverinfo="skip",
            showlegend=False,
            row=2,
            col=1,
        )
    title = "have had the event" if survival.is_incidence else "without the event"
    figure.update_yaxes(title=title, tickformat=".0%", range=[0, 1.03], row=1, col=1)
    figure.update_yaxes(**names_down([titles[k] for k in survival.curves], 16), row=2, col=1)
    ends = np.array([-0.05, 1.03]) * survival.ticks[-1]
    figure.update_xaxes(tickvals=survival.ticks, tickformat=",", range=ends, showgrid=False)
    figure.update_xaxes(zeroline=False, matches="x")
    title = f"{short(survival.name, 60)}; the numbers are patients at risk"
    figure.update_xaxes(showticklabels=False, title=title, row=2, col=1)
    return styled(figure, HEIGHT, margin_t=40)
