"""What each method weighs for one row, as small bars side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..methods.row_costs import CHANCE, COUNT, NATS, RowCosts, tag
from ..wording import in_digits
from .template import INK, LAYOUT, colour_of, heading, plain

#: In pixels: a bar, a heading, and what stands below the bars.
BAR, HEADING, FOOT = 24, 50, 44
#: Candidates drawn.
MOST = 6
#: An axis of costs reaches this many times as far beyond the cheapest as the second cheapest lies.
REACH = 3.0


def costs_figure(costs: Sequence[RowCosts], ink: str | None = None) -> go.Figure:
    """Bars of what every method weighs for one row, a line a candidate, the chosen one on top.

    Costs far beyond the second cheapest run off the axis; their sum stands in the label.
    """
    n, n_bars = len(costs), min(MOST, max(len(one.clusters) for one in costs))
    height = HEADING + n_bars * BAR + FOOT
    traces, axes, headings = [], {}, []
    for place, one in enumerate(costs):
        number, left, top = str(place + 1) if place else "", place / n, 1.0 - HEADING / height
        order = np.argsort(one.totals * (-1 if one.measure == CHANCE else 1), kind="stable")[
            :n_bars
        ]
        on_axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces += [trace | on_axes for trace in _bars(one, order)]
        axes[f"xaxis{number}"] = _value_axis(one, order) | {
            "anchor": f"y{number}",
            "domain": [left + 0.36 / n, (place + 1) / n - 0.012],
        }
        axes[f"yaxis{number}"] = {
            "anchor": f"x{number}",
            "domain": [FOOT / height, top],
            "range": [n_bars - 0.5, -0.5],
            "tickvals": list(range(len(order))),
            "ticktext": [_name(one, k) for k in order],
            "tickfont": {"size": 11},
            "fixedrange": True,
            "automargin": False,
            "showgrid": False,
            "zeroline": False,
        }
        terms = "plain: predictive, hatched: count" if COUNT in one.terms else one.measure
        said = f"<b>{plain(one.title)}</b><br><span style='font-size:11px'>{terms}</span>"
        headings.append(heading(said, left, top, ink))
    layout = LAYOUT | axes | {"height": height, "margin": {"l": 4, "r": 4, "t": 0, "b": 0}}
    figure = go.Figure(traces, layout | {"annotations": headings})
    return figure.update_layout(barmode="relative", bargap=0.25, showlegend=False)


def _bars(one: RowCosts, order: np.ndarray) -> list[dict[str, Any]]:
    labels = one.labels or one.clusters
    colours = [INK if labels[k] < 0 else colour_of(labels[k]) for k in order]
    bars = []
    for name, term in one.terms.items():
        marker: dict[str, Any] = {"color": colours, "line": {"width": 1, "color": colours}}
        if name == COUNT:
            marker |= {"pattern": {"shape": "/", "fillmode": "overlay", "size": 5}, "opacity": 0.6}
        places = {"y": list(range(len(order))), "x": term[order].tolist(), "orientation": "h"}
        hover = f"{plain(name)}: %{{x:.3~g}}<extra></extra>"
        bars.append({"type": "bar", "marker": marker, "hovertemplate": hover} | places)
    return bars


def _value_axis(one: RowCosts, order: np.ndarray) -> dict[str, Any]:
    low, high, terms = 0.0, 1.0, [term[order] for term in one.terms.values()]
    if one.measure != CHANCE:
        totals, positive = one.totals[order], terms[0]
        reach = REACH * (totals[1] - totals[0]) if totals.size > 1 else 0.0
        low = min(0.0, *(float(term.min()) for term in terms))
        high = max(float(positive[0] + reach), 1.15 * float(positive[:2].max()), 1e-9)
    title = {NATS: "cost, log units"}.get(one.measure, one.measure)
    return {
        "range": [low, high * 1.02],
        "title": {"text": title, "font": {"size": 11}, "standoff": 4},
        "tickfont": {"size": 10},
        "nticks": 4,
        "zeroline": True,
        "zerolinecolor": INK,
        "fixedrange": True,
    }


def _name(one: RowCosts, k: int) -> str:
    total = one.totals[k]
    said = {CHANCE: f"{100 * total:.1f} %", NATS: f"{total:,.1f}"}.get(one.measure)
    text = f"{tag(one.clusters[k])}: {said or in_digits(total)}"
    return f"<b>{text}</b>" if k == one.winner else text
