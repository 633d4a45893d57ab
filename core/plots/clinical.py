"""Figures of groups of patients: what is handed in is drawn, nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..statistics.resampling import DOUBTFUL, HIGHLY_STABLE, STABLE
from ..wording import p_text
from .template import (
    INK,
    PALETTE,
    marker_style,
    names_down,
    plain,
    short,
    styled,
)

_SHADES = (
    (DOUBTFUL, STABLE, 0.10),
    (STABLE, HIGHLY_STABLE, 0.18),
    (HIGHLY_STABLE, 1.0, 0.28),
)
#: The smallest p-value that the volcano draws, below which doubles end; it names so many columns.
SMALLEST, NAMED = 1e-300, 6


def reference_figure(kinds: Mapping[str, Sequence[float]]) -> go.Figure:
    """Nats that tables without groups gain, more or less, by kind, beside this cohort."""
    figure = go.Figure()
    for row, (kind, gains) in enumerate(kinds.items()):
        draws = np.asarray(gains, dtype=np.float64)
        heights = _stacked(draws)
        figure.add_scatter(
            x=draws,
            y=row + 0.3 - 0.6 * heights / max(6.0, heights.max(initial=0.0)),
            mode="markers",
            name="drawn without groups",
            legendgroup="drawn",
            showlegend=row == 0,
            marker={"color": INK, "size": 7, "opacity": 0.75},
            hovertemplate=f"%{{x:,.1f}} log units<extra>{kind}</extra>",
        )
    figure.add_scatter(
        x=[0.0] * len(kinds),
        y=[row + 0.3 for row in range(len(kinds))],
        mode="markers",
        name="this cohort",
        marker={"color": PALETTE[6], "size": 15, "symbol": "diamond"},
        hoverinfo="name",
    )
    figure.update_xaxes(
        title="gain beside this cohort's (log units)", tickformat=",", zerolinecolor=INK
    )
    figure.update_yaxes(**names_down([f"{kind} tables" for kind in kinds]))
    return styled(figure, 300, margin_t=30)


def _stacked(values: np.ndarray) -> np.ndarray:
    low, high = values.min(initial=0.0), values.max(initial=0.0)
    bins = np.floor((values - low) / ((high - low) or 1.0) * 60.0)
    return pd.Series(bins).groupby(bins).cumcount().to_numpy()


def jaccard_figure(
    titles: Sequence[str],
    means: Sequence[float | None],
    draws: np.ndarray,
    colours: Sequence[int] | None = None,
) -> go.Figure:
    """How well every group came back in resamples, with the bands it is judged by.

    ``means`` is None for a group not judged; ``draws`` is (B, K), NaN where no row of it was drawn.
    """
    figure = go.Figure()
    for low, high, strength in _SHADES:
        figure.add_vrect(x0=low, x1=high, fillcolor=PALETTE[0], opacity=strength, line_width=0)
    said = []
    for k, (title, mean) in enumerate(zip(titles, means, strict=True)):
        said.append(title if mean is None else f"{title}: {mean:.2f}")
        if mean is None:
            text = {"text": "not shown", "showarrow": False, "xanchor": "left"}
            figure.add_annotation(x=0.01, y=k, **text)
            continue
        figure.add_box(
            x=draws[:, k],
            y0=k,
            orientation="h",
            name=short(title),
            marker={**marker_style(k if colours is None else colours[k]), "size": 4},
            line={"width": 1.5},
            hoverinfo="x",
        )
        figure.add_scatter(
            x=[mean],
            y=[k],
            mode="markers",
            marker={"color": INK, "size": 9, "symbol": "line-ns-open", "line_width": 3},
            hovertemplate="mean %{x:.2f}<extra></extra>",
        )
    figure.update_yaxes(**names_down(said))
    figure.update_xaxes(title="overlap with the group found (Jaccard)", range=[0, 1.02])
    return styled(figure, 90 + 54 * len(titles), margin_t=16, showlegend=False)


def counts_figure(values: Sequence[int], marked: int, axis: str) -> go.Figure:
    """How often whole numbers came up; one of them, the answer itself, in colour."""
    distinct, counts = np.unique(np.asarray(values), return_counts=True)
    figure = go.Figure().add_bar(
        x=distinct,
        y=counts,
        marker_color=np.where(distinct == marked, PALETTE[0], INK),
        hovertemplate="%{x}: %{y} times<extra></extra>",
    )
    figure.update_xaxes(title=axis, dtick=1 if np.ptp(distinct) < 20 else None, showgrid=False)
    figure.update_yaxes(title="times", rangemode="tozero")
    return styled(figure, 240, bargap=0.3)


def objectives_figure(objectives: Sequence[float]) -> go.Figure:
    """E of every search above the best of them, sorted."""
    rises = np.sort(np.asarray(objectives, dtype=np.float64))
    # Searches that rest in one partition differ in their last digits only.
    rises = np.round(rises - rises[0], 6)
    figure = go.Figure().add_scatter(
        x=np.arange(1, rises.size + 1),
        y=rises,
        mode="markers",
        marker={"size": 9, "color": np.where(rises < 0.01, PALETTE[0], INK)},
        hovertemplate="%{y:,.2f} log units above the best<extra></extra>",
    )
    top = max(1.0, 1.08 * rises[-1])
    figure.update_xaxes(title="searches, the best first", showgrid=False)
    figure.update_yaxes(title="log units above the best", range=[-0.06 * top, top])
    return styled(figure, 240)


def volcano_figure(lines: pd.DataFrame, alpha: float, first: str, second: str) -> go.Figure:
    """Hedges' g of every column against its p-value; right of 0 is higher in the ``first`` group.

    ``lines`` has ``title``, ``g``, ``judged``, ``differs`` and ``remark``, the clearest first; a
    point's ``customdata`` is its line, from 1 on. A dashed line is drawn at ``alpha``.
    """
    drawn = lines[lines["g"].notna() & lines["judged"].notna()]
    up = -np.log10(drawn["judged"].clip(lower=SMALLEST))
    drawn = drawn.assign(up=up, line=drawn.index + 1)
    figure = go.Figure()
    for differs, part in drawn.groupby("differs", sort=False):
        figure.add_scatter(
            x=part["g"],
            y=part["up"],
            mode="markers",
            name="differs" if differs else "does not",
            marker={
                "symbol": "circle" if differs else "circle-open",
                "color": PALETTE[0] if differs else INK,
                "size": 9,
            },
            customdata=part["line"],
            text=[
                f"{plain(line.title)}: {line.g:+.2f} SD, p {p_text(line.judged)}"
                f"{line.remark and f'; {line.remark}'}"
                for line in part.itertuples()
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    for line in drawn[drawn["differs"]].head(NAMED).itertuples():
        text = {"text": short(line.title, 22), "font": {"size": 11}}
        figure.add_annotation(x=line.g, y=line.up, showarrow=False, yshift=12, **text)
    figure.add_hline(y=-np.log10(alpha), line={"color": INK, "width": 1, "dash": "dash"})
    reach = 1.15 * max(drawn["g"].abs().max() if len(drawn) else 0.0, 0.5)
    figure.update_xaxes(
        title=f"higher in {short(second, 14)} ◂ Hedges' g (SD) ▸ higher in {short(first, 14)}",
        range=[-reach, reach],
        zerolinecolor=INK,
    )
    figure.update_yaxes(title="-log10 of p", rangemode="tozero")
    return styled(figure, 430, margin_t=30)
