"""What is missing together, and what becomes of the groups if incomplete rows are dropped."""

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

MOST_COLUMNS, MOST_PATTERNS = 40, 12


@dataclass(frozen=True)
class Missingness:
    """Which of the columns clustered on lack cells, and which lack them in the same rows."""

    n_cells: int
    n_missing: int
    #: Rows without a hole.
    n_complete: int
    #: Shape (C, C). Of the columns with missing cells: correlation of their being missing, 1 where
    #: always together; NaN for a column that is missing throughout.
    together: pd.DataFrame
    #: ``n`` rows that lack exactly the ``columns`` (a tuple of names), the commonest first.
    patterns: pd.DataFrame
    #: All there are.
    n_patterns: int


def missingness(encoded: Encoded) -> Missingness:
    """Look at the missing cells of a table.

    Parameters
    ----------
    encoded : Encoded, N rows
    """
    missing = encoded.is_missing
    n, shares = len(missing), missing.mean(axis=0)
    order = np.argsort(-shares, kind="stable")
    order = order[shares[order] > 0][:MOST_COLUMNS]
    names = [encoded.columns[j] for j in order]
    some = missing[:, order].astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = some - some.mean(axis=0)
        spread = np.sqrt(np.square(centred).sum(axis=0))
        together = centred.T @ centred / np.outer(spread, spread)
    # What a row misses as bits: equal rows are found without comparing them cell by cell.
    packed = np.packbits(missing, axis=1)
    keys = packed.view([("", packed.dtype)] * packed.shape[1]).ravel()
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    by_count = np.argsort(-counts, kind="stable")[:MOST_PATTERNS]
    columns = [
        tuple(np.array(encoded.columns, dtype=object)[missing[row]]) for row in first[by_count]
    ]
    return Missingness(
        missing.size,
        int(missing.sum()),
        int(n - missing.any(axis=1).sum()),
        pd.DataFrame(together, names, names),
        pd.DataFrame({"n": counts[by_count], "columns": columns}),
        len(counts),
    )


def missing_by_group(encoded: Encoded, labels: np.ndarray) -> pd.DataFrame:
    """Share of missing cells of each column that has any, by cluster, shape (C, K)."""
    missing = encoded.is_missing
    some = np.flatnonzero(missing.any(axis=0))
    some = some[np.argsort(-missing[:, some].mean(axis=0), kind="stable")][:MOST_COLUMNS]
    sizes = np.bincount(labels)
    counts = [np.bincount(labels, missing[:, j], sizes.size) for j in some]
    return pd.DataFrame(
        np.array(counts).reshape(some.size, sizes.size) / sizes,
        [encoded.columns[j] for j in some],
        range(sizes.size),
    )


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
    """Fit again to complete rows only, as a tool that knows no missing cells would.

    ``labels`` are the clusters of the fit to all rows; ``algorithm`` and ``arguments`` are those of
    its estimator. A ValueError says that too few rows are complete.
    """
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
    before = set(schema.names("cluster")) - set(kept.names("cluster"))
    return Dropped(
        rows,
        model.labels_,
        labels[rows],
        ari(labels[rows], model.labels_),
        tuple(name for name in schema.names("cluster") if name in before),
    )
