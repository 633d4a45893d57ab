"""Figures of tables of numbers: two partitions against each other, columns missing together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..partitions.contingency import Contingency
from . import PALETTE, PANEL, plain
from .profiles import HIGH, LOW, MARGIN, MOST_NUMBERS, short


def contingency_figure(
    table: Contingency,
    first: tuple[str, Sequence[str]],
    second: tuple[str, Sequence[str]],
    paper: str = "#ffffff",
) -> go.Figure:
    """Heatmap of rows by the groups of two partitions.

    Parameters
    ----------
    first, second : (title, names of the groups)
        Of the partition down and of the one across; names by label.
    paper : str
        Colour of the page, for no rows.
    """
    down = [short(first[1][k], 20) for k in table.first]
    across = [short(second[1][k], 20) for k in table.second]
    share = table.counts / table.counts.sum(axis=1, keepdims=True)
    has_room = max(table.counts.shape) <= MOST_NUMBERS
    figure = go.Figure(
        go.Heatmap(
            z=share,
            zmin=0.0,
            zmax=1.0,
            colorscale=[[0.0, paper], [1.0, PALETTE[0]]],
            text=[[f"{n:,}" if n else "" for n in row] for row in table.counts],
            texttemplate="%{text}" if has_room else None,
            customdata=[[f"{down[i]}, {name}" for name in across] for i in range(len(down))],
            hovertemplate="%{customdata}: %{text} rows, %{z:.0%} of the first<extra></extra>",
            xgap=1,
            ygap=1,
            showscale=False,
        )
    )
    _name_axes(figure, down, across)
    figure.update_xaxes(title=short(second[0], 60))
    figure.update_yaxes(title=short(first[0], 60))
    return figure.update_layout(
        height=max(220, 110 + (28 if len(down) <= MOST_NUMBERS else 14) * len(down)),
        margin=MARGIN | {"t": 56},
        plot_bgcolor=PANEL,
    )


def together_figure(together: pd.DataFrame, paper: str = "#ffffff") -> go.Figure:
    """Heatmap of how far columns are missing in the same rows.

    Parameters
    ----------
    together : DataFrame, shape (C, C)
        Correlations, -1 to 1.
    paper : str
        Colour of the page, for no relation.
    """
    names = [short(name, 22) for name in together.index]
    z = together.to_numpy()
    figure = go.Figure(
        go.Heatmap(
            z=z,
            zmin=-1.0,
            zmax=1.0,
            colorscale=[[0.0, LOW], [0.5, paper], [1.0, HIGH]],
            text=[["" if np.isnan(v) else f"{v:.1f}" for v in row] for row in z.round(1) + 0.0],
            texttemplate="%{text}" if len(names) <= MOST_NUMBERS else None,
            customdata=[[f"{a}, {b}" for b in names] for a in names],
            hovertemplate="%{customdata}: %{z:.2f}<extra></extra>",
            xgap=1,
            ygap=1,
            showscale=False,
        )
    )
    _name_axes(figure, names, names)
    return figure.update_layout(
        height=110 + 24 * len(names), margin=MARGIN | {"t": 60}, plot_bgcolor=PANEL
    )


def share_figure(shares: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff") -> go.Figure:
    """Heatmap of shares, columns of the table down and groups across.

    Parameters
    ----------
    shares : DataFrame, shape (C, G)
        0 to 1.
    titles : sequence of str
        Of the groups.
    paper : str
        Colour of the page, for none.
    """
    names = [short(name, 22) for name in shares.index]
    across = [short(title, 14) for title in titles]
    z = 100.0 * shares.to_numpy()
    figure = go.Figure(
        go.Heatmap(
            z=z,
            zmin=0.0,
            zmax=100.0,
            colorscale=[[0.0, paper], [1.0, PALETTE[0]]],
            text=[[f"{v:.0f}" if v else "" for v in row] for row in z],
            texttemplate="%{text}" if len(across) <= MOST_NUMBERS else None,
            customdata=[[f"{name}, {plain(title)}" for title in titles] for name in names],
            hovertemplate="%{customdata}: %{z:.1f} % missing<extra></extra>",
            xgap=1,
            ygap=1,
            showscale=False,
        )
    )
    _name_axes(figure, names, across)
    return figure.update_layout(
        height=90 + 24 * len(names), margin=MARGIN | {"t": 40}, plot_bgcolor=PANEL
    )


def _name_axes(figure: go.Figure, down: Sequence[str], across: Sequence[str]) -> None:
    figure.update_xaxes(
        tickvals=list(range(len(across))),
        ticktext=list(across),
        side="top",
        showgrid=False,
        ticks="",
        automargin=True,
    )
    figure.update_yaxes(
        tickvals=list(range(len(down))),
        ticktext=list(down),
        autorange="reversed",
        showgrid=False,
        automargin=True,
    )
