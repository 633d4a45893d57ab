"""The volcano plot of t-tests: what is handed in is drawn, nothing is computed here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..wording import p_text
from .template import INK, PALETTE, plain, short, styled

#: The smallest p-value drawn: below it, doubles end.
SMALLEST = 1e-300
#: Columns named in the figure.
NAMED = 6


def volcano_figure(
    lines: pd.DataFrame, alpha: float, first: str, second: str, height: int = 430
) -> go.Figure:
    """Size of every difference against its p-value: the further up and out, the clearer.

    Parameters
    ----------
    lines : DataFrame
        ``title``, ``made``, ``g``, ``judged``, ``differs`` and ``remark``, the first line the
        clearest; a point's ``customdata`` is the number of its line, from 1 on.
    alpha : float
        Where the dashed line is drawn.
    first, second : str
        The groups: points to the right are higher in the first.
    height : int
        In pixels.
    """
    drawn = lines[lines["g"].notna() & lines["judged"].notna()]
    up = -np.log10(np.maximum(drawn["judged"], SMALLEST))
    figure = go.Figure()
    for made, symbol, title in (
        (True, "circle", "made the groups"),
        (False, "diamond", "kept out"),
    ):
        for differs in (True, False):
            inside = (drawn["made"] == made) & (drawn["differs"] == differs)
            part = drawn[inside]
            if part.empty:
                continue
            figure.add_trace(
                go.Scatter(
                    x=part["g"],
                    y=up[inside],
                    mode="markers",
                    name=f"{title}, {'differs' if differs else 'does not'}",
                    marker={
                        "symbol": symbol if differs else f"{symbol}-open",
                        "color": PALETTE[0] if differs else INK,
                        "size": 9,
                    },
                    customdata=list(part.index + 1),
                    text=[
                        f"{plain(line.title)}: {line.g:+.2f} SD, p {p_text(line.judged)}"
                        f"{line.remark and f'; {line.remark}'}"
                        for line in part.itertuples()
                    ],
                    hovertemplate="%{text}<extra></extra>",
                )
            )
    for place in drawn[drawn["differs"]].index[:NAMED]:
        figure.add_annotation(
            x=drawn.loc[place, "g"],
            y=up[place],
            text=short(drawn.loc[place, "title"], 22),
            showarrow=False,
            yshift=12,
            font={"size": 11},
        )
    figure.add_hline(y=-np.log10(alpha), line={"color": INK, "width": 1, "dash": "dash"})
    reach = 1.15 * max(drawn["g"].abs().max() if len(drawn) else 0.0, 0.5)
    figure.update_xaxes(
        title=f"higher in {short(second, 14)} ◂ Hedges' g (SD) ▸ higher in {short(first, 14)}",
        range=[-reach, reach],
        zerolinecolor=INK,
    )
    figure.update_yaxes(title="-log10 of p", rangemode="tozero")
    return styled(figure, height=height, margin_t=30)
