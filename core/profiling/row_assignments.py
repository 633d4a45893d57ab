"""Where every row of a table stands: typical or not, settled or between two groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..inference.contributions import assignments, placed_using
from ..inference.prediction import Predictions
from ..models.estimator import Callback
from ..models.progress import Progress

#: Rows at a time, so that a large table needs little room beside the answer.
BLOCK = 65_536


@dataclass(frozen=True)
class RowAssignments:
    """Every row among the groups."""

    #: int64, shape (N,). The row's group, and the most probable other one; K is a new group, none
    #: of these.
    labels: np.ndarray
    second: np.ndarray
    #: float64, shape (N,). Of the two.
    probability: np.ndarray
    second_probability: np.ndarray
    #: float64, shape (N,). Probability of a new group.
    none_of_these: np.ndarray
    #: float64, shape (N,). Log predictive density of the row's observed cells, in nats; low for
    #: atypical rows.
    log_density: np.ndarray
    #: float64, shape (N,). Of the probabilities, in nats; high for rows between groups.
    entropy: np.ndarray
    #: int64, shape (N,). Columns that the row has.
    n_observed: np.ndarray
    n_columns: int

    def placed_using(self, row: int) -> str:
        """On how much a row's place rests, such as "placed using 3 of 5 columns"."""
        return placed_using(self.n_observed[row], self.n_columns)


def row_assignments(
    model: Predictions, callback: Callback, frame: pd.DataFrame | None = None
) -> RowAssignments:
    """Look at every row of the fitted table, given the others, or of another one.

    The callback is told of every block of rows.
    """
    n = len(model.labels_) if frame is None else len(frame)
    parts: dict[str, list[np.ndarray]] = {}
    n_columns = len(model.columns_.encoded.columns)
    for first in range(0, n, BLOCK):
        rows = slice(first, first + BLOCK)
        if frame is None:
            some = assignments(model, rows=rows)
        else:
            some = assignments(model, frame.iloc[rows])
        each = np.arange(some.labels.size)
        second = some.second
        result = {
            "labels": some.labels,
            "second": second,
            "probability": some.probabilities[each, some.labels],
            "second_probability": some.probabilities[each, second],
            "none_of_these": some.probabilities[:, -1],
            "log_density": some.log_density,
            "entropy": some.entropy,
            "n_observed": some.n_observed,
        }
        for name, values in result.items():
            parts.setdefault(name, []).append(values)
        done = first + each.size
        callback(Progress(done, n, 0.0, model.n_clusters_, f"{done:,} of {n:,} rows"))
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return RowAssignments(**joined, n_columns=n_columns)
