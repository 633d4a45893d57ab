"""Tables of numbers as heat maps: a colour for each cell, its number where there is room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..partitions.contingency import Contingency
from ..profiling.blocks import Blocks
from .template import HIGH, INK, LOW, PALETTE, PANEL, feature, names_down, short, styled

#: Differences beyond so many standard deviations share the strongest colour.
STRONGEST = 2.5
#: Numbers are written into the cells of up to so many groups.
MOST_NUMBERS = 20
#: Log units for two columns' dependence from which the colour is strongest (odds of e^20).
FULL_COLOUR = 20.0
#: Columns of a square table that have room for their names.
NAMED = 40
#: Numbers beyond these percentiles share the palest and the strongest colour.
SHOWN = (2, 98)
#: The colour of the lowest cells, told from that of missing ones, which is grey.
PALE = "#e3eefa"
#: Share of the rows from which a group has room for its name.
WIDE_ENOUGH = 0.04


def contingency_figure(
    table: Contingency,
    first: tuple[str, Sequence[str]],
    second: tuple[str, Sequence[str]],
    paper: str = "#ffffff",
) -> go.Figure:
    """Rows by the groups of two partitions.

    ``first`` (down) and ``second`` (across) are a title and the names of the groups, by label;
    ``paper``, the page's colour, stands for no rows.
    """
    down = [short(first[1][k], 20) for k in table.first]
    across = [short(second[1][k], 20) for k in table.second]
    figure = _heat_map(
        table.counts / table.counts.sum(axis=1, keepdims=True),
        (down, across),
        (0.0, 1.0),
        [[0.0, paper], [1.0, PALETTE[0]]],
        [[f"{n:,}" if n else "" for n in row] for row in table.counts],
        "%{text} rows, %{z:.0%} of the first",
        has_room=max(table.counts.shape) <= MOST_NUMBERS,
    )
    figure.update_xaxes(title=short(second[0], 60))
    figure.update_yaxes(title=short(first[0], 60))
    height = max(220, 110 + (28 if len(down) <= MOST_NUMBERS else 14) * len(down))
    return figure.update_layout(height=height, margin_t=56)


def missing_together_figure(together: pd.DataFrame, paper: str = "#ffffff") -> go.Figure:
    """How far columns are missing in the same rows, -1 to 1; the page's colour is no relation."""
    names = [short(name, 22) for name in together.index]
    z = together.to_numpy()
    figure = _heat_map(
        z,
        (names, names),
        (-1.0, 1.0),
        [[0.0, LOW], [0.5, paper], [1.0, HIGH]],
        _written(z, "{:.1f}".format),
        "%{z:.2f}",
        has_room=len(names) <= MOST_NUMBERS,
    )
    return figure.update_layout(height=110 + 24 * len(names), margin_t=60)


def share_figure(shares: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff") -> go.Figure:
    """Shares of missing cells, 0 to 1, columns of the table down and groups across."""
    names = [short(name, 22) for name in shares.index]
    z = 100.0 * shares.to_numpy()
    figure = _heat_map(
        z,
        (names, [short(title, 14) for title in titles]),
        (0.0, 100.0),
        [[0.0, paper], [1.0, PALETTE[0]]],
        [[f"{v:.0f}" if v else "" for v in row] for row in z],
        "%{z:.1f} % missing",
        has_room=len(titles) <= MOST_NUMBERS,
    )
    return figure.update_layout(height=90 + 24 * len(names), margin_t=40)


def differences_figure(
    differences: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff"
) -> go.Figure:
    """Standardised differences: features (column, level) down, the first on top, groups across."""
    names = [short(feature(column, level), 34) for column, level in differences.index]
    z = differences.to_numpy(dtype=np.float64)
    figure = _heat_map(
        z,
        (names, [short(title, 14) for title in titles]),
        (-STRONGEST, STRONGEST),
        [[0.0, LOW], [0.5, paper], [1.0, HIGH]],
        _written(z, "{:+.1f}".format),
        "%{z:+.2f} SD",
        has_room=z.shape[1] <= MOST_NUMBERS,
        textfont={"size": 11},
        showscale=True,
        colorbar={"title": {"text": "SD"}, "thickness": 12, "len": 0.6, "outlinewidth": 0},
    )
    return figure.update_layout(height=70 + 24 * len(names), margin_t=36)


def dependence_figure(
    nats: np.ndarray, names: Sequence[str], ends: Sequence[int], paper: str = "#ffffff"
) -> go.Figure:
    """How strongly columns depend on each other, those of one view side by side.

    ``nats``, shape (U, U), are log Bayes factors; below 0 speaks against any dependence. Lines are
    drawn where a view ends. The strongest colour is for ``FULL_COLOUR`` and more.
    """
    shown = np.array(nats)
    np.fill_diagonal(shown, np.nan)
    short_names = [short(name, 22) for name in names]
    figure = _heat_map(
        shown,
        (short_names, short_names),
        (0.0, FULL_COLOUR),
        [[0.0, paper], [1.0, PALETTE[0]]],
        [[f"{v:,.1f}" for v in row] for row in shown],
        "%{text} log units for belonging together",
        has_room=False,
    )
    _outline(figure, ends, ends)
    side = 120 + (22 if len(names) <= NAMED else 6) * len(names)
    figure.update_layout(height=min(side, 760), margin_t=90)
    if len(names) > NAMED:
        figure.update_xaxes(showticklabels=False)
        figure.update_yaxes(showticklabels=False)
    return figure


def co_assignment_figure(
    shares: np.ndarray, edges: Sequence[int], titles: Sequence[str], height: int = 420
) -> go.Figure:
    """How often every two rows fell into one group, 0 to 1, the groups side by side.

    The rows of ``shares``, shape (R, R), are in order already; ``edges`` are where one group ends
    and the next begins, and ``titles`` follow the same order.
    """
    figure = go.Figure().add_heatmap(
        z=np.round(shares, 2).astype(np.float32),
        zmin=0,
        zmax=1,
        colorscale=[[0.0, PANEL], [1.0, PALETTE[0]]],
        hovertemplate="together in %{z:.0%} of draws<extra></extra>",
        colorbar={"tickformat": ".0%", "thickness": 12, "outlinewidth": 0},
    )
    _outline(figure, edges, edges)
    ticks = _named(edges, titles)
    figure.update_xaxes(**ticks, tickangle=0, showgrid=False)
    figure.update_yaxes(**ticks, showgrid=False, autorange="reversed")
    return styled(figure, height=height)


def blocks_figure(blocks: Blocks, ink: str | None = None, height: int = 520) -> go.Figure:
    """The cells of a table by their colour, its blocks outlined: rows down and columns across."""
    known = blocks.cells[np.isfinite(blocks.cells)]
    n_levels = len(blocks.levels)
    ends = (-0.5, n_levels - 0.5) if n_levels else np.percentile(known, SHOWN) if known.size else ()
    figure = go.Figure().add_heatmap(
        z=blocks.cells.astype(np.float32),
        zmin=min(ends, default=0.0),
        zmax=max(ends, default=1.0),
        colorscale=_steps(n_levels) if blocks.is_nominal else [[0.0, PALE], [1.0, PALETTE[0]]],
        hovertemplate="%{x}: %{z:.4g}<extra></extra>",
        hoverongaps=False,
        colorbar={
            **({"tickvals": [*range(n_levels)], "ticktext": blocks.levels} if n_levels else {}),
            **{"thickness": 12, "outlinewidth": 0},
        },
    )
    _outline(figure, blocks.row_ends, blocks.column_ends, ink or INK)
    clusters = [f"Rows {k + 1}" for k in range(len(blocks.row_ends))]
    n_rows, n_columns = blocks.cells.shape
    figure.update_yaxes(
        **_named(blocks.row_ends, clusters), showgrid=False, range=[n_rows - 0.5, -0.5], ticks=""
    )
    figure.update_xaxes(
        range=[-0.5, n_columns - 0.5],
        tickvals=[*range(len(blocks.names))],
        ticktext=[short(name, 22) for name in blocks.names],
        showticklabels=len(blocks.names) <= NAMED,
        showgrid=False,
        side="top",
        ticks="",
    )
    return styled(figure, height=height, margin={"t": 36, "pad": 0}, plot_bgcolor=INK)


def _steps(n: int) -> list[list]:
    """One colour a level, without anything between two."""
    colours = [PALETTE[k % len(PALETTE)] for k in range(n)]
    return [[(k + side) / n, colour] for k, colour in enumerate(colours) for side in (0, 1)]


def _outline(figure: go.Figure, down: Sequence[int], across: Sequence[int], ink: str = INK) -> None:
    """Lines between neighbours, which end at these places."""
    for end in down[:-1]:
        figure.add_hline(y=end - 0.5, line={"color": ink, "width": 1})
    for end in across[:-1]:
        figure.add_vline(x=end - 0.5, line={"color": ink, "width": 1})


def _named(ends: Sequence[int], titles: Sequence[str]) -> dict[str, list]:
    """Ticks in the middle of what ends at these places, where there is room for a name."""
    named = [
        ((start + end) / 2, short(title, 12))
        for start, end, title in zip([0, *ends[:-1]], ends, titles, strict=True)
        if end - start >= WIDE_ENOUGH * ends[-1]
    ]
    return {"tickvals": [at for at, _ in named], "ticktext": [text for _, text in named]}


def _written(z: np.ndarray, form: Callable[[float], str]) -> list[list[str]]:
    """Numbers with one digit, nothing where there is none; adding 0 takes the sign off -0."""
    return [["" if np.isnan(v) else form(v) for v in row] for row in z.round(1) + 0.0]


def _heat_map(
    z: np.ndarray,
    names: tuple[Sequence[str], Sequence[str]],
    ends: tuple[float, float],
    colours: list[list],
    text: list[list[str]],
    hover: str,
    has_room: bool,
    **more: Any,
) -> go.Figure:
    """Cells of a table under their names; ``hover`` follows the names of a cell."""
    down, across = names
    figure = go.Figure().add_heatmap(
        z=z,
        zmin=ends[0],
        zmax=ends[1],
        colorscale=colours,
        text=text,
        texttemplate="%{text}" if has_room else None,
        customdata=[[f"{name}, {title}" for title in across] for name in down],
        hovertemplate="%{customdata}: " + hover + "<extra></extra>",
        xgap=1,
        ygap=1,
        **{"showscale": False} | more,
    )
    figure.update_xaxes(
        tickvals=list(range(len(across))),
        ticktext=list(across),
        side="top",
        showgrid=False,
        ticks="",
    )
    figure.update_yaxes(**names_down(down))
    return styled(figure, plot_bgcolor=PANEL)
