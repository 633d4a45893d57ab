"""Tables of numbers as heat maps: a colour for each cell, its number where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..partitions.scores import Contingency
from ..profiling.blocks import Blocks
from .template import HIGH, INK, LOW, PALETTE, feature, names_down, short, styled

#: Differences beyond so many standard deviations share the strongest colour.
STRONGEST = 2.5
MOST_NUMBERS = 20
#: Log units for two columns' dependence from which the colour is strongest (odds of e^20).
FULL_COLOUR = 20.0
#: Columns of a square table that have room for their names, and letters of a name.
NAMED, DOWN, ACROSS = 40, 34, 16
#: Percentiles beyond which numbers share the palest and the strongest colour.
SHOWN = (2, 98)
#: The colour of the lowest cells, told from that of missing ones, which is grey.
PALE = "#e3eefa"
#: Share of the rows from which a group has room for its name.
WIDE_ENOUGH = 0.04
_SCALE = {"thickness": 12, "outlinewidth": 0}


def contingency_figure(
    table: Contingency,
    first: tuple[str, Sequence[str]],
    second: tuple[str, Sequence[str]],
    paper: str = "#ffffff",
) -> go.Figure:
    """Rows by the groups of two partitions, each a title and the names of its groups by label.

    ``first`` runs down; ``paper``, the page's colour, stands for no rows.
    """
    down = [first[1][k] for k in table.first]
    figure = _heat_map(
        table.counts / table.counts.sum(axis=1, keepdims=True),
        (0.0, 1.0, [paper, PALETTE[0]]),
        "%{text} rows, %{z:.0%} of the first",
        max(220, 110 + (28 if len(down) <= MOST_NUMBERS else 14) * len(down)),
        (down, [second[1][k] for k in table.second]),
        [[f"{n:,}" if n else "" for n in row] for row in table.counts],
    )
    figure.update_xaxes(title=short(second[0], 60))
    return figure.update_yaxes(title=short(first[0], 60))


def missing_together_figure(together: pd.DataFrame, paper: str = "#ffffff") -> go.Figure:
    """How far columns are missing in the same rows, -1 to 1; the page's colour is no relation."""
    names, z = [*together.index], together.to_numpy()
    return _heat_map(
        z,
        (-1.0, 1.0, [LOW, paper, HIGH]),
        "%{z:.2f}",
        110 + 24 * len(names),
        (names, names),
        _written(z, "{:.1f}"),
    )


def share_figure(shares: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff") -> go.Figure:
    """Shares of missing cells, 0 to 1, columns of the table down and groups across."""
    z = 100.0 * shares.to_numpy()
    return _heat_map(
        z,
        (0.0, 100.0, [paper, PALETTE[0]]),
        "%{z:.1f} % missing",
        90 + 24 * len(shares),
        ([*shares.index], titles),
        [[f"{share:.0f}" if share else "" for share in row] for row in z],
    )


def differences_figure(
    differences: pd.DataFrame, titles: Sequence[str], paper: str = "#ffffff"
) -> go.Figure:
    """Standardised differences: features (column, level) down, the first on top, groups across."""
    z = differences.to_numpy(dtype=np.float64)
    return _heat_map(
        z,
        (-STRONGEST, STRONGEST, [LOW, paper, HIGH]),
        "%{z:+.2f} SD",
        70 + 24 * len(differences),
        ([feature(column, level) for column, level in differences.index], titles),
        _written(z, "{:+.1f}"),
        showscale=True,
        colorbar=_SCALE | {"title": {"text": "SD"}, "len": 0.6},
    )


def dependence_figure(
    nats: np.ndarray, names: Sequence[str], ends: Sequence[int], paper: str = "#ffffff"
) -> go.Figure:
    """How strongly columns depend on each other; lines are drawn where a view ends.

    ``nats``, shape (U, U), are log Bayes factors; below 0 speaks against any dependence.
    """
    shown = np.array(nats)
    np.fill_diagonal(shown, np.nan)
    has_room = len(names) <= NAMED
    figure = _heat_map(
        shown,
        (0.0, FULL_COLOUR, [paper, PALETTE[0]]),
        "%{z:,.1f} log units for belonging together",
        min(120 + (22 if has_room else 6) * len(names), 760),
        (names, names),
    )
    _outline(figure, ends, ends)
    figure.update_xaxes(showticklabels=has_room)
    return figure.update_yaxes(showticklabels=has_room)


def blocks_figure(blocks: Blocks, ink: str | None = None) -> go.Figure:
    """The cells of a table by their colour, its blocks outlined: rows down and columns across."""
    known = blocks.cells[np.isfinite(blocks.cells)]
    n_levels = len(blocks.levels)
    ends = (-0.5, n_levels - 0.5) if n_levels else np.percentile(known, SHOWN) if known.size else ()
    ticks = {"tickvals": [*range(n_levels)], "ticktext": blocks.levels} if n_levels else {}
    figure = _heat_map(
        blocks.cells.astype(np.float32),
        (
            min(ends, default=0.0),
            max(ends, default=1.0),
            _steps(n_levels) if blocks.is_nominal else [PALE, PALETTE[0]],
        ),
        "%{x}: %{z:.4g}",
        520,
        hoverongaps=False,
        showscale=True,
        colorbar=_SCALE | ticks,
    )
    _outline(figure, blocks.row_ends, blocks.column_ends, ink or INK)
    n_rows, n_columns = blocks.cells.shape
    clusters = [f"Rows {k + 1}" for k in range(len(blocks.row_ends))]
    rows = {"range": [n_rows - 0.5, -0.5], "autorange": None}
    figure.update_yaxes(**_named(blocks.row_ends, clusters), **rows)
    figure.update_xaxes(
        range=[-0.5, n_columns - 0.5],
        tickvals=[*range(n_columns)],
        ticktext=[short(name, ACROSS) for name in blocks.names],
        showticklabels=n_columns <= NAMED,
    )
    return figure.update_layout(margin_pad=0, plot_bgcolor=INK)


def _steps(n: int) -> list[list]:
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


def _written(z: np.ndarray, form: str) -> list[list[str]]:
    """Numbers with one digit, nothing where there is none; adding 0 takes the sign off -0."""
    return [["" if np.isnan(v) else form.format(v) for v in row] for row in z.round(1) + 0.0]


def _heat_map(
    z: np.ndarray,
    scale: tuple[float, float, list],
    hover: str,
    height: int,
    names: tuple[Sequence[str], Sequence[str]] | None = None,
    text: list[list[str]] | None = None,
    **more: Any,
) -> go.Figure:
    """Cells by colour, the first row on top; ``scale`` is lowest, highest, and colours between."""
    low, high, colours = scale
    figure = go.Figure().add_heatmap(
        z=z,
        zmin=low,
        zmax=high,
        colorscale=colours,
        text=text,
        texttemplate="%{text}" if text and z.shape[1] <= MOST_NUMBERS else None,
        hovertemplate=f"{hover}<extra></extra>",
        **{"showscale": False} | more,
    )
    figure.update_xaxes(showgrid=False, zeroline=False, ticks="", side="top")
    figure.update_yaxes(showgrid=False, zeroline=False, ticks="", autorange="reversed")
    if names is not None:
        down, across = (
            [short(n, w) for n in side] for side, w in zip(names, (DOWN, ACROSS), strict=True)
        )
        figure.update_traces(
            customdata=[[f"{name}, {title}" for title in across] for name in down],
            hovertemplate=f"%{{customdata}}: {hover}<extra></extra>",
            xgap=1,
            ygap=1,
        )
        figure.update_xaxes(tickvals=list(range(len(across))), ticktext=across)
        figure.update_yaxes(**names_down(names[0], DOWN), autorange=None)
    return styled(figure, height)
