"""A table with its missing cells filled by a model, and how sure each filled cell is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .judged import JudgedPartition


@dataclass(frozen=True)
class Filled:
    """A filled table."""

    #: Shape (N, M). The user's own, with the missing cells of the columns clustered on filled.
    table: pd.DataFrame
    #: Shape (N, C). Of every filled cell: standard deviation in the column's units, or the
    #: probability that another level is true; NaN elsewhere.
    spread: pd.DataFrame
    #: Shape (N, C). Which cells were filled.
    missing: pd.DataFrame

    def by_column(self) -> pd.DataFrame:
        """Cells filled in each column that had any, and the typical spread of them."""
        n = self.missing.sum()
        spread = self.spread.median()
        rows = pd.DataFrame({"n_filled": n, "spread": spread})
        return rows[rows["n_filled"] > 0].sort_values("n_filled", ascending=False, kind="stable")

    def cells(self, name: str) -> pd.DataFrame:
        """The filled cells of one column: ``row`` from 1 on, ``value``, ``spread``."""
        rows = np.flatnonzero(self.missing[name].to_numpy())
        return pd.DataFrame(
            {
                "row": rows + 1,
                "value": self.table[name].to_numpy()[rows],
                "spread": self.spread[name].to_numpy()[rows],
            }
        )


def fill_table(partition: JudgedPartition, frame: pd.DataFrame, method: str) -> Filled:
    """Fill the missing cells of the rows that a partition is of, as ``Predictions.impute`` does."""
    encoded = partition.columns_.encoded
    filled, spread = partition.impute_with_spread(method=method)
    missing = pd.DataFrame(encoded.is_missing, columns=list(encoded.columns))
    table = frame.reset_index(drop=True)
    for name in encoded.columns:
        cells = missing[name].to_numpy()
        if cells.any():
            table[name] = table[name].astype(object).mask(cells, filled[name]).infer_objects()
    return Filled(table, spread, missing)
