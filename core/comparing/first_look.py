"""First answers from a sample of the rows, while those of all rows are coming."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..models.estimator import Callback, ClusterEstimator
from ..schema.schema import Schema
from .comparison import Results, Task, Truth
from .panels import Panel, method_panel
from .projection import View

#: A table of more cells than this is long: its fits take more than a second or two.
LONG = 150_000
MOST_ROWS = 1_000


def is_long(n_rows: int, n_columns: int) -> bool:
    """Whether a table is worth a first look before all its rows are fitted."""
    return n_rows * n_columns > LONG and n_rows > 2 * MOST_ROWS


@dataclass(frozen=True, eq=False)
class FirstLook:
    """Some of the rows that a view shows, and what every method makes of them."""

    #: Of the view, shape (n,): which of its points.
    places: np.ndarray
    #: The same rows as a table, with the schema as the whole table completes it.
    frame: pd.DataFrame
    schema: Schema
    truth: Truth | None
    results: Results = field(default_factory=Results)

    @classmethod
    def of(
        cls, frame: pd.DataFrame, schema: Schema, view: View, truth: Truth | None = None
    ) -> FirstLook:
        """Take evenly spaced rows among those that a view shows; ``schema`` is completed."""
        shown = view.rows.size
        places = np.unique(np.linspace(0, shown - 1, min(shown, MOST_ROWS)).astype(np.int64))
        rows = view.rows[places]
        known = None if truth is None else replace(truth, classes=truth.classes[rows])
        return cls(places, frame.iloc[rows], schema, known)

    def fit(self, name: str, wanted: Mapping[str, Task], callback: Callback) -> None:
        """Fit a method to the sample as ``wanted`` says, after what its prior is taken from."""
        self.results.fit(wanted[name], self.frame, self.schema, callback)

    def view(self, view: View) -> View:
        """A view with the points of the sample alone."""
        shown = self.places
        return replace(view, points=view.points[shown], rows=view.rows[shown], ways=None)

    def panel(self, name: str, view: View, wanted: Mapping[str, Task]) -> Panel | None:
        """The sample's answer, marked so, for the sample's ``view``; None where there is none."""
        if not isinstance(self.results.get(wanted[name]), ClusterEstimator):
            return None
        # The sample's fits number its rows.
        small = replace(self.view(view), rows=np.arange(self.places.size))
        panel = method_panel(name, small, self.results, wanted, wanted, self.truth)
        return replace(panel, remark=f"first look: {self.places.size:,} rows")
