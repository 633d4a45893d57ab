"""Figures and tables by group, as the sections of a study's report add them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from ..exports.report import Report
from ..wording import listed
from .small_counts import ALL, HIDDEN

#: Columns in figures and tables of what distinguishes the groups.
LEADING = 25


def add_by_group(report: Report, table: pd.DataFrame, titles: Sequence[str], caption: str) -> None:
    """A table by group without the lines of which every cell is hidden: the caption names them."""
    across = [name for name in (*titles, ALL) if name in table]
    away = (table[across] == HIDDEN).all(axis=1)
    if away.any():
        caption += f" Hidden in every group: {listed(table.loc[away, 'Column'], LEADING)}."
    report.table(table[~away], caption)


def add_figure(report: Report, figure: go.Figure, caption: str) -> None:
    """A figure on white paper."""
    report.figure(figure.update_layout(template="plotly_white"), caption)
