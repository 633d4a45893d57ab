"""Missing cells: which are, which together, what fills them, and what dropping rows would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..methods import METHODS
from ..models.estimator import Callback
from ..partitions.scores import ari
from ..schema.encoded import Encoded
from ..schema.rows import subtable
from ..schema.schema import Schema
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
    #: (C, C). Correlation of their being missing; NaN for a column missing throughout.
    together: pd.DataFrame
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
        pd.DataFrame(cells[:, some].astype(np.float64), columns=names).corr(),
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
class Dropped:
    """A fit to the complete rows alone, beside one to all rows."""

    #: int64, shape (C,). The complete rows.
    rows: np.ndarray
    #: int64, shape (C,). Their clusters without the other rows.
    labels: np.ndarray
    #: int64, shape (C,). Their clusters with all rows.
    with_all: np.ndarray
    #: Agreement of the two: 1 the same groups, about 0 by chance.
    ari: float
    #: Columns that the complete rows are all alike in.
    set_aside: tuple[str, ...]


def without_incomplete_rows(
    frame: pd.DataFrame,
    schema: Schema,
    labels: np.ndarray,
    algorithm: str,
    arguments: Mapping[str, Any],
    callback: Callback,
) -> Dropped:
    """Fit again to complete rows only, as a tool that knows no missing cells would."""
    missing = np.isnan(schema.encode(frame).values).any(axis=1)
    rows = np.flatnonzero(~missing)
    if rows.size < 2:
        raise ValueError(
            f"{rows.size} of {len(frame):,} rows are complete: a tool that drops incomplete rows "
            "would have nothing left to cluster."
        )
    part, kept = subtable(frame, schema, rows)
    model = METHODS[algorithm].estimator(**arguments)
    model.fit(part, schema=kept, callback=callback)
    still = kept.names("cluster")
    return Dropped(
        rows,
        model.labels_,
        labels[rows],
        ari(labels[rows], model.labels_),
        tuple(name for name in schema.names("cluster") if name not in still),
    )


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
