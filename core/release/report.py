"""A report through the door: tables and pictures that nobody named stay inside, in every report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ..exports.report import Report
from .allowed import IN_REPORT
from .door import Allowed, names_of, only_named
from .pictures import let_out_picture

if TYPE_CHECKING:
    import plotly.graph_objects as go


class ReleasedReport(Report):
    """A report of which only what ``allowed`` and ``pictures`` name leaves."""

    #: Titles of the groups, which are columns of some tables.
    titles: Sequence[str] = ()

    def table(self, frame: pd.DataFrame, caption: str = "") -> None:
        """Show of a table the columns that were named; nothing of a table that nobody named."""
        told = only_named(frame, best_named(frame, self.titles), self.titles)
        if told.shape[1] and told.columns[0] == frame.columns[0]:
            super().table(told, caption)

    def figure(self, figure: go.Figure, caption: str = "", alt: str = "") -> None:
        """Show of a figure what was named; nothing of one that nobody named."""
        told = let_out_picture(figure)
        if told is not None:
            super().figure(told, caption, alt)


def best_named(frame: pd.DataFrame, titles: Sequence[str]) -> Allowed:
    """Of the tables of a report, the one that names most of a table's columns."""
    return max(IN_REPORT, key=lambda one: len(names_of(frame, one, titles)))
