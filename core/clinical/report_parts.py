"""Figures and tables by group, as the sections of a study's report add them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
import plotly.graph_objects as go

from ..exports.report import Report
from ..statistics.suppression import HIDDEN
from ..wording import listed

#: Columns in figures and tables of what distinguishes the groups.
LEADING = 25


@dataclass(frozen=True, eq=False)
class Told:
    """What another step of the study has to say in the report, fit to leave the room."""

    sentences: tuple[str, ...]
    #: By caption; let out at the door by whoever made them.
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def add_to(self, report: Report) -> None:
        """Say it."""
        for sentence in self.sentences:
            report.paragraph(sentence)
        for caption, table in self.tables.items():
            report.table(table, caption)


def add_by_group(report: Report, table: pd.DataFrame, titles: Sequence[str], caption: str) -> None:
    """A table by group without the lines of which every cell is hidden: the caption names them."""
    across = [name for name in (*titles, "All") if name in table]
    away = (table[across] == HIDDEN).all(axis=1)
    if away.any():
        caption += f" Hidden in every group: {listed(table.loc[away, 'Column'], LEADING)}."
    report.table(table[~away], caption)


def add_figure(report: Report, figure: go.Figure, caption: str) -> None:
    """A figure on white paper."""
    report.figure(figure.update_layout(template="plotly_white"), caption)
