"""Tables of numbers as heat maps: a colour for each cell, its number where there is room."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..partitions.scores import Contingency
from .template import HIGH, LOW, PALETTE, names_down, short, styled

#: Differences beyond so many standard deviations share the strongest colour.
STRONGEST = 2.5
MOST_NUMBERS = 20
#: Names that have room on a side, letters of one; pixels of a figure with more rows than that.
NAMED, DOWN, ACROSS, TALL = 40, 34, 16, 760


def contingency_figure(
    table: Contingency,
    first: tuple[str, Sequence[str]],
    second: tuple[str, Sequence[str]],
    paper: str = "#ffffff",
) -> go.Figure:
    """Rows by two partitions, ``first`` down, each a title and its groups' names by label."""
    figure = _heat_map(
        table.counts / table.counts.sum(axis=1, keepdims=True),
        (0.0, 1.0, [paper, PALETTE[0]]),
        "%{text} rows, %{z:.0%} of the first",
        ([first[1][k] for k in table.first], [second[1][k] for k in table.second]),
        [[f"{n:,}" if n else "" for n in row] for row in table.counts],
    )
    figure.update_xaxes(title=short(second[0], 60))
    return figure.update_yaxes(title=short(first[0], 60))


def share_figure(shares: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff") -> go.Figure:
    """Shares of missing cells, 0 to 1, columns of the table down and groups across."""
    z = 100.0 * shares.to_numpy()
    text = np.where(z > 0, np.char.mod("%.0f", z), "")
    scale = 0.0, 100.0, [paper, PALETTE[0]]
    return _heat_map(z, scale, "%{z:.1f} % missing", ([*shares.index], titles), text)


def differences_figure(
    differences: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff"
) -> go.Figure:
    """Standardised differences: features (column, level) down, the first on top, groups across."""
    z = differences.to_numpy(dtype=np.float64)
    numbers = np.char.mod("%+.1f", z.round(1) + 0.0)  # adding 0 takes the sign off -0
    return _heat_map(
        z,
        (-STRONGEST, STRONGEST, [LOW, paper, HIGH]),
        "%{z:+.2f} SD",
        ([f"{name} = {level}" if level else name for name, level in differences.index], titles),
        np.where(np.isnan(z), "", numbers),
        showscale=True,
        colorbar={"thickness": 12, "outlinewidth": 0, "title": {"text": "SD"}, "len": 0.6},
    )


def _heat_map(
    z: np.ndarray,
    scale: tuple[float, float, list],
    hover: str,
    names: tuple[Sequence[str], Sequence[str]],
    text: Any = None,
    **kwargs: Any,
) -> go.Figure:
    """Cells by colour, the first row on top; ``scale`` is lowest, highest, and colours between."""
    low, high, colours = scale
    down, across = names
    figure = go.Figure().add_heatmap(
        **{"z": z, "zmin": low, "zmax": high, "colorscale": colours, "text": text},
        texttemplate="%{text}" if text is not None and len(across) <= MOST_NUMBERS else None,
        hovertemplate=f"%{{y}}, %{{x}}: {hover}<extra></extra>",
        xgap=1,
        ygap=1,
        **{"showscale": False} | kwargs,
    )
    figure.update_xaxes(
        tickvals=[*range(len(across))],
        ticktext=[short(name, ACROSS) for name in across],
        showgrid=False,
        zeroline=False,
        showticklabels=len(across) <= NAMED,
        ticks="",
        side="top",
    )
    has_room = len(down) <= NAMED
    figure.update_yaxes(**names_down(down, DOWN), ticks="", showticklabels=has_room)
    tall = 110 + 24 * len(down) if has_room else TALL
    return styled(figure, tall, margin={"t": 56})  # below the button that saves
