"""What a method weighs for one row; the Dirichlet process drawn, from a restaurant back to K."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..methods.record import CHANCE, COUNT, NATS, RowCosts, tag
from ..teaching.prior import Seating
from ..wording import in_digits
from .template import (
    INK,
    LOG_AXIS,
    PALETTE,
    colour_of,
    heading,
    plain,
    small_title,
    step_slider,
    styled,
    translucent,
    with_frames,
)

#: In pixels: a bar of costs, what stands above and below the bars.
BAR, HEADING, BELOW = 24, 50, 44
#: Candidates drawn; and so many times as far beyond the cheapest as the second reaches an axis.
MOST, REACH = 6, 3.0
#: In pixels: the restaurant, what stands above and below it; the stick, the posterior.
HEIGHT, TOP, FOOT, STICK, POSTERIOR = 340, 44, 118, 110, 280


def costs_figure(costs: Sequence[RowCosts], ink: str | None = None) -> go.Figure:
    """Bars of what every method weighs for one row, a line a candidate, the chosen one on top."""
    n, n_bars = len(costs), min(MOST, max(len(one.clusters) for one in costs))
    figure = make_subplots(cols=n, horizontal_spacing=0.36 / n)
    for plot, one in enumerate(costs, start=1):
        rising = -one.totals if one.measure == CHANCE else one.totals
        order = np.argsort(rising, kind="stable")[:n_bars]
        _add_costs(figure, plot, one, order)
        names = {"tickvals": [*range(order.size)], "ticktext": [_name(one, k) for k in order]}
        figure.update_yaxes(range=[n_bars - 0.5, -0.5], **names, col=plot)
        title = {NATS: "cost, log units"}.get(one.measure, one.measure)
        figure.update_xaxes(range=_ends(one, order), title=small_title(title, 11), col=plot)
        terms = "plain: predictive, hatched: count" if COUNT in one.terms else one.measure
        text = f"<b>{plain(one.title)}</b><br><span style='font-size:11px'>{terms}</span>"
        figure.add_annotation(heading(text, plot, ink, xshift=-40))
    figure.update_yaxes(tickfont_size=11, fixedrange=True, showgrid=False, zeroline=False)
    figure.update_xaxes(tickfont_size=10, fixedrange=True, nticks=4, zerolinecolor=INK)
    margin = {"l": 4, "r": 4, "t": HEADING, "b": BELOW}
    style = {"margin": margin, "barmode": "relative", "bargap": 0.25, "showlegend": False}
    return styled(figure, HEADING + n_bars * BAR + BELOW, **style)


def _add_costs(figure: go.Figure, plot: int, one: RowCosts, order: np.ndarray) -> None:
    labels = one.labels or one.clusters
    colours = [INK if labels[k] < 0 else colour_of(labels[k]) for k in order]
    for name, term in one.terms.items():
        marker: dict[str, Any] = {"color": colours, "line": {"width": 1, "color": colours}}
        if name == COUNT:
            marker |= {"pattern": {"shape": "/", "fillmode": "overlay", "size": 5}, "opacity": 0.6}
        figure.add_bar(
            x=term[order],
            y=[*range(order.size)],
            orientation="h",
            marker=marker,
            hovertemplate=f"{plain(name)}: %{{x:.3~g}}<extra></extra>",
            row=1,
            col=plot,
        )


def _ends(one: RowCosts, order: np.ndarray) -> tuple[float, float]:
    """Where an axis of costs begins and ends."""
    if one.measure == CHANCE:
        return 0.0, 1.02
    totals, terms = one.totals[order], [term[order] for term in one.terms.values()]
    reach = REACH * (totals[1] - totals[0]) if totals.size > 1 else 0.0
    high = max(terms[0][0] + reach, 1.15 * terms[0][:2].max(), 1e-9)
    return min(0.0, *(term.min() for term in terms)), 1.02 * high


def _name(one: RowCosts, k: int) -> str:
    total = one.totals[k]
    number = {CHANCE: f"{100 * total:.1f} %", NATS: f"{total:,.1f}"}.get(one.measure)
    text = f"{tag(one.clusters[k])}: {number or in_digits(total)}"
    return f"<b>{text}</b>" if k == one.winner else text


def restaurant_figure(seating: Seating, is_wide: bool, ink: str | None = None) -> str:
    """JSON of the tables, and their number against what the prior expects; one frame a step."""
    numbers, n_tables = seating.numbers.tolist(), seating.n_tables
    frames = [(_seated(seating, n, ink), [_heading(seating, n, ink)]) for n in numbers]
    shape = {"cols": 2, "horizontal_spacing": 0.08} if is_wide else {"rows": 2}
    figure = make_subplots(**shape)
    figure.add_traces([*frames[0][0], *_curves(seating)])
    most = max(float(n_tables[-1]), float((seating.expected + 2 * seating.deviation).max()))
    tables = {"range": [0.3, n_tables[-1] + 0.7], "showgrid": False}
    for name, title, extra in (
        ("xaxis", "table, in order of opening", tables),
        ("yaxis", "% of the rows", {"range": [0, 102]}),
        ("xaxis2", "rows seated", LOG_AXIS),
        ("yaxis2", "tables K", {"range": [0, 1.05 * most]}),
    ):
        style = {"title": small_title(title), "zeroline": False, "fixedrange": True}
        figure.layout[name].update(style | extra)
    # In the corner that the curves, which rise, leave free.
    x, y = figure.layout.xaxis2.domain[0], figure.layout.yaxis2.domain[1]
    styled(
        figure,
        (HEIGHT if is_wide else 2 * HEIGHT) + TOP + FOOT,
        margin={"l": 54, "r": 12, "t": TOP, "b": FOOT, "pad": 0},
        annotations=frames[0][1],
        legend={"x": x + 0.01, "y": y - 0.02, "yref": "paper", "orientation": "v"},
        sliders=[step_slider([f"{n:,}" if k % 4 == 0 else "" for k, n in enumerate(numbers)])],
    )
    return with_frames(figure, frames)


_BESIDE = {"type": "scatter", "xaxis": "x2", "yaxis": "y2"}


def _seated(seating: Seating, n: int, ink: str | None) -> list[dict[str, Any]]:
    """The tables once n rows are seated, and a mark at their number."""
    sizes = seating.sizes(n)
    tables = {
        "type": "bar",
        "x": list(range(1, sizes.size + 1)),
        "y": (100.0 * sizes / n).tolist(),
        "customdata": sizes.tolist(),
        "marker": {"color": [colour_of(k) for k in range(sizes.size)]},
        "hovertemplate": "table %{x}: %{customdata:,} rows<extra></extra>",
        "showlegend": False,
    }
    ring = {"symbol": "circle-open", "size": 16, "line": {"width": 3}, "color": ink}
    silent = {"mode": "markers", "hoverinfo": "skip", "showlegend": False}
    return [tables, _BESIDE | silent | {"x": [n], "y": [sizes.size], "marker": ring}]


def _curves(seating: Seating) -> list[dict[str, Any]]:
    """The tables of this evening, the exact expectation with its spread, and the rule of thumb."""
    low, high = (seating.expected + side * 2 * seating.deviation for side in (-1, 1))
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    shade = {"fill": "tonexty", "fillcolor": translucent(PALETTE[0], 0.18), "name": "± 2 SD"}
    exact = {"mode": "lines", "name": "expected, exactly", "line": {"color": PALETTE[0]}}
    rule = {"mode": "lines", "name": "N₀ ln n", "line": {"color": PALETTE[2], "dash": "dash"}}
    evening = {"mode": "lines+markers", "name": "this evening", "marker": {"size": 5}}
    evening |= {"line": {"color": PALETTE[1], "shape": "hv"}}
    curves = (
        (low.clip(0), edge | {"showlegend": False}),
        (high, edge | shade),
        (seating.expected, exact),
        (seating.rule, rule),
        (seating.n_tables[seating.numbers - 1], evening),
    )
    x = {"x": seating.numbers.tolist()}
    return [_BESIDE | x | {"y": values.tolist()} | style for values, style in curves]


def _heading(seating: Seating, n: int, ink: str | None) -> dict[str, Any]:
    tables, share = seating.sizes(n).size, 100 * seating.newcomer(n)
    text = f"<b>{n:,} seated, K = {tables:,}; the next opens a table with {share:.1f} %</b>"
    return heading(text, 1, ink)


def stick_figure(weights: np.ndarray) -> go.Figure:
    """Draw a stick of length 1 and its pieces, in the order in which they were broken off."""
    figure = go.Figure().add_bar(
        x=100.0 * weights,
        base=100.0 * (weights.cumsum() - weights),
        y=[""] * len(weights),
        orientation="h",
        marker={"color": [colour_of(k) for k in range(len(weights))], "line_width": 0.5},
        hoverinfo="skip",
    )
    figure.update_xaxes(range=[0, 100], title=small_title("% of all rows"), fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    return styled(figure, STICK, margin={"l": 40, "r": 8, "t": 6, "b": 46, "pad": 0})


def posterior_figure(shares: pd.DataFrame, true_k: int) -> go.Figure:
    """Bars of ``fitted_posterior_of_k``; a K is marked."""
    named = (100.0 * shares).add_suffix(" sweeps", axis=1)
    figure = px.bar(named, barmode="group", color_discrete_sequence=PALETTE)
    figure.update_traces(hovertemplate="K = %{x} in %{y:.0f} %")
    figure.add_vline(true_k, line={"color": INK, "dash": "dash"})
    low, high = min(shares.index.min(), true_k), max(shares.index.max(), true_k)
    title = small_title("K; height: share of sweeps")
    figure.update_xaxes(range=[low - 0.7, high + 0.7], dtick=1, title=title, fixedrange=True)
    figure.update_yaxes(ticksuffix=" %", rangemode="tozero", title="", fixedrange=True)
    return styled(figure, POSTERIOR, margin_t=8, legend_title_text="")
