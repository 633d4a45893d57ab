"""What each method weighs for one row, as small bars side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..methods.row_costs import CHANCE, COUNT, NATS, RowCosts, tag
from ..wording import in_digits
from .template import INK, LAYOUT, colour_of, heading, plain

#: In pixels: a bar, a heading, and what stands below the bars.
BAR, HEADING, FOOT = 24, 50, 44
#: So many of the best candidates are drawn.
MOST = 6
#: An axis of costs reaches this many times as far beyond the cheapest as the second cheapest lies.
REACH = 3.0


def costs_figure(costs: Sequence[RowCosts], n_columns: int, ink: str | None = None) -> go.Figure:
    """Draw what every method weighs for one row, so many charts in a row of the figure.

    Bars of the terms, one line for each candidate, the chosen one on top; costs far beyond the
    second cheapest run off the axis, their sum stands in the label.
    """
    n_columns = min(n_columns, len(costs))
    n_rows = math.ceil(len(costs) / n_columns)
    n_bars = min(MOST, max(len(one.clusters) for one in costs))
    inner = n_bars * BAR
    height = n_rows * (HEADING + inner + FOOT)
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": []}
    for place, one in enumerate(costs):
        row, column = divmod(place, n_columns)
        number = "" if place == 0 else str(place + 1)
        order = _best_first(one)[:n_bars]
        traces += [
            trace | {"xaxis": f"x{number}", "yaxis": f"y{number}"} for trace in _bars(one, order)
        ]
        width = 1.0 / n_columns
        names_share = 0.36 * width
        top = 1.0 - (row * (HEADING + inner + FOOT) + HEADING) / height
        layout[f"xaxis{number}"] = _value_axis(one, order, number) | {
            "domain": [column * width + names_share, (column + 1) * width - 0.012]
        }
        layout[f"yaxis{number}"] = _name_axis(one, order, n_bars, number) | {
            "domain": [max(top - inner / height, 0.0), top]
        }
        layout["annotations"].append(_heading(one, column * width, top, ink))
    layout |= LAYOUT | {
        "height": height,
        "margin": {"l": 4, "r": 4, "t": 0, "b": 0},
        "barmode": "relative",
        "bargap": 0.25,
        "showlegend": False,
    }
    return go.Figure(data=traces, layout=layout)


def _best_first(one: RowCosts) -> np.ndarray:
    totals = one.totals
    return np.argsort(-totals if one.measure == CHANCE else totals, kind="stable")


def _bars(one: RowCosts, order: np.ndarray) -> list[dict[str, Any]]:
    """A bar in the cluster's colour; the count term of MAP-DP in a hatch of its own."""
    colours = [_colour((one.labels or one.clusters)[k]) for k in order]
    bars = []
    for name, term in one.terms.items():
        marker: dict[str, Any] = {"color": colours, "line": {"width": 1, "color": colours}}
        if name == COUNT:
            marker |= {"pattern": {"shape": "/", "fillmode": "overlay", "size": 5}, "opacity": 0.6}
        bars.append(
            {
                "type": "bar",
                "orientation": "h",
                "y": list(range(len(order))),
                "x": term[order].tolist(),
                "marker": marker,
                "hovertemplate": f"{plain(name)}: %{{x:.3~g}}<extra></extra>",
            }
        )
    return bars


def _colour(cluster: int) -> str:
    return INK if cluster < 0 else colour_of(cluster)


def _value_axis(one: RowCosts, order: np.ndarray, number: str) -> dict[str, Any]:
    if one.measure == CHANCE:
        low, high = 0.0, 1.0
    else:
        totals = one.totals[order]
        positive = one.terms[next(iter(one.terms))][order]
        reach = REACH * (totals[1] - totals[0]) if totals.size > 1 else 0.0
        low = min(0.0, *(float(term[order].min()) for term in one.terms.values()))
        high = max(float(positive[0] + reach), 1.15 * float(positive[:2].max()), 1e-9)
    title = {NATS: "cost, log units"}.get(one.measure, one.measure)
    return {
        "anchor": f"y{number}",
        "range": [low, high * 1.02],
        "title": {"text": title, "font": {"size": 11}, "standoff": 4},
        "tickfont": {"size": 10},
        "nticks": 4,
        "zeroline": True,
        "zerolinecolor": INK,
        "fixedrange": True,
    }


def _name_axis(one: RowCosts, order: np.ndarray, n_bars: int, number: str) -> dict[str, Any]:
    totals = one.totals
    texts = []
    for k in order:
        text = f"{tag(one.clusters[k])}: {_digits(totals[k], one.measure)}"
        texts.append(f"<b>{text}</b>" if k == one.winner else text)
    return {
        "anchor": f"x{number}",
        "range": [n_bars - 0.5, -0.5],
        "tickvals": list(range(len(order))),
        "ticktext": texts,
        "tickfont": {"size": 11},
        "fixedrange": True,
        "automargin": False,
        "showgrid": False,
        "zeroline": False,
    }


def _digits(value: float, measure: str) -> str:
    if measure == CHANCE:
        return f"{100 * value:.1f} %"
    return f"{value:,.1f}" if measure == NATS else in_digits(value)


def _heading(one: RowCosts, left: float, top: float, ink: str | None) -> dict[str, Any]:
    terms = "plain: predictive, hatched: count" if COUNT in one.terms else one.measure
    text = f"<b>{plain(one.title)}</b><br><span style='font-size:11px'>{terms}</span>"
    return heading(text, left, top, ink)
