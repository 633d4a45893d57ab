"""Marked rows: the same ones stand out in every panel of a figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..comparing.panels import Panel
from ..comparing.projection import View

#: Plotly's ways to drag over a figure. Streamlit takes clicks on points in the first one alone.
DRAGS = {"zoom": "Click or zoom", "select": "Box", "lasso": "Lasso"}
FAINT = 0.12


def mark(
    figure: go.Figure, view: View, rows: np.ndarray, drag: str, lit: Sequence[Panel] = ()
) -> go.Figure:
    """Let some rows stand out in the figure of ``panels_figure``, which is changed and returned.

    ``rows`` are numbered from 0 on; none leaves all points alike, and rows outside the drawn sample
    are not seen. ``drag`` is a key of ``DRAGS``. Where the panels are given to be ``lit``, the rows
    on which each parts with the reference stand out in it instead.
    """
    drawn = [trace for trace in figure.data if trace.customdata is not None]
    if lit:
        standing_out = [None if one.apart is None else np.flatnonzero(one.apart) for one in lit]
    else:
        places = np.flatnonzero(np.isin(view.rows, rows)) if rows.size else None
        standing_out = [places] * len(drawn)
    for trace, places in zip(drawn, standing_out, strict=True):
        if places is not None:
            trace.selectedpoints = places
            # No size of their own: plotly.js then fails on symbols that come as an array.
            trace.selected = {"marker": {"opacity": 1.0}}
            trace.unselected = {"marker": {"opacity": FAINT}}
    return figure.update_layout(dragmode=drag)
