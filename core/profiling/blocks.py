"""Rows and columns of a biclustering in the order in which its blocks can be seen."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..models.biclusters import Biclusters
from ..schema.encoded import Encoded
from ..wording import counted

#: Of more rows, or columns, so many are shown: evenly spaced, so that every block keeps its share.
MOST_LINES = 400


@dataclass(frozen=True, eq=False)
class Blocks:
    """Cells of a table, clusters of rows and of columns side by side."""

    #: float64, shape (R, C). NaN where a cell is missing.
    cells: np.ndarray
    #: Where in ``cells`` each cluster of rows, and of columns, ends.
    row_ends: tuple[int, ...]
    column_ends: tuple[int, ...]
    names: tuple[str, ...]
    #: Names of the values 0, 1, ... that a cell may have; empty for numbers.
    levels: tuple[str, ...]
    is_nominal: bool

    shape: tuple[int, int]

    @property
    def note(self) -> str:
        """What is left out, in a sentence; nothing where all is shown."""
        if self.cells.shape == self.shape:
            return ""
        shown = counted(self.cells.shape[0], "row"), counted(self.cells.shape[1], "column")
        return (
            f"{shown[0]} of {self.shape[0]:,} and {shown[1]} of {self.shape[1]:,} are drawn, "
            "evenly spaced in this order."
        )

    @classmethod
    def of(cls, model: Biclusters, encoded: Encoded) -> Self:
        """The table that a model was fitted to, in its order."""
        rows, row_ends = _in_order(model.labels_)
        columns, column_ends = _in_order(model.column_labels_)
        unit = encoded.units[0]
        return cls(
            encoded.values[np.ix_(rows, columns)],
            row_ends,
            column_ends,
            tuple(encoded.names[j] for j in columns),
            tuple(map(str, unit.options.get("levels") or ())),
            unit.is_nominal,
            encoded.values.shape,
        )


def _in_order(labels: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """Lines, cluster by cluster, and where each cluster ends among them."""
    order = np.argsort(labels, kind="stable")
    places = np.linspace(0, order.size - 1, min(order.size, MOST_LINES)).round().astype(np.int64)
    shown = order[places]
    return shown, tuple(np.cumsum(np.bincount(labels[shown])).tolist())
