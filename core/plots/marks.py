"""Marked rows: the same ones stand out in every panel of a figure."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from ..comparing.projection import View

#: Plotly's ways to drag over a figure. Streamlit takes clicks on points in the first one alone.
DRAGS = {"zoom": "Click or zoom", "select": "Box", "lasso": "Lasso"}
FAINT = 0.12


def mark(figure: go.Figure, view: View, rows: np.ndarray, drag: str) -> go.Figure:
    """Let some rows stand out in the figure of ``panels_figure``, which is changed and returned.

    ``rows`` are numbered from 0 on; none leaves all points alike, and rows outside the drawn sample
    are not seen. ``drag`` is a key of ``DRAGS``.
    """
    if rows.size:
        places = np.flatnonzero(np.isin(view.rows, rows))
        for trace in figure.data:
            if trace.customdata is not None:
                trace.selectedpoints = places
                # No size of their own: plotly.js then fails on symbols that come as an array.
                trace.selected = {"marker": {"opacity": 1.0}}
                trace.unselected = {"marker": {"opacity": FAINT}}
    return figure.update_layout(dragmode=drag)
