"""Missing cells: their number, patterns and fills."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..schema.encoded import Encoded
from .judged import JudgedPartition

MOST_COLUMNS, MOST_PATTERNS, MOST_ROWS = 40, 12, 2000


@dataclass(frozen=True)
class Missingness:
    """Which cells of a table are missing, and which columns lack them in the same rows."""

    n_cells: int
    n_missing: int
    n_complete: int
    #: Share of missing cells of each column that has any, 0 to 1, the largest first.
    shares: dict[str, float]
    #: bool, (R, C). Missing cells of the columns of ``shares``, rows evenly spaced, alike together.
    pattern: np.ndarray
    #: ``n`` rows that lack exactly the ``columns`` (a tuple of names), the commonest first.
    patterns: pd.DataFrame


def missingness(missing: pd.DataFrame) -> Missingness:
    """Look at the missing cells of a table, most of all in the columns that have most of them."""
    cells = missing.to_numpy(dtype=bool)
    some = _with_most(cells)
    names = missing.columns[some].astype(str)
    pattern = cells[:: max(1, -(-len(cells) // MOST_ROWS)), some]
    if some.size:
        pattern = pattern[np.lexsort(pattern.T[::-1])[::-1]]
    # What a row misses as bits: equal rows are found without comparing them cell by cell.
    packed = np.packbits(cells, axis=1)
    _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
    commonest = np.argsort(-counts, kind="stable")[:MOST_PATTERNS]
    columns = [tuple(missing.columns[cells[row]]) for row in first[commonest]]
    return Missingness(
        cells.size,
        int(cells.sum()),
        int((~cells.any(axis=1)).sum()),
        dict(zip(names, cells[:, some].mean(axis=0).tolist(), strict=True)),
        pattern,
        pd.DataFrame({"n": counts[commonest], "columns": columns}),
    )


def _with_most(missing: np.ndarray) -> np.ndarray:
    """Places of the columns that miss most cells, the most first, of (N, M) of bool."""
    shares = missing.mean(axis=0)
    order = np.argsort(-shares, kind="stable")
    return order[shares[order] > 0][:MOST_COLUMNS]


def missing_by_group(encoded: Encoded, labels: np.ndarray) -> pd.DataFrame:
    """Share of missing cells of each column that has any, by cluster, shape (C, K)."""
    missing = encoded.is_missing
    some = _with_most(missing)
    shares = pd.DataFrame(missing[:, some]).groupby(labels).mean().T
    return shares.set_axis([encoded.columns[j] for j in some])


@dataclass(frozen=True)
class Filled:
    """A filled table, and how sure each filled cell is."""

    #: Shape (N, M). The user's own, with the missing cells of the columns clustered on filled.
    table: pd.DataFrame
    #: (N, C). Standard deviation in the column's units, or probability of other levels; or NaN.
    spread: pd.DataFrame
    missing: pd.DataFrame

    def by_column(self) -> pd.DataFrame:
        """Cells filled in each column that had any, and the typical spread of them."""
        rows = pd.DataFrame({"n_filled": self.missing.sum(), "spread": self.spread.median()})
        return rows[rows["n_filled"] > 0].sort_values("n_filled", ascending=False, kind="stable")

    def cells(self, name: str) -> pd.DataFrame:
        """The filled cells of one column: ``row`` from 1 on, ``value``, ``spread``."""
        rows = np.flatnonzero(self.missing[name].to_numpy())
        value, spread = (part[name].to_numpy()[rows] for part in (self.table, self.spread))
        return pd.DataFrame({"row": rows + 1, "value": value, "spread": spread})


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
