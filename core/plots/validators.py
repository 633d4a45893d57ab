"""Figures of the columns kept out of the clustering: forest plots and survival curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..statistics.compare import ColumnAssociation, Comparison
from ..statistics.correct import LEVEL
from ..statistics.differences import Effect
from ..statistics.survival import Survival
from ..wording import p_text
from .template import (
    INK,
    PALETTE,
    colour_of,
    heading,
    names_down,
    plain,
    short,
    small_title,
    styled,
)

#: In pixels: a row of a forest plot, what stands above a panel of it, and survival curves.
ROW, HEAD, HEIGHT = 26, 74, 440
RATIOS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]
POWERS = [0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000]
WIDE = 30.0
#: A panel: its title, and by pair of groups the effect that it shows.
Panel = tuple[str, list[tuple[Comparison, Effect]]]


def forest_figure(columns: Sequence[ColumnAssociation]) -> go.Figure | None:
    """Effects with their 95 % intervals, a panel a column and a row a pair; None without estimates.

    A time to an event has two: hazard ratios, and the difference that needs no constant ratio.
    """
    drawn = [panel for column in columns for panel in _panels(column)]
    if not drawn:
        return None
    heights = [ROW * len(pairs) + HEAD for _, pairs in drawn]
    total = sum(heights)
    figure = make_subplots(
        rows=len(drawn),
        row_heights=[ROW * len(pairs) for _, pairs in drawn],
        vertical_spacing=0.0 if len(drawn) == 1 else min(HEAD / total, 1 / (len(drawn) - 1)),
    )
    for row, (title, pairs) in enumerate(drawn, start=1):
        _add_effects(figure, row, pairs)
        _name_sides(figure, row, [effect for _, effect in pairs])
        number = "" if row == 1 else row
        place = {"xref": f"x{number} domain", "yref": f"y{number} domain"}
        name = f"<b>{short(title, 60)}</b>"
        figure.add_annotation(heading(name, 0.0, 1.0, **place, yshift=0))
    return styled(figure, total + 30, margin_t=30, showlegend=False)


def _panels(column: ColumnAssociation) -> list[Panel]:
    """What is drawn of a column: the effect that leads, then the second of a time to an event."""
    both = (
        [(pair, pair.effect) for pair in column.pairs],
        [(pair, pair.second) for pair in column.pairs],
    )
    made = [[(pair, effect) for pair, effect in one if effect.estimate is not None] for one in both]
    return [(column.variable.title, pairs) for pairs in made if pairs]


def _add_effects(figure: go.Figure, row: int, pairs: Sequence[tuple[Comparison, Effect]]) -> None:
    names = [f"{pair.groups[0] + 1} against {pair.groups[1] + 1}" for pair, _ in pairs]
    estimates, low, high = np.array(
        [(effect.estimate, effect.low, effect.high) for _, effect in pairs], dtype=float
    ).T
    sure = [pair.adjusted is not None and pair.adjusted <= LEVEL for pair, _ in pairs]
    figure.add_scatter(
        x=estimates,
        y=np.arange(len(pairs)),
        mode="markers",
        marker={
            "size": 9,
            "symbol": ["square" if is_sure else "square-open" for is_sure in sure],
            "color": [PALETTE[0] if is_sure else INK for is_sure in sure],
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(high - estimates),
            "arrayminus": np.nan_to_num(estimates - low),
            "thickness": 1.5,
            "width": 4,
            "color": INK,
        },
        customdata=[
            [name, p_text(pair.adjusted)] for name, (pair, _) in zip(names, pairs, strict=True)
        ],
        hovertemplate="%{customdata[0]}: %{x:.3g}, corrected p %{customdata[1]}<extra></extra>",
        row=row,
        col=1,
    )
    figure.update_yaxes(**names_down(names), row=row, col=1)


def _name_sides(figure: go.Figure, row: int, effects: Sequence[Effect]) -> None:
    effect = effects[0]
    ends = [end for one in effects for end in (one.low, one.estimate, one.high) if end]
    title, is_ratio = plain(effect.name), effect.null == 1.0
    if effect.null is not None:
        figure.add_vline(x=effect.null, line={"color": INK, "width": 1}, row=row, col=1)
        is_share = effect.name.startswith(("risk difference", "difference of shares"))
        below, above = ("rarer", "more frequent") if is_share else ("lower", "higher")
        title = f"◂ {below} in the first group  |  {title}  |  {above} in the first group ▸"
    figure.update_xaxes(
        title=small_title(title),
        type="log" if is_ratio else "linear",
        tickvals=(POWERS if max(ends) > WIDE * min(ends) else RATIOS) if is_ratio else None,
        tickangle=0,
        zeroline=False,
        row=row,
        col=1,
    )


def survival_figure(
    survival: Survival,
    titles: Sequence[str],
    colours: Sequence[int],
    said: Callable[[int], str] = "{:,}".format,
) -> go.Figure:
    """Survival curves or incidences, numbers at risk below; ``titles`` of all groups."""
    groups = list(survival.curves)
    share = (34 + 18 * len(groups)) / HEIGHT
    figure = make_subplots(
        rows=2, row_heights=[1 - share, share], shared_xaxes=True, vertical_spacing=0.13
    )
    for place, (group, curve) in enumerate(survival.curves.items()):
        end = float(curve.durations.max())
        figure.add_scatter(
            x=[*curve.times, end],
            y=[*curve.share, curve.share[-1]],
            mode="lines",
            line={"shape": "hv", "color": colour_of(colours[group]), "width": 2.5},
            name=f"{short(titles[group])} (n = {said(curve.durations.size)}, "
            f"{said(curve.n_events)} events)",
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
            textfont={"size": 12},
            hoverinfo="skip",
            showlegend=False,
            row=2,
            col=1,
        )
    title = "have had the event" if survival.is_incidence else "without the event"
    figure.update_yaxes(title=title, tickformat=".0%", range=[0, 1.03], row=1, col=1)
    names = [titles[group] for group in groups]
    figure.update_yaxes(**names_down(names, 16), row=2, col=1)
    low, high = -0.02 * survival.ticks[-1], 1.03 * survival.ticks[-1]
    figure.update_xaxes(
        tickvals=survival.ticks, tickformat=",", range=[low, high], showgrid=False, zeroline=False
    )
    figure.update_xaxes(title=short(survival.name, 60), showticklabels=True, row=1, col=1)
    figure.update_xaxes(showticklabels=False, title="patients at risk", row=2, col=1)
    return styled(figure, HEIGHT, margin_t=40)
