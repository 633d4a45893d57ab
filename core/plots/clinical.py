"""Figures of groups of patients: how sure they are, and what they differ in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..statistics.compare import ColumnAssociation, Comparison
from ..statistics.correct import LEVEL
from ..statistics.differences import Effect
from ..statistics.resampling import DOUBTFUL, HIGHLY_STABLE, STABLE
from ..statistics.survival import Survival
from .template import (
    INK,
    LOG_AXIS,
    PALETTE,
    colour_of,
    heading,
    marker_style,
    names_down,
    plain,
    short,
    small_title,
    styled,
)

#: In pixels: a row of a forest plot, what stands above a panel of it, and survival curves.
ROW, HEAD, HEIGHT = 26, 74, 440


def reference_figure(kinds: Mapping[str, Sequence[float]]) -> go.Figure:
    """Nats that tables without groups gain, more or less, by kind, beside this cohort."""
    titles = [f"{kind} tables" for kind in kinds]
    drawn = [(f"{kind} tables", gain) for kind, gains in kinds.items() for gain in gains]
    figure = px.strip(
        pd.DataFrame(drawn, columns=["kind", "gain"]),
        x="gain",
        y="kind",
        category_orders={"kind": titles},
        color_discrete_sequence=[INK],
    )
    figure.update_traces(name="drawn without groups", jitter=0.8, marker_opacity=0.75)
    marker = {"color": PALETTE[6], "size": 15, "symbol": "diamond"}
    figure.add_scatter(
        x=[0.0] * len(titles), y=titles, mode="markers", name="this cohort", marker=marker
    )
    title = "gain beside this cohort's (log units)"
    figure.update_traces(hovertemplate="%{x:,.1f} log units<extra></extra>", showlegend=True)
    figure.update_xaxes(title=title, tickformat=",", zerolinecolor=INK)
    figure.update_yaxes(title="", showgrid=False)
    return styled(figure, 300, margin_t=30)


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
    said = ["not shown" if mean is None else f"{mean:.2f}" for mean in means]
    figure.update_yaxes(**names_down([*map(": ".join, zip(titles, said, strict=True))]))
    figure.update_xaxes(title="overlap with the group found (Jaccard)", range=[0, 1.02])
    return styled(figure, 90 + 54 * len(titles), margin_t=16, showlegend=False)


def counts_figure(values: Sequence[int], marked: int, axis: str) -> go.Figure:
    """How often whole numbers came up; one of them, the answer itself, in colour."""
    counts = pd.Series(values).value_counts()
    figure = px.bar(counts).update_traces(hovertemplate="%{x}: %{y} times<extra></extra>")
    figure.update_traces(marker_color=np.where(counts.index == marked, PALETTE[0], INK))
    figure.update_xaxes(title=axis, dtick=1 if np.ptp(counts.index) < 20 else None, showgrid=False)
    figure.update_yaxes(title="times")
    return styled(figure, 240, bargap=0.3, showlegend=False)


def objectives_figure(objectives: Sequence[float]) -> go.Figure:
    """E of every search above the best of them, sorted."""
    # Searches that rest in one partition differ in their last digits only.
    rises = np.sort(objectives - np.min(objectives)).round(6)
    figure = px.scatter(x=np.arange(1, rises.size + 1), y=rises)
    figure.update_traces(
        marker={"size": 9, "color": np.where(rises < 0.01, PALETTE[0], INK)},
        hovertemplate="%{y:,.2f} log units above the best<extra></extra>",
    )
    figure.update_xaxes(title="searches, the best first", showgrid=False)
    figure.update_yaxes(title="log units above the best", rangemode="tozero")
    return styled(figure, 240)


def forest_figure(columns: Sequence[ColumnAssociation]) -> go.Figure | None:
    """Effects with 95 % intervals, a panel a column (two of a time) and a row a pair, or None."""
    both = [
        (column, [(pair, effect) for pair, effect in effects if effect.estimate is not None])
        for column in columns
        for effects in (
            [(pair, pair.effect) for pair in column.pairs],
            [(pair, pair.second) for pair in column.pairs],
        )
    ]
    drawn = [(column.variable.title, pairs) for column, pairs in both if pairs]
    if not drawn:
        return None
    heights = [ROW * len(pairs) for _, pairs in drawn]
    total = sum(heights) + HEAD * len(drawn)
    figure = make_subplots(
        rows=len(drawn), row_heights=heights, vertical_spacing=HEAD / total * (len(drawn) > 1)
    )
    for row, (title, pairs) in enumerate(drawn, start=1):
        _add_effects(figure, row, pairs)
        figure.add_annotation(heading(f"<b>{short(title, 60)}</b>", row, yshift=0))
    return styled(figure, total + 30, margin_t=30, showlegend=False)


def _add_effects(figure: go.Figure, row: int, pairs: Sequence[tuple[Comparison, Effect]]) -> None:
    where, effect = {"row": row, "col": 1}, pairs[0][1]
    estimates, low, high = np.array(
        [(one.estimate, one.low, one.high) for _, one in pairs], dtype=float
    ).T
    sure = np.array([pair.adjusted is not None and pair.adjusted <= LEVEL for pair, _ in pairs])
    reach = {"array": np.nan_to_num(high - estimates), "arrayminus": np.nan_to_num(estimates - low)}
    figure.add_scatter(
        x=estimates,
        y=np.arange(len(pairs)),
        mode="markers",
        marker={
            "size": 9,
            "symbol": np.where(sure, "square", "square-open"),
            "color": np.where(sure, PALETTE[0], INK),
        },
        error_x={"symmetric": False, "thickness": 1.5, "width": 4, "color": INK, **reach},
        hovertemplate="%{y}: %{x:.3g}<extra></extra>",
        **where,
    )
    # A small group may have been watched for less time than the others.
    names = [
        f"{pair.groups[0] + 1} against {pair.groups[1] + 1}"
        + (f", up to {one.name.rpartition(' ')[2]}" if one.name != effect.name else "")
        for pair, one in pairs
    ]
    figure.update_yaxes(**names_down(names), **where)
    if effect.null is not None:
        figure.add_vline(x=effect.null, line={"color": INK, "width": 1}, **where)
    is_share = effect.name.startswith(("risk difference", "difference of shares"))
    below, above = ("rarer", "more frequent") if is_share else ("lower", "higher")
    title = (
        f"◂ {below} in the first group  |  {plain(effect.name)}  |  {above} in the first group ▸"
    )
    figure.update_xaxes(
        title=small_title(title),
        **(LOG_AXIS if effect.null == 1.0 else {"type": "linear"}),
        tickangle=0,
        zeroline=False,
        **where,
    )


def survival_figure(
    survival: Survival,
    titles: Sequence[str],
    colours: Sequence[int],
    said: Callable[[int], str] = "{:,}".format,
) -> go.Figure:
    """Survival curves or incidences, numbers at risk below; ``titles`` of all groups."""
    share = (34 + 18 * len(survival.curves)) / HEIGHT
    figure = make_subplots(rows=2, row_heights=[1 - share, share], vertical_spacing=0.08)
    for place, (group, curve) in enumerate(survival.curves.items()):
        x, y = [*curve.times, float(curve.durations.max())], [*curve.share, curve.share[-1]]
        of = f"n = {said(curve.durations.size)}, {said(curve.n_events)} events"
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
            text=[said(int(n)) for n in curve.at_risk(survival.ticks)],
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
