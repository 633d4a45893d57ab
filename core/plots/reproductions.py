"""KJ12 Figure 2, measured again: DP-means over lambda and its passes, Gibbs over its sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..reproductions.kj12 import FigureTwo
from .template import PALETTE, PANEL, plain, styled

HEIGHT = 300
TITLES = ("DP-means: K against λ", "DP-means: NMI by pass", "Gibbs: NMI by sweep")


def figure_two_figure(result: FigureTwo, is_wide: bool) -> go.Figure:
    """Draw the three panels of the figure, side by side or one below another."""
    across = {"rows": 1, "cols": 3} if is_wide else {"rows": 3, "cols": 1}
    figure = make_subplots(
        **across, subplot_titles=TITLES, horizontal_spacing=0.07, vertical_spacing=0.12
    )
    places = [(1, k + 1) if is_wide else (k + 1, 1) for k in range(3)]
    for traces, (row, column) in zip(
        ([_by_penalty(result)], _by_pass(result), _by_sweep(result)), places, strict=True
    ):
        for trace in traces:
            figure.add_trace(trace, row=row, col=column)
    figure.update_xaxes(zeroline=False)
    figure.update_yaxes(zeroline=False, range=[0, 1.03])
    by_penalty, by_pass, by_sweep = places
    figure.update_xaxes(type="log", dtick=1, title="λ", row=by_penalty[0], col=by_penalty[1])
    figure.update_yaxes(range=[0, 12.5], title="K", row=by_penalty[0], col=by_penalty[1])
    figure.update_xaxes(title="pass", row=by_pass[0], col=by_pass[1])
    figure.update_xaxes(type="log", dtick=1, title="sweep", row=by_sweep[0], col=by_sweep[1])
    figure.add_vline(x=result.penalty, line={"color": PALETTE[2], "dash": "dash"}, row=1, col=1)
    return styled(
        figure,
        height=HEIGHT if is_wide else 3 * HEIGHT,
        margin={"l": 48, "r": 8, "t": 40, "b": 96, "pad": 0},
        plot_bgcolor=PANEL,
        legend={"y": 0.0, "yanchor": "bottom"},
    )


def _line(x: Any, y: Any, name: str, colour: int, **more: Any) -> go.Scatter:
    line = {"color": PALETTE[colour], "width": 2, **more.pop("line", {})}
    return go.Scatter(x=x, y=y, mode="lines", name=plain(name), line=line, **more)


def _by_penalty(result: FigureTwo) -> go.Scatter:
    table = result.by_penalty
    return _line(
        table["penalty"], table["n_clusters"], "K", 0, line={"shape": "hv"}, showlegend=False
    )


def _by_pass(result: FigureTwo) -> list[go.Scatter]:
    """Mean over the runs, each run staying where it came to rest, and the lowest and highest."""
    runs = result.dp_means.pivot(index="sweep", columns="run", values="nmi").ffill()
    ends = runs.min(axis=1), runs.max(axis=1)
    return [
        _line(runs.index, runs.mean(axis=1), "mean of the runs", 0),
        *(
            _line(
                *(runs.index, values, "lowest and highest run", 8),
                line={"dash": "dot", "width": 1},
                showlegend=k == 0,
            )
            for k, values in enumerate(ends)
        ),
    ]


def _by_sweep(result: FigureTwo) -> list[go.Scatter]:
    """NMI of each chain; of long ones, so many sweeps as can be seen."""
    lines = []
    for colour, (method, chain) in enumerate(result.gibbs.groupby("method", sort=False), start=1):
        seen = _spread(chain)
        lines.append(_line(seen["sweep"], seen["nmi"], str(method), colour))
    return lines


def _spread(chain: pd.DataFrame, most: int = 400) -> pd.DataFrame:
    places = np.geomspace(1, len(chain), most).round().astype(int) - 1
    return chain.iloc[np.unique(places)]
